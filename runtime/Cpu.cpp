#include "runtime/Cpu.h"
#include <cpuid.h>
#include <cstdio>
#include <cstring>

using namespace heddle::runtime;

// __builtin_cpu_supports would need libgcc's table, and does not say what the operating system saves.
int64_t heddle::runtime::cpuLevel() {
  unsigned a, b, c, d;
  if (__get_cpuid_max(0, nullptr) < 7)
    return 2;
  __cpuid(1, a, b, c, d);
  constexpr unsigned first = bit_FMA | bit_OSXSAVE | bit_MOVBE | bit_F16C | bit_AVX;
  if ((c & first) != first)
    return 2;
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & 0x06) != 0x06) // xmm and ymm
    return 2;
  if (__get_cpuid_max(0x80000000, nullptr) < 0x80000001)
    return 2;
  __cpuid(0x80000001, a, b, c, d);
  if (!(c & bit_ABM)) // lzcnt
    return 2;
  __cpuid_count(7, 0, a, b, c, d);
  constexpr unsigned third = bit_AVX2 | bit_BMI | bit_BMI2;
  if ((b & third) != third)
    return 2;
  constexpr unsigned fourth = bit_AVX512F | bit_AVX512DQ | bit_AVX512CD | bit_AVX512BW | bit_AVX512VL;
  return (b & fourth) == fourth && (low & 0xe0) == 0xe0 ? 4 : 3; // masks, both halves of zmm
}

const heddle_variant *heddle::runtime::chooseVariant(const heddle_model_table &model, int64_t level, const char *wanted, Failure &failure) {
  const heddle_variant *best = nullptr;
  for (int64_t i = 0; i < model.variant_count; ++i) {
    const heddle_variant &variant = model.variants[i];
    if (wanted && std::strcmp(wanted, variant.cpu) != 0)
      continue;
    if (variant.level <= level)
      best = &variant;
    else if (wanted)
      return failure.contents("HEDDLE_CPU asks for %s, but this CPU is x86-64-v%d", variant.cpu, static_cast<int>(level)), nullptr;
  }
  if (best)
    return best;
  if (!wanted) {
    const char *least = model.variant_count > 0 ? model.variants[0].cpu : "of another kind";
    return failure.contents("this CPU is x86-64-v%d, expected %s or better (AVX2, FMA, BMI2)", static_cast<int>(level), least), nullptr;
  }
  char known[256] = "";
  size_t length = 0;
  for (int64_t i = 0; i < model.variant_count && length < sizeof known; ++i)
    length += static_cast<size_t>(std::snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "", model.variants[i].cpu));
  return failure.contents("HEDDLE_CPU: expected one of %s, got %s", known, Quoted(wanted).text()), nullptr;
}
