// Where the buffers of one entry lie in its arena. Sizes and places are polynomials of the entry's dimensions, decided when nobody knows their
// values.
#pragma once
#include "compiler/memory/Polynomial.h"

namespace heddle {

struct ArenaBuffer {
  Polynomial bytes;            // no negative coefficient
  int64_t first = 0, last = 0; // positions of the first and the last operation that uses it
  Polynomial offset = {};      // the plan: rounded up to `alignment` at run time where it is no multiple of it
};

/// One past the last byte of the buffer, whatever rounding does. Nothing on overflow.
std::optional<Polynomial> endOf(const ArenaBuffer &buffer, int64_t alignment);

/// Fills the offsets so that buffers that live at the same time never overlap; returns the size of the arena, nothing where it overflows 64 bits.
/// `usual` holds plausible values of the dimensions: they choose between plans and decide nothing else.
std::optional<Polynomial> planArena(std::vector<ArenaBuffer> &buffers, const std::vector<double> &usual, int64_t alignment);

} // namespace heddle
