// The canonicalizer for kernels of linalg on tensors.
#pragma once
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/Passes.h"
#include <memory>

namespace heddle {

/// Canonicalizes, but keeps a linalg.generic that copies its input. Upstream erases it, also where it is what fills the slice of a result (rows of a
/// padded result, an epilogue that multiplies by 1): the producer's tensor then has no place of its own, and bufferization gives it one, on the stack
/// or, of run-time size, nowhere.
inline std::unique_ptr<mlir::Pass> createCanonicalizerThatKeepsCopies() {
  return mlir::createCanonicalizerPass({}, {"(anonymous namespace)::EraseIdentityLinalgOp<mlir::linalg::GenericOp>"});
}

} // namespace heddle
