// Positions of tokens, their sines and cosines, and the rotation by them.
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

bool cutsTokens(ArrayRef<int64_t> offsets, int64_t tokens) {
  return !offsets.empty() && offsets.front() == 0 && offsets.back() == tokens && llvm::is_sorted(offsets);
}

bool cutsPadded(ArrayRef<int64_t> offsets, int64_t batch, int64_t width) {
  bool fine = static_cast<int64_t>(offsets.size()) == batch + 1;
  for (size_t b = 0; fine && b + 1 < offsets.size(); ++b)
    fine = offsets[b + 1] >= offsets[b] && offsets[b + 1] - offsets[b] <= width;
  return fine;
}

namespace {
/// The positions of [s.tokens], row after row.
Tensor positionsOfTokens(Tensor result, const std::vector<int64_t> &offsets, const std::vector<int64_t> &starts, Site &site) {
  if (offsets.size() != starts.size() + 1 || !cutsTokens(offsets, result.count())) {
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
  bool halves = op.getLayout() == PairLayout::halves, single = site.environment.roundsTables && elementOf(op.getResult()).isF32();
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

Tensor evaluate(RotaryEmbeddingOp op, Tensors operands, Site &) {
  const Tensor &source = *operands[0], &angles = *operands[1];
  Tensor result = source;
  DimsAttr dims = dimsOf(op.getSource()), turned = dimsOf(op.getAngles());
  int64_t rank = source.rank(), width = source.shape[rank - 1], pairs = angles.shape.back() / 2;
  // Tokens stand before the channels, or in front of everything once they are rows.
  int64_t axis = dims.extent(rank - 2) == turned.extent(turned.getRank() - 2) ? rank - 2 : 0;
  bool halves = op.getLayout() == PairLayout::halves;
  double gain = op.getGain().convertToDouble();
  int64_t row = 0;
  forEachIndex(ArrayRef<int64_t>(source.shape).drop_back(), [&](ArrayRef<int64_t> index) {
    int64_t token = angles.rank() == 3 ? index[0] * angles.shape[1] + index[axis] : index[axis];
    const double *from = source.data.data() + row * width, *sines = angles.data.data() + token * 2 * pairs;
    double *to = result.data.data() + row++ * width;
    for (int64_t i = 0; i < pairs; ++i) {
      int64_t first = halves ? i : 2 * i, second = halves ? pairs + i : 2 * i + 1;
      double a = from[first], b = from[second], sine = sines[i], cosine = sines[pairs + i];
      to[first] = gain * (a * cosine - b * sine);
      to[second] = gain * (b * cosine + a * sine);
    }
  });
  return result;
}

} // namespace heddle
