// Logic, choice, conversion and the functions that work element by element.
#include "compiler/frontend/Broadcasting.h"
#include "compiler/frontend/ConstantTensors.h"
#include "compiler/frontend/Elementwise.h"
#include "compiler/frontend/Numbers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace heddle::frontend {

using syntax::Operator;
namespace arith = mlir::arith;
namespace math = mlir::math;

std::shared_ptr<const Mask> Elementwise::mask(const Value &value, Position at) {
  if (auto *mask = value.as<std::shared_ptr<const Mask>>())
    return *mask;
  if (value.isTensor() && elementOfValue(value) == Element::Bool) {
    emitter.at(at);
    std::optional<Tensor> read = value.as<Tensor>() ? *value.as<Tensor>() : tensor(value, Element::Bool);
    return read ? std::make_shared<const Mask>(Mask{Mask::Kind::Tensor, nullptr, nullptr, *read, {}, {}}) : nullptr;
  }
  if (!value.failed())
    trace.error(at, fmt::format("expected a mask (causal, a bool tensor, ...), got {}", value.describe()));
  return nullptr;
}

Value Elementwise::logical(Operator op, const Value &left, const Value &right, Position opAt) {
  if (left.failed() || right.failed())
    return Failed();
  bool masks = left.as<std::shared_ptr<const Mask>>() || right.as<std::shared_ptr<const Mask>>();
  if (masks && op == Operator::Or)
    return trace.fail(opAt, "masks are joined by 'and'; 'or' of masks does not exist");
  if (masks && right.as<bool>() && *right.as<bool>())
    return left;
  if (masks) {
    std::shared_ptr<const Mask> a = mask(left, opAt), b = a ? mask(right, opAt) : nullptr;
    return b ? Value(std::make_shared<const Mask>(Mask{Mask::Kind::And, a, b, {}, {}, {}})) : Value();
  }
  if (auto *known = right.as<bool>(); known && elementOfValue(left) == Element::Bool)
    return *known == (op == Operator::Or) ? Value(*known) : left;
  std::string what = fmt::format("cannot compute {} {} {}", left.describe(), spelling(op), right.describe());
  if (elementOfValue(left) != Element::Bool || elementOfValue(right) != Element::Bool)
    return trace.fail(opAt, what + ": expected bools, bool tensors or masks");
  emitter.at(opAt);
  std::optional<Operands> both = operands(left, right, Element::Bool, what, opAt);
  if (!both)
    return Failed();
  mlir::Value result =
      op == Operator::And ? mlir::Value(emitter.make<arith::AndIOp>(both->left, both->right)) : emitter.make<arith::OrIOp>(both->left, both->right);
  return Tensor{Element::Bool, both->axes, result, ""};
}

Value Elementwise::invert(const Value &operand, Position at) {
  if (operand.failed())
    return Failed();
  if (auto *constant = operand.as<ConstantTensor>(); constant && constant->element == Element::Bool)
    return mapConstants(Element::Bool, constant->axes, {constant}, [](const double *x) { return x[0] == 0 ? 1.0 : 0.0; }, at, trace);
  auto *tensor = operand.as<Tensor>();
  if (!tensor || tensor->element != Element::Bool)
    return trace.fail(at, fmt::format("'not' takes a bool or a bool tensor, got {}", operand.describe()));
  emitter.at(at);
  if (!emitter.ready())
    return Failed();
  mlir::Value ones = emitter.splat(1, Element::Bool, tensor->axes);
  return Tensor{Element::Bool, tensor->axes, emitter.make<arith::XOrIOp>(emitter.read(*tensor), ones), ""};
}

Value Elementwise::function(const std::string &name, const Value &operand, Position at) {
  RealFunction real = realFunction(name);
  if (operand.failed())
    return Failed();
  if (auto *integer = operand.integer(); integer && name == "abs")
    return integer->staticValue() < 0 ? negateNumber(operand, at, trace) : operand;
  if (std::optional<double> number = operand.number()) {
    double result = real(*number);
    if (std::isnan(result))
      return trace.fail(at, fmt::format("{}({}) is not a number", name, operand.describe()));
    if (std::isinf(result) && std::isfinite(*number))
      return trace.fail(at, fmt::format("{}({}) is infinite", name, operand.describe()), {"where that is meant, write 'infinity'"});
    return result;
  }
  if (!operand.isTensor() || elementOfValue(operand) == Element::Bool)
    return trace.fail(at, fmt::format("'{}' takes a number or a tensor of numbers, got {}", name, operand.describe()));
  emitter.at(at);
  if (auto *constant = operand.as<ConstantTensor>())
    return mapConstants(Element::F32, constant->axes, {constant}, [real](const double *x) { return real(x[0]); }, at, trace);
  std::optional<Tensor> x = tensor(operand, Element::F32);
  return x ? Value(Tensor{Element::F32, x->axes, realFunctionOf(name, x->value, x->axes), ""}) : Failed();
}

mlir::Value Elementwise::realFunctionOf(const std::string &name, mlir::Value x, const Axes &axes) {
  auto number = [&](double value) { return emitter.splat(value, Element::F32, axes); };
  if (name == "sqrt")
    return emitter.make<math::SqrtOp>(x);
  if (name == "exp")
    return emitter.make<math::ExpOp>(x);
  if (name == "log")
    return emitter.make<math::LogOp>(x);
  if (name == "sin")
    return emitter.make<math::SinOp>(x);
  if (name == "cos")
    return emitter.make<math::CosOp>(x);
  if (name == "tanh")
    return emitter.make<math::TanhOp>(x);
  if (name == "erf")
    return emitter.make<math::ErfOp>(x);
  if (name == "abs")
    return emitter.make<math::AbsFOp>(x);
  if (name == "relu")
    return emitter.make<arith::MaximumFOp>(x, number(0));
  if (name == "gelu")
    return emitter.make<GeluOp>(x, GeluForm::erf);
  if (name == "gelu_tanh")
    return emitter.make<GeluOp>(x, GeluForm::tanh);
  if (name == "silu")
    return emitter.make<SiluOp>(x);
  assert(name == "sigmoid" && "every function of the table is here"); // 1 / (1 + exp(-x))
  mlir::Value e = emitter.make<math::ExpOp>(emitter.make<arith::NegFOp>(x));
  return emitter.make<arith::DivFOp>(number(1), emitter.make<arith::AddFOp>(number(1), e));
}

Value Elementwise::maximum(const Value &left, const Value &right, bool larger, Position at) {
  if (left.failed() || right.failed())
    return Failed();
  std::string what = fmt::format("cannot take the {} of {} and {}", larger ? "maximum" : "minimum", left.describe(), right.describe());
  if (left.integer() && right.integer())
    return (left.integer()->staticValue() >= right.integer()->staticValue()) == larger ? left : right;
  if (left.isNumber() && right.isNumber())
    return larger ? std::max(*left.number(), *right.number()) : std::min(*left.number(), *right.number());
  if (!(left.isNumber() || left.isTensor()) || !(right.isNumber() || right.isTensor()))
    return trace.fail(at, what);
  emitter.at(at);
  std::optional<Element> element = meet(Operator::Add, left, right, what, at);
  if (!element)
    return Failed();
  if (!left.as<Tensor>() && !right.as<Tensor>()) {
    std::optional<Axes> axes = join(left, right, what, at);
    ConstantTensor a = left.isNumber() ? constantOf(left) : *left.as<ConstantTensor>();
    ConstantTensor b = right.isNumber() ? constantOf(right) : *right.as<ConstantTensor>();
    return axes
               ? mapConstants(
                     *element, *axes, {&a, &b}, [larger](const double *x) { return larger ? std::max(x[0], x[1]) : std::min(x[0], x[1]); }, at, trace)
               : Failed();
  }
  std::optional<Operands> both = operands(left, right, *element, what, at);
  if (!both)
    return Failed();
  mlir::Value a = both->left, b = both->right, result;
  if (*element == Element::F32)
    result = larger ? mlir::Value(emitter.make<arith::MaximumFOp>(a, b)) : emitter.make<arith::MinimumFOp>(a, b);
  else
    result = larger ? mlir::Value(emitter.make<arith::MaxSIOp>(a, b)) : emitter.make<arith::MinSIOp>(a, b);
  return Tensor{*element, both->axes, result, ""};
}

Value Elementwise::where(const Value &condition, const Value &yes, const Value &no, Position at) {
  if (condition.failed() || yes.failed() || no.failed())
    return Failed();
  if (auto *known = condition.as<bool>())
    return *known ? yes : no;
  std::string what = fmt::format("cannot choose by {} between {} and {}", condition.describe(), yes.describe(), no.describe());
  auto isChoice = [](const Value &value) { return value.isNumber() || value.isTensor(); };
  if (elementOfValue(condition) != Element::Bool || !isChoice(yes) || !isChoice(no))
    return trace.fail(at, what + ": expected a bool tensor and two tensors or numbers");
  emitter.at(at);
  bool bools = elementOfValue(yes) == Element::Bool && elementOfValue(no) == Element::Bool;
  std::optional<Element> element = bools ? Element::Bool : meet(Operator::Add, yes, no, what, at);
  std::optional<Axes> branches = element ? join(yes, no, what, at) : std::nullopt;
  if (!branches)
    return Failed();
  ConstantTensor shape{*element, *branches, nullptr}; // only its axes are asked for
  std::optional<Axes> axes = join(condition, shape, what, at);
  if (!axes)
    return Failed();
  if (!condition.as<Tensor>() && !yes.as<Tensor>() && !no.as<Tensor>()) {
    ConstantTensor a = yes.isNumber() ? constantOf(yes) : *yes.as<ConstantTensor>();
    ConstantTensor b = no.isNumber() ? constantOf(no) : *no.as<ConstantTensor>();
    return mapConstants(
        *element, *axes, {condition.as<ConstantTensor>(), &a, &b}, [](const double *x) { return x[0] != 0 ? x[1] : x[2]; }, at, trace);
  }
  mlir::Value c = spread(condition, Element::Bool, *axes), a = c ? spread(yes, *element, *axes) : mlir::Value();
  mlir::Value b = a ? spread(no, *element, *axes) : mlir::Value();
  return b ? Value(Tensor{*element, *axes, emitter.make<arith::SelectOp>(c, a, b), ""}) : Failed();
}

Value Elementwise::convert(const Value &operand, Element to, Position at) {
  if (operand.failed())
    return Failed();
  if (std::optional<double> number = operand.number()) {
    if (to == Element::F32)
      return *number;
    return operand.integer() ? operand : trace.fail(at, "i32 of a number: use floor or ceil");
  }
  if (!operand.isTensor())
    return trace.fail(at, fmt::format("'{}' converts numbers and tensors, got {}", nameOf(to), operand.describe()));
  emitter.at(at);
  if (auto *constant = operand.as<ConstantTensor>())
    return mapConstants(to, constant->axes, {constant}, [to](const double *x) { return to == Element::F32 ? x[0] : std::trunc(x[0]); }, at, trace);
  std::optional<Tensor> result = tensor(operand, to);
  return result ? Value(std::move(*result)) : Failed();
}

} // namespace heddle::frontend
