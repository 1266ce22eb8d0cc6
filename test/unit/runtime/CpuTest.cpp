#include "runtime/Cpu.h"
#include <gtest/gtest.h>

using namespace heddle::runtime;

namespace {

const heddle_variant variants[] = {{"x86-64-v3", 3, nullptr, nullptr}, {"x86-64-v4", 4, nullptr, nullptr}};

class CpuTest : public testing::Test {
protected:
  CpuTest() { model.variant_count = 2, model.variants = variants; }
  std::string choice(int64_t level, const char *wanted) {
    Failure failure;
    const heddle_variant *chosen = chooseVariant(model, level, wanted, failure);
    EXPECT_EQ(failure.code, chosen ? 0 : 1);
    return chosen ? chosen->cpu : failure.text;
  }
  heddle_model_table model = {};
};

TEST_F(CpuTest, TakesTheHighestThatRuns) {
  EXPECT_EQ(choice(4, nullptr), "x86-64-v4");
  EXPECT_EQ(choice(3, nullptr), "x86-64-v3");
  EXPECT_EQ(choice(2, nullptr), "this CPU is x86-64-v2, expected x86-64-v3 or better (AVX2, FMA, BMI2)");
}

TEST_F(CpuTest, TakesTheOneThatIsAskedFor) {
  EXPECT_EQ(choice(4, "x86-64-v3"), "x86-64-v3");
  EXPECT_EQ(choice(3, "x86-64-v4"), "HEDDLE_CPU asks for x86-64-v4, but this CPU is x86-64-v3");
  EXPECT_EQ(choice(4, "pentium\n"), "HEDDLE_CPU: expected one of x86-64-v3, x86-64-v4, got 'pentium\\x0a'");
}

TEST_F(CpuTest, KnowsThisMachine) {
  EXPECT_EQ(cpuLevel() >= 3, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"));
  EXPECT_EQ(cpuLevel() == 4, __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"));
}

} // namespace
