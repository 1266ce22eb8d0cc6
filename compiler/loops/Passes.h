// The passes of the stage `loops` and their order. Comes after `linalg`, before `memory`; knows no heddle op.
#pragma once
#include "compiler/support/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace heddle {

#define GEN_PASS_DECL
#include "compiler/loops/Passes.h.inc"

/// Appends the passes of this stage, in order, to a pass manager of modules.
void buildLoopsStage(mlir::OpPassManager &pm, const Target &target);

/// Makes `--heddle-stage-loops` and the single passes known to heddle-opt.
void registerLoopsStage();

/// The target called `cpu`, or null and an error that names those that exist.
const Target *findTargetOrReport(llvm::StringRef cpu, mlir::MLIRContext *context);

} // namespace heddle
