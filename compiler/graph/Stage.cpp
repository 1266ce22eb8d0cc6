// The order of the graph stage.
#include "compiler/graph/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void heddle::buildGraphStage(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createFoldRecipes());
  pm.addPass(createCSEPass()); // equal formulas are one value: matchers compare values
  pm.addPass(createFuseRotaryEmbedding());
  pm.addPass(createFuseSinusoidalPositions());
  pm.addPass(createNormalizeViews()); // not before: a rotation of the first channels is of the whole row that they were cut from
  pm.addPass(createCSEPass());
  pm.addPass(createFuseActivations());
  pm.addPass(createFuseNorms());
  pm.addPass(createFuseSoftmax());
  pm.addPass(createFuseAttention());
  pm.addPass(createFuseMasks());
  pm.addPass(createCanonicalizerPass()); // what was fused is gone
  pm.addPass(createFuseGather());
  pm.addPass(createFuseLinear());
  pm.addPass(createFuseHeads());
  pm.addPass(createFuseProjections());
  pm.addPass(createVerifyFused());
  pm.addPass(createInferBounds()); // gathers still read tables by rows
  pm.addPass(createFoldTables());
  pm.addPass(createLowerSinusoidalPositions());
  pm.addPass(createVerifyRewrites());
  pm.addPass(createNormalizeViews()); // of what fusions made
  pm.addPass(createFlattenRagged());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createOrderGraph());
  pm.addPass(createVerifyGraph());
}

void heddle::registerGraphStage() {
  registerHeddleGraphPasses();
  PassPipelineRegistration<>("heddle-stage-graph", "heddle -> heddle: recipes, linear, bounds, ragged tokens", buildGraphStage);
}
