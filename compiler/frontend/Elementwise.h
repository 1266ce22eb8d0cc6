// Operators and elementwise functions on any values: numbers and constants are computed, tensors become arith and math ops.
#pragma once
#include "compiler/frontend/Emitter.h"

namespace heddle::frontend {

class Elementwise {
public:
  Elementwise(Emitter &emitter, Trace &trace) : emitter(emitter), trace(trace) {}

  /// + - * / % ^ and comparisons. `at` is where the expression begins, `opAt` where the operator stands.
  Value binary(syntax::Operator op, const Value &left, const Value &right, Position at, Position opAt, const std::string &key);
  Value negate(const Value &operand, Position at);
  /// `and`, `or` of tensors and masks, `not` of tensors (bools known when compiling never come here).
  Value logical(syntax::Operator op, const Value &left, const Value &right, Position opAt);
  Value invert(const Value &operand, Position at);

  /// relu, exp, gelu ...
  Value function(const std::string &name, const Value &operand, Position at);
  Value maximum(const Value &left, const Value &right, bool larger, Position at);
  Value where(const Value &condition, const Value &yes, const Value &no, Position at);
  /// f32(x), i32(x)
  Value convert(const Value &operand, Element to, Position at);

  /// A tensor from a tensor, constant tensor or number, converted to `element`; none after an error.
  std::optional<Tensor> tensor(const Value &value, Element element);
  /// The mask that a value stands for: a mask, or a bool tensor. Null after an error.
  std::shared_ptr<const Mask> mask(const Value &value, Position at);

private:
  /// Both operands in one type over the joined axes; none after an error.
  struct Operands {
    Axes axes;
    mlir::Value left, right;
  };
  std::optional<Axes> join(const Value &left, const Value &right, const std::string &what, Position at);
  mlir::Value spread(const Value &value, Element element, const Axes &axes);
  std::optional<Operands> operands(const Value &left, const Value &right, Element element, const std::string &what, Position at);
  /// The element type two operands of arithmetic meet in; none (reported) for bools.
  std::optional<Element> meet(syntax::Operator op, const Value &left, const Value &right, const std::string &what, Position at);

  Value constants(syntax::Operator op, const Value &left, const Value &right, Element element, const std::string &what, Position at);
  Value power(const Value &base, const Value &exponent, Position at);
  mlir::Value powerBySquaring(mlir::Value base, int64_t exponent);
  mlir::Value remainder(mlir::Value left, mlir::Value right, const Axes &axes);
  mlir::Value arithmetic(syntax::Operator op, Element element, mlir::Value left, mlir::Value right);
  mlir::Value comparison(syntax::Operator op, Element element, mlir::Value left, mlir::Value right);
  mlir::Value realFunctionOf(const std::string &name, mlir::Value x, const Axes &axes);

  Emitter &emitter;
  Trace &trace;
};

/// The element type a value brings along: none for numbers.
std::optional<Element> elementOfValue(const Value &value);

} // namespace heddle::frontend
