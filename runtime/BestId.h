// The greedy choice.
#pragma once
#include <cstdint>

namespace heddle::runtime {

/// The index of the greatest of `count` scores, the lowest of equal ones; NaN never wins. -1: all are NaN.
inline int64_t bestId(const float *scores, int64_t count) {
  int64_t best = -1;
  for (int64_t id = 0; id < count; ++id)
    if (scores[id] == scores[id] && (best < 0 || scores[id] > scores[best]))
      best = id;
  return best;
}

} // namespace heddle::runtime
