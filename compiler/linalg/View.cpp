#include "compiler/linalg/View.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

bool heddle::isView(Operation *op) { return isa<BroadcastOp, ReshapeOp, TransposeOp, SliceOp>(op); }
bool heddle::isFree(Operation *op) { return isView(op) || isa<arith::ConstantOp, MaskOpInterface>(op); }

namespace {

AffineMap identity(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return AffineMap::getMultiDimIdentityMap(type ? type.getRank() : 0, value.getContext());
}

/// A reshape that only adds or drops axes of extent 1 maps the others one to one, whatever their extents.
std::optional<AffineMap> unitMap(DimsAttr from, DimsAttr to) {
  MLIRContext *context = from.getContext();
  auto isUnit = [](DimsAttr dims, int64_t i) { return dims.isStatic(i) && dims.shape()[i] == 1; };
  SmallVector<AffineExpr> results;
  int64_t next = 0;
  for (int64_t i = 0; i < from.getRank(); ++i) {
    if (isUnit(from, i)) {
      results.push_back(getAffineConstantExpr(0, context));
      continue;
    }
    while (next < to.getRank() && isUnit(to, next))
      ++next;
    if (next == to.getRank() || from.extent(i) != to.extent(next))
      return std::nullopt;
    results.push_back(getAffineDimExpr(next++, context));
  }
  for (; next < to.getRank(); ++next)
    if (!isUnit(to, next))
      return std::nullopt;
  return AffineMap::get(to.getRank(), 0, results, context);
}

/// Axes that agree stay; the static rest is linearised and cut anew.
std::optional<AffineMap> reshapeMap(ReshapeOp op) {
  DimsAttr from = dimsOf(op.getSource()), to = dimsOf(op.getType());
  MLIRContext *context = op.getContext();
  if (auto units = unitMap(from, to))
    return units;
  int64_t same = 0;
  while (same < from.getRank() && same < to.getRank() && from.extent(same) == to.extent(same))
    ++same;
  SmallVector<AffineExpr> results;
  for (int64_t i = 0; i < same; ++i)
    results.push_back(getAffineDimExpr(i, context));
  AffineExpr linear = getAffineConstantExpr(0, context);
  for (int64_t i = same; i < to.getRank(); ++i) {
    if (!to.isStatic(i))
      return std::nullopt;
    linear = linear * to.shape()[i] + getAffineDimExpr(i, context);
  }
  int64_t below = 1;
  for (int64_t i = same; i < from.getRank(); ++i) {
    if (!from.isStatic(i))
      return std::nullopt;
    below *= from.shape()[i];
  }
  for (int64_t i = same; i < from.getRank(); ++i) {
    int64_t extent = from.shape()[i];
    below /= extent;
    AffineExpr place = linear.floorDiv(below);
    results.push_back(i == same ? place : place % extent);
  }
  return AffineMap::get(to.getRank(), 0, results, context);
}

/// (indices of the result) -> (indices of the source) of one view op.
std::optional<AffineMap> sourceMap(Operation *op) {
  MLIRContext *context = op->getContext();
  unsigned rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  SmallVector<AffineExpr> results;
  return llvm::TypeSwitch<Operation *, std::optional<AffineMap>>(op)
      .Case([&](BroadcastOp b) {
        for (int64_t axis : b.getAxes())
          results.push_back(getAffineDimExpr(axis, context));
        return AffineMap::get(rank, 0, results, context);
      })
      .Case([&](TransposeOp t) {
        results.resize(rank);
        for (auto [i, axis] : llvm::enumerate(t.getPermutation()))
          results[axis] = getAffineDimExpr(i, context);
        return AffineMap::get(rank, 0, results, context);
      })
      .Case([&](SliceOp s) {
        for (unsigned i = 0; i < rank; ++i)
          results.push_back(getAffineDimExpr(i, context) + (i == s.getAxis() ? s.getFirst() : 0));
        return AffineMap::get(rank, 0, results, context);
      })
      .Case([&](ReshapeOp r) { return reshapeMap(r); });
}

/// d_i is at most its static extent, so `d_i mod e` and `d_i floordiv e` may vanish; affine simplification alone does not know extents.
AffineExpr simplify(AffineExpr e, ArrayRef<int64_t> shape) {
  e = simplifyAffineExpr(e, shape.size(), 0);
  auto binary = dyn_cast<AffineBinaryOpExpr>(e);
  if (!binary)
    return e;
  AffineExpr left = simplify(binary.getLHS(), shape), right = simplify(binary.getRHS(), shape);
  auto dim = dyn_cast<AffineDimExpr>(left);
  auto by = dyn_cast<AffineConstantExpr>(right);
  bool below = dim && by && !ShapedType::isDynamic(shape[dim.getPosition()]) && shape[dim.getPosition()] <= by.getValue();
  if (e.getKind() == AffineExprKind::Mod && below)
    return left;
  if (e.getKind() == AffineExprKind::FloorDiv && below)
    return getAffineConstantExpr(0, e.getContext());
  return simplifyAffineExpr(getAffineBinaryOpExpr(e.getKind(), left, right), shape.size(), 0);
}

/// (n * 16 + d) floordiv 16 and mod 16, where d is below 16: cut multiples of the divisor off a sum.
AffineExpr splitSums(AffineExpr e, ArrayRef<int64_t> shape) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(e);
  if (!binary)
    return e;
  AffineExpr left = splitSums(binary.getLHS(), shape), right = splitSums(binary.getRHS(), shape);
  auto by = dyn_cast<AffineConstantExpr>(right);
  auto sum = dyn_cast<AffineBinaryOpExpr>(left);
  bool divides = e.getKind() == AffineExprKind::Mod || e.getKind() == AffineExprKind::FloorDiv;
  if (divides && by && sum && sum.getKind() == AffineExprKind::Add && sum.getLHS().isMultipleOf(by.getValue())) {
    AffineExpr rest = simplify(getAffineBinaryOpExpr(e.getKind(), sum.getRHS(), right), shape);
    return e.getKind() == AffineExprKind::Mod ? rest : sum.getLHS().floorDiv(by.getValue()) + rest;
  }
  return getAffineBinaryOpExpr(e.getKind(), left, right);
}
} // namespace

std::optional<View> heddle::viewOf(Value value, const Stops &stops) {
  View view{value, identity(value)};
  auto type = dyn_cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type ? type.getShape() : ArrayRef<int64_t>());
  while (Operation *op = view.base.getDefiningOp()) {
    if (!isView(op) || stops.contains(op))
      break;
    auto step = sourceMap(op);
    if (!step)
      return std::nullopt;
    AffineMap composed = step->compose(view.map);
    SmallVector<AffineExpr> results;
    for (AffineExpr e : composed.getResults())
      results.push_back(simplify(splitSums(simplify(e, shape), shape), shape));
    view = {op->getOperand(0), AffineMap::get(composed.getNumDims(), 0, results, value.getContext())};
  }
  return view;
}

std::optional<RowView> heddle::rowViewOf(Value value, int64_t rowAxes, const Stops &stops) {
  auto view = viewOf(value, stops);
  if (!view)
    return std::nullopt;
  MLIRContext *context = value.getContext();
  int64_t rank = view->map.getNumDims();
  assert(rank <= rowAxes + 1 && "a value with more axes than the rows and columns of its kernel");
  SmallVector<AffineExpr> rows, all(view->map.getResults());
  AffineExpr column = getAffineDimExpr(rowAxes, context), none = getAffineConstantExpr(0, context);
  int64_t dependent = 0;
  for (AffineExpr e : all) {
    rows.push_back(e.replace(column, none));
    dependent += e.isFunctionOfDim(rowAxes);
  }
  RowView result{view->base, AffineMap::get(rowAxes, 0, rows, context), RowView::Scattered, AffineMap::get(rowAxes + 1, 0, all, context)};
  if (dependent == 0)
    result.kind = RowView::Scalar;
  else if (dependent == 1 && simplifyAffineExpr(all.back() - rows.back() - column, rowAxes + 1, 0) == none)
    result.kind = RowView::Contiguous;
  return result;
}

std::optional<ColumnView> heddle::columnViewOf(Value value, const Stops &stops) {
  auto view = viewOf(value, stops);
  if (!view)
    return std::nullopt;
  unsigned rank = view->map.getNumDims();
  if (view->map.getNumResults() != rank || rank == 0)
    return std::nullopt;
  for (unsigned i = 0; i + 1 < rank; ++i)
    if (view->map.getResult(i) != getAffineDimExpr(i, value.getContext()))
      return std::nullopt;
  auto first =
      dyn_cast<AffineConstantExpr>(simplifyAffineExpr(view->map.getResult(rank - 1) - getAffineDimExpr(rank - 1, value.getContext()), rank, 0));
  if (!first)
    return std::nullopt;
  return ColumnView{view->base, first.getValue()};
}

std::optional<HeadView> heddle::headViewOf(Value value, const Stops &stops) {
  auto view = viewOf(value, stops);
  MLIRContext *context = value.getContext();
  if (!view)
    return std::nullopt;
  if (view->map.getNumDims() == 4) { // [batch, heads, tokens, width]: batch and tokens are one axis of rows in memory
    ArrayRef<AffineExpr> all = view->map.getResults();
    AffineExpr batch = getAffineDimExpr(0, context), token = getAffineDimExpr(2, context);
    if (all.size() == 4 && all[0] == batch && all[1] == getAffineDimExpr(1, context) && all[2] == token) { // a tensor of its own
      auto first = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(all[3] - getAffineDimExpr(3, context), 4, 0));
      return first ? std::optional(HeadView{view->base, 0, first.getValue(), true}) : std::nullopt;
    }
    if (all.size() < 3 || all[0] != batch || all[1] != token)
      return std::nullopt;
    SmallVector<AffineExpr> rest(all.drop_front(1));
    for (AffineExpr &e : rest)
      e = e.replaceDims({getAffineDimExpr(3, context), getAffineDimExpr(1, context), getAffineDimExpr(0, context), getAffineDimExpr(2, context)});
    view->map = AffineMap::get(3, 0, rest, context);
  }
  if (view->map.getNumDims() != 3)
    return std::nullopt;
  AffineExpr token = getAffineDimExpr(0, context), head = getAffineDimExpr(1, context), column = getAffineDimExpr(2, context);
  ArrayRef<AffineExpr> results = view->map.getResults();
  if (results.empty() || results.front() != token)
    return std::nullopt;
  auto constant = [&](AffineExpr e) { return dyn_cast<AffineConstantExpr>(simplifyAffineExpr(e, 3, 0)); };
  if (results.size() == 3 && results[1] == head)
    if (auto first = constant(results[2] - column))
      return HeadView{view->base, 0, first.getValue()};
  if (results.size() != 2)
    return std::nullopt;
  auto at = [&](int64_t h) {
    return constant(results[1].replaceDims({token, getAffineConstantExpr(h, context), getAffineConstantExpr(0, context)}));
  };
  auto first = at(0), second = at(1);
  if (!first || !second)
    return std::nullopt;
  int64_t stride = second.getValue() - first.getValue();
  if (!constant(results[1] - head * stride - column - first.getValue()))
    return std::nullopt;
  return HeadView{view->base, stride, first.getValue()};
}
