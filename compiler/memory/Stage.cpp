// The order of the passes that turn tensors into buffers. What is not obvious about the order stands beside each line.
#include "compiler/memory/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// Destination-passing kernels bufferize without allocations other than static tiles, and without copies other than those they mean.
static void bufferize(OpPassManager &pm) {
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion = bufferization::LayoutMapOption::IdentityLayoutMap; // kernels take whole buffers
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass()); // what a kernel of one row returns is its destination, not a shape of a shape of it
  pm.addPass(bufferization::createDropEquivalentBufferResultsPass());
  // A tile written back to where it was made is `memref.copy %a, %b` of two equal subviews: CSE makes them one value, and only a canonicalizer after
  // it drops the copy.
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass());
}

void heddle::buildMemoryStage(OpPassManager &pm) {
  pm.addPass(createSplitDestinations()); // after the last CSE on tensors
  pm.addNestedPass<func::FuncOp>(createInjectOffsets());
  bufferize(pm);
  pm.addPass(createLowerCopies());
  pm.addPass(createPlanArena());
  pm.addPass(createFlattenBuffers());
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass()); // constant bounds, before regions count their tasks
  pm.addPass(createOutlineParallel());
  pm.addNestedPass<func::FuncOp>(createMapStack()); // after outlining: a tile belongs to the task that fills it
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  pm.addPass(createVerifyMemory());
}

namespace heddle {
#define GEN_PASS_REGISTRATION
#include "compiler/memory/Passes.h.inc"
} // namespace heddle

void heddle::registerMemoryStage() {
  registerHeddleMemoryPasses();
  PassPipelineRegistration<>("heddle-stage-memory", "tensors -> buffers in one arena, kernels on raw bases, parallel regions as functions",
                             buildMemoryStage);
}
