// One module of the LLVM dialect and one CPU -> the object (or assembly text) of that CPU variant. Comes after the stage `native`; LinkExecutable
// follows.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include <string>

namespace heddle {

struct ObjectOptions {
  std::string cpu;            // a name LLVM knows: x86-64-v3
  std::string suffix;         // ends every symbol defined here: ".v3"
  llvm::StringSet<> exported; // functions that the table names: external and hidden; all others become internal
  bool assembly = false;
  bool optimized = true; // false: each operation as it stands, for bisection
};

/// What translation to LLVM IR needs to know about dialects. To be given to the context before any thread works in it.
void registerTranslations(mlir::DialectRegistry &registry);

/// The bytes of an ELF object, or assembly text. Equal modules and options give equal bytes; they hold no path, no date and no source text.
/// Different modules of one context may be emitted from different threads at once.
llvm::Expected<std::string> emitObject(mlir::ModuleOp module, const ObjectOptions &options);

} // namespace heddle
