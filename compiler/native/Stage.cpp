// The order of the passes that turn buffers, loops and vectors into the LLVM dialect. What is not obvious about the order stands beside each line.
#include "compiler/native/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void heddle::buildNativeStage(OpPassManager &pm) {
  // What looks at one function at a time runs on all of them in parallel.
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(arith::createArithExpandOpsPass());
  functions.addPass(memref::createExpandStridedMetadataPass()); // views and subviews become address arithmetic in affine.apply
  functions.addPass(createLowerAffinePass());
  functions.addPass(createSplitAddresses());
  functions.addPass(createConvertVectorToLLVMPass());
  functions.addPass(createConvertMathToLLVMPass());
  functions.addPass(createSCFToControlFlowPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions calls;
  calls.useBarePtrCallConv = true; // a memref<1xi8> is one pointer
  pm.addPass(createConvertFuncToLLVMPass(calls));
  OpPassManager &converted = pm.nest<LLVM::LLVMFuncOp>();
  converted.addPass(createArithToLLVMConversionPass());
  converted.addPass(createConvertIndexToLLVMPass());
  converted.addPass(createUBToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createLinkEntries()); // before LinkParallel: it frees names that a model may have given
  pm.addPass(createLinkParallel());
  pm.addNestedPass<LLVM::LLVMFuncOp>(createCanonicalizerPass());
  pm.addNestedPass<LLVM::LLVMFuncOp>(createCSEPass());
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
