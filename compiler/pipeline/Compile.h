// A model text or directory -> one executable, or whatever comes out of a stage before. The whole compiler behind one class; tools call it.
#pragma once
#include "compiler/native/LinkExecutable.h"
#include "compiler/pipeline/FusionNotes.h"
#include "compiler/pipeline/Options.h"
#include "compiler/pipeline/RewriteJudge.h"
#include "compiler/pipeline/Stages.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/support/ModelInfo.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/Timing.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

enum class Outcome {
  Good,
  Refused, // the contents given are at fault, or ask for what is not built yet
  Broken,  // we are at fault; a reproducer is written
};

class Compilation {
public:
  Compilation(const CompileOptions &options, Diagnostics &diagnostics, mlir::TimingScope &timing);
  ~Compilation();

  /// What the fusions of run() say goes into `notes`, which outlives this.
  void collectFusions(std::vector<FusionNote> &notes) { collectFusionNotes(*context, notes); }

  /// Everything up to options.emit, except what `exe` writes. Then text() or writeExecutable() has the result.
  Outcome run();

  /// IR, assembly or the bytes of an object: the result of every emit but `exe`. Text of several CPU variants is separated by a line `// -----`.
  const std::string &result() const { return text; }

  /// What the table of the executable will say; after run().
  const ModelInfo &description() const { return info; }

  /// Links, packs weights and tokenizers, and puts the executable in the place of `path`.
  Outcome writeExecutable(const std::string &path);

private:
  struct Variant {
    const Target *target;
    mlir::OwningOpRef<mlir::ModuleOp> module;
    std::string object;
  };

  bool turnOffFusions();
  Outcome runStages();
  Outcome runStage(const Stage &stage, mlir::ModuleOp module, const Target *target);
  Outcome takeModelInfo();
  Outcome emitObjects(bool assembly);
  Outcome joinObjects();
  bool packTokenizers();
  llvm::Expected<std::vector<LinkInput>> linkInputs();
  Outcome broken(const std::string &what);
  void print(mlir::ModuleOp module);

  const CompileOptions &options;
  Diagnostics &diagnostics;
  mlir::TimingScope &timing;
  RewriteJudge judge;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<Variant> variants;
  ModelInfo info;
  std::vector<std::string> tokenizerBytes; // one for each of info.tokenizers
  std::string text;
};

} // namespace heddle
