// softmax written out becomes its op. Runs before FuseAttention, which looks for it.
#include "compiler/graph/Formula.h"
#include "compiler/graph/Fusion.h"
#include "compiler/graph/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace heddle {
#define GEN_PASS_DEF_FUSESOFTMAX
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

/// exp(s - max(s)) / sum(exp(s - max(s)))
LogicalResult fuseSoftmax(Operation *root) {
  Formula formula(root->getResult(0));
  Product whole = formula.product(formula.root);
  if (whole.number != 1 || whole.factors.size() != 1 || whole.divisors.size() != 1)
    return failure();
  const Term &power = whole.factors[0], &below = whole.divisors[0];
  auto sum = below.op<SumOp>();
  auto missed = [&](const char *reason) { return reportMissed(root, "softmax", reason, "write softmax(scores)"); };
  auto sumsExps = [&](auto &part) { return part.second.template op<SumOp>() && part.second.template op<SumOp>().getSource() == power.view.base; };
  if (power.op<math::ExpOp>() && !sum && llvm::any_of(formula.sum(below).terms, sumsExps))
    return missed("something is added to the sum of the exps");
  if (!power.op<math::ExpOp>() || !sum || sum.getOffsets())
    return failure();
  auto summed = formula.reduced(below, sum.getSource());
  if (!summed)
    return missed("the exps are not added along the last axis");
  if (!(*summed == power))
    return missed("the sum is of other exps than the ones that are divided");
  Term inside = formula.operand(power, power.op<math::ExpOp>().getOperand());
  for (auto &[coefficient, term] : formula.sum(inside).terms) {
    auto max = term.op<MaxOp>();
    auto scores = max && coefficient == -1 && !max.getOffsets() ? formula.reduced(term, max.getSource()) : std::nullopt;
    if (!scores || !scores->whole)
      continue;
    Sum difference = formula.sum(inside, {*scores});
    if (difference.number != 0 || difference.terms.size() != 2 || !llvm::is_contained(difference.terms, std::pair(1.0, *scores)))
      continue;
    OpBuilder b(root);
    int64_t last = dimsOf(root->getResult(0).getType()).getRank() - 1;
    Operation *made = SoftmaxOp::create(b, root->getLoc(), root->getResult(0).getType(), scores->whole, b.getI64IntegerAttr(last), Value());
    return replaceFused(root, made);
  }
  return missed("the largest score is not subtracted before exp, which overflows above 88");
}

/// (exp(s) @ v) / sum(exp(s))  ->  (exp(s) / sum(exp(s))) @ v, whose division may be a softmax; null where it is something else. Where the values are
/// one wide the last axis is left out, and the sum is not repeated.
arith::DivFOp dividedFirst(arith::DivFOp root) {
  auto narrow = root.getLhs().getDefiningOp<ReshapeOp>();
  auto product = (narrow ? narrow.getSource() : root.getLhs()).getDefiningOp<MatmulOp>();
  if (!product || !product->hasOneUse() || (narrow && (!narrow->hasOneUse() || dimsOf(product.getType()).dropBack() != dimsOf(root.getType()))))
    return {};
  auto repeated = root.getRhs().getDefiningOp<BroadcastOp>();
  auto sum = narrow ? root.getRhs().getDefiningOp<SumOp>() : repeated ? repeated.getSource().getDefiningOp<SumOp>() : SumOp();
  if (!product.getLhs().getDefiningOp<math::ExpOp>() || !sum || sum.getSource() != product.getLhs() || sum.getOffsets())
    return {};
  int64_t rank = dimsOf(sum.getSource()).getRank();
  auto rows = llvm::to_vector(llvm::seq<int64_t>(0, rank - 1)); // the sum lies along all axes but the last, before and behind the product
  if (sum.getOver() != ArrayRef<int64_t>{rank - 1} || (!narrow && repeated.getAxes() != ArrayRef<int64_t>(rows)))
    return {};
  OpBuilder b(root);
  Value power = product.getLhs();
  auto below = BroadcastOp::create(b, root.getLoc(), cast<RankedTensorType>(power.getType()), sum, rows);
  auto weights = arith::DivFOp::create(b, root.getLoc(), power, below);
  Value made = MatmulOp::create(b, root.getLoc(), product.getType(), weights, product.getRhs(), Value());
  if (narrow)
    made = ReshapeOp::create(b, root.getLoc(), root.getType(), made);
  (void)replaceFormula(root, made);
  return weights;
}

struct FuseSoftmax : heddle::impl::FuseSoftmaxBase<FuseSoftmax> {
  void runOnOperation() override {
    SmallVector<Operation *> roots;
    getOperation().walk([&](Operation *op) {
      if (isa<arith::MulFOp, arith::DivFOp>(op) && isa<RankedTensorType>(op->getResult(0).getType()))
        roots.push_back(op);
    });
    for (Operation *root : roots) {
      auto quotient = dyn_cast<arith::DivFOp>(root);
      arith::DivFOp weights = quotient && !isFusionOff(root, "softmax") ? dividedFirst(quotient) : arith::DivFOp();
      if (succeeded(fuseSoftmax(weights ? weights : root)))
        ++fused;
    }
    if (failed(finishFusion(getOperation())))
      signalPassFailure();
  }
};
} // namespace
