// Arithmetic on numbers that are known when compiling: 64-bit ints, checked, and doubles.
#pragma once
#include "compiler/frontend/Trace.h"

namespace heddle::frontend {

/// `left op right` for two numbers. `at` is where the expression begins; `key` is the configuration key whose default it is, if any.
Value computeNumbers(syntax::Operator op, const Value &left, const Value &right, Position at, const std::string &key, Trace &trace);
/// The comparison of two values that are known when compiling: numbers by value, strings, bools, none.
Value compareKnown(syntax::Operator op, const Value &left, const Value &right, Position at, Trace &trace);
Value negateNumber(const Value &operand, Position at, Trace &trace);

/// sqrt, log, exp, sin, cos, tanh and the like in double: what the built-in of this name does to one number.
using RealFunction = double (*)(double);
RealFunction realFunction(std::string_view name);
/// `left op right` in double, for elements of constant tensors; comparisons give 0 or 1.
double computeReals(syntax::Operator op, double left, double right);
bool isComparison(syntax::Operator op);

} // namespace heddle::frontend
