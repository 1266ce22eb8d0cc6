// Products with weight matrices become the op `linear`, which kernels are made for. Comes after FoldRecipes, which leaves weights as plain uses.
#include "compiler/graph/Fusion.h"
#include "compiler/graph/Passes.h"
#include "dialect/Heddle.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace heddle {
#define GEN_PASS_DEF_FUSELINEAR
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

/// matmul(x, weight [k, n])  ->  linear(x, weight)
struct MatmulToLinear : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    if (!op.getRhs().getDefiningOp<UseOp>())
      return rewriter.notifyMatchFailure(op, "the right side is no weight");
    if (dimsOf(op.getRhs()).getRank() != 2)
      return rewriter.notifyMatchFailure(op, "the weight is not one matrix");
    rewriter.replaceOpWithNewOp<LinearOp>(op, op.getType(), op.getLhs(), op.getRhs(), Value());
    return success();
  }
};

/// linear(x, w) + broadcast(bias)  ->  linear(x, w, bias)
struct AddedBiasToLinear : OpRewritePattern<arith::AddFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::AddFOp op, PatternRewriter &rewriter) const override {
    for (auto [sum, other] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
      auto linear = sum.getDefiningOp<LinearOp>();
      auto bias = other.getDefiningOp<BroadcastOp>();
      if (!linear || !bias)
        continue;
      if (isFusionOff(op, "linear"))
        return rewriter.notifyMatchFailure(op, "--no-fuse turns it off");
      if (linear.getBias())
        return rewriter.notifyMatchFailure(op, "the product has a bias already");
      if (!linear->hasOneUse())
        return rewriter.notifyMatchFailure(op, "the product without its bias has another use");
      if (!isBias(bias))
        return rewriter.notifyMatchFailure(op, "what is added is not a vector along the last axis");
      auto loc = rewriter.getFusedLoc({linear.getLoc(), op.getLoc()});
      rewriter.replaceOpWithNewOp<LinearOp>(op, op.getType(), linear.getX(), linear.getWeight(), bias.getSource())->setLoc(loc);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no product plus a repeated vector");
  }
  /// A weight vector repeated along every axis but the last. Only weights: another vector would have to be computed before the product.
  static bool isBias(BroadcastOp op) {
    int64_t rank = cast<RankedTensorType>(op.getType()).getRank();
    return op.getSource().getDefiningOp<UseOp>() && op.getAxes() == ArrayRef<int64_t>{rank - 1};
  }
};

struct FuseLinear : heddle::impl::FuseLinearBase<FuseLinear> {
  void runOnOperation() override {
    int64_t before = 0;
    getOperation().walk([&](Operation *op) { before += isa<MatmulOp, arith::AddFOp>(op); });
    RewritePatternSet patterns(&getContext());
    patterns.add<MatmulToLinear, AddedBiasToLinear>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    getOperation().walk([&](Operation *op) { before -= isa<MatmulOp, arith::AddFOp>(op); });
    fused += before;
  }
};
} // namespace
