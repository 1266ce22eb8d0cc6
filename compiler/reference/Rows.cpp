// Reductions, softmax and norms.
#include "compiler/reference/Operations.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace heddle {

namespace {
/// What a reduction reads: for each element of its result, in row-major order, the places of the real elements of the source that it is made of.
using Places = std::vector<std::vector<size_t>>;

/// The offsets of rows, where they come as an operand (after the graph stage): tokens are rows along axis 0, or a padded axis is real up to the
/// length of its batch row.
class RowOffsets {
public:
  RowOffsets(const Tensor *offsets, const Tensor &source, int64_t axis, Site &site) : axis(axis) {
    if (!offsets)
      return;
    places = wholeNumbers(*offsets);
    bool fine = tokens() ? cutsTokens(places, source.shape[0]) : cutsPadded(places, source.shape[0], source.shape[axis]);
    if (fine)
      return;
    site.refusal = "offsets do not describe the rows";
    places.clear();
  }
  bool tokens() const { return !places.empty() && axis == 0; }
  int64_t batch() const { return static_cast<int64_t>(places.size()) - 1; }
  int64_t rowOf(int64_t token) const { return llvm::upper_bound(places, token) - places.begin() - 1; }
  bool isReal(ArrayRef<int64_t> index) const {
    return places.empty() || tokens() || index[axis] < places[static_cast<size_t>(index[0]) + 1] - places[static_cast<size_t>(index[0])];
  }

private:
  std::vector<int64_t> places;
  int64_t axis;
};

Places placesOf(Value value, const Tensor &source, ArrayRef<int64_t> over, const Tensor *offsets, Site &site) {
  RaggedAxes ragged = site.ragged(value);
  RowOffsets rows(offsets, source, over.front() == 0 ? 0 : over.back(), site);
  SmallVector<int64_t> shape;
  if (rows.tokens())
    shape.push_back(rows.batch());
  for (auto [axis, extent] : llvm::enumerate(source.shape))
    if (!llvm::is_contained(over, static_cast<int64_t>(axis)))
      shape.push_back(extent);
  Tensor numbers(shape); // of the groups
  Places groups(static_cast<size_t>(numbers.count()));
  size_t at = 0;
  forEachIndex(source.shape, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> kept;
    if (rows.tokens())
      kept.push_back(rows.rowOf(index[0]));
    for (auto [axis, i] : llvm::enumerate(index))
      if (!llvm::is_contained(over, static_cast<int64_t>(axis)))
        kept.push_back(i);
    if (rows.isReal(index) && llvm::all_of(over, [&](int64_t axis) { return ragged.isReal(index, axis); }))
      groups[static_cast<size_t>(numbers.offset(kept))].push_back(at);
    ++at;
  });
  return groups;
}

std::vector<double> valuesAt(ArrayRef<size_t> places, const Tensor &source) {
  std::vector<double> values;
  for (size_t place : places)
    values.push_back(source.data[place]);
  return values;
}

/// `f` makes each element of the result from the real elements of the source that belong to it.
template <class OpTy, class F> Tensor reduce(OpTy op, Tensors operands, Site &site, F f) {
  Tensor result(site.shape(op.getType()));
  Places groups = placesOf(op.getSource(), *operands[0], op.getOver(), operands[1], site);
  if (!site.refusal.empty())
    return result;
  if (groups.size() != result.data.size()) {
    site.refusal = "offsets do not describe the rows";
    return result;
  }
  for (auto [element, places] : llvm::zip(result.data, groups))
    element = f(valuesAt(places, *operands[0]));
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
/// What is beyond all numbers of an element type: infinity, or the extreme integer.
double beyond(mlir::Type element, bool below) {
  if (element.isInteger(32))
    return below ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int32_t>::max();
  return below ? -infinity : infinity;
}
} // namespace

Tensor evaluate(SumOp op, Tensors operands, Site &site) { return reduce(op, operands, site, sum); }
Tensor evaluate(MaxOp op, Tensors operands, Site &site) {
  double none = beyond(getElementTypeOrSelf(op.getType()), true);
  return reduce(op, operands, site, [&](Group x) { return extreme(x, none, std::greater<>()); });
}
Tensor evaluate(MinOp op, Tensors operands, Site &site) {
  double none = beyond(getElementTypeOrSelf(op.getType()), false);
  return reduce(op, operands, site, [&](Group x) { return extreme(x, none, std::less<>()); });
}
Tensor evaluate(MeanOp op, Tensors operands, Site &site) { return reduce(op, operands, site, mean); }
Tensor evaluate(VarOp op, Tensors operands, Site &site) { return reduce(op, operands, site, variance); }

Tensor evaluate(SoftmaxOp op, Tensors operands, Site &site) {
  const Tensor &source = *operands[0];
  Tensor result(source.shape);
  for (const auto &places : placesOf(op.getSource(), source, static_cast<int64_t>(op.getAxis()), operands[1], site)) {
    std::vector<double> values = valuesAt(places, source);
    double top = extreme(values, -infinity, std::greater<>());
    if (top == -infinity) // nothing to read, or -infinity alone: 0
      continue;
    for (double &value : values)
      value = std::exp(value - top);
    double total = sum(values);
    for (auto [place, value] : llvm::zip(places, values))
      result.data[place] = value / total;
  }
  return result;
}

Tensor evaluate(LayerNormOp op, Tensors operands, Site &site) {
  const Tensor &source = *operands[0], *gain = operands[1], *bias = operands[2];
  Tensor result(source.shape);
  double epsilon = op.getEpsilon().convertToDouble();
  int64_t width = source.shape.back();
  for (int64_t first = 0; first < source.count(); first += width) {
    std::vector<double> row(source.data.begin() + first, source.data.begin() + first + width);
    double centre = mean(row), deviation = std::sqrt(variance(row) + epsilon);
    for (int64_t i = 0; i < width; ++i)
      result.data[first + i] = (row[i] - centre) / deviation * (gain ? gain->data[i] : 1) + (bias ? bias->data[i] : 0);
  }
  return result;
}

Tensor evaluate(RmsNormOp op, Tensors operands, Site &) {
  const Tensor &source = *operands[0], *gain = operands[1];
  Tensor result(source.shape);
  double epsilon = op.getEpsilon().convertToDouble();
  int64_t width = source.shape.back();
  for (int64_t first = 0; first < source.count(); first += width) {
    double squares = 0;
    for (int64_t i = 0; i < width; ++i)
      squares += source.data[first + i] * source.data[first + i];
    for (int64_t i = 0; i < width; ++i)
      result.data[first + i] = source.data[first + i] / std::sqrt(squares / static_cast<double>(width) + epsilon) * (gain ? gain->data[i] : 1);
  }
  return result;
}

} // namespace heddle
