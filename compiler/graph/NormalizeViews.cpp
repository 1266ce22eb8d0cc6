// One form of views that mean the same, so that spellings of one part of a tensor are one value: unit axes are no repetition, and what is cut or
// dropped is so before axes move.
#include "compiler/graph/Passes.h"
#include "dialect/Heddle.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace heddle {
#define GEN_PASS_DEF_NORMALIZEVIEWS
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

Type typeOf(Value like, DimsAttr dims) { return dims.tensorOf(elementOf(like)); }

/// reshape(broadcast(x)), the broadcast adding unit axes alone  ->  reshape(x)
struct UnitAxes : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getSource().getDefiningOp<BroadcastOp>();
    if (!broadcast || !isa<RankedTensorType>(broadcast.getSource().getType()))
      return rewriter.notifyMatchFailure(op, "nothing is repeated before");
    DimsAttr wide = dimsOf(broadcast.getType());
    for (int64_t axis = 0; axis < wide.getRank(); ++axis)
      if (!llvm::is_contained(broadcast.getAxes(), axis) && wide.shape()[axis] != 1)
        return rewriter.notifyMatchFailure(op, "an axis is repeated");
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), broadcast.getSource());
    return success();
  }
};

/// slice(transpose(x))  ->  transpose(slice(x))
struct SliceFirst : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto transpose = op.getSource().getDefiningOp<TransposeOp>();
    if (!transpose)
      return rewriter.notifyMatchFailure(op, "no axes moved before");
    int64_t axis = transpose.getPermutation()[op.getAxis()];
    DimsAttr result = dimsOf(op.getType()), source = dimsOf(transpose.getSource());
    SmallVector<int64_t> places(transpose.getPermutation());
    auto cut = llvm::to_vector(llvm::seq<int64_t>(0, source.getRank()));
    for (auto [to, from] : llvm::enumerate(places))
      cut[from] = static_cast<int64_t>(to);
    Value part = SliceOp::create(rewriter, op.getLoc(), typeOf(op, result.select(cut)), transpose.getSource(), axis, op.getFirst());
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), part, places);
    return success();
  }
};

/// reshape(transpose(x)) that drops unit axes alone  ->  transpose(reshape(x))
struct DropFirst : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto transpose = op.getSource().getDefiningOp<TransposeOp>();
    if (!transpose)
      return rewriter.notifyMatchFailure(op, "no axes moved before");
    DimsAttr moved = dimsOf(transpose.getType()), result = dimsOf(op.getType()), source = dimsOf(transpose.getSource());
    SmallVector<int64_t> kept; // axes of the source, in the result's order
    for (int64_t axis = 0; axis < moved.getRank(); ++axis)
      if (static_cast<int64_t>(kept.size()) < result.getRank() && moved.extent(axis) == result.extent(kept.size()))
        kept.push_back(transpose.getPermutation()[axis]);
      else if (moved.shape()[axis] != 1)
        return rewriter.notifyMatchFailure(op, "axes are cut or joined");
    if (static_cast<int64_t>(kept.size()) != result.getRank() || kept.size() == static_cast<size_t>(moved.getRank()))
      return rewriter.notifyMatchFailure(op, "axes are added");
    SmallVector<int64_t> sorted(kept), places;
    llvm::sort(sorted);
    for (int64_t axis : kept)
      places.push_back(llvm::find(sorted, axis) - sorted.begin());
    Value part = ReshapeOp::create(rewriter, op.getLoc(), typeOf(op, source.select(sorted)), transpose.getSource());
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), part, places);
    return success();
  }
};

struct NormalizeViews : heddle::impl::NormalizeViewsBase<NormalizeViews> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<UnitAxes, SliceFirst, DropFirst>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
