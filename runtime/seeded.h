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

/* What a check's numbers are like: around 0, uniform in [-2, 2), or positive, uniform in (0, 1]. Both exact in f32. */
enum { HEDDLE_AROUND_ZERO = 0, HEDDLE_POSITIVE = 1 };
static inline float heddle_seeded_number(int64_t kind, int64_t argument, int64_t index) {
  int64_t whole = (int64_t)(heddle_seeded_bits(argument, index) >> 40); /* of 24 bits */
  return kind == HEDDLE_POSITIVE ? (float)(whole + 1) / (float)(1 << 24) : (float)(whole - (1 << 23)) / (float)(1 << 22);
}

/* Below `bound`; below 2 without one (0). */
static inline int32_t heddle_seeded_id(int64_t argument, int64_t index, int64_t bound) {
  return (int32_t)((heddle_seeded_bits(argument, index) >> 32) % (uint64_t)(bound > 0 ? bound : 2));
}

static inline int heddle_seeded_flag(int64_t argument, int64_t index) { return (int)(heddle_seeded_bits(argument, index) >> 63); }

/* Of a result of `count` elements so many are kept: all, or some drawn from them. */
static inline int64_t heddle_kept_count(int64_t count) { return count < 65536 ? count : 65536; }
static inline int64_t heddle_kept_element(int64_t number, int64_t count) {
  return count <= 65536 ? number : (int64_t)(heddle_seeded_bits(-1, number) % (uint64_t)count);
}

#endif
