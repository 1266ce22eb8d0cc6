// See Departure.h.
#include "compiler/pipeline/Departure.h"
#include "compiler/support/Shape.h"
#include <cmath>
#include <cstring>
#include <fmt/format.h>

using namespace heddle;

namespace {

bool sameKind(double expected, double got) {
  if (std::isnan(expected) || std::isnan(got))
    return std::isnan(expected) && std::isnan(got);
  return std::isinf(expected) || std::isinf(got) ? expected == got : true;
}

std::string at(const Tensor &tensor, size_t place) {
  llvm::SmallVector<int64_t> index(tensor.shape.size());
  for (size_t axis = index.size(), rest = place; axis-- > 0; rest /= tensor.shape[axis])
    index[axis] = static_cast<int64_t>(rest % tensor.shape[axis]);
  return shapeText(index);
}

/// The first element of a row of zeros that is none, or no place at all.
std::optional<size_t> brokenZeroRow(const Tensor &expected, const Tensor &got) {
  size_t width = expected.shape.empty() ? 1 : static_cast<size_t>(expected.shape.back());
  auto isZero = [](double value) { return value == 0; };
  for (size_t row = 0; width && row < expected.data.size(); row += width)
    if (std::all_of(&expected.data[row], &expected.data[row] + width, isZero))
      for (size_t i = row; i < row + width; ++i)
        if (got.data[i] != 0)
          return i;
  return std::nullopt;
}
} // namespace

Departure heddle::compareResults(const Tensor &expected, const Tensor &got, double bound, bool exact) {
  if (expected.shape != got.shape)
    return {true, INFINITY, fmt::format("expected the shape {}, got {}", shapeText(expected.shape), shapeText(got.shape))};
  auto differs = [&](const char *where, size_t i) {
    return fmt::format("{} {}: expected {:.9g}, got {:.9g}", where, at(expected, i), expected.data[i], got.data[i]);
  };
  double squares = 0, wrong = 0, most = 0;
  size_t worst = 0;
  for (size_t i = 0; i < expected.data.size(); ++i) {
    if (!sameKind(expected.data[i], got.data[i]))
      return {true, INFINITY, differs("at", i)};
    if (!std::isfinite(expected.data[i]))
      continue;
    double difference = std::abs(got.data[i] - expected.data[i]);
    squares += expected.data[i] * expected.data[i];
    wrong += difference * difference;
    if (difference > most)
      most = difference, worst = i;
  }
  Departure made;
  made.error = wrong == 0 ? 0 : squares == 0 ? INFINITY : wrong / squares;
  made.departs = exact ? wrong != 0 : !(made.error < bound);
  if (most > 0)
    made.what = differs("worst at", worst);
  if (std::optional<size_t> place = made.departs ? std::nullopt : brokenZeroRow(expected, got))
    return {true, made.error, differs("in a row of zeros, at", *place)};
  return made;
}

Tensor heddle::tensorOf(const NpyArray &array) {
  std::vector<double> values;
  auto walk = [&](auto sample) {
    for (size_t i = 0; i < array.data.size(); i += sizeof sample) {
      std::memcpy(&sample, &array.data[i], sizeof sample);
      values.push_back(static_cast<double>(sample));
    }
  };
  if (array.element == ElementType::F32)
    walk(float());
  else if (array.element == ElementType::I32)
    walk(int32_t());
  else
    walk(uint8_t());
  return Tensor(array.shape, std::move(values));
}
