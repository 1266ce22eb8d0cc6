// Register tiles of matrix products. Comes first in the stage; VectorizeTiles turns the static tiles into vectors.
#include "compiler/loops/Passes.h"
#include "compiler/loops/RowChain.h"
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

  /// chain over [rows, N]  ->  if rows >= R: tiles of R rows, the last one overlapping; else row by row
  void tile(RewriterBase &rewriter, const RowChain &chain) {
    linalg::GenericOp last = chain.getLast();
    Location loc = last.getLoc();
    Value out = chain.getDestination();
    rewriter.setInsertionPoint(last);
    Value rows = tensor::DimOp::create(rewriter, loc, out, 0);
    Value tileRows = arith::ConstantIndexOp::create(rewriter, loc, target->tileRows);
    Value enough = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sge, rows, tileRows);
    auto branch = scf::IfOp::create(rewriter, loc, TypeRange{out.getType()}, enough, /*withElseRegion=*/true);
    for (bool whole : {true, false}) {
      rewriter.setInsertionPointToStart(whole ? branch.thenBlock() : branch.elseBlock());
      Value result = tileRowsOf(rewriter, chain, rows, whole ? target->tileRows : 1);
      scf::YieldOp::create(rewriter, loc, result);
    }
    rewriter.replaceAllUsesWith(last.getResult(0), branch.getResult(0));
    chain.eraseUnused(rewriter);
    ++tiled;
  }

  Value tileRowsOf(RewriterBase &rewriter, const RowChain &chain, Value rows, int64_t tileRows) {
    linalg::GenericOp last = chain.getLast();
    Location loc = last.getLoc();
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0), step = arith::ConstantIndexOp::create(rewriter, loc, tileRows);
    auto loop = scf::ForOp::create(rewriter, loc, zero, rows, step, ValueRange{chain.getDestination()});
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    Value row = loop.getInductionVar(), result = loop.getRegionIterArgs()[0];
    if (tileRows > 1)
      row = arith::MinSIOp::create(rewriter, loc, row, arith::SubIOp::create(rewriter, loc, rows, step));
    int64_t columns = cast<RankedTensorType>(last.getResult(0).getType()).getDimSize(1);
    for (int64_t column = 0; column < columns; column += target->tileColumns)
      result = chain.computeTile(rewriter, result, {row, tileRows, column, std::min(target->tileColumns, columns - column)});
    scf::YieldOp::create(rewriter, loc, result);
    return loop.getResult(0);
  }

  const Target *target = nullptr;
};

} // namespace
} // namespace heddle
