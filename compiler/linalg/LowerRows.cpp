// Row kernels: scf.forall over the rows; in it each op is scalar work, or linalg on a tile of one row and all its columns.
#include "compiler/linalg/KernelGroups.h"
#include "compiler/linalg/KernelLowering.h"
#include "compiler/support/Target.h"
#include "mlir/Dialect/Affine/Utils.h"

using namespace mlir;
using namespace heddle;

namespace {

/// A value within one row: a scalar, or a tile tensor<1xN> or tensor<N>.
struct RowValue {
  Value value;
  bool isTile() const { return isa<RankedTensorType>(value.getType()); }
};

class RowLowering {
public:
  RowLowering(KernelLowering &kernel, LinalgBuilder &b) : kernel(kernel), b(b) {}
  FailureOr<Value> run();

private:
  KernelLowering &kernel;
  LinalgBuilder &b;
  DimsAttr rowDims;
  SmallVector<Value> row; // the index along each row axis
  DenseMap<Value, Value> known;
  Operation *last = nullptr;
  Value destination; // the slice of the output that the last op writes

  int64_t columnsOf(Value v) const { return dimsOf(v) == rowDims ? 0 : dimsOf(v).shape().back(); }
  FailureOr<Value> read(Value value);
  Value readBase(Value value, const RowView &view);
  Value readScattered(Value value, const RowView &view);
  SmallVector<Value> indicesAt(LinalgBuilder &at, const RowView &view, AffineMap map, Value column);
  Value tileFor(Operation *op, int64_t columns, Type element);
  Value elementwise(Operation *op, ArrayRef<Value> operands, int64_t columns, Type element,
                    llvm::function_ref<Value(LinalgBuilder &, ValueRange)> body);
  Value reduce(ArrayRef<Value> sources, Value neutral, LinalgBuilder::Body body);
  Value sum(Value x, int64_t columns);
  FailureOr<Value> emit(Operation *op);
  FailureOr<Value> emitReduction(Operation *op);
  FailureOr<Value> emitSoftmax(SoftmaxOp op);
  FailureOr<Value> emitLayerNorm(LayerNormOp op);
  FailureOr<Value> emitRmsNorm(RmsNormOp op);
  FailureOr<Value> emitRotary(RotaryEmbeddingOp op);
  FailureOr<Value> emitGather(GatherOp op);
  FailureOr<Value> emitMaskScores(MaskScoresOp op);
  FailureOr<Value> emitIndices(PositionsOp op);
  struct PairRows { // of queries and keys
    KernelLowering::Row queries, keys;
  };
  template <typename Op> PairRows pairRowsOf(Op op);
  FailureOr<Value> emitMaskValues(MaskValuesOp op);
  FailureOr<Value> emitPadding(Operation *op);
  Value centredSquares(Value x, Value mean, int64_t columns);
};

SmallVector<Value> RowLowering::indicesAt(LinalgBuilder &at, const RowView &view, AffineMap map, Value column) {
  SmallVector<Value> dims(row), indices;
  if (column)
    dims.push_back(column);
  for (AffineExpr e : map.getResults())
    indices.push_back(affine::expandAffineExpr(at, at.loc, e, dims, {}));
  return kernel.physicalIndices(at, view.base, indices);
}

/// Element by element: a column of the row lies anywhere in the base.
Value RowLowering::readScattered(Value value, const RowView &view) {
  int64_t columns = columnsOf(value);
  Value tensor = kernel.argument(view.base), out = b.empty({b.attr(1), b.attr(columns)}, elementOf(value));
  return b.generic({}, out, {b.map(2, {0, 1})}, 0,
                   [&](LinalgBuilder &g, ValueRange) { return g.extract(tensor, indicesAt(g, view, view.map, g.position(1))); });
}

Value RowLowering::readBase(Value value, const RowView &view) {
  Value tensor = kernel.argument(view.base);
  if (view.kind == RowView::Scattered)
    return readScattered(value, view);
  SmallVector<Value> at = indicesAt(b, view, view.rows, {});
  if (view.kind == RowView::Scalar)
    return b.extract(tensor, at);
  SmallVector<OpFoldResult> offsets(at.begin(), at.end()), sizes(at.size(), b.attr(1));
  sizes.back() = b.attr(columnsOf(value));
  return b.slice(tensor, offsets, sizes, {}, std::min<int64_t>(2, at.size()));
}

FailureOr<Value> RowLowering::read(Value value) {
  if (Value v = known.lookup(value))
    return v;
  auto view = viewOf(value);
  if (!view)
    return value.getDefiningOp()->emitOpError("moves elements across an extent that is not static; not built yet");
  if (!isa<RankedTensorType>(view->base.getType())) { // a constant
    Value scalar = known.lookup(view->base);
    return known[value] = scalar ? scalar : b.literal(view->base.getDefiningOp(), elementOf(value));
  }
  RowView seen = *rowViewOf(value, rowDims.getRank());
  if (Value inside = known.lookup(view->base)) {
    if (columnsOf(value) == columnsOf(view->base) || !isa<RankedTensorType>(inside.getType()))
      return known[value] = inside;
    if (seen.kind == RowView::Scalar) // one column of it
      return known[value] = b.extract(inside, {b.index(0), affine::expandAffineExpr(b, b.loc, seen.rows.getResults().back(), row, {})});
    auto first = cast<AffineConstantExpr>(seen.rows.getResults().back()).getValue();
    return known[value] = b.slice(inside, {b.attr(0), b.attr(first)}, {b.attr(1), b.attr(columnsOf(value))});
  }
  return known[value] = readBase(value, seen);
}

Value RowLowering::tileFor(Operation *op, int64_t columns, Type element) {
  return op == last && destination ? destination : b.empty({b.attr(1), b.attr(columns)}, element);
}

Value RowLowering::elementwise(Operation *op, ArrayRef<Value> operands, int64_t columns, Type element,
                               llvm::function_ref<Value(LinalgBuilder &, ValueRange)> body) {
  bool scalar = columns == 0;
  if (scalar)
    return body(b, operands);
  SmallVector<Value> tiles;
  SmallVector<AffineMap> maps;
  for (Value v : operands)
    if (auto type = dyn_cast<RankedTensorType>(v.getType())) {
      tiles.push_back(v);
      maps.push_back(type.getRank() == 1 ? b.map(2, {1}) : b.map(2, {0, 1}));
    }
  maps.push_back(b.map(2, {0, 1}));
  return b.generic(tiles, tileFor(op, columns, element), maps, 0, [&](LinalgBuilder &g, ValueRange arguments) {
    SmallVector<Value> all;
    size_t next = 0;
    for (Value v : operands)
      all.push_back(isa<RankedTensorType>(v.getType()) ? arguments[next++] : v);
    return body(g, all);
  });
}

/// One number of a row; the last argument of the body is the running one.
Value RowLowering::reduce(ArrayRef<Value> sources, Value neutral, LinalgBuilder::Body body) {
  Value init = b.fill(neutral, b.empty({b.attr(1)}, neutral.getType()));
  SmallVector<AffineMap> maps;
  for (Value v : sources)
    maps.push_back(cast<RankedTensorType>(v.getType()).getRank() == 1 ? b.map(2, {1}) : b.map(2, {0, 1}));
  maps.push_back(b.map(2, {0}));
  return b.extract(b.generic(sources, init, maps, 1, body), b.index(0));
}

Value RowLowering::sum(Value x, int64_t) {
  return reduce({x}, b.zero(getElementTypeOrSelf(x.getType())), [](LinalgBuilder &g, ValueRange v) { return g.make<arith::AddFOp>(v[1], v[0]); });
}

Value RowLowering::centredSquares(Value x, Value mean, int64_t) {
  return reduce({x}, b.zero(getElementTypeOrSelf(x.getType())), [&](LinalgBuilder &g, ValueRange v) {
    Value c = g.make<arith::SubFOp>(v[0], mean);
    return g.make<math::FmaOp>(c, c, v[1]);
  });
}

FailureOr<Value> RowLowering::emitReduction(Operation *op) {
  auto x = read(op->getOperand(0));
  if (failed(x))
    return failure();
  auto over = cast<DenseI64ArrayAttr>(op->getAttr("over")).asArrayRef();
  int64_t columns = columnsOf(op->getOperand(0));
  Type element = elementOf(op->getOperand(0));
  if (over.size() != 1 || dimsOf(op->getOperand(0)).dropBack() != rowDims || columns == 0 || !isa<FloatType>(element))
    return op->emitOpError("is built for floating-point elements along a static last axis only");
  if (isa<MaxOp, MinOp>(op)) {
    auto wins = isa<MaxOp>(op) ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
    Value neutral = b.number(element, isa<MaxOp>(op) ? -INFINITY : INFINITY);
    return reduce({*x}, neutral, [&](LinalgBuilder &g, ValueRange v) {
      Value chosen = g.choose(g.make<arith::CmpFOp>(wins, v[0], v[1]), v[0], v[1]);
      return g.choose(g.make<arith::CmpFOp>(arith::CmpFPredicate::UNO, v[0], v[0]), v[0], chosen);
    });
  }
  Value total = sum(*x, columns);
  if (isa<SumOp>(op))
    return total;
  Value count = b.number(element, columns), mean = b.make<arith::DivFOp>(total, count);
  if (isa<MeanOp>(op))
    return mean;
  return b.make<arith::DivFOp>(centredSquares(*x, mean, columns), count);
}

/// A row of -infinity alone gives 0: its maximum is taken as 0, so that every exp is 0.
FailureOr<Value> RowLowering::emitSoftmax(SoftmaxOp op) {
  auto x = read(op.getSource());
  if (failed(x))
    return failure();
  int64_t columns = columnsOf(op.getSource());
  if (columns == 0 || static_cast<int64_t>(op.getAxis()) != dimsOf(op.getSource()).getRank() - 1)
    return op.emitOpError("is built along a static last axis only");
  Type element = elementOf(op.getSource());
  Value zero = b.zero(element);
  Value largest = reduce({*x}, b.lowest(element), [](LinalgBuilder &g, ValueRange v) { return g.larger(v[0], v[1]); });
  largest = b.choose(b.make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, largest, b.lowest(element)), zero, largest);
  Value e = elementwise(nullptr, {*x, largest}, columns, element,
                        [](LinalgBuilder &g, ValueRange v) { return g.make<math::ExpOp>(g.make<arith::SubFOp>(v[0], v[1])); });
  Value total = sum(e, columns);
  Value none = b.make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, total, zero);
  return elementwise(op, {e, total, none}, columns, element,
                     [&](LinalgBuilder &g, ValueRange v) { return g.choose(v[2], zero, g.make<arith::DivFOp>(v[0], v[1])); });
}

/// (x - mean - rest) / sqrt(variance + epsilon): where the mean is large, its rounding is no small part of the deviation. The mean of what is left,
/// which is exact, takes it back.
FailureOr<Value> RowLowering::emitLayerNorm(LayerNormOp op) {
  auto x = read(op.getSource());
  if (failed(x))
    return failure();
  int64_t columns = columnsOf(op.getSource());
  Type element = elementOf(op.getSource());
  auto vector = [&](Value v) { return b.slice(kernel.argument(v), {b.attr(0)}, {b.attr(columns)}); };
  for (Value v : {op.getGain(), op.getBias()})
    if (v && !kernel.argument(v))
      return op.emitOpError("takes its gain and bias from weights only; others are not built yet");
  Value count = b.number(element, columns), mean = b.make<arith::DivFOp>(sum(*x, columns), count);
  Value left = elementwise(nullptr, {*x, mean}, columns, element, [](LinalgBuilder &g, ValueRange v) { return g.make<arith::SubFOp>(v[0], v[1]); });
  Value rest = b.make<arith::DivFOp>(sum(left, columns), count);
  Value variance = b.make<arith::DivFOp>(centredSquares(left, rest, columns), count);
  Value root = b.make<math::SqrtOp>(b.make<arith::AddFOp>(variance, b.number(element, op.getEpsilon().convertToDouble())));
  Value scale = b.make<arith::DivFOp>(b.number(element, 1), root);
  SmallVector<Value> operands{left, rest, scale};
  for (Value v : {op.getGain(), op.getBias()})
    if (v)
      operands.push_back(vector(v));
  return elementwise(op, operands, columns, element, [&](LinalgBuilder &g, ValueRange v) {
    Value normal = g.make<arith::MulFOp>(g.make<arith::SubFOp>(v[0], v[1]), v[2]);
    return op.getBias() ? g.make<math::FmaOp>(normal, v[3], v[4]) : op.getGain() ? g.make<arith::MulFOp>(normal, v[3]) : normal;
  });
}

/// x / sqrt(sum(x^2) / n + epsilon) * gain
FailureOr<Value> RowLowering::emitRmsNorm(RmsNormOp op) {
  auto x = read(op.getSource());
  if (failed(x))
    return failure();
  if (op.getGain() && !kernel.argument(op.getGain()))
    return op.emitOpError("takes its gain from a weight only; others are not built yet");
  int64_t columns = columnsOf(op.getSource());
  Type element = elementOf(op.getSource());
  Value squares = reduce({*x}, b.zero(element), [](LinalgBuilder &g, ValueRange v) { return g.make<math::FmaOp>(v[0], v[0], v[1]); });
  Value mean = b.make<arith::DivFOp>(squares, b.number(element, columns));
  Value root = b.make<math::SqrtOp>(b.make<arith::AddFOp>(mean, b.number(element, op.getEpsilon().convertToDouble())));
  Value scale = b.make<arith::DivFOp>(b.number(element, 1), root);
  SmallVector<Value> operands{*x, scale};
  if (op.getGain())
    operands.push_back(b.slice(kernel.argument(op.getGain()), {b.attr(0)}, {b.attr(columns)}));
  return elementwise(op, operands, columns, element, [](LinalgBuilder &g, ValueRange v) {
    Value normal = g.make<arith::MulFOp>(v[0], v[1]);
    return v.size() == 3 ? g.make<arith::MulFOp>(normal, v[2]) : normal;
  });
}

/// (a, b) -> (a cos - b sin, b cos + a sin) for each pair of channels; the angles' row is that of the token.
FailureOr<Value> RowLowering::emitRotary(RotaryEmbeddingOp op) {
  auto x = read(op.getSource());
  if (failed(x))
    return failure();
  DimsAttr angles = dimsOf(op.getAngles()), source = dimsOf(op.getSource());
  Value table = kernel.argument(op.getAngles());
  if (!table || !isa<RankedTensorType>(x->getType()))
    return op.emitOpError("takes its angles from a table of positions only");
  bool tokensFirst = source.extent(0) == angles.extent(0) && angles.getRank() == 2;
  SmallVector<Value> at;
  if (angles.getRank() == 3)
    at.push_back(row.front());
  at.push_back(tokensFirst ? row.front() : row.back());
  at.push_back(b.index(0));
  at = kernel.physicalIndices(b, op.getAngles(), at);
  int64_t columns = columnsOf(op.getSource()), turned = angles.shape().back(), half = turned / 2;
  SmallVector<OpFoldResult> offsets(at.begin(), at.end()), sizes(at.size(), b.attr(1));
  sizes.back() = b.attr(turned);
  Value turns = b.slice(table, offsets, sizes, {}, 2), gain = b.number(elementOf(op.getResult()), op.getGain().convertToDouble());
  Value out = tileFor(op, columns, elementOf(op.getResult()));
  auto part = [&](Value tile, int64_t first, int64_t count) { return b.slice(tile, {b.attr(0), b.attr(first)}, {b.attr(1), b.attr(count)}); };
  auto put = [&](Value made, int64_t first, int64_t count) { out = b.insert(made, out, {b.attr(0), b.attr(first)}, {b.attr(1), b.attr(count)}); };
  AffineMap whole = b.map(2, {0, 1});
  auto turn = [&](LinalgBuilder &g, Value own, Value other, Value sine, Value cosine, bool second) {
    Value product = g.make<arith::MulFOp>(other, g.make<arith::MulFOp>(gain, sine));
    if (!second)
      product = g.make<arith::NegFOp>(product);
    return g.make<math::FmaOp>(own, g.make<arith::MulFOp>(gain, cosine), product);
  };
  if (op.getLayout() == PairLayout::halves) {
    Value first = part(*x, 0, half), second = part(*x, half, half), sine = part(turns, 0, half), cosine = part(turns, half, half);
    for (bool isSecond : {false, true}) {
      Value made = b.generic({isSecond ? second : first, isSecond ? first : second, sine, cosine}, part(out, isSecond ? half : 0, half),
                             {whole, whole, whole, whole, whole}, 0,
                             [&](LinalgBuilder &g, ValueRange v) { return turn(g, v[0], v[1], v[2], v[3], isSecond); });
      put(made, isSecond ? half : 0, half);
    }
  } else { // neighbours: element by element
    Value tile = *x;
    Value made = b.generic({}, part(out, 0, turned), {whole}, 0, [&](LinalgBuilder &g, ValueRange) {
      Value column = g.position(1), zero = g.index(0), one = g.index(1), two = g.index(2), pair = g.make<arith::DivUIOp>(column, two);
      Value odd = g.compare(arith::CmpIPredicate::ne, g.make<arith::RemUIOp>(column, two), zero), even = g.multiply(pair, two);
      Value a = g.extract(tile, {zero, even}), c = g.extract(tile, {zero, g.add(even, one)});
      Value sine = g.extract(turns, {zero, pair}), cosine = g.extract(turns, {zero, g.add(pair, g.index(half))});
      return g.choose(odd, turn(g, c, a, sine, cosine, true), turn(g, a, c, sine, cosine, false));
    });
    put(made, 0, turned);
  }
  if (turned < columns) {
    Value rest = b.generic({part(*x, turned, columns - turned)}, part(out, turned, columns - turned), {whole, whole}, 0,
                           [](LinalgBuilder &, ValueRange v) { return v[0]; });
    put(rest, turned, columns - turned);
  }
  return out;
}

/// The row of the table is read in place; ids are clamped, so no id reads outside.
FailureOr<Value> RowLowering::emitGather(GatherOp op) {
  auto id = read(op.getIds());
  if (failed(id))
    return failure();
  Value table = kernel.argument(op.getTable());
  DimsAttr dims = dimsOf(op.getTable());
  int64_t idAxis = op.getTransposed() ? 1 : 0;
  if (!table || dims.getRank() > 2 || !dims.isStatic(idAxis) || dimsOf(op.getIds()) != rowDims)
    return op.emitOpError("is built for tables [n] and [n, d] with one id a row only");
  Value rowId = b.make<arith::IndexCastOp>(b.getIndexType(), *id);
  rowId = b.largest(b.index(0), b.least(rowId, b.index(dims.shape()[idAxis] - 1)));
  if (op.getTransposed()) { // the panels of a product: column id of a matrix
    Value width = b.index(panelColumns), panel = b.make<arith::DivUIOp>(rowId, width), place = b.make<arith::RemUIOp>(rowId, width);
    return b.generic({}, tileFor(op, dims.shape()[0], elementOf(op.getResult())), {b.map(2, {0, 1})}, 0,
                     [&](LinalgBuilder &g, ValueRange) { return g.extract(table, {panel, g.position(1), place}); });
  }
  if (dims.getRank() == 1)
    return b.extract(table, rowId);
  int64_t columns = dims.shape()[1];
  Value tile = b.slice(table, {rowId, b.attr(0)}, {b.attr(1), b.attr(columns)});
  if (op != last)
    return tile;
  return elementwise(op, {tile}, columns, elementOf(op.getResult()), [](LinalgBuilder &, ValueRange v) { return v[0]; });
}

/// The rows of queries and keys of this element; one without rows has all tokens from position 0 on, and no length.
template <typename Op> RowLowering::PairRows RowLowering::pairRowsOf(Op op) {
  auto rowOf = [&](Value offsets, Value starts) {
    return offsets ? kernel.rowOf(b, offsets, starts, row[0]) : KernelLowering::Row{b.index(0), {}, b.index(0)};
  };
  return {rowOf(op.getQueryOffsets(), op.getQueryStarts()), rowOf(op.getKeyOffsets(), op.getKeyStarts())};
}

FailureOr<Value> RowLowering::emitMaskValues(MaskValuesOp op) {
  PairRows rows = pairRowsOf(op);
  Value real = b.truth(true);
  for (auto [axis, side] : {std::pair(row[1], rows.queries), std::pair(row[2], rows.keys)})
    if (side.length)
      real = b.both(real, b.compare(arith::CmpIPredicate::slt, axis, side.length));
  if (!op.getMask())
    return real;
  MaskSite site = kernel.siteOf(row[0], b.index(0), rows.queries, rows.keys);
  auto mask = op.getMask().getDefiningOp<MaskOpInterface>();
  auto answer = mask.emitScore(b, b.loc, site, b.add(site.queryStart, row[1]), b.add(site.keyStart, row[2]), b.zero(b.getF32Type()));
  return b.both(real, answer.first);
}

FailureOr<Value> RowLowering::emitMaskScores(MaskScoresOp op) {
  auto score = read(op.getScores());
  if (failed(score))
    return failure();
  size_t query = row.size() - 2;
  PairRows rows = pairRowsOf(op);
  Value real = rows.keys.length ? b.compare(arith::CmpIPredicate::slt, row[query + 1], rows.keys.length) : b.truth(true);
  MaskSite site = kernel.siteOf(query ? row[0] : b.index(0), query > 1 ? row[1] : b.index(0), rows.queries, rows.keys);
  auto mask = op.getMask().getDefiningOp<MaskOpInterface>();
  auto answer = mask.emitScore(b, b.loc, site, b.add(site.queryStart, row[query]), b.add(site.keyStart, row[query + 1]), *score);
  return b.choose(b.both(real, answer.first), answer.second, b.lowest(elementOf(op.getResult())));
}

/// Positions of an axis that is not ragged: the index along the last axis.
FailureOr<Value> RowLowering::emitIndices(PositionsOp op) {
  int64_t columns = columnsOf(op.getResult());
  Type element = elementOf(op.getResult());
  if (columns == 0)
    return b.make<arith::IndexCastOp>(element, row.back());
  return elementwise(op, {}, columns, element, [&](LinalgBuilder &g, ValueRange) { return g.make<arith::IndexCastOp>(element, g.position(1)); });
}

/// flatten and unflatten where nothing is ragged, or the source is padded already: a copy, 0 beyond the length.
FailureOr<Value> RowLowering::emitPadding(Operation *op) {
  auto x = read(op->getOperand(0));
  if (failed(x))
    return failure();
  int64_t columns = columnsOf(op->getResult(0));
  Type element = elementOf(op->getResult(0));
  Value inside;
  if (auto unflatten = dyn_cast<UnflattenOp>(op); unflatten && unflatten.getOffsets())
    inside = b.compare(arith::CmpIPredicate::slt, row[1], kernel.rowOf(b, unflatten.getOffsets(), {}, row[0]).length);
  return elementwise(op, {*x}, columns, element,
                     [&](LinalgBuilder &g, ValueRange v) { return inside ? g.choose(inside, v[0], g.zero(element)) : v[0]; });
}

FailureOr<Value> RowLowering::emit(Operation *op) {
  if (isReduction(op))
    return emitReduction(op);
  if (auto x = dyn_cast<SoftmaxOp>(op))
    return emitSoftmax(x);
  if (auto x = dyn_cast<LayerNormOp>(op))
    return emitLayerNorm(x);
  if (auto x = dyn_cast<RmsNormOp>(op))
    return emitRmsNorm(x);
  if (auto x = dyn_cast<RotaryEmbeddingOp>(op))
    return emitRotary(x);
  if (auto x = dyn_cast<MaskScoresOp>(op))
    return emitMaskScores(x);
  if (auto x = dyn_cast<PositionsOp>(op))
    return emitIndices(x);
  if (auto x = dyn_cast<GatherOp>(op))
    return emitGather(x);
  if (auto x = dyn_cast<MaskValuesOp>(op))
    return emitMaskValues(x);
  if (isa<FlattenOp, UnflattenOp>(op))
    return emitPadding(op);
  if (!isRowOp(op))
    return op->emitOpError("is not built yet");
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    auto v = read(operand);
    if (failed(v))
      return failure();
    operands.push_back(*v);
  }
  return elementwise(op, operands, columnsOf(op->getResult(0)), elementOf(op->getResult(0)),
                     [&](LinalgBuilder &g, ValueRange v) { return emitElement(g, op, v); });
}

FailureOr<Value> RowLowering::run() {
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.kernel.getBody().front().without_terminator())
    if (!isFree(&op))
      ops.push_back(&op);
  last = kernel.resultOp();
  rowDims = rowDimsOf(ops.empty() ? last : ops.front());
  SmallVector<OpFoldResult> bounds;
  for (int64_t i = 0; i < rowDims.getRank(); ++i)
    bounds.push_back(rowDims.isStatic(i) ? OpFoldResult(b.attr(rowDims.shape()[i])) : kernel.extent(b, rowDims, i));
  if (bounds.empty())
    bounds.push_back(b.attr(1));
  auto forall = scf::ForallOp::create(b, b.loc, bounds, ValueRange{kernel.out}, std::nullopt);
  b.setInsertionPoint(forall.getTerminator());
  if (rowDims.getRank())
    row = llvm::to_vector_of<Value>(forall.getInductionVars());

  Value result = last->getResult(0), shared = forall.getRegionIterArgs()[0];
  int64_t columns = columnsOf(result), rank = cast<RankedTensorType>(shared.getType()).getRank();
  SmallVector<Value> at(row); // where the row lies in the output: exact arrays have every axis, inside the leading ones are one
  if (columns)
    at.push_back(b.index(0));
  if (static_cast<int64_t>(at.size()) != rank) {
    Value linear = at[0];
    DimsAttr dims = dimsOf(result);
    for (int64_t i = 1; i + 1 < dims.getRank(); ++i)
      linear = b.add(b.multiply(linear, kernel.extent(b, dims, i)), at[i]);
    at = {linear, at.back()};
  }
  SmallVector<OpFoldResult> offsets(at.begin(), at.end()), sizes(at.size(), b.attr(1));
  if (columns) {
    sizes.back() = b.attr(columns);
    offsets.back() = b.attr(0);
    destination = b.slice(shared, offsets, sizes, {}, std::min<int64_t>(rank, 2));
    if (rank == 1) { // one row of one axis: tiles have two
      SmallVector<ReassociationIndices> both{{0, 1}};
      destination = b.make<tensor::ExpandShapeOp>(RankedTensorType::get({1, columns}, elementOf(result)), destination, both);
    }
  }
  for (Operation *op : ops) {
    b.loc = op->getLoc();
    auto value = emit(op);
    if (failed(value))
      return failure();
    known[op->getResult(0)] = *value;
  }
  auto value = read(result);
  if (failed(value))
    return failure();
  if (!columns) {
    Value slot = b.slice(shared, offsets, sizes, {}, rank == 0 ? 0 : 1);
    *value = b.make<tensor::InsertOp>(*value, slot, rank == 0 ? ValueRange() : ValueRange{b.index(0)});
  } else if (isView(last)) // a copy
    *value = elementwise(last, {*value}, columns, elementOf(result), [](LinalgBuilder &, ValueRange v) { return v[0]; });
  if (columns && rank == 1) { // tensor<1xN> into tensor<N>
    SmallVector<ReassociationIndices> both{{0, 1}};
    *value = b.make<tensor::CollapseShapeOp>(*value, both);
  }
  b.yieldSlice(forall, *value, offsets, sizes);
  b.setInsertionPointAfter(forall);
  return forall.getResult(0);
}
} // namespace

FailureOr<Value> KernelLowering::lowerRows(LinalgBuilder &b) { return RowLowering(*this, b).run(); }
