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
  const __m256i *at = static_cast<const __m256i *>(data), *end = at + bytes / 32;
  __m256i sums[8] = {};
  for (; at < end; at += 16) {
#pragma unroll
    for (int i = 0; i < 16; ++i)
      sums[i % 8] = _mm256_xor_si256(sums[i % 8], _mm256_load_si256(at + i));
  }
  for (int i = 1; i < 8; ++i)
    sums[0] = _mm256_xor_si256(sums[0], sums[i]);
  sink = static_cast<float>(_mm256_extract_epi32(sums[0], 0));
}

bool hasWideRegisters() { return __builtin_cpu_supports("x86-64-v4"); }

double runFmaLoop(int64_t rounds, bool wide) { return wide ? wideLoop(rounds) : narrowLoop(rounds); }
