// What a mask hides, given as a tensor of all pairs, becomes what it means: comparisons of positions, padding, prefixes and segments, slopes times
// distances. Then no tensor of pairs is made, and tiles that nobody sees are never computed. Runs after FuseAttention.
#include "compiler/graph/Fusion.h"
#include "compiler/graph/MaskReader.h"
#include "compiler/graph/Passes.h"
#include "mlir/IR/Remarks.h"

namespace heddle {
#define GEN_PASS_DEF_FUSEMASKS
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

/// The mask of one consumer, read anew.
struct ConsumerMasks {
  Operation *consumer;
  DimsAttr space;
  int64_t lifted = 0;

  Value joined(ArrayRef<Value> masks) {
    OpBuilder b(consumer);
    Value all;
    for (Value mask : llvm::reverse(masks))
      all = all ? MaskAndOp::create(b, consumer->getLoc(), mask.getType(), mask, all).getResult() : mask;
    return all;
  }
  Value read(Value mask) {
    Operation *op = mask.getDefiningOp();
    if (auto both = dyn_cast<MaskAndOp>(op)) {
      Value left = read(both.getLhs()), right = read(both.getRhs());
      return left == both.getLhs() && right == both.getRhs() ? mask : joined({left, right});
    }
    if (!isa<MaskTensorOp, BiasTensorOp>(op))
      return mask;
    MaskReader reader(op->getOperand(0), consumer, space);
    auto made = isa<MaskTensorOp>(op) ? reader.read(cast<MaskTensorOp>(op)) : reader.read(cast<BiasTensorOp>(op));
    auto nameOf = [](Value one) { return one.getDefiningOp()->getName().stripDialect(); };
    if (made.empty() || llvm::any_of(made, [&](Value one) { return isFusionOff(consumer, nameOf(one)); }))
      return mask;
    ++lifted;
    for (Value one : made) // what is left of a tensor is told by nobody
      if (!isa<MaskTensorOp, BiasTensorOp>(one.getDefiningOp()))
        remark::passed(op->getLoc(), remark::RemarkOpts::name(nameOf(one)).category("fusion")) << remark::add("{0}", nameOf(one).str());
    return joined(made);
  }
};

/// [batch, query, key], or [query, key] of scores without a batch.
std::optional<DimsAttr> spaceOf(Operation *op) {
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    DimsAttr q = dimsOf(attention.getQuery()), k = dimsOf(attention.getKey());
    if (attention.hasQueryRows() || attention.hasKeyRows() || q.getRank() != 4)
      return std::nullopt;
    return q.extent(0).concat(q.extent(2)).concat(k.extent(2));
  }
  if (!isa<MaskScoresOp, MaskValuesOp>(op))
    return std::nullopt;
  DimsAttr dims = dimsOf(op->getResult(0));
  int64_t rank = dims.getRank();
  return rank == 4 ? dims.select({0, 2, 3}) : dims;
}

Value maskOf(Operation *op) {
  for (Value operand : op->getOperands())
    if (isa<MaskType>(operand.getType()))
      return operand;
  return {};
}

struct FuseMasks : heddle::impl::FuseMasksBase<FuseMasks> {
  void runOnOperation() override {
    SmallVector<Operation *> consumers;
    getOperation().walk([&](Operation *op) {
      if (auto space = spaceOf(op); space && maskOf(op) && maskOf(op).getDefiningOp())
        consumers.push_back(op);
    });
    for (Operation *op : consumers) {
      ConsumerMasks masks{op, *spaceOf(op)};
      Value before = maskOf(op), after = masks.read(before);
      if (after == before)
        continue;
      fused += masks.lifted;
      OpBuilder b(op);
      Operation *made = b.clone(*op);
      made->replaceUsesOfWith(before, after);
      if (failed(replaceFormula(op, made->getResult(0))))
        return signalPassFailure();
    }
    if (failed(finishFusion(getOperation())))
      signalPassFailure();
  }
};
} // namespace
