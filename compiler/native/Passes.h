// The passes of the stage `native` and their order. Comes after `memory`; the module that leaves is translated by EmitObject.h.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace heddle {

#define GEN_PASS_DECL
#include "compiler/native/Passes.h.inc"

/// Appends the passes of this stage, in order.
void buildNativeStage(mlir::OpPassManager &pm);

/// Makes `--heddle-stage-native` and the single passes known to heddle-opt.
void registerNativeStage();

} // namespace heddle
