#include "compiler/linalg/KernelViews.h"

using namespace mlir;
using namespace heddle;

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
