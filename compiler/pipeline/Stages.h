// The table of stages, in the order data flows. The one place that knows them all: compileModel, heddle-opt, --help and the README follow it.
#pragma once
#include "compiler/support/Target.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace heddle {

struct Stage {
  llvm::StringLiteral word; // names folder, library, --heddle-stage-<word> and test folder
  llvm::StringLiteral emit; // what --emit= calls the IR that leaves it
  llvm::StringLiteral summary;
  bool perTarget; // runs once for each CPU variant
  void (*build)(mlir::OpPassManager &, const Target *);
};

/// The stages whose result is IR and that a pass pipeline makes: all but the frontend before and the objects after.
llvm::ArrayRef<Stage> stages();

/// Every word `--emit=` takes, in the order data flows: heddle, the stages' own, asm, obj, exe.
std::vector<llvm::StringRef> emitNames();

/// Makes the passes and pipelines of every stage known by name (heddle-opt).
void registerStages();

/// The dialects of every stage, and the interfaces that their passes expect of upstream's ops.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace heddle
