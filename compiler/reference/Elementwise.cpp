// The elementwise mathematics of arith and math, gelu and silu, on tensors and scalars.
#include "compiler/reference/Operations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <numbers>

using namespace mlir;

namespace heddle {

namespace {
using Numbers = ArrayRef<double>;
using Function = double (*)(Numbers);

double notANumber() { return std::numeric_limits<double>::quiet_NaN(); }

double geluErf(Numbers x) { return x[0] / 2 * (1 + std::erf(x[0] / std::numbers::sqrt2)); }
double geluTanh(Numbers x) { return x[0] / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x[0] + 0.044715 * x[0] * x[0] * x[0]))); }

/// The larger (or smaller) of two, NaN if one is NaN.
double maximum(double a, double b) { return std::isnan(a) || std::isnan(b) ? notANumber() : std::fmax(a, b); }
double minimum(double a, double b) { return std::isnan(a) || std::isnan(b) ? notANumber() : std::fmin(a, b); }

const llvm::StringMap<Function> &floatFunctions() {
  static const llvm::StringMap<Function> functions = {
      {"arith.addf", [](Numbers x) { return x[0] + x[1]; }},
      {"arith.subf", [](Numbers x) { return x[0] - x[1]; }},
      {"arith.mulf", [](Numbers x) { return x[0] * x[1]; }},
      {"arith.divf", [](Numbers x) { return x[0] / x[1]; }},
      {"arith.remf", [](Numbers x) { return std::fmod(x[0], x[1]); }},
      {"arith.negf", [](Numbers x) { return -x[0]; }},
      {"arith.maximumf", [](Numbers x) { return maximum(x[0], x[1]); }},
      {"arith.minimumf", [](Numbers x) { return minimum(x[0], x[1]); }},
      {"arith.maxnumf", [](Numbers x) { return std::fmax(x[0], x[1]); }},
      {"arith.minnumf", [](Numbers x) { return std::fmin(x[0], x[1]); }},
      {"arith.select", [](Numbers x) { return x[0] != 0 ? x[1] : x[2]; }},
      {"arith.extf", [](Numbers x) { return x[0]; }},
      {"arith.truncf", [](Numbers x) { return x[0]; }}, // real numbers stay what they are: the interpreter has one precision
      {"arith.sitofp", [](Numbers x) { return x[0]; }},
      {"arith.uitofp", [](Numbers x) { return x[0]; }}, // of bools; other unsigned numbers do not exist here
      {"math.exp", [](Numbers x) { return std::exp(x[0]); }},
      {"math.exp2", [](Numbers x) { return std::exp2(x[0]); }},
      {"math.expm1", [](Numbers x) { return std::expm1(x[0]); }},
      {"math.log", [](Numbers x) { return std::log(x[0]); }},
      {"math.log2", [](Numbers x) { return std::log2(x[0]); }},
      {"math.log1p", [](Numbers x) { return std::log1p(x[0]); }},
      {"math.sqrt", [](Numbers x) { return std::sqrt(x[0]); }},
      {"math.rsqrt", [](Numbers x) { return 1 / std::sqrt(x[0]); }},
      {"math.sin", [](Numbers x) { return std::sin(x[0]); }},
      {"math.cos", [](Numbers x) { return std::cos(x[0]); }},
      {"math.tan", [](Numbers x) { return std::tan(x[0]); }},
      {"math.tanh", [](Numbers x) { return std::tanh(x[0]); }},
      {"math.erf", [](Numbers x) { return std::erf(x[0]); }},
      {"math.absf", [](Numbers x) { return std::fabs(x[0]); }},
      {"math.floor", [](Numbers x) { return std::floor(x[0]); }},
      {"math.ceil", [](Numbers x) { return std::ceil(x[0]); }},
      {"math.roundeven", [](Numbers x) { return std::nearbyint(x[0]); }},
      {"math.trunc", [](Numbers x) { return std::trunc(x[0]); }},
      {"math.copysign", [](Numbers x) { return std::copysign(x[0], x[1]); }},
      {"math.powf", [](Numbers x) { return std::pow(x[0], x[1]); }},
      {"math.fpowi", [](Numbers x) { return std::pow(x[0], x[1]); }},
      {"math.fma", [](Numbers x) { return std::fma(x[0], x[1], x[2]); }},
      {"heddle.silu", [](Numbers x) { return x[0] / (1 + std::exp(-x[0])); }},
  };
  return functions;
}

/// Wraps to the width of the result as the machine does.
double wrapped(int64_t value, unsigned width) {
  if (width == 1)
    return static_cast<double>(value & 1);
  return static_cast<double>(width >= 64 ? value : static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - width)) >> (64 - width));
}

using IntFunction = int64_t (*)(ArrayRef<int64_t>);

// Sums and products wrap, so they are formed on unsigned numbers.
int64_t asSigned(uint64_t x) { return static_cast<int64_t>(x); }
uint64_t u(int64_t x) { return static_cast<uint64_t>(x); }

const llvm::StringMap<IntFunction> &intFunctions() {
  static const llvm::StringMap<IntFunction> functions = {
      {"arith.addi", [](ArrayRef<int64_t> x) { return asSigned(u(x[0]) + u(x[1])); }},
      {"arith.subi", [](ArrayRef<int64_t> x) { return asSigned(u(x[0]) - u(x[1])); }},
      {"arith.muli", [](ArrayRef<int64_t> x) { return asSigned(u(x[0]) * u(x[1])); }},
      {"arith.andi", [](ArrayRef<int64_t> x) { return x[0] & x[1]; }},
      {"arith.ori", [](ArrayRef<int64_t> x) { return x[0] | x[1]; }},
      {"arith.xori", [](ArrayRef<int64_t> x) { return x[0] ^ x[1]; }},
      {"arith.maxsi", [](ArrayRef<int64_t> x) { return std::max(x[0], x[1]); }},
      {"arith.minsi", [](ArrayRef<int64_t> x) { return std::min(x[0], x[1]); }},
      {"arith.extsi", [](ArrayRef<int64_t> x) { return x[0]; }},
      {"arith.extui", [](ArrayRef<int64_t> x) { return x[0]; }}, // of bools
      {"arith.trunci", [](ArrayRef<int64_t> x) { return x[0]; }},
      {"arith.index_cast", [](ArrayRef<int64_t> x) { return x[0]; }},
      {"math.absi", [](ArrayRef<int64_t> x) { return x[0] < 0 ? asSigned(-u(x[0])) : x[0]; }},
  };
  return functions;
}

bool holds(arith::CmpFPredicate predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::OEQ:
    return a == b;
  case arith::CmpFPredicate::OGT:
    return a > b;
  case arith::CmpFPredicate::OGE:
    return a >= b;
  case arith::CmpFPredicate::OLT:
    return a < b;
  case arith::CmpFPredicate::OLE:
    return a <= b;
  case arith::CmpFPredicate::ONE:
    return !unordered && a != b;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  case arith::CmpFPredicate::UEQ:
    return unordered || a == b;
  case arith::CmpFPredicate::UGT:
    return unordered || a > b;
  case arith::CmpFPredicate::UGE:
    return unordered || a >= b;
  case arith::CmpFPredicate::ULT:
    return unordered || a < b;
  case arith::CmpFPredicate::ULE:
    return unordered || a <= b;
  case arith::CmpFPredicate::UNE:
    return unordered || a != b;
  case arith::CmpFPredicate::UNO:
    return unordered;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  }
  return false;
}

bool holds(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return u(a) < u(b);
  case arith::CmpIPredicate::ule:
    return u(a) <= u(b);
  case arith::CmpIPredicate::ugt:
    return u(a) > u(b);
  case arith::CmpIPredicate::uge:
    return u(a) >= u(b);
  }
  return false;
}

/// Applies `f` to the operands' elements; a scalar operand (the condition of a select) counts for every element.
template <class F> Tensor map(Operation *op, Tensors operands, Site &site, F f) {
  Tensor result(site.shape(op->getResult(0).getType()));
  SmallVector<double> values(operands.size());
  for (int64_t i = 0; i < result.count(); ++i) {
    for (auto [value, operand] : llvm::zip(values, operands))
      value = operand->data[operand->count() == 1 ? 0 : static_cast<size_t>(i)];
    result.data[static_cast<size_t>(i)] = f(values);
  }
  return result;
}

SmallVector<int64_t> whole(Numbers x) {
  return llvm::map_to_vector(x, [](double value) { return static_cast<int64_t>(value); });
}

unsigned widthOf(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return element.isIndex() ? 64 : element.isInteger() ? element.getIntOrFloatBitWidth() : 64;
}

/// Division of ints: refused where the machine would trap.
Tensor divide(Operation *op, Tensors operands, Site &site, bool remainder) {
  unsigned width = widthOf(op->getResult(0));
  return map(op, operands, site, [&](Numbers x) -> double {
    auto [a, b] = std::pair(static_cast<int64_t>(x[0]), static_cast<int64_t>(x[1]));
    if (b == 0) { // a remainder: the frontend lets no divisor of a real row be 0, and padding holds nothing but 0
      if (!remainder)
        site.refusal = "division of an int by 0";
      return 0;
    }
    if (b == -1) // the one quotient that overflows
      return remainder ? 0 : wrapped(asSigned(-u(a)), width);
    return static_cast<double>(remainder ? a % b : a / b);
  });
}

Tensor constant(arith::ConstantOp op, Site &site) {
  auto number = [](Attribute value) -> double {
    if (auto real = dyn_cast<FloatAttr>(value))
      return real.getValueAsDouble();
    auto whole = cast<IntegerAttr>(value);
    return static_cast<double>(whole.getType().isInteger(1) ? whole.getValue().getZExtValue() : whole.getInt());
  };
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return Tensor(ArrayRef<int64_t>(), std::vector<double>{number(op.getValue())});
  Tensor result(dense.getType().getShape());
  for (auto [element, value] : llvm::zip(result.data, dense.getValues<Attribute>()))
    element = number(value);
  return result;
}
} // namespace

std::optional<Tensor> evaluateElementwise(Operation *op, Tensors operands, Site &site) {
  if (auto literal = dyn_cast<arith::ConstantOp>(op))
    return constant(literal, site);
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return map(op, operands, site, [&](Numbers x) { return holds(compare.getPredicate(), x[0], x[1]); });
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return map(op, operands, site, [&](Numbers x) { return holds(compare.getPredicate(), static_cast<int64_t>(x[0]), static_cast<int64_t>(x[1])); });
  if (auto gelu = dyn_cast<GeluOp>(op))
    return map(op, operands, site, gelu.getForm() == GeluForm::erf ? geluErf : geluTanh);
  if (isa<arith::DivSIOp, arith::RemSIOp>(op))
    return divide(op, operands, site, isa<arith::RemSIOp>(op));
  if (isa<arith::FPToSIOp>(op)) // towards zero, into the range, NaN is 0
    return map(op, operands, site, [&](Numbers x) {
      double limit = std::ldexp(1.0, static_cast<int>(widthOf(op->getResult(0))) - 1);
      return std::isnan(x[0]) ? 0 : std::clamp(std::trunc(x[0]), -limit, limit - 1);
    });
  StringRef name = op->getName().getStringRef();
  if (auto function = floatFunctions().find(name); function != floatFunctions().end())
    return map(op, operands, site, function->second);
  if (auto function = intFunctions().find(name); function != intFunctions().end()) {
    unsigned width = widthOf(op->getResult(0));
    return map(op, operands, site, [&](Numbers x) { return wrapped(function->second(whole(x)), width); });
  }
  return std::nullopt;
}

} // namespace heddle
