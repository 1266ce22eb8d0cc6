// Built-ins on numbers, lists and constants, and the elementwise ones.
#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/ConstantTensors.h"
#include <cmath>
#include <fmt/format.h>

namespace heddle::frontend {

std::vector<Value> Expander::builtinIota(Arguments &arguments) {
  if (auto *extent = arguments.values[0].integer())
    return {makeIota(*extent, arguments.at, trace)};
  return {trace.fail(arguments.places[0], fmt::format("'iota' takes an int known when compiling, got {}", arguments.values[0].describe()))};
}

std::vector<Value> Expander::builtinTensor(Arguments &arguments) {
  if (arguments.values[0].as<List>())
    return {makeConstant(arguments.values[0], arguments.at, trace)};
  return {trace.fail(arguments.places[0], fmt::format("'tensor' takes a list of numbers, got {}", arguments.values[0].describe()))};
}

std::vector<Value> Expander::builtinLen(Arguments &arguments) {
  if (auto *list = arguments.values[0].as<List>())
    return {Extent(static_cast<int64_t>((*list)->size()))};
  return {trace.fail(arguments.places[0], fmt::format("'len' takes a list, got {}", arguments.values[0].describe()))};
}

std::vector<Value> Expander::builtinRound(Arguments &arguments) {
  const Value &x = arguments.values[0];
  if (x.integer())
    return {x};
  auto *real = x.as<double>();
  if (!real)
    return {trace.fail(arguments.places[0], fmt::format("'{}' takes a number, got {}", arguments.name(), x.describe()))};
  double rounded = arguments.name() == "floor" ? std::floor(*real) : std::ceil(*real);
  if (!(std::fabs(rounded) < 9.2e18))
    return {trace.fail(arguments.at, fmt::format("{}({}) does not fit into 64 bits", arguments.name(), x.describe()))};
  return {Extent(static_cast<int64_t>(rounded))};
}

std::vector<Value> Expander::builtinElementwise(Arguments &arguments) {
  return {elementwise.function(arguments.name(), arguments.values[0], arguments.at)};
}

std::vector<Value> Expander::builtinMaximum(Arguments &arguments) {
  return {elementwise.maximum(arguments.values[0], arguments.values[1], arguments.name() == "maximum", arguments.at)};
}

std::vector<Value> Expander::builtinWhere(Arguments &arguments) {
  return {elementwise.where(arguments.values[0], arguments.values[1], arguments.values[2], arguments.at)};
}

std::vector<Value> Expander::builtinConvert(Arguments &arguments) {
  return {elementwise.convert(arguments.values[0], arguments.name() == "f32" ? Element::F32 : Element::I32, arguments.at)};
}

std::vector<Value> Expander::builtinNotBuilt(Arguments &arguments) {
  return {trace.fail(arguments.at, fmt::format("'{}' is not built yet", arguments.name()))};
}

} // namespace heddle::frontend
