// The order of the linalg stage.
#include "compiler/linalg/Passes.h"
#include "compiler/support/KeepCopies.h"
#include "mlir/Dialect/Func/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void heddle::buildKernels(OpPassManager &pm) {
  pm.addPass(createOutlineKernels());
  pm.addPass(func::createDuplicateFunctionEliminationPass());
  pm.addPass(createOutlineChecks());
}

void heddle::buildLinalgStage(OpPassManager &pm) {
  buildKernels(pm);
  pm.addPass(createLowerKernels());
  pm.addPass(createCanonicalizerThatKeepsCopies());
  pm.addPass(createCSEPass());
  pm.addPass(func::createDuplicateFunctionEliminationPass()); // once more: the names of dimensions are gone
  pm.addPass(createVerifyLinalg());
}

void heddle::registerLinalgStage() {
  registerHeddleLinalgPasses();
  PassPipelineRegistration<>("heddle-stage-linalg", "heddle on rows of tokens -> kernels of linalg on tensors", buildLinalgStage);
}
