// Numbers known when compiling.
#include "compiler/frontend/Numbers.h"
#include <cmath>
#include <fmt/format.h>

namespace heddle::frontend {

using syntax::Operator;

bool isComparison(Operator op) { return op >= Operator::Equal && op <= Operator::GreaterEqual; }

double computeReals(Operator op, double left, double right) {
  switch (op) {
  case Operator::Add:
    return left + right;
  case Operator::Subtract:
    return left - right;
  case Operator::Multiply:
    return left * right;
  case Operator::Divide:
    return left / right;
  case Operator::Remainder:
    return std::fmod(left, right);
  case Operator::Power:
    return std::pow(left, right);
  case Operator::Equal:
    return left == right;
  case Operator::NotEqual:
    return left != right;
  case Operator::Less:
    return left < right;
  case Operator::LessEqual:
    return left <= right;
  case Operator::Greater:
    return left > right;
  case Operator::GreaterEqual:
    return left >= right;
  default:
    return std::nan("");
  }
}

namespace {

Value tooLarge(Position at, Trace &trace) { return trace.fail(at, "the number does not fit into 64 bits"); }

Value fromExtent(std::optional<Extent> result, Position at, Trace &trace) { return result ? Value(std::move(*result)) : tooLarge(at, trace); }

Value divideInts(const Extent &left, const Extent &right, Position at, const std::string &key, Trace &trace) {
  if (right.staticValue() == 0)
    return trace.fail(at, fmt::format("division of {} by 0", left.print()));
  if (right.staticValue() == -1) // the one division that can overflow
    return fromExtent(Extent(0) - left, at, trace);
  if (left.staticValue() % right.staticValue() == 0)
    return fromExtent(left / right, at, trace);
  std::string remedy = fmt::format("choose a multiple of {}", right.staticValue());
  remedy += key.empty() ? "; for a fraction write 1.0 * a / b" : fmt::format(", or set {}", key);
  return trace.fail(at, fmt::format("{} is not divisible by {}", left.print(), right.print()), {remedy});
}

Value powerOfInts(const Extent &base, const Extent &exponent, Position at, Trace &trace) {
  if (exponent.staticValue() < 0)
    return std::pow(static_cast<double>(base.staticValue()), static_cast<double>(exponent.staticValue()));
  std::optional<Extent> result = Extent(1);
  int64_t magnitude = std::abs(base.staticValue());
  if (exponent.staticValue() > 63 && magnitude > 1)
    return tooLarge(at, trace);
  int64_t turns = magnitude <= 1 ? (exponent.staticValue() == 0 ? 0 : 2 - exponent.staticValue() % 2) : exponent.staticValue();
  for (; result && turns > 0; --turns)
    result = *result * base;
  return fromExtent(result, at, trace);
}

Value computeInts(Operator op, const Extent &left, const Extent &right, Position at, const std::string &key, Trace &trace) {
  switch (op) {
  case Operator::Add:
    return fromExtent(left + right, at, trace);
  case Operator::Subtract:
    return fromExtent(left - right, at, trace);
  case Operator::Multiply:
    return fromExtent(left * right, at, trace);
  case Operator::Divide:
    return divideInts(left, right, at, key, trace);
  case Operator::Power:
    return powerOfInts(left, right, at, trace);
  default:
    break;
  }
  if (right.staticValue() == 0)
    return trace.fail(at, fmt::format("remainder of {} by 0", left.print()));
  return Extent(right.staticValue() == -1 ? 0 : left.staticValue() % right.staticValue());
}

} // namespace

Value computeNumbers(Operator op, const Value &left, const Value &right, Position at, const std::string &key, Trace &trace) {
  if (isComparison(op))
    return compareKnown(op, left, right, at, trace);
  if (left.integer() && right.integer())
    return computeInts(op, *left.integer(), *right.integer(), at, key, trace);
  double divisor = *right.number();
  if ((op == Operator::Divide || op == Operator::Remainder) && divisor == 0)
    return trace.fail(at, fmt::format("division of {} by 0", left.describe()));
  double result = computeReals(op, *left.number(), divisor);
  if (std::isnan(result))
    return trace.fail(at, fmt::format("{} {} {} is not a number", left.describe(), spelling(op), right.describe()));
  if (std::isinf(result) && std::isfinite(*left.number()) && std::isfinite(divisor))
    return trace.fail(at, fmt::format("{} {} {} passes the largest number", left.describe(), spelling(op), right.describe()),
                      {"where an infinite one is meant, write 'infinity'"});
  return result;
}

Value negateNumber(const Value &operand, Position at, Trace &trace) {
  if (auto *integer = operand.integer())
    return fromExtent(Extent(0) - *integer, at, trace);
  return -*operand.number();
}

/// Element by element; nothing where two elements cannot be compared, which has been reported.
static std::optional<bool> sameLists(const std::vector<Value> &left, const std::vector<Value> &right, Position at, Trace &trace) {
  bool same = left.size() == right.size();
  for (size_t i = 0; same && i < left.size(); ++i) {
    Value equal = compareKnown(Operator::Equal, left[i], right[i], at, trace);
    if (equal.failed())
      return std::nullopt;
    same = *equal.as<bool>();
  }
  return same;
}

Value compareKnown(Operator op, const Value &left, const Value &right, Position at, Trace &trace) {
  bool equality = op == Operator::Equal || op == Operator::NotEqual;
  std::optional<bool> same;
  if (left.isNumber() && right.isNumber()) {
    if (left.integer() && right.integer()) { // beyond 2^53 doubles would call different ints equal
      int64_t a = left.integer()->staticValue(), b = right.integer()->staticValue();
      return computeReals(op, a < b ? -1 : a > b, 0) != 0;
    }
    return computeReals(op, *left.number(), *right.number()) != 0;
  }
  if (left.as<std::string>() && right.as<std::string>())
    same = *left.as<std::string>() == *right.as<std::string>();
  else if (left.as<bool>() && right.as<bool>())
    same = *left.as<bool>() == *right.as<bool>();
  else if (left.isNone() || right.isNone())
    same = left.isNone() && right.isNone();
  else if (left.as<List>() && right.as<List>())
    same = sameLists(**left.as<List>(), **right.as<List>(), at, trace);
  if (!same || !equality)
    return trace.fail(at, fmt::format("cannot compare {} {} {}", left.describe(), spelling(op), right.describe()));
  return *same == (op == Operator::Equal);
}

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
static double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
static double geluTanh(double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }

RealFunction realFunction(std::string_view name) {
  static constexpr std::pair<std::string_view, RealFunction> functions[] = {
      {"sqrt", [](double x) { return std::sqrt(x); }},
      {"log", [](double x) { return std::log(x); }},
      {"exp", [](double x) { return std::exp(x); }},
      {"sin", [](double x) { return std::sin(x); }},
      {"cos", [](double x) { return std::cos(x); }},
      {"tanh", [](double x) { return std::tanh(x); }},
      {"erf", [](double x) { return std::erf(x); }},
      {"abs", [](double x) { return std::fabs(x); }},
      {"relu", [](double x) { return x > 0 ? x : 0; }},
      {"sigmoid", sigmoid},
      {"silu", [](double x) { return x * sigmoid(x); }},
      {"gelu", gelu},
      {"gelu_tanh", geluTanh},
  };
  for (auto [known, function] : functions)
    if (known == name)
      return function;
  return nullptr;
}

} // namespace heddle::frontend
