// Passes of the graph stage.
#pragma once
#include "mlir/Pass/Pass.h"
#include <memory>

namespace mlir {
class OpPassManager;
}

namespace heddle {
#define GEN_PASS_DECL
#include "compiler/graph/Passes.h.inc"

/// heddle as the frontend writes it -> heddle on rows of tokens.
void buildGraphStage(mlir::OpPassManager &pm);

#define GEN_PASS_REGISTRATION
#include "compiler/graph/Passes.h.inc"

/// All passes of the stage and `--heddle-stage-graph`.
void registerGraphStage();
} // namespace heddle
