// Positions of tokens and their sines and cosines.
#include "compiler/reference/Operations.h"
#include <cmath>

using namespace mlir;

namespace heddle {

std::vector<int64_t> wholeNumbers(const Tensor &tensor) {
  std::vector<int64_t> numbers;
  for (double value : tensor.data)
    numbers.push_back(static_cast<int64_t>(value));
  return numbers;
}

namespace {
/// The positions of [s.tokens], row after row.
Tensor positionsOfTokens(Tensor result, const std::vector<int64_t> &offsets, const std::vector<int64_t> &starts, Site &site) {
  bool fine = offsets.size() == starts.size() + 1 && offsets.front() == 0 && offsets.back() == result.count() && llvm::is_sorted(offsets);
  if (!fine) {
    site.refusal = "offsets and starts do not describe the rows";
    return result;
  }
  for (size_t b = 0; b < starts.size(); ++b)
    for (int64_t token = offsets[b]; token < offsets[b + 1]; ++token)
      result.data[token] = static_cast<double>(starts[b] + token - offsets[b]);
  return result;
}
} // namespace

Tensor evaluate(PositionsOp op, Tensors operands, Site &site) {
  Tensor result(site.shape(op.getType()));
  if (operands[0])
    return positionsOfTokens(std::move(result), wholeNumbers(*operands[0]), wholeNumbers(*operands[1]), site);
  DimsAttr dims = dimsOf(op.getType());
  int64_t last = result.rank() - 1;
  StringAttr name = dims.nameOf(last);
  auto rows = name ? site.environment.ragged.find(name.str()) : site.environment.ragged.end();
  bool isRagged = rows != site.environment.ragged.end() && last == 1;
  size_t at = 0;
  forEachIndex(result.shape, [&](ArrayRef<int64_t> index) {
    int64_t start = isRagged ? rows->second.starts[static_cast<size_t>(index[0])] : 0;
    result.data[at++] = static_cast<double>(start + index[last]);
  });
  return result;
}

Tensor evaluate(SinusoidalPositionsOp op, Tensors operands, Site &site) {
  Tensor result(site.shape(op.getType()));
  int64_t width = result.shape.back(), half = (width + 1) / 2;
  bool halves = op.getLayout() == PairLayout::halves, single = elementOf(op.getResult()).isF32();
  for (int64_t i = 0; i < result.count(); ++i) {
    double position = operands[0]->data[i / width] + static_cast<double>(op.getShift());
    int64_t column = i % width;
    double angle = position * op.getFrequencies()[halves ? column % half : column / 2];
    bool isSine = halves ? column < half : column % 2 == 0;
    double value = isSine ? std::sin(angle) : std::cos(angle);
    result.data[i] = single ? static_cast<double>(static_cast<float>(value)) : value; // rounded once, as the table of an executable is
  }
  return result;
}

} // namespace heddle
