// math-errors [FUNCTION...]: the functions that kernels compute, as compiled by heddle (functions.heddle is linked in here), on all 2^32 f32 and
// every CPU variant this machine runs, against libm in doubles: the largest error in units in the last place and where it is, whether a monotone
// function falls anywhere, whether results stay within bounds where no accuracy is promised, whether NaN stays NaN and the variants agree in every
// bit. Two minutes on two threads. Exit status 1 where compiler/loops/ElementaryFunctions.h promises more.
#include "compiler/support/Peak.h"
#include "runtime/heddle_model.h"
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

struct heddle_context {};

/// The threads of this program divide the numbers among them: a region is a call.
extern "C" void heddle_parallel(heddle_context *, heddle_region region, void *captured, int64_t count) { region(captured, 0, count); }
extern "C" void heddle_mark(heddle_context *, int64_t) {}

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// libm is slow far out and near 0, where most f32 lie: there the first terms of the series, or the limits, are exact to a double's last places.
double exactExp(double x) { return x < -120 ? 0 : x > 90 ? infinity : std::fabs(x) < 0x1p-30 ? 1 + x : std::exp(x); }
double exactTanh(double x) { return std::fabs(x) < 0x1p-14 ? x - x * x * x / 3 : std::fabs(x) > 20 ? std::copysign(1, x) : std::tanh(x); }
double exactErf(double x) {
  constexpr double slope = 1.12837916709551257390; // 2 / sqrt(pi)
  return std::fabs(x) < 0x1p-14 ? slope * (x - x * x * x / 3) : std::fabs(x) > 6 ? std::copysign(1, x) : std::erf(x);
}
double exactGelu(double x) { return std::fabs(x) < 0x1p-30 ? x / 2 : x < -40 ? 0 * x : x > 10 ? x : x / 2 * std::erfc(-x * 0.70710678118654752440); }
double exactGeluTanh(double x) {
  double u = 0.79788456080286535588 * (x + 0.044715 * x * x * x);
  return std::fabs(x) < 0x1p-30 ? x / 2 : x < -40 ? 0 * x : x > 10 ? x : x / (1 + std::exp(-2 * u));
}
double exactLog(double x) { return std::log(x); }
double exactSin(double x) { return std::fabs(x) < 0x1p-14 ? x - x * x * x / 6 : std::sin(x); }
double exactCos(double x) { return std::fabs(x) < 0x1p-14 ? 1 - x * x / 2 : std::cos(x); }

struct Function {
  const char *name; // its entry is all_NAME
  double (*exact)(double);
  double promise; // in units in the last place of the result, or of `least` times x where that is more
  double reach;   // up to this |x|; beyond, results are in [-1, 1]
  bool monotone;
  double least = 0;
};

constexpr Function functions[] = {
    {"exp", exactExp, 0.88, infinity, true},
    {"tanh", exactTanh, 1.07, infinity, true},
    {"erf", exactErf, 1.01, infinity, true},
    {"gelu", exactGelu, 3.3, infinity, false, 0.125},
    {"gelu_tanh", exactGeluTanh, 2.8, infinity, false, 0.125},
    {"log", exactLog, 0.91, infinity, true},
    {"sin", exactSin, 0.51, 0x1p40, false},
    {"cos", exactCos, 0.51, 0x1p40, false},
};

/// All f32: first the numbers in ascending order, then the NaNs.
constexpr int64_t half = 0x7f800001, numbers = 2 * half, everything = int64_t{1} << 32; // half: 0 to infinity
float inOrder(int64_t place) {
  int64_t nan = place - numbers;
  uint32_t pattern = place < half      ? 0x80000000u + static_cast<uint32_t>(half - 1 - place)
                     : place < numbers ? static_cast<uint32_t>(place - half)
                                       : (nan % 2 ? 0x80000000u : 0) + static_cast<uint32_t>(half + nan / 2);
  return std::bit_cast<float>(pattern);
}

/// |got - exact| in units in the last place of an f32 as large as `exact`, or `least`. Overflow is as if the next number were 2^128.
double errorInUnits(float got, double exact, double least) {
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) && std::isnan(got) ? 0 : infinity;
  double value = std::isinf(got) ? std::copysign(0x1p128, got) : got;
  double bounded = std::clamp(exact, -0x1p128, 0x1p128);
  uint64_t exponent = std::bit_cast<uint64_t>(std::clamp(std::max(std::fabs(bounded), least), 0x1p-126, 0x1p127)) >> 52;
  return std::fabs(value - bounded) * std::bit_cast<double>((uint64_t{2046 + 23} - exponent) << 52);
}

/// What was seen of a function, in any order.
struct Judgement {
  double worst = 0;
  float worstAt = 0, fallsAt = 0;
  int64_t falls = 0, outside = 0, lostNaNs = 0, differing = 0;

  void take(const Function &function, float x, float y) {
    if (std::fabs(x) > function.reach) {
      outside += std::isinf(x) ? !std::isnan(y) : !(std::fabs(y) <= 1);
      return;
    }
    keepWorse(errorInUnits(y, function.exact(x), function.least * std::fabs(x)), x);
  }

  void keepWorse(double error, float x) {
    if (error > worst || (error == worst && x < worstAt))
      worst = error, worstAt = x;
  }

  void takeFall(float x) {
    if (falls++ == 0 || x < fallsAt)
      fallsAt = x;
  }

  void merge(const Judgement &other) {
    keepWorse(other.worst, other.worstAt);
    if (other.falls > 0) {
      takeFall(other.fallsAt);
      falls += other.falls - 1;
    }
    outside += other.outside, lostNaNs += other.lostNaNs, differing += other.differing;
  }

  bool keeps(const Function &function) const {
    return worst <= function.promise && outside == 0 && lostNaNs == 0 && differing == 0 && !(function.monotone && falls > 0);
  }

  void print(const Function &function) const {
    fmt::print("{:9}  {:.4f} ulp at {} ({:a})", function.name, worst, worstAt, worstAt);
    if (function.monotone)
      fmt::print("{}", falls ? fmt::format(", falls {} times, first at {:a}", falls, fallsAt) : ", monotone");
    if (function.reach < infinity)
      fmt::print(", up to {:a}, beyond it {} results outside [-1, 1]", function.reach, outside);
    if (lostNaNs || differing)
      fmt::print(", {} NaN become numbers, {} results differ between CPUs", lostNaNs, differing);
    fmt::print("{}\n", keeps(function) ? "" : fmt::format("  FAILED: expected {} ulp", function.promise));
    std::fflush(stdout);
  }
};

int64_t arenaBytes(const heddle_entry &entry, int64_t rows) {
  int64_t bytes = 64;
  for (int64_t i = 0; i < entry.arena.count; ++i)
    bytes += entry.arena.terms[i].coefficient * (entry.arena.terms[i].dimensions[0] < 0 ? 1 : rows);
  return bytes;
}

/// One entry on a block of numbers, by every variant that runs here.
class Block {
public:
  static constexpr int64_t columns = 256, rows = 16, size = rows * columns;
  explicit Block(int64_t index) : index(index), arena(static_cast<size_t>(arenaBytes(heddle_model.entries[index], rows)) + 64) {}

  void judge(const Function &function, int64_t begin, Judgement &judgement) {
    int64_t count = std::min(size - 1, everything - begin);
    for (int64_t i = 0; i < size; ++i) // x[0] is the number before: a fall may lie between two blocks
      x[i] = inOrder(std::clamp(begin - 1 + i, int64_t{0}, everything - 1));
    compute(judgement);
    for (int64_t i = 1; i <= count; ++i) {
      if (std::isnan(x[i])) {
        judgement.lostNaNs += !std::isnan(y[i]);
        continue;
      }
      if (y[i] < y[i - 1])
        judgement.takeFall(x[i]);
      judgement.take(function, x[i], y[i]);
    }
  }

private:
  void compute(Judgement &judgement) {
    for (int64_t v = 0; v < heddle_model.variant_count; ++v) {
      const heddle_variant &variant = heddle_model.variants[v];
      if (variant.level >= 4 && !hasWideRegisters())
        continue;
      float *to = v == 0 ? y : other;
      auto aligned = (reinterpret_cast<uintptr_t>(arena.data()) + 63) / 64 * 64;
      void *buffers[] = {x, to, nullptr, reinterpret_cast<void *>(aligned)};
      heddle_context context;
      const int64_t dimensions[] = {rows};
      variant.entries[index](&context, buffers, dimensions);
      if (v > 0 && std::memcmp(y, other, sizeof y) != 0)
        for (int64_t i = 0; i < size; ++i)
          judgement.differing += std::bit_cast<uint32_t>(y[i]) != std::bit_cast<uint32_t>(other[i]) && !(std::isnan(y[i]) && std::isnan(other[i]));
    }
  }

  int64_t index;
  alignas(64) float x[size], y[size], other[size];
  std::vector<char> arena;
};

bool judge(const Function &function, int64_t index) {
  constexpr int64_t part = (Block::size - 1) * 64;
  std::atomic<int64_t> next{0};
  std::mutex lock;
  Judgement all;
  auto work = [&] {
    Judgement own;
    auto block = std::make_unique<Block>(index);
    for (int64_t begin; (begin = next.fetch_add(part)) < everything;) {
      for (int64_t at = begin; at < std::min(begin + part, everything); at += Block::size - 1)
        block->judge(function, at, own);
      if (isatty(STDERR_FILENO) && begin / part % 128 == 0)
        fmt::print(stderr, "\r{} {} %  \r", function.name, begin * 100 / everything);
    }
    std::lock_guard guard(lock);
    all.merge(own);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
  all.print(function);
  return all.keeps(function);
}

} // namespace

int main(int count, char **arguments) {
  std::vector<std::string> wanted(arguments + 1, arguments + count);
  for (const std::string &name : wanted)
    if (std::ranges::none_of(functions, [&](const Function &each) { return name == each.name; })) {
      fmt::print(stderr, "math-errors: error: no function '{}'\n", name);
      return 2;
    }
  bool good = true;
  for (const Function &function : functions) {
    int64_t entry = 0;
    while (entry < heddle_model.entry_count && heddle_model.entries[entry].name != "all_" + std::string(function.name))
      ++entry;
    if (entry == heddle_model.entry_count) {
      fmt::print(stderr, "math-errors: error: functions.heddle has no entry 'all_{}'\n", function.name);
      return 1;
    }
    if (wanted.empty() || std::ranges::find(wanted, function.name) != wanted.end())
      good &= judge(function, entry);
  }
  return good ? 0 : 1;
}
