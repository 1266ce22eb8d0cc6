// math-errors [FUNCTION...]: the functions that kernels compute, over all f32, against libm in doubles: the largest error in units in the last place
// and where it is, how often a monotone function falls, and whether results stay within bounds where no accuracy is promised. About a minute a
// function. Exit status 1 where compiler/loops/ElementaryFunctions.h promises more.
#include "compiler/loops/ElementaryFunctions.h"
#include "test/unit/loops/MachineNumber.h"
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <vector>

namespace {

using Number = MachineNumber<float>;

struct Function {
  const char *name;
  void (*compute)(const float *from, float *to, int count);
  double (*exact)(double);
  double promise; // in units in the last place
  double reach;   // up to this |x|; beyond, results are in [-1, 1]
  bool monotone;
};

template <auto function> void computeAll(const float *from, float *to, int count) {
  for (int i = 0; i < count; ++i)
    to[i] = function(Number{from[i]}).value;
}

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Function functions[] = {
    {"exp", computeAll<heddle::exponential<Number>>, std::exp, 0.88, infinity, true},
    {"tanh", computeAll<heddle::hyperbolicTangent<Number>>, std::tanh, 1.07, infinity, true},
    {"erf", computeAll<heddle::errorFunction<Number>>, std::erf, 1.01, infinity, true},
    {"log", computeAll<heddle::logarithm<Number>>, std::log, 0.91, infinity, true},
    {"sin", computeAll<heddle::sine<Number>>, std::sin, 0.51, 0x1p40, false},
    {"cos", computeAll<heddle::cosine<Number>>, std::cos, 0.51, 0x1p40, false},
};

/// |got - exact| in units in the last place of an f32 as large as `exact`. Overflow is as if the next number were 2^128.
double errorInUnits(float got, double exact) {
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) && std::isnan(got) ? 0 : infinity;
  double value = std::isinf(got) ? std::copysign(0x1p128, got) : got;
  double bounded = std::clamp(exact, -0x1p128, 0x1p128);
  int exponent = bounded == 0 ? -126 : std::clamp(std::ilogb(bounded), -126, 127);
  return std::fabs(value - bounded) / std::ldexp(1.0, exponent - 23);
}

/// All f32 but NaNs in ascending order.
constexpr int64_t half = 0x7f800001; // 0 to infinity
float inOrder(int64_t place) {
  uint32_t pattern = place < half ? 0x80000000u | static_cast<uint32_t>(half - 1 - place) : static_cast<uint32_t>(place - half);
  return std::bit_cast<float>(pattern);
}

class Judgement {
public:
  explicit Judgement(const Function &function) : function(function) {}

  void take(float x, float y) {
    falls += y < previous;
    previous = y;
    if (std::fabs(x) > function.reach) {
      outside += std::isinf(x) ? !std::isnan(y) : !(std::fabs(y) <= 1);
      return;
    }
    double error = errorInUnits(y, function.exact(x));
    if (error > worst) {
      worst = error;
      worstAt = x;
    }
  }

  bool printed() const {
    bool kept = worst <= function.promise && outside == 0 && !(function.monotone && falls > 0);
    fmt::print("{:4}  {:.4f} ulp at {} ({:a})", function.name, worst, worstAt, worstAt);
    if (function.monotone)
      fmt::print(", falls {} times", falls);
    if (function.reach < infinity)
      fmt::print(", up to {:a}, beyond it {} results outside [-1, 1]", function.reach, outside);
    fmt::print("{}\n", kept ? "" : fmt::format("  FAILED: expected {} ulp", function.promise));
    std::fflush(stdout);
    return kept;
  }

private:
  const Function &function;
  double worst = 0;
  float worstAt = 0, previous = std::numeric_limits<float>::quiet_NaN();
  int64_t falls = 0, outside = 0;
};

bool judge(const Function &function) {
  constexpr int64_t block = 4096;
  std::vector<float> x(block), y(block);
  Judgement judgement(function);
  for (int64_t begin = 0; begin < 2 * half; begin += block) {
    int count = static_cast<int>(std::min(block, 2 * half - begin));
    for (int i = 0; i < count; ++i)
      x[i] = inOrder(begin + i);
    function.compute(x.data(), y.data(), count);
    for (int i = 0; i < count; ++i)
      judgement.take(x[i], y[i]);
  }
  return judgement.printed();
}

} // namespace

int main(int count, char **arguments) {
  std::vector<std::string> wanted(arguments + 1, arguments + count);
  bool good = true;
  for (const Function &function : functions)
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), function.name) != wanted.end())
      good &= judge(function);
  return good ? 0 : 1;
}
