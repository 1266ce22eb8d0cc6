// Passes of the linalg stage.
#pragma once
#include "mlir/Pass/Pass.h"
#include <memory>

namespace mlir {
class OpPassManager;
}

namespace heddle {
#define GEN_PASS_DECL
#include "compiler/linalg/Passes.h.inc"

/// heddle on rows of tokens -> kernels of linalg on tensors.
void buildLinalgStage(mlir::OpPassManager &pm);
/// Its head: kernels and checks, still of heddle ops, which the interpreter runs.
void buildKernels(mlir::OpPassManager &pm);

#define GEN_PASS_REGISTRATION
#include "compiler/linalg/Passes.h.inc"

/// All passes of the stage and `--heddle-stage-linalg`.
void registerLinalgStage();
} // namespace heddle
