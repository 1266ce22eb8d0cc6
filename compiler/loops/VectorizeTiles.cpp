// Static tiles become vectors: which results stay in registers, which are written, and what leaves loops afterwards. Comes after TileKernels.
#include "compiler/loops/Passes.h"
#include "compiler/loops/TileEvaluator.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_VECTORIZETILES
#include "compiler/loops/Passes.h.inc"

namespace {

/// The ops of one block, in order.
struct BlockVectorizer {
  BlockVectorizer(Block &block, const Target &target) : tiles(block), evaluator(tiles, target, block.getParentOp()->getContext()) {}

  unsigned run() {
    SmallVector<linalg::LinalgOp> ops = tiles.ops();
    for (linalg::LinalgOp op : ops)
      vectorize(op);
    unsigned erased = 0;
    for (linalg::LinalgOp op : llvm::reverse(ops))
      if (op->use_empty()) {
        op->erase();
        ++erased;
      }
    return erased;
  }

  void vectorize(linalg::LinalgOp op) {
    evaluator.builder.setInsertionPoint(op);
    evaluator.loc = op.getLoc();
    Value result = op->getResult(0);
    Value stored;
    if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
      stored = compute(generic);
    replaceExtracts(op);
    bool inMemory = llvm::any_of(result.getUses(), [&](OpOperand &use) { return !tiles.isInRegisters(use); });
    if (!stored && (inMemory || isWorthWriting(op)))
      stored = storeTile(evaluator, op, destinationOf(op));
    if (!stored)
      return;
    evaluator.written[result] = stored;
    for (OpOperand &use : llvm::make_early_inc_range(result.getUses()))
      if (!tiles.isInRegisters(use))
        use.set(stored);
  }

  /// Computes what is kept in registers; returns the tensor if the result was written instead.
  Value compute(linalg::GenericOp op) {
    Value result = op.getResult(0);
    switch (*tiles.kindOf(op)) {
    case TileKind::Fill:
    case TileKind::Values:
      return {};
    case TileKind::Scalars:
      for (int64_t row = 0; row < op.getStaticLoopRanges()[0]; ++row) {
        Value scalar = evaluator.evaluate(op, {evaluator.builder.getIndexAttr(row), std::nullopt, {}});
        evaluator.keptScalars[result].push_back(scalar);
      }
      return {};
    case TileKind::RowReduction:
      if (isTall(op))
        return reduceTallRows(evaluator, op, destinationOf(op));
      reduceRows(evaluator, op);
      return {};
    case TileKind::Transposed:
      return transposeTile(evaluator, op, destinationOf(op));
    case TileKind::Product:
      return multiplyTiles(evaluator, op, destinationOf(op));
    case TileKind::Elementwise:
      if (staysInRegisters(op))
        keepTile(op);
      return {};
    }
    llvm_unreachable("all kinds are handled");
  }

  /// Small tiles, and those of operands that are in registers themselves.
  bool staysInRegisters(linalg::GenericOp op) const {
    auto ranges = op.getStaticLoopRanges();
    if (ShapedType::isDynamicShape(ranges) || ranges[0] > mostTileRows || isTall(op) || evaluator.endsInLoop(op))
      return false;
    return ranges[1] <= panelColumns || evaluator.needsConstantColumns(op);
  }

  void keepTile(linalg::GenericOp op) {
    SmallVector<SmallVector<Value>> rows;
    SmallVector<Lanes> groups = evaluator.groupsOf(op.getStaticLoopRanges()[1]);
    for (int64_t row = 0; row < op.getStaticLoopRanges()[0]; ++row) {
      SmallVector<Value> &vectors = rows.emplace_back();
      for (const Lanes &lanes : groups)
        vectors.push_back(evaluator.splat(evaluator.evaluate(op, {evaluator.builder.getIndexAttr(row), lanes, {}})));
    }
    evaluator.keptTiles[op.getResult(0)] = std::move(rows);
  }

  /// A row that costs a function or a division, used more than once: written once and read back. Truth values cannot be.
  bool isWorthWriting(linalg::LinalgOp op) const {
    Value result = op->getResult(0);
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    bool isOnDemand = generic && (*tiles.kindOf(op) == TileKind::Elementwise || *tiles.kindOf(op) == TileKind::Values);
    if (!isOnDemand || evaluator.keptTiles.contains(result) || getElementTypeOrSelf(result).isInteger(1))
      return false;
    return !result.use_empty() && !result.hasOneUse() && evaluator.isCostly(generic);
  }

  /// The initial value, seen through ops whose result is not in memory: all of it is overwritten.
  Value destinationOf(linalg::LinalgOp op) const {
    Value destination = op.getDpsInits()[0];
    while (tiles.kindOf(destination)) {
      if (Value tensor = evaluator.written.lookup(destination))
        return tensor;
      destination = cast<linalg::LinalgOp>(destination.getDefiningOp()).getDpsInits()[0];
    }
    return destination;
  }

  /// One value per row, read by its index: the scalar itself.
  void replaceExtracts(linalg::LinalgOp op) {
    auto kept = evaluator.keptScalars.find(op->getResult(0));
    auto fill = dyn_cast<linalg::FillOp>(op.getOperation());
    if (kept == evaluator.keptScalars.end() && !fill)
      return;
    for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
      auto extract = dyn_cast<tensor::ExtractOp>(user);
      if (!extract)
        continue;
      std::optional<int64_t> row = extract.getIndices().empty() ? std::nullopt : getConstantIntValue(extract.getIndices()[0]);
      if (!fill && (!row || *row < 0 || *row >= static_cast<int64_t>(kept->second.size())))
        continue;
      extract.replaceAllUsesWith(fill ? fill.value() : kept->second[*row]);
      extract.erase();
    }
  }

  BlockTiles tiles;
  TileEvaluator evaluator;
};

/// Values leave the loops in which they do not change. Tensors stay: an initial value made outside of its loop would be copied in every round.
/// So do reads that might not happen at all.
void hoistInvariants(func::FuncOp function) {
  auto mayMove = [](Operation *op, Region *) {
    auto read = dyn_cast<vector::TransferReadOp>(op);
    bool isSafe = !read || cast<ShapedType>(read.getBase().getType()).hasStaticShape();
    return isSafe && isMemoryEffectFree(op) && isSpeculatable(op) && llvm::none_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
  };
  function.walk([&](scf::ForOp loop) {
    moveLoopInvariantCode(
        loop.getLoopRegions(), [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); }, mayMove,
        [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
  });
}

struct VectorizeTiles : impl::VectorizeTilesBase<VectorizeTiles> {
  using VectorizeTilesBase::VectorizeTilesBase;

  LogicalResult initialize(MLIRContext *context) override {
    target = findTargetOrReport(cpu, context);
    return success(target);
  }

  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (!isa<linalg::LinalgOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      vectorized += BlockVectorizer(*block, *target).run();
    hoistInvariants(getOperation());
  }

  const Target *target = nullptr;
};

} // namespace
} // namespace heddle
