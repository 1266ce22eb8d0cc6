/* The arguments of self-tests, and which elements of their results are kept: a rule instead of bytes. Both who writes and who checks an executable
 * include this. */
#ifndef HEDDLE_SEEDED_H
#define HEDDLE_SEEDED_H

#include <stdint.h>

/* Element `index` of argument `argument`, as 64 random bits (SplitMix64, Steele et al. 2014). */
static inline uint64_t heddle_seeded_bits(int64_t argument, int64_t index) {
  uint64_t bits = ((uint64_t)argument << 48) + (uint64_t)index * 0x9E3779B97F4A7C15u + 0x9E3779B97F4A7C15u;
  bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
  return bits ^ bits >> 31;
}

/* Uniform in [-2, 2), and exact in f32. */
static inline float heddle_seeded_number(int64_t argument, int64_t index) {
  return (float)((int64_t)(heddle_seeded_bits(argument, index) >> 40) - (1 << 23)) / (float)(1 << 22);
}

/* Below `bound`; below 2 without one (0). */
static inline int32_t heddle_seeded_id(int64_t argument, int64_t index, int64_t bound) {
  return (int32_t)((heddle_seeded_bits(argument, index) >> 32) % (uint64_t)(bound > 0 ? bound : 2));
}

static inline int heddle_seeded_flag(int64_t argument, int64_t index) { return (int)(heddle_seeded_bits(argument, index) >> 63); }

/* Of a result of `count` elements those at multiples of this are kept: all, or some 65,000. It has no small factor, which the number of columns could
 * share: elements would then come from the same few. */
static inline int64_t heddle_kept_stride(int64_t count) {
  int64_t stride = (count + 65535) / 65536;
  if (stride <= 1)
    return 1;
  while (stride % 2 == 0 || stride % 3 == 0 || stride % 5 == 0 || stride % 7 == 0)
    ++stride;
  return stride;
}

#endif
