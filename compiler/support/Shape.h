// Sizes of arrays from outside: products are checked in 64 bits before anything is allocated.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace heddle {

/// Product of the extents, or none if one is negative or the product passes 2^63 - 1. An extent of 0 makes it 0 whatever the others are, but the
/// others still may not overflow: [2^32, 2^32, 0] is refused as a claim nobody means.
std::optional<int64_t> elementCount(std::span<const int64_t> shape);

/// elementCount times `bytes`, checked.
std::optional<int64_t> byteCount(std::span<const int64_t> shape, int64_t bytes);

/// `[512, 64]`
std::string shapeText(std::span<const int64_t> shape);

} // namespace heddle
