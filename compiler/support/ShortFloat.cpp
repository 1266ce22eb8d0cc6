// See ShortFloat.h.
#include "compiler/support/ShortFloat.h"
#include <algorithm>
#include <cmath>

namespace heddle {

/// One sign bit, then the exponent, then `fraction` bits.
static uint16_t rounded(double value, int fraction) {
  int bias = (1 << (14 - fraction)) - 1;
  auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0), infinity = static_cast<uint16_t>((2 * bias + 1) << fraction);
  if (std::isnan(value))
    return static_cast<uint16_t>(sign | infinity | 1 << (fraction - 1));
  if (std::isinf(value))
    return sign | infinity;
  double magnitude = std::fabs(value);
  int exponent = magnitude == 0 ? 1 - bias : std::max(std::ilogb(magnitude), 1 - bias);
  if (exponent > bias)
    return sign | infinity;
  // In units of the last place. The leading 1 of a normal number counts as one step of the exponent, and so does a carry.
  auto units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, fraction - exponent)));
  return static_cast<uint16_t>(sign | (((exponent + bias - 1) << fraction) + units));
}

uint16_t halfOf(double value) { return rounded(value, 10); }
uint16_t bfloatOf(double value) { return rounded(value, 7); }

} // namespace heddle
