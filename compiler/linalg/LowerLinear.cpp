// Matrix products: scf.forall over weight panels and chunks of rows; in it the product of a chunk and a panel, and its epilogue on the same tile.
#include "compiler/linalg/KernelLowering.h"
#include "compiler/support/Target.h"

using namespace mlir;
using namespace heddle;

namespace {

/// A kernel of one product and the elementwise ops that consume it.
struct LinearLowering {
  KernelLowering &kernel;
  LinalgBuilder &b;
  LinearOp product;
  Value firstRow, size, column; // of the tile: its rows [firstRow, firstRow + size) and its first column
  DenseMap<Value, Value> known; // tiles [size, panel], vectors [panel], scalars

  static AffineMap mapOf(LinalgBuilder &b, Value v) { return cast<RankedTensorType>(v.getType()).getRank() == 1 ? b.map(2, {1}) : b.map(2, {0, 1}); }

  /// An operand of the epilogue that comes from outside: KernelGroups lets in constants, vectors along the columns, and tensors of the same rows.
  Value read(Value value) {
    if (Value v = known.lookup(value))
      return v;
    RowView view = *rowViewOf(value, dimsOf(product.getType()).getRank() - 1);
    if (!isa<RankedTensorType>(view.base.getType()))
      return known[value] = b.literal(view.base.getDefiningOp(), elementOf(value));
    int64_t first = cast<AffineConstantExpr>(view.rows.getResults().back()).getValue();
    Value at = b.add(column, b.index(first)), tensor = kernel.argument(view.base);
    if (view.map.getNumResults() == 1)
      return known[value] = b.slice(tensor, {at}, {b.attr(panelColumns)});
    return known[value] = b.slice(tensor, {firstRow, at}, {size, b.attr(panelColumns)});
  }
  /// `body` on each element of the tile.
  Value onTile(ArrayRef<Value> operands, Value out, LinalgBuilder::Body body) {
    SmallVector<Value> tiles;
    SmallVector<AffineMap> maps;
    for (Value v : operands)
      if (isa<RankedTensorType>(v.getType())) {
        tiles.push_back(v);
        maps.push_back(mapOf(b, v));
      }
    maps.push_back(b.map(2, {0, 1}));
    return b.generic(tiles, out, maps, 0, [&](LinalgBuilder &g, ValueRange arguments) {
      SmallVector<Value> all;
      size_t next = 0;
      for (Value v : operands)
        all.push_back(isa<RankedTensorType>(v.getType()) ? arguments[next++] : v);
      return body(g, all);
    });
  }
  Value multiply(Value x, Value panel, Value out) {
    SmallVector<AffineMap> maps{b.map(3, {0, 2}), b.map(3, {2, 1}), b.map(3, {0, 1})};
    Value init = b.fill(b.zero(elementOf(product.getResult())), out);
    return b.generic({x, panel}, init, maps, 1, [](LinalgBuilder &g, ValueRange v) { return g.make<math::FmaOp>(v[0], v[1], v[2]); });
  }
  /// The product, its bias and the epilogue; the last of them writes to `out`.
  Value compute(Value x, Value panel, Value out) {
    Operation *last = kernel.resultOp();
    Type element = elementOf(product.getResult());
    auto target = [&](bool isLast, Type type) { return isLast ? out : b.empty({size, b.attr(panelColumns)}, type); };
    bool alone = last == product.getOperation();
    Value tile = multiply(x, panel, target(alone && !product.getBias(), element));
    if (product.getBias()) {
      Value bias = b.slice(kernel.argument(product.getBias()), {column}, {b.attr(panelColumns)});
      tile = onTile({tile, bias}, target(alone, element), [](LinalgBuilder &g, ValueRange v) { return g.make<arith::AddFOp>(v[0], v[1]); });
    }
    known[product] = tile;
    for (Operation &op : kernel.kernel.getBody().front().without_terminator()) {
      if (isFree(&op) || &op == product.getOperation())
        continue;
      b.loc = op.getLoc();
      SmallVector<Value> operands;
      for (Value v : op.getOperands())
        operands.push_back(read(v));
      known[op.getResult(0)] =
          onTile(operands, target(&op == last, elementOf(op.getResult(0))), [&](LinalgBuilder &g, ValueRange v) { return emitElement(g, &op, v); });
    }
    return known[last->getResult(0)];
  }
};

/// All leading extents as one.
Value rowCount(const KernelLowering &kernel, LinalgBuilder &b, DimsAttr dims) {
  Value rows = b.index(1);
  for (int64_t i = 0; i + 1 < dims.getRank(); ++i)
    rows = b.multiply(rows, kernel.extent(b, dims, i));
  return rows;
}

/// How many chunks of rows there are, and how many rows each but the last has: about as many in all of them.
std::pair<Value, Value> chunksOf(LinalgBuilder &b, Value rows, int64_t inner) {
  int64_t most = isHeldPanel(inner) ? std::min(rowChunk, heldRowBytes / (4 * inner) / rowMultiple * rowMultiple) : rowChunk;
  Value chunks = b.make<arith::CeilDivUIOp>(rows, b.index(most));
  Value fair = b.make<arith::CeilDivUIOp>(rows, b.multiply(b.largest(chunks, b.index(1)), b.index(rowMultiple)));
  return {chunks, b.least(b.multiply(fair, b.index(rowMultiple)), b.index(most))};
}
} // namespace

FailureOr<Value> KernelLowering::lowerLinear(LinalgBuilder &b, LinearOp op) {
  auto columns = columnViewOf(op.getX());
  Value x = columns ? argument(columns->base) : Value(), weight = argument(op.getWeight());
  if (!x || !weight || dimsOf(op.getX()).getRank() < 2 || (op.getBias() && !argument(op.getBias())))
    return op.emitOpError("is built for rows, a weight and a bias that is a weight only");
  auto panels = cast<RankedTensorType>(weight.getType());
  int64_t inner = panels.getDimSize(1);
  Value rows = rowCount(*this, b, dimsOf(op.getType()));
  auto [chunks, chunk] = chunksOf(b, rows, inner);
  // Chunks outside: the rows of one stay in the caches while panels pass.
  auto forall = scf::ForallOp::create(b, b.loc, SmallVector<OpFoldResult>{chunks, b.attr(panels.getDimSize(0))}, ValueRange{out}, std::nullopt);
  b.setInsertionPoint(forall.getTerminator());
  Value panel = forall.getInductionVar(1);
  // A chunk that would have fewer rows than a register tile starts earlier: it computes rows of its neighbour again, with the same bits.
  Value wanted = b.multiply(forall.getInductionVar(0), chunk);
  Value first = b.largest(b.index(0), b.least(wanted, b.subtract(rows, b.index(mostTileRows))));
  Value size = b.least(b.subtract(rows, first), chunk);
  LinearLowering lowering{*this, b, op, first, size, b.multiply(panel, b.index(panelColumns)), DenseMap<Value, Value>()};
  SmallVector<OpFoldResult> at{first, lowering.column}, extents{lowering.size, b.attr(panelColumns)};
  Value from = b.slice(x, {first, b.attr(columns->first)}, {lowering.size, b.attr(inner)});
  Value matrix = b.slice(weight, {panel, b.attr(0), b.attr(0)}, {b.attr(1), b.attr(inner), b.attr(panelColumns)}, {}, 2);
  Value to = b.slice(forall.getRegionIterArgs()[0], at, extents);
  Value tile = lowering.compute(from, matrix, to);
  b.yieldSlice(forall, tile, at, extents);
  b.setInsertionPointAfter(forall);
  return forall.getResult(0);
}
