// The passes of the stage `memory` and their order. Comes after `loops` (kernels of loops, vectors and linalg leftovers on tensors), before `native`.
#pragma once
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace heddle {

#define GEN_PASS_DECL
#include "compiler/memory/Passes.h.inc"

/// Marks the public functions that the executable's table lists; everything else with a body is a kernel or a region of one.
inline constexpr llvm::StringLiteral entryAttrName = "heddle.entry";
/// @heddle_parallel.R is the parallel run of the region @R; the native stage gives it a body.
inline constexpr llvm::StringLiteral parallelPrefix = "heddle_parallel.";

/// Where an arena buffer, a stack buffer and the arena itself start: a cache line, and a whole AVX-512 register.
inline constexpr int64_t bufferAlignment = 64;

/// memref<1xi8>: static shape, therefore one plain pointer under the bare-pointer calling convention.
inline mlir::MemRefType rawBaseType(mlir::MLIRContext *context) { return mlir::MemRefType::get({1}, mlir::IntegerType::get(context, 8)); }

/// Appends the passes of this stage, in order.
void buildMemoryStage(mlir::OpPassManager &pm);

/// Makes `--heddle-stage-memory` and the single passes known to heddle-opt.
void registerMemoryStage();

} // namespace heddle
