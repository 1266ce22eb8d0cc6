// Copies become loops of linalg. Comes after bufferization and the clean-up that deletes copies of a buffer to itself.
#include "compiler/memory/Passes.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_LOWERCOPIES
#include "compiler/memory/Passes.h.inc"

namespace {

struct LowerCopies : impl::LowerCopiesBase<LowerCopies> {
  using LowerCopiesBase::LowerCopiesBase;

  void runOnOperation() override {
    getOperation().walk([&](memref::CopyOp copy) {
      if (!isa<MemRefType>(copy.getSource().getType()) || !isa<MemRefType>(copy.getTarget().getType()))
        return; // unranked: nothing of ours makes one
      OpBuilder builder(copy);
      linalg::makeMemRefCopyOp(builder, copy.getLoc(), copy.getSource(), copy.getTarget());
      copy.erase();
      ++lowered;
    });
  }
};

} // namespace
} // namespace heddle
