// Sizes that decide bits: the arithmetic contract (design section 7). Changing one changes results; sizes that only tune stand in Target.h.
#pragma once
#include <cstdint>

namespace heddle {

/// A row reduction keeps 16 partial results, element i in lane i mod 16, joined by a fixed tree 16 -> 8 -> 4 -> 2 -> 1.
inline constexpr int64_t reductionLanes = 16;
/// An output of a matrix product is one chain of fused multiply-adds over each block of this many consecutive k; blocks are added in ascending order.
/// Error at K = 3072 is about a sixth of one long chain's, at 1 to 1.5 % of the time.
inline constexpr int64_t productBlock = 512;
/// Attention: key block b holds the positions [b * keyBlock, (b + 1) * keyBlock); each block yields its own maximum, sum and output, merged in order.
inline constexpr int64_t keyBlock = 64;
/// Batch reductions of training run in fixed blocks of this many tokens, merged in order.
inline constexpr int64_t tokenBlock = 64;

} // namespace heddle
