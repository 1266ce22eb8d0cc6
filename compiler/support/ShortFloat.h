// Floats of 16 bits as they stand in weight files: IEEE half precision and bfloat16. Nothing computes in them.
#pragma once
#include <bit>
#include <cstdint>

namespace heddle {

/// Exact, subnormals, infinities and NaN included.
inline float floatOfHalf(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16, rest = uint32_t(bits & 0x7FFF) << 13;
  if (rest >= uint32_t(0x7C00) << 13)
    return std::bit_cast<float>(sign | 0x7F800000 | rest);
  // The fields lie where those of a float lie; the product mends the difference of the exponents' biases, 127 - 15.
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(std::bit_cast<float>(rest) * 0x1p112f));
}

/// The upper half of a float.
inline float floatOfBfloat(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

/// Rounded once, to nearest, ties to even; what is too large becomes infinity.
uint16_t halfOf(double value);
uint16_t bfloatOf(double value);

} // namespace heddle
