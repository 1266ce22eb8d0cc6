// See Shape.h.
#include "compiler/support/Shape.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace heddle {

std::optional<int64_t> elementCount(std::span<const int64_t> shape) {
  int64_t product = 1;
  bool empty = false;
  for (int64_t extent : shape) {
    empty |= extent == 0;
    if (extent < 0 || __builtin_mul_overflow(product, std::max<int64_t>(extent, 1), &product))
      return std::nullopt;
  }
  return empty ? 0 : product;
}

std::optional<int64_t> byteCount(std::span<const int64_t> shape, int64_t bytes) {
  auto count = elementCount(shape);
  int64_t total = 0;
  if (!count || __builtin_mul_overflow(*count, bytes, &total))
    return std::nullopt;
  return total;
}

std::string shapeText(std::span<const int64_t> shape) {
  if (shape.size() <= 16)
    return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ", "));
  return fmt::format("[{}, ... {} extents]", fmt::join(shape.begin(), shape.begin() + 8, ", "), shape.size());
}

} // namespace heddle
