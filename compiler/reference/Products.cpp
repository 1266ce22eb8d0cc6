// Matrix products. The sums of one row of the result grow side by side, so that the right side is read in order; each sum still adds k in ascending
// order.
#include "compiler/reference/Operations.h"

using namespace mlir;

namespace heddle {

namespace {
/// row[j] += factor * from[j]
void addScaled(double *row, double factor, const double *from, int64_t count) {
  for (int64_t j = 0; j < count; ++j)
    row[j] += factor * from[j];
}
} // namespace

Tensor evaluate(MatmulOp op, Tensors operands, Site &site) {
  const Tensor &lhs = *operands[0], &rhs = *operands[1];
  Tensor result(site.shape(op.getType()));
  RaggedAxes ragged = site.ragged(op.getLhs());
  int64_t last = lhs.rank() - 1, inner = lhs.shape[last], columns = rhs.shape[rhs.rank() - 1], rowsOfMatrix = lhs.shape[last - 1];
  std::vector<int64_t> offsets = operands[2] ? wholeNumbers(*operands[2]) : std::vector<int64_t>();
  if (operands[2] && !cutsPadded(offsets, lhs.shape[0], inner)) {
    site.refusal = "offsets do not describe the rows";
    return result;
  }
  int64_t row = 0;
  forEachIndex(ArrayRef<int64_t>(lhs.shape).drop_back(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> left(index);
    left.push_back(0);
    const double *matrix = rhs.data.data() + (rhs.rank() > 2 ? row / rowsOfMatrix * inner * columns : 0);
    int64_t length = offsets.empty() ? inner : offsets[static_cast<size_t>(index[0]) + 1] - offsets[static_cast<size_t>(index[0])];
    for (int64_t k = 0; k < length; ++k) {
      left[last] = k;
      if (ragged.isReal(left, last)) // padding is not read
        addScaled(result.data.data() + row * columns, lhs.data[row * inner + k], matrix + k * columns, columns);
    }
    ++row;
  });
  site.ragged(op.getResult()).clearAllPadding(result);
  return result;
}

Tensor evaluate(LinearOp op, Tensors operands, Site &site) {
  const Tensor &x = *operands[0], &weight = *operands[1], *bias = operands[2];
  Tensor result(site.shape(op.getType()));
  int64_t inner = weight.shape[0], columns = weight.shape[1], rows = result.count() / columns;
  auto add = [&](int64_t row, double factor, const double *from) { addScaled(result.data.data() + row * columns, factor, from, columns); };
  for (int64_t k = 0; k < inner; ++k) // weights are read once
    for (int64_t i = 0; i < rows; ++i)
      add(i, x.data[i * inner + k], weight.data.data() + k * columns);
  for (int64_t i = 0; bias && i < rows; ++i)
    add(i, 1, bias->data.data());
  return result;
}

} // namespace heddle
