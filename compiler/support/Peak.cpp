#include "compiler/support/Peak.h"
#include <immintrin.h>

namespace {

// Read at run time: with known factors the compiler finds the fixed point of the chain and measures nothing.
volatile float sink, factor = 0.999f, addend = 1e-3f, start = 0.25f;

/// 16 chains hide a latency of 4 cycles at two a cycle, with room.
__attribute__((target("avx512f"))) double wideLoop(int64_t rounds) {
  __m512 sums[16], x = _mm512_set1_ps(factor), y = _mm512_set1_ps(addend);
  for (auto &sum : sums)
    sum = _mm512_set1_ps(start);
  for (int64_t round = 0; round < rounds; ++round) {
#pragma unroll
    for (auto &sum : sums)
      sum = _mm512_fmadd_ps(sum, x, y);
  }
  __m512 total = sums[0];
  for (int i = 1; i < 16; ++i)
    total = _mm512_add_ps(total, sums[i]);
  sink = _mm512_reduce_add_ps(total);
  return 16. * 16 * 2 * rounds;
}

__attribute__((target("avx2,fma"))) double narrowLoop(int64_t rounds) {
  __m256 sums[12], x = _mm256_set1_ps(factor), y = _mm256_set1_ps(addend);
  for (auto &sum : sums)
    sum = _mm256_set1_ps(start);
  for (int64_t round = 0; round < rounds; ++round) {
#pragma unroll
    for (auto &sum : sums)
      sum = _mm256_fmadd_ps(sum, x, y);
  }
  __m256 total = sums[0];
  for (int i = 1; i < 12; ++i)
    total = _mm256_add_ps(total, sums[i]);
  sink = total[0];
  return 12. * 8 * 2 * rounds;
}

} // namespace

__attribute__((target("avx2"))) void readMemory(const void *data, int64_t bytes) {
  constexpr int64_t streams = 4, step = 32, ahead = 256; // words of 8 bytes
  int64_t words = bytes / 8 / streams;
  uint64_t sums[step] = {};
  for (int64_t i = 0; i < words; i += step)
    for (int64_t stream = 0; stream < streams; ++stream) {
      const uint64_t *from = static_cast<const uint64_t *>(data) + stream * words + i;
      for (int64_t line = 0; line < step; line += 8)
        __builtin_prefetch(from + ahead + line);
      for (int64_t lane = 0; lane < step; ++lane)
        sums[lane] ^= from[lane];
    }
  for (int64_t lane = 1; lane < step; ++lane)
    sums[0] ^= sums[lane];
  sink = static_cast<float>(sums[0]);
}

bool hasWideRegisters() { return __builtin_cpu_supports("x86-64-v4"); }

double runFmaLoop(int64_t rounds, bool wide) { return wide ? wideLoop(rounds) : narrowLoop(rounds); }
