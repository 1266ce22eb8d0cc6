// Register tiles of matrix products. Comes first in the stage; VectorizeTiles turns the static tiles into vectors.
#include "compiler/loops/Passes.h"
#include "compiler/loops/ProductTiles.h"
#include "compiler/loops/TileOps.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_TILEKERNELS
#include "compiler/loops/Passes.h.inc"

namespace {

struct TileKernels : impl::TileKernelsBase<TileKernels> {
  using TileKernelsBase::TileKernelsBase;

  LogicalResult initialize(MLIRContext *context) override {
    target = findTargetOrReport(cpu, context);
    return success(target);
  }

  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ends;
    getOperation().walk([&](linalg::GenericOp op) {
      if (isEnd(op))
        ends.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp end : ends)
      if (std::optional<RowChain> chain = RowChain::endingIn(end); chain && chain->hasProduct())
        tile(rewriter, *chain);
  }

  /// Many rows, few columns, and a result that leaves the realm of linalg.
  bool isEnd(linalg::GenericOp op) const {
    if (op->getNumResults() != 1 || !op.hasPureTensorSemantics())
      return false;
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    if (type.getRank() != 2 || type.isDynamicDim(1) || type.getDimSize(1) > mostProductColumns)
      return false;
    if (!type.isDynamicDim(0) && type.getDimSize(0) <= target->tileRows)
      return false;
    return llvm::any_of(op->getUsers(), [&](Operation *user) { return !isa<linalg::LinalgOp>(user) || user->getBlock() != op->getBlock(); });
  }

  void tile(RewriterBase &rewriter, const RowChain &chain) {
    linalg::GenericOp last = chain.getLast();
    rewriter.setInsertionPoint(last);
    Value rows = tensor::DimOp::create(rewriter, last.getLoc(), chain.getDestination(), 0);
    Value result = tileRowsOf(rewriter, chain, rows, target->tileRows);
    rewriter.replaceAllUsesWith(last.getResult(0), result);
    chain.eraseUnused(rewriter);
    ++tiled;
  }

  /// chain over [rows, N]  ->  if rows >= R: tiles of R rows, the last one overlapping; else the same with half as many rows; one row is one tile
  Value tileRowsOf(RewriterBase &rewriter, const RowChain &chain, Value rows, int64_t tileRows) {
    Location loc = chain.getLast().getLoc();
    ProductTiles tiles{rewriter, chain, rows, tileRows, *target};
    if (tileRows == 1)
      return tiles.compute();
    Value least = arith::ConstantIndexOp::create(rewriter, loc, tileRows);
    Value enough = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sge, rows, least);
    auto branch = scf::IfOp::create(rewriter, loc, TypeRange{chain.getDestination().getType()}, enough, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(rewriter, loc, tiles.compute());
    rewriter.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(rewriter, loc, tileRowsOf(rewriter, chain, rows, tileRows / 2));
    return branch.getResult(0);
  }

  const Target *target = nullptr;
};

} // namespace
} // namespace heddle
