// The plain way from linalg to the LLVM dialect, for bisection: what the rest of the pipeline does, without any of its cleverness. No tiles, no
// vectors, no arena, no threads, no alias analysis, no functions of our own. It shares with the stages what upstream's conversions are.
#pragma once
#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// Takes the module as it is after the pass LowerKernels or any later pass, up to the end of the native stage, and leaves what EmitObject takes:
/// entries as EmitTable names them, every entry's arena known. Slow, and allocates.
mlir::LogicalResult lowerPlainly(mlir::ModuleOp module);

} // namespace heddle
