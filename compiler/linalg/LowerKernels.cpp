// Kernels and entries of heddle ops become kernels of linalg on plain tensors and straight lists of calls on raw buffers; what is no code moves into
// the module attribute `heddle.model`. Comes after OutlineKernels and the merging of equal kernels.
#include "compiler/linalg/EntryLowering.h"
#include "compiler/linalg/KernelLowering.h"
#include "compiler/linalg/Passes.h"
#include "compiler/support/Location.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace heddle {
#define GEN_PASS_DEF_LOWERKERNELS
#include "compiler/linalg/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

struct LowerKernels : heddle::impl::LowerKernelsBase<LowerKernels> {
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }
  LogicalResult run() {
    ModuleOp module = getOperation();
    ModelInfo info;
    if (failed(describeModel(module, info)))
      return failure();
    KernelSignatures signatures;
    SmallVector<func::FuncOp> kernels, entries;
    for (auto f : module.getOps<func::FuncOp>())
      (f.isPrivate() ? kernels : entries).push_back(f);
    for (auto entry : entries) {
      auto described = describeEntry(entry);
      if (failed(described))
        return failure();
      countWork(entry, *described);
      info.entries.push_back(std::move(*described));
    }
    for (auto kernel : kernels) {
      KernelSignature &signature = signatures[kernel.getName()];
      for (BlockArgument argument : kernel.getArguments())
        signature.arguments.push_back(argumentType(argument));
      signature.result = resultType(kernel);
      signature.dimensions = dimensionsOf(kernel);
      info.kernels.push_back({kernel.getName().str(), placeText(kernel.getLoc())});
    }
    for (auto kernel : kernels) {
      if (failed(KernelLowering::run(kernel)))
        return failure();
      ++lowered;
    }
    WeightPlacer weights(module, info);
    for (auto [entry, described] : llvm::zip_equal(entries, info.entries))
      if (failed(lowerEntry(entry, signatures, weights, described)))
        return failure();
    for (auto weight : llvm::make_early_inc_range(module.getOps<WeightOp>()))
      weight.erase();
    for (StringRef name : {nameAttr, documentationAttr, tasksAttr, tokenizersAttr})
      module->removeAttr(name);
    writeModelInfo(module, info);
    return success();
  }
};
} // namespace
