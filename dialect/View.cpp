// How a view reads its base: affine maps of reshape, transpose, slice and broadcast.
#include "dialect/View.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// Axes that agree in front and behind stay; what is between them, static, is linearised and cut anew.
std::optional<AffineMap> reshapeMap(ReshapeOp op) {
  DimsAttr from = dimsOf(op.getSource()), to = dimsOf(op.getType());
  MLIRContext *context = op.getContext();
  if (auto units = unitMap(from, to))
    return units;
  int64_t same = 0, fromEnd = from.getRank(), toEnd = to.getRank();
  while (same < fromEnd && same < toEnd && from.extent(same) == to.extent(same))
    ++same;
  while (same < fromEnd && same < toEnd && from.extent(fromEnd - 1) == to.extent(toEnd - 1))
    --fromEnd, --toEnd;
  SmallVector<AffineExpr> results;
  for (int64_t i = 0; i < same; ++i)
    results.push_back(getAffineDimExpr(i, context));
  AffineExpr linear = getAffineConstantExpr(0, context);
  for (int64_t i = same; i < toEnd; ++i) {
    if (!to.isStatic(i))
      return std::nullopt;
    linear = linear * to.shape()[i] + getAffineDimExpr(i, context);
  }
  int64_t below = 1;
  for (int64_t i = same; i < fromEnd; ++i) {
    if (!from.isStatic(i))
      return std::nullopt;
    below *= from.shape()[i];
  }
  for (int64_t i = same; i < fromEnd; ++i) {
    int64_t extent = from.shape()[i];
    below /= extent;
    AffineExpr place = linear.floorDiv(below);
    results.push_back(i == same ? place : place % extent);
  }
  for (int64_t i = toEnd; i < to.getRank(); ++i)
    results.push_back(getAffineDimExpr(i, context));
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

View heddle::viewAt(Value value, AffineMap map, ArrayRef<int64_t> shape, const Stops &stops) {
  View view{value, map};
  while (Operation *op = view.base.getDefiningOp()) {
    auto step = isView(op) && !stops.contains(op) ? sourceMap(op) : std::nullopt;
    if (!step)
      break;
    AffineMap composed = step->compose(view.map);
    SmallVector<AffineExpr> results;
    for (AffineExpr e : composed.getResults())
      results.push_back(simplify(splitSums(simplify(e, shape), shape), shape));
    view = {op->getOperand(0), AffineMap::get(composed.getNumDims(), 0, results, value.getContext())};
  }
  return view;
}

std::optional<View> heddle::viewOf(Value value, const Stops &stops) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  View view = viewAt(value, identity(value), type ? type.getShape() : ArrayRef<int64_t>(), stops);
  Operation *op = view.base.getDefiningOp();
  return op && isView(op) && !stops.contains(op) ? std::nullopt : std::optional(view);
}
