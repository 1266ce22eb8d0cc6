// Keeps bufferization from taking the write of one row for the write of a whole tile. Right before bufferization; the canonicalizer after it cleans
// up.
#include "compiler/memory/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_INJECTOFFSETS
#include "compiler/memory/Passes.h.inc"

namespace {

struct InjectOffsets : impl::InjectOffsetsBase<InjectOffsets> {
  void runOnOperation() override {
    getOperation()->walk([&](vector::TransferWriteOp write) {
      auto tensor = dyn_cast<RankedTensorType>(write.getBase().getType());
      bool fewerAxes = tensor && write.getVectorType().getRank() < tensor.getRank();
      if (!fewerAxes || !llvm::all_of(write.getIndices(), [](Value i) { return isConstantIntValue(i, 0); }))
        return;
      OpBuilder builder(write);
      Value zero = arith::ConstantIndexOp::create(builder, write.getLoc(), 0);
      write.getIndicesMutable()[0].set(arith::AddIOp::create(builder, write.getLoc(), zero, zero));
      ++injected;
    });
  }
};

} // namespace
} // namespace heddle
