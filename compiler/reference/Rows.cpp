// Reductions, softmax and layer norm.
#include "compiler/reference/Operations.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace heddle {

namespace {
/// For each element of the result, the real elements of the source that it is made of; `f` makes the one from the others.
template <class F> Tensor reduce(Operation *op, ArrayRef<int64_t> over, const Tensor &source, Site &site, F f) {
  Tensor result(site.shape(op->getResult(0).getType()));
  RaggedAxes ragged = site.ragged(op->getOperand(0));
  std::vector<std::vector<double>> groups(static_cast<size_t>(result.count()));
  size_t at = 0;
  forEachIndex(source.shape, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> kept;
    for (auto [axis, i] : llvm::enumerate(index))
      if (!llvm::is_contained(over, static_cast<int64_t>(axis)))
        kept.push_back(i);
    bool real = llvm::all_of(over, [&](int64_t axis) { return ragged.isReal(index, axis); });
    if (real)
      groups[static_cast<size_t>(result.offset(kept))].push_back(source.data[at]);
    ++at;
  });
  llvm::transform(groups, result.data.begin(), f);
  return result;
}

using Group = const std::vector<double> &;
double sum(Group x) {
  double sum = 0;
  for (double value : x)
    sum += value;
  return sum;
}
double mean(Group x) { return x.empty() ? 0 : sum(x) / static_cast<double>(x.size()); }
double variance(Group x) {
  double centre = mean(x), squares = 0;
  for (double value : x)
    squares += (value - centre) * (value - centre);
  return x.empty() ? 0 : squares / static_cast<double>(x.size());
}
/// The extreme value by `better`; NaN where there is one.
template <class Better> double extreme(Group x, double none, Better better) {
  for (double value : x) {
    if (std::isnan(value))
      return value;
    none = better(value, none) ? value : none;
  }
  return none;
}
constexpr double infinity = std::numeric_limits<double>::infinity();
double largest(Group x) { return extreme(x, -infinity, std::greater<>()); }
double smallest(Group x) { return extreme(x, infinity, std::less<>()); }
} // namespace

Tensor evaluate(SumOp op, Tensors operands, Site &site) { return reduce(op, op.getOver(), *operands[0], site, sum); }
Tensor evaluate(MaxOp op, Tensors operands, Site &site) { return reduce(op, op.getOver(), *operands[0], site, largest); }
Tensor evaluate(MinOp op, Tensors operands, Site &site) { return reduce(op, op.getOver(), *operands[0], site, smallest); }
Tensor evaluate(MeanOp op, Tensors operands, Site &site) { return reduce(op, op.getOver(), *operands[0], site, mean); }
Tensor evaluate(VarOp op, Tensors operands, Site &site) { return reduce(op, op.getOver(), *operands[0], site, variance); }

Tensor evaluate(SoftmaxOp op, Tensors operands, Site &site) {
  const Tensor &source = *operands[0];
  Tensor result(source.shape);
  RaggedAxes ragged = site.ragged(op.getSource());
  SmallVector<int64_t> rows(source.shape);
  int64_t axis = op.getAxis(), extent = rows[axis];
  rows[axis] = 1;
  forEachIndex(rows, [&](ArrayRef<int64_t> row) {
    SmallVector<int64_t> index(row);
    SmallVector<int64_t> places; // of the real elements
    for (int64_t i = 0; i < extent; ++i) {
      index[axis] = i;
      if (ragged.isReal(index, axis))
        places.push_back(source.offset(index));
    }
    std::vector<double> values;
    for (int64_t place : places)
      values.push_back(source.data[place]);
    double top = largest(values);
    if (top == -infinity) // nothing to read, or -infinity alone: 0
      return;
    for (double &value : values)
      value = std::exp(value - top);
    double total = sum(values);
    for (auto [place, value] : llvm::zip(places, values))
      result.data[place] = value / total;
  });
  return result;
}

Tensor evaluate(LayerNormOp op, Tensors operands, Site &site) {
  const Tensor &source = *operands[0], &gain = *operands[1], *bias = operands[2];
  Tensor result(source.shape);
  double epsilon = op.getEpsilon().convertToDouble();
  int64_t width = source.shape.back();
  for (int64_t first = 0; first < source.count(); first += width) {
    std::vector<double> row(source.data.begin() + first, source.data.begin() + first + width);
    double centre = mean(row), deviation = std::sqrt(variance(row) + epsilon);
    for (int64_t i = 0; i < width; ++i)
      result.data[first + i] = (row[i] - centre) / deviation * gain.data[i] + (bias ? bias->data[i] : 0);
  }
  return result;
}

} // namespace heddle
