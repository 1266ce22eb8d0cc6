// Calls whose results an executable can check itself by: seeded arguments, and what the float64 interpreter makes of them.
#pragma once
#include "compiler/support/Checkpoint.h"
#include "compiler/support/ModelInfo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace heddle {

struct CallShape;

/// Appends to info.checks, whose offsets begin at info.sectionBytes, and grows that; the bytes of each check go to `bytes`. What cannot be checked
/// has the reason in the place of bytes; what is wrong with the checkpoint is for others to say.
class CheckMaker {
public:
  CheckMaker(const Checkpoint *checkpoint, ModelInfo &info, std::vector<std::string> &bytes) : checkpoint(checkpoint), info(info), bytes(bytes) {}

  /// One call of each entry of the text, where the model has not too many parameters; `module` is as the frontend makes it.
  void addEntries(mlir::ModuleOp module);
  /// One call of each kernel; `module` is as buildKernels leaves it.
  void addKernels(mlir::ModuleOp module);

private:
  void add(mlir::func::FuncOp function, const EntryInfo &entry, const CallShape &call);
  void skip(const EntryInfo &entry, const char *why);

  const Checkpoint *checkpoint;
  ModelInfo &info;
  std::vector<std::string> &bytes;
};

} // namespace heddle
