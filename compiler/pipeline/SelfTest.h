// Calls whose results an executable can check itself by: seeded arguments, and what the float64 interpreter makes of them.
#pragma once
#include "compiler/support/Checkpoint.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/support/ModelInfo.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace heddle {

/// Models of more parameters than this are interpreted too slowly to be worth it.
inline constexpr int64_t mostCheckedParameters = 20'000'000;

/// One call of each entry of `module`, which is as the frontend makes it. Appends to info.checks, whose offsets begin at info.sectionBytes, and grows
/// that; the bytes of each check go to `bytes`. False after a message.
bool makeChecks(mlir::ModuleOp module, const Checkpoint *checkpoint, ModelInfo &info, std::vector<std::string> &bytes, Diagnostics &diagnostics);

} // namespace heddle
