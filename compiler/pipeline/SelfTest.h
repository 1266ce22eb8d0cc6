// Calls whose results an executable can check itself by: seeded arguments, and what the float64 interpreter makes of them.
#pragma once
#include "compiler/support/Checkpoint.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/support/ModelInfo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace heddle {

/// Models of more parameters than this are interpreted too slowly to be worth it; their kernels are not.
inline constexpr int64_t mostCheckedParameters = 20'000'000;

struct CallShape;

class CheckMaker {
public:
  /// Appends to info.checks, whose offsets begin at info.sectionBytes, and grows that; the bytes of each check go to `bytes`.
  CheckMaker(const Checkpoint *checkpoint, ModelInfo &info, std::vector<std::string> &bytes, Diagnostics &diagnostics)
      : checkpoint(checkpoint), info(info), bytes(bytes), diagnostics(diagnostics) {}

  /// One call of each entry of the text; `module` is as the frontend makes it. False after a message.
  bool addEntries(mlir::ModuleOp module);
  /// One call of each kernel that is not too large; `module` is as buildKernels leaves it.
  void addKernels(mlir::ModuleOp module);

private:
  bool add(mlir::func::FuncOp function, const EntryInfo &entry, const CallShape &call, Diagnostics &problems);

  const Checkpoint *checkpoint;
  ModelInfo &info;
  std::vector<std::string> &bytes;
  Diagnostics &diagnostics;
};

} // namespace heddle
