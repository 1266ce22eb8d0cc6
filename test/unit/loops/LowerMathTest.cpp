// Functions as they run: expanded, compiled and called, on scalars and vectors of each CPU variant, give the bits of the same formulas on the
// machine's own numbers. What these are worth over all f32 test/bench/MathErrors.cpp says.
#include "compiler/loops/ElementaryFunctions.h"
#include "compiler/loops/Passes.h"
#include "compiler/native/EmitObject.h"
#include "compiler/native/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Parser/Parser.h"
#include "test/unit/loops/MachineNumber.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/TargetSelect.h"
#include "gtest/gtest.h"
#include <fmt/format.h>
#include <random>

using namespace mlir;

namespace {

using Number = MachineNumber<float>;

struct Function {
  const char *name;
  Number (*formula)(Number);
  double (*exact)(double);
  double bound;     // in units in the last place
  double least = 0; // of a result, or of this where it is smaller
};

void PrintTo(const Function &function, std::ostream *out) { *out << function.name; }

const Function functions[] = {
    {"cos", heddle::cosine<Number>, std::cos, 0.51},
    {"erf", heddle::errorFunction<Number>, std::erf, 1.1},
    {"exp", heddle::exponential<Number>, std::exp, 1},
    {"log", heddle::logarithm<Number>, std::log, 1},
    {"sin", heddle::sine<Number>, std::sin, 0.51},
    {"tanh", heddle::hyperbolicTangent<Number>, std::tanh, 1.5},
    {"exp2", heddle::exponentialOfTwo<Number>, std::exp2, 0.87},
    {"erfc", heddle::complementaryErrorFunction<Number>, std::erfc, 1.17, 0.5},
};

constexpr int lanes = 16;

/// One function on 16 numbers in memory: as one vector, and one number at a time.
std::string moduleOf(const std::string &name) {
  return fmt::format(R"mlir(
func.func @vector(%from: memref<16xf32>, %to: memref<16xf32>) {{
  %zero = arith.constant 0 : index
  %padding = arith.constant 0.0 : f32
  %x = vector.transfer_read %from[%zero], %padding {{in_bounds = [true]}} : memref<16xf32>, vector<16xf32>
  %y = math.{0} %x : vector<16xf32>
  vector.transfer_write %y, %to[%zero] {{in_bounds = [true]}} : vector<16xf32>, memref<16xf32>
  return
}}
func.func @scalar(%from: memref<16xf32>, %to: memref<16xf32>) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %lanes = arith.constant 16 : index
  scf.for %i = %zero to %lanes step %one {{
    %x = memref.load %from[%i] : memref<16xf32>
    %y = math.{0} %x : f32
    memref.store %y, %to[%i] : memref<16xf32>
  }}
  return
}}
)mlir",
                     name);
}

/// A compiled module in this process.
class Compiled {
public:
  Compiled(const std::string &text, const std::string &cpu) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect, memref::MemRefDialect, scf::SCFDialect, ub::UBDialect,
                    vector::VectorDialect>();
    heddle::registerTranslations(registry);
    MLIRContext context(registry);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    PassManager pm(&context);
    pm.addNestedPass<func::FuncOp>(heddle::createLowerMath({cpu}));
    heddle::buildNativeStage(pm);
    EXPECT_TRUE(module && succeeded(pm.run(*module)));
    heddle::ObjectOptions options;
    options.cpu = cpu;
    for (const char *name : {"vector", "scalar"})
      options.exported.insert(name);
    std::string object = llvm::cantFail(heddle::emitObject(*module, options));
    jit = llvm::cantFail(llvm::orc::LLJITBuilder().create());
    llvm::cantFail(jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(object)));
  }

  using Entry = void (*)(const float *from, float *to);
  Entry entry(llvm::StringRef name) {
    // The symbols of objects are hidden, so only a search among all finds them.
    auto symbol = llvm::cantFail(
        jit->getExecutionSession().lookup({{&jit->getMainJITDylib(), llvm::orc::JITDylibLookupFlags::MatchAllSymbols}}, jit->mangleAndIntern(name)));
    return symbol.getAddress().toPtr<Entry>();
  }

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

/// Bit patterns drawn evenly, hence every exponent; numbers of everyday size; and what functions are known to get wrong.
std::vector<float> points() {
  std::vector<float> points;
  for (float x : {0.0f, 9.0f, 9.1f, 45.0f, 52.45f, 100.0f, 131072.0f, 1e-45f, 1e-38f, 1.0f, 3.4e38f, std::numeric_limits<float>::infinity(), NAN,
                  0x1p40f, 0x1p52f})
    points.insert(points.end(), {x, -x});
  std::mt19937 random(1);
  while (points.size() < 6000)
    points.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
  for (int i = 0; i < 4000; ++i)
    points.push_back(std::ldexp(static_cast<float>(random()) - 0x1p31f, -28));
  while (points.size() % lanes)
    points.push_back(0);
  return points;
}

bool sameBits(float a, float b) { return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) || (std::isnan(a) && std::isnan(b)); }

class LowerMath : public testing::TestWithParam<Function> {};

TEST_P(LowerMath, GivesTheBitsOfItsFormulaOnEveryCpu) {
  const Function &function = GetParam();
  std::vector<float> x = points(), y(x.size());
  for (const char *cpu : {"x86-64-v3", "x86-64-v4"}) {
    if (cpu == std::string("x86-64-v4") && !__builtin_cpu_supports("x86-64-v4"))
      continue;
    Compiled module(moduleOf(function.name), cpu);
    for (const char *entry : {"vector", "scalar"}) {
      for (size_t i = 0; i < x.size(); i += lanes)
        module.entry(entry)(&x[i], &y[i]);
      for (size_t i = 0; i < x.size(); ++i)
        ASSERT_TRUE(sameBits(y[i], function.formula(Number{x[i]}).value)) << cpu << " " << entry << " " << x[i] << " " << y[i];
    }
  }
}

TEST_P(LowerMath, FormulaIsNearTheFunction) {
  const Function &function = GetParam();
  for (float x : points()) {
    float y = function.formula(Number{x}).value;
    double exact = function.exact(x);
    if (std::isnan(exact)) {
      ASSERT_TRUE(std::isnan(y)) << x;
    } else if (std::isinf(static_cast<float>(exact))) {
      ASSERT_EQ(y, static_cast<float>(exact)) << x;
    } else if (std::fabs(x) > 0x1p40 && (function.name == std::string("sin") || function.name == std::string("cos"))) {
      ASSERT_LE(std::fabs(y), 1) << x;
    } else {
      double unit = std::ldexp(1.0, std::ilogb(std::max({std::fabs(exact), function.least, 0x1p-126})) - 23);
      ASSERT_LE(std::fabs(y - exact) / unit, function.bound) << x;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, LowerMath, testing::ValuesIn(functions), [](const auto &info) { return std::string(info.param.name); });

float valueOf(Number (*formula)(Number), float x) { return formula(Number{x}).value; }

/// tanh through exp(2x) alone would be NaN where exp(2x) is infinite.
TEST(HyperbolicTangent, IsOneFarOut) {
  for (float x : {9.1f, 45.0f, 52.45f, 100.0f, std::numeric_limits<float>::infinity()}) {
    EXPECT_EQ(valueOf(heddle::hyperbolicTangent, x), 1);
    EXPECT_EQ(valueOf(heddle::hyperbolicTangent, -x), -1);
  }
}

/// Every f32 between 1/4 and 1: all of the polynomial, and the step at 1/2 from one power of two to the next.
TEST(ExponentialOfTwo, NeverFalls) {
  for (float sign : {-1.0f, 1.0f}) {
    float last = valueOf(heddle::exponentialOfTwo, sign * 0.25f);
    for (uint32_t bits = std::bit_cast<uint32_t>(0.25f); bits < std::bit_cast<uint32_t>(1.0f); ++bits) {
      float next = valueOf(heddle::exponentialOfTwo, sign * std::bit_cast<float>(bits));
      ASSERT_GE(sign * (next - last), 0) << std::bit_cast<float>(bits);
      last = next;
    }
  }
}

TEST(ErrorFunction, IsExactTo2em7) {
  for (int i = -256; i <= 256; ++i)
    EXPECT_NEAR(valueOf(heddle::errorFunction, i / 64.0f), std::erf(i / 64.0), 2e-7);
}

TEST(OddFunctions, KeepTheSignOfZero) {
  for (auto formula : {heddle::hyperbolicTangent<Number>, heddle::errorFunction<Number>, heddle::sine<Number>})
    EXPECT_TRUE(std::signbit(valueOf(formula, -0.0f)));
}

TEST(Logarithm, OfWhatHasNone) {
  EXPECT_EQ(valueOf(heddle::logarithm, 0.0f), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(valueOf(heddle::logarithm, -0.0f), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(valueOf(heddle::logarithm, -1.0f)));
}

} // namespace
