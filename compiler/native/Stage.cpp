// The order of the passes that turn buffers, loops and vectors into the LLVM dialect. What is not obvious about the order stands beside each line.
#include "compiler/native/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void heddle::buildNativeStage(OpPassManager &pm) {
  pm.addPass(arith::createArithExpandOpsPass());
  pm.addPass(memref::createExpandStridedMetadataPass()); // views and subviews become address arithmetic in affine.apply
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSplitAddresses());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createSCFToControlFlowPass());
  ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true; // a memref<1xi8> is one pointer
  pm.addPass(createConvertFuncToLLVMPass(functions));
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createLinkEntries()); // before LinkParallel: it frees names that a model may have given
  pm.addPass(createLinkParallel());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createVerifyNative());
}

namespace heddle {
#define GEN_PASS_REGISTRATION
#include "compiler/native/Passes.h.inc"
} // namespace heddle

void heddle::registerNativeStage() {
  registerHeddleNativePasses();
  PassPipelineRegistration<>("heddle-stage-native", "buffers, loops and vectors -> the LLVM dialect", buildNativeStage);
}
