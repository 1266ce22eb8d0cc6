// The order of the passes that turn kernels of linalg into register tiles and vectors, for one CPU variant.
#include "compiler/loops/Passes.h"
#include "compiler/support/KeepCopies.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

const heddle::Target *heddle::findTargetOrReport(StringRef cpu, MLIRContext *context) {
  const Target *target = findTarget(cpu);
  if (target)
    return target;
  InFlightDiagnostic diagnostic = emitError(UnknownLoc::get(context), "unknown cpu '") << cpu << "'; expected one of";
  for (const Target &known : allTargets())
    diagnostic << " " << known.cpu;
  return nullptr;
}

static void addLoopsPasses(OpPassManager &pm, const std::string &cpu) {
  pm.addNestedPass<func::FuncOp>(heddle::createTileKernels({cpu}));
  pm.addNestedPass<func::FuncOp>(heddle::createCanonicalizerThatKeepsCopies()); // a whole tile of a slice is the slice
  pm.addNestedPass<func::FuncOp>(createCSEPass());                              // the same slice once, so that two readers of it are seen as such
  pm.addNestedPass<func::FuncOp>(heddle::createVectorizeTiles({cpu}));
  pm.addNestedPass<func::FuncOp>(heddle::createLowerMath({cpu}));
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  pm.addNestedPass<func::FuncOp>(createCSEPass()); // a product reads its panel once for each row it multiplies; here they become one
  pm.addNestedPass<func::FuncOp>(heddle::createVerifyLoops());
}

void heddle::buildLoopsStage(OpPassManager &pm, const Target &target) { addLoopsPasses(pm, target.cpu.str()); }

namespace heddle {
#define GEN_PASS_REGISTRATION
#include "compiler/loops/Passes.h.inc"

namespace {
struct LoopsStageOptions : PassPipelineOptions<LoopsStageOptions> {
  Option<std::string> cpu{*this, "cpu", llvm::cl::desc("the CPU variant to make (x86-64-v3, x86-64-v4)"), llvm::cl::init("x86-64-v4")};
};
} // namespace
} // namespace heddle

void heddle::registerLoopsStage() {
  registerHeddleLoopsPasses();
  PassPipelineRegistration<LoopsStageOptions>("heddle-stage-loops", "kernels of linalg -> register tiles and vectors",
                                              [](OpPassManager &pm, const LoopsStageOptions &options) { addLoopsPasses(pm, options.cpu); });
}
