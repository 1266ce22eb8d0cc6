// Operators of elementwise mathematics.
#include "compiler/frontend/Elementwise.h"
#include "compiler/frontend/Broadcasting.h"
#include "compiler/frontend/ConstantTensors.h"
#include "compiler/frontend/Numbers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>
#include <fmt/format.h>

namespace heddle::frontend {

using syntax::Operator;
namespace arith = mlir::arith;

std::optional<Element> elementOfValue(const Value &value) {
  if (auto *tensor = value.as<Tensor>())
    return tensor->element;
  if (auto *constant = value.as<ConstantTensor>())
    return constant->element;
  return std::nullopt;
}

/// "cannot add a and b"
static std::string attempt(Operator op, const Value &left, const Value &right) {
  std::string a = left.describe(), b = right.describe();
  switch (op) {
  case Operator::Add:
    return fmt::format("cannot add {} and {}", a, b);
  case Operator::Subtract:
    return fmt::format("cannot subtract {} from {}", b, a);
  case Operator::Multiply:
    return fmt::format("cannot multiply {} and {}", a, b);
  case Operator::Divide:
    return fmt::format("cannot divide {} by {}", a, b);
  default:
    return fmt::format("cannot compute {} {} {}", a, spelling(op), b);
  }
}

static bool isOperand(const Value &value) { return value.isNumber() || value.isTensor(); }

Value Elementwise::binary(Operator op, const Value &left, const Value &right, Position at, Position opAt, const std::string &key) {
  if (left.failed() || right.failed())
    return Failed();
  if (left.isNumber() && right.isNumber())
    return computeNumbers(op, left, right, at, key, trace);
  bool knownKinds = (!left.isTensor() && !right.isTensor()) || left.isNone() || right.isNone(); // a tensor is never none
  if (isComparison(op) && knownKinds)
    return compareKnown(op, left, right, at, trace);
  std::string what = attempt(op, left, right);
  if (!isOperand(left) || !isOperand(right))
    return trace.fail(opAt, what + ": expected numbers or tensors");
  emitter.at(opAt);
  std::optional<Element> element = meet(op, left, right, what, opAt);
  if (!element)
    return Failed();
  if (!left.as<Tensor>() && !right.as<Tensor>())
    return constants(op, left, right, *element, what, opAt);
  if (op == Operator::Power)
    return power(left, right, opAt);
  if (op == Operator::Remainder && *element == Element::F32)
    return trace.fail(opAt, "'%' on f32 tensors of a run is not built yet");
  std::optional<Operands> both = operands(left, right, *element, what, opAt);
  if (!both)
    return Failed();
  if (isComparison(op))
    return Tensor{Element::Bool, both->axes, comparison(op, *element, both->left, both->right), ""};
  if (op == Operator::Remainder)
    return Tensor{Element::I32, both->axes, remainder(both->left, both->right, both->axes), ""};
  return Tensor{*element, both->axes, arithmetic(op, *element, both->left, both->right), ""};
}

std::optional<Element> Elementwise::meet(Operator op, const Value &left, const Value &right, const std::string &what, Position at) {
  std::optional<Element> a = elementOfValue(left), b = elementOfValue(right);
  bool equality = op == Operator::Equal || op == Operator::NotEqual;
  if ((a == Element::Bool || b == Element::Bool) && !(equality && a == b)) {
    trace.error(at, what + ": bool is no number here", {"write where(condition, a, b), or f32(x) for 0 and 1"});
    return std::nullopt;
  }
  auto isReal = [](const Value &value, std::optional<Element> element) { return element == Element::F32 || value.as<double>(); };
  if (op == Operator::Divide || isReal(left, a) || isReal(right, b))
    return Element::F32;
  if (op == Operator::Power && right.integer() && right.integer()->staticValue() < 0)
    return Element::F32;
  return a == Element::Bool ? Element::Bool : Element::I32;
}

std::optional<Axes> Elementwise::join(const Value &left, const Value &right, const std::string &what, Position at) {
  static const Axes scalar;
  const Axes &a = left.axes() ? *left.axes() : scalar, &b = right.axes() ? *right.axes() : scalar;
  if (!left.axes() || !right.axes())
    return left.axes() ? a : b;
  Joined joined = joinAxes(a, b, left.describe(), right.describe());
  if (joined.problem.empty())
    return joined.axes;
  trace.error(at, joined.widens ? joined.problem : fmt::format("{}: {}", what, joined.problem), joined.remedies);
  return std::nullopt;
}

Value Elementwise::constants(Operator op, const Value &left, const Value &right, Element element, const std::string &what, Position at) {
  std::optional<Axes> axes = join(left, right, what, at);
  if (!axes)
    return Failed();
  ConstantTensor a = left.isNumber() ? constantOf(left) : *left.as<ConstantTensor>();
  ConstantTensor b = right.isNumber() ? constantOf(right) : *right.as<ConstantTensor>();
  return mapConstants(
      isComparison(op) ? Element::Bool : element, *axes, {&a, &b}, [op](const double *x) { return computeReals(op, x[0], x[1]); }, at, trace);
}

std::optional<Tensor> Elementwise::tensor(const Value &value, Element element) {
  if (auto *tensor = value.as<Tensor>()) {
    if (!emitter.ready())
      return std::nullopt;
    return Tensor{element, tensor->axes, emitter.convert(emitter.read(*tensor), tensor->element, element), ""};
  }
  if (auto *constant = value.as<ConstantTensor>())
    return emitter.materialise(*constant, element);
  if (!emitter.ready())
    return std::nullopt;
  return Tensor{element, {}, emitter.splat(*value.number(), element, {}), ""};
}

/// An operand over all axes of the result; a number needs no tensor of its own first. Null after an error.
mlir::Value Elementwise::spread(const Value &value, Element element, const Axes &axes) {
  if (std::optional<double> number = value.number())
    return emitter.ready() ? emitter.splat(*number, element, axes) : mlir::Value();
  std::optional<Tensor> operand = tensor(value, element);
  return operand ? emitter.widen(operand->value, operand->axes, axes) : mlir::Value();
}

std::optional<Elementwise::Operands> Elementwise::operands(const Value &left, const Value &right, Element element, const std::string &what,
                                                           Position at) {
  std::optional<Axes> axes = join(left, right, what, at);
  if (!axes)
    return std::nullopt;
  mlir::Value a = spread(left, element, *axes), b = a ? spread(right, element, *axes) : mlir::Value();
  return b ? std::optional(Operands{std::move(*axes), a, b}) : std::nullopt;
}

/// By 0 and by -1, where the machine's division may fault, nothing is left.
mlir::Value Elementwise::remainder(mlir::Value left, mlir::Value right, const Axes &axes) {
  mlir::Value one = emitter.splat(1, Element::I32, axes);
  mlir::Value zero = comparison(Operator::Equal, Element::I32, right, emitter.splat(0, Element::I32, axes));
  mlir::Value minus = comparison(Operator::Equal, Element::I32, right, emitter.splat(-1, Element::I32, axes));
  mlir::Value safe = emitter.make<arith::SelectOp>(emitter.make<arith::OrIOp>(zero, minus), one, right);
  return emitter.make<arith::RemSIOp>(left, safe);
}

mlir::Value Elementwise::arithmetic(Operator op, Element element, mlir::Value left, mlir::Value right) {
  bool real = element == Element::F32;
  switch (op) {
  case Operator::Add:
    return real ? mlir::Value(emitter.make<arith::AddFOp>(left, right)) : emitter.make<arith::AddIOp>(left, right);
  case Operator::Subtract:
    return real ? mlir::Value(emitter.make<arith::SubFOp>(left, right)) : emitter.make<arith::SubIOp>(left, right);
  case Operator::Multiply:
    return real ? mlir::Value(emitter.make<arith::MulFOp>(left, right)) : emitter.make<arith::MulIOp>(left, right);
  default:
    return emitter.make<arith::DivFOp>(left, right);
  }
}

mlir::Value Elementwise::comparison(Operator op, Element element, mlir::Value left, mlir::Value right) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  static constexpr F reals[] = {F::OEQ, F::UNE, F::OLT, F::OLE, F::OGT, F::OGE};
  static constexpr I ints[] = {I::eq, I::ne, I::slt, I::sle, I::sgt, I::sge};
  size_t place = static_cast<size_t>(op) - static_cast<size_t>(Operator::Equal);
  if (element == Element::F32)
    return emitter.make<arith::CmpFOp>(reals[place], left, right);
  return emitter.make<arith::CmpIOp>(ints[place], left, right);
}

/// Exponents that are products and roots; the rest needs a power function of our own.
Value Elementwise::power(const Value &base, const Value &exponent, Position at) {
  constexpr int64_t largest = 16;
  std::optional<double> number = exponent.number();
  bool root = number && std::fabs(*number) == 0.5;
  if (!number || !(root || (*number == std::floor(*number) && std::fabs(*number) <= largest)))
    return trace.fail(at, "'^' on a tensor of a run is built for whole exponents up to 16, 0.5 and -0.5 only; others are not built yet");
  bool inverse = *number < 0;
  Element element = elementOfValue(base) == Element::I32 && !root && !inverse ? Element::I32 : Element::F32;
  std::optional<Tensor> x = tensor(base, element);
  if (!x)
    return Failed();
  mlir::Value result;
  if (root)
    result = emitter.make<mlir::math::SqrtOp>(x->value);
  else if (*number == 0)
    result = emitter.splat(1, element, x->axes);
  else
    result = powerBySquaring(x->value, static_cast<int64_t>(std::fabs(*number)));
  if (inverse)
    result = emitter.make<arith::DivFOp>(emitter.splat(1, Element::F32, x->axes), result);
  return Tensor{element, x->axes, result, ""};
}

mlir::Value Elementwise::powerBySquaring(mlir::Value base, int64_t exponent) {
  if (exponent == 1)
    return base;
  Element element = elementOf(base).isF32() ? Element::F32 : Element::I32;
  mlir::Value half = powerBySquaring(base, exponent / 2);
  mlir::Value square = arithmetic(Operator::Multiply, element, half, half);
  return exponent % 2 ? arithmetic(Operator::Multiply, element, square, base) : square;
}

Value Elementwise::negate(const Value &operand, Position at) {
  if (operand.failed())
    return Failed();
  if (operand.isNumber())
    return negateNumber(operand, at, trace);
  if (!operand.isTensor() || elementOfValue(operand) == Element::Bool)
    return trace.fail(at, fmt::format("cannot negate {}", operand.describe()));
  emitter.at(at);
  if (auto *constant = operand.as<ConstantTensor>())
    return mapConstants(constant->element, constant->axes, {constant}, [](const double *x) { return -x[0]; }, at, trace);
  Element element = *elementOfValue(operand);
  std::optional<Tensor> x = tensor(operand, element);
  if (!x)
    return Failed();
  if (element == Element::F32)
    return Tensor{element, x->axes, emitter.make<arith::NegFOp>(x->value), ""};
  return Tensor{element, x->axes, emitter.make<arith::SubIOp>(emitter.splat(0, element, x->axes), x->value), ""};
}

} // namespace heddle::frontend
