// Destinations of an entry's kernel calls become buffers of their own. Comes first in the stage, after the last CSE on tensors; bufferization
// follows.
#include "compiler/memory/Passes.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_SPLITDESTINATIONS
#include "compiler/memory/Passes.h.inc"

namespace {

struct SplitDestinations : impl::SplitDestinationsBase<SplitDestinations> {
  using SplitDestinationsBase::SplitDestinationsBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(entryAttrName))
        continue;
      SmallVector<tensor::EmptyOp> destinations;
      function.walk([&](tensor::EmptyOp empty) { destinations.push_back(empty); });
      for (tensor::EmptyOp empty : destinations)
        splitUses(empty);
    }
  }

  void splitUses(tensor::EmptyOp empty) {
    for (OpOperand &use : llvm::make_early_inc_range(empty->getUses())) {
      OpBuilder builder(use.getOwner());
      use.set(builder.clone(*empty)->getResult(0));
      ++split;
    }
    empty.erase();
  }
};

} // namespace
} // namespace heddle
