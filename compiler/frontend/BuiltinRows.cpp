// Built-ins that work along an axis: reductions, softmax, norms.
#include "compiler/frontend/Builtins.h"
#include <algorithm>
#include <fmt/format.h>

namespace heddle::frontend {

using Places = std::vector<size_t>;

/// What goes wrong when a reduction reads along a batch.
static std::string batchProblem(const std::string &name, const Extent &extent) {
  static const std::map<std::string, std::string> nouns = {{"mean", "a mean"},   {"var", "a variance"}, {"sum", "a sum"},
                                                           {"max", "a maximum"}, {"min", "a minimum"},  {"softmax", "a softmax"}};
  return fmt::format("{} over '{}' would mix rows; a row's result may depend on that row only", nouns.at(name), extent.form());
}

std::optional<std::vector<size_t>> Expander::overAxes(const Arguments &arguments) {
  const Value &x = arguments.values[0];
  if (!x.isTensor() || elementOfValue(x) == Element::Bool || x.axes()->empty()) {
    trace.error(arguments.places[0], fmt::format("'{}' takes a tensor of numbers with an axis, got {}", arguments.name(), x.describe()));
    return std::nullopt;
  }
  Places places;
  for (size_t i = 0; i < arguments.over.size(); ++i) {
    std::optional<size_t> axis = findAxis(arguments.over[i], x, arguments.overNames[i], arguments.overAt);
    if (!axis)
      return std::nullopt;
    places.push_back(*axis);
  }
  if (places.empty())
    places.push_back(x.axes()->size() - 1);
  std::ranges::sort(places);
  if (std::ranges::adjacent_find(places) != places.end()) {
    trace.error(arguments.overAt, fmt::format("'{}' over one axis twice", arguments.name()));
    return std::nullopt;
  }
  for (size_t place : places)
    if (const Axis &axis = (*x.axes())[place]; isBatch(axis)) {
      trace.error(arguments.at, batchProblem(arguments.name(), axis.extent));
      return std::nullopt;
    }
  return places;
}

std::vector<Value> Expander::builtinReduce(Arguments &arguments) {
  std::optional<Places> places = overAxes(arguments);
  if (!places)
    return {Failed()};
  Element element = arguments.name() == "mean" || arguments.name() == "var" ? Element::F32 : *elementOfValue(arguments.values[0]);
  std::optional<Tensor> x = elementwise.tensor(arguments.values[0], element);
  if (!x)
    return {Failed()};
  return {reduce(arguments.name(), *x, *places)};
}

Tensor Expander::reduce(const std::string &name, const Tensor &x, const std::vector<size_t> &places) {
  Axes axes = x.axes;
  llvm::SmallVector<int64_t> over;
  std::vector<int64_t> inValue = Emitter::places(axes);
  for (size_t place : places) {
    if (inValue[place] >= 0)
      over.push_back(inValue[place]);
    axes[place] = Axis::makeUnit();
  }
  if (over.empty()) { // unit axes only: nothing to add up
    if (name != "var")
      return {x.element, axes, x.value, ""};
    return {x.element, axes, emitter.splat(0, x.element, axes), ""};
  }
  mlir::Type type = emitter.type(x.element, axes);
  mlir::Value result;
  if (name == "mean")
    result = emitter.make<MeanOp>(type, x.value, over, mlir::Value());
  else if (name == "var")
    result = emitter.make<VarOp>(type, x.value, over, mlir::Value());
  else if (name == "sum")
    result = emitter.make<SumOp>(type, x.value, over, mlir::Value());
  else if (name == "max")
    result = emitter.make<MaxOp>(type, x.value, over, mlir::Value());
  else
    result = emitter.make<MinOp>(type, x.value, over, mlir::Value());
  return {x.element, axes, result, ""};
}

std::vector<Value> Expander::builtinSoftmax(Arguments &arguments) {
  std::optional<Places> places = overAxes(arguments);
  if (!places)
    return {Failed()};
  if (places->size() != 1)
    return {trace.fail(arguments.overAt, "'softmax' goes over one axis")};
  std::optional<Tensor> x = elementwise.tensor(arguments.values[0], Element::F32);
  if (!x)
    return {Failed()};
  if (x->axes[places->front()].unit)
    return {elementwise.binary(syntax::Operator::Divide, *x, *x, arguments.at, arguments.at, "")};
  int64_t axis = Emitter::places(x->axes)[places->front()];
  DimsAttr dims = dimsOf(x->value);
  if (axis + 1 == dims.getRank() || !dims.isStatic(dims.getRank() - 1))
    return {Tensor{Element::F32, x->axes, emitter.make<SoftmaxOp>(x->value.getType(), x->value, axis, mlir::Value()), ""}};
  // Where columns are static, rows lie side by side in memory: the axis is brought last, and back.
  llvm::SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, dims.getRank()));
  std::swap(order[axis], order.back());
  mlir::Value turned = emitter.make<TransposeOp>(dims.select(order).tensorOf(emitter.elementType(Element::F32)), x->value, order);
  mlir::Value soft = emitter.make<SoftmaxOp>(turned.getType(), turned, order.size() - 1, mlir::Value());
  return {Tensor{Element::F32, x->axes, emitter.make<TransposeOp>(x->value.getType(), soft, order), ""}};
}

/// x with a static last axis, and its vectors of that length; none after an error.
std::optional<Tensor> Expander::normOperand(const Arguments &arguments, size_t place, const Extent *width) {
  const Value &value = arguments.values[place];
  bool isTensor = value.isTensor() && elementOfValue(value) != Element::Bool && !value.axes()->empty();
  if (!isTensor || (width && (value.axes()->size() != 1 || !value.axes()->front().extent.agrees(*width)))) {
    std::string expected = width ? fmt::format("f32[{}]", width->print()) : "a tensor of numbers with an axis";
    trace.error(arguments.places[place], fmt::format("'{}' of '{}': expected {}, got {}", arguments.builtin->parameters[place].name, arguments.name(),
                                                     expected, value.describe()));
    return std::nullopt;
  }
  const Axis &last = value.axes()->back();
  if (!width && (last.unit || !last.extent.isStatic())) {
    trace.error(arguments.at,
                fmt::format("'{}' goes over the last axis, which must be static and no unit axis, got {}", arguments.name(), value.describe()));
    return std::nullopt;
  }
  return elementwise.tensor(value, Element::F32);
}

std::optional<double> Expander::knownNumber(const Arguments &arguments, size_t place) {
  if (std::optional<double> number = arguments.values[place].number())
    return number;
  trace.error(arguments.places[place], fmt::format("'{}' of '{}': expected a number known when compiling, got {}",
                                                   arguments.builtin->parameters[place].name, arguments.name(), arguments.values[place].describe()));
  return std::nullopt;
}

std::vector<Value> Expander::builtinLayerNorm(Arguments &arguments) {
  std::optional<double> epsilon = knownNumber(arguments, 3);
  std::optional<Tensor> x = normOperand(arguments, 0, nullptr);
  if (!epsilon || !x)
    return {Failed()};
  if (!(*epsilon >= 0))
    return {trace.fail(arguments.places[3], fmt::format("epsilon is at least 0, got {}", printNumber(*epsilon)))};
  Extent width = x->axes.back().extent;
  std::optional<Tensor> gain = normOperand(arguments, 1, &width), bias;
  if (!gain)
    return {Failed()};
  if (!arguments.values[2].isNone() && !(bias = normOperand(arguments, 2, &width)))
    return {Failed()};
  mlir::Value result = emitter.make<LayerNormOp>(x->value.getType(), x->value, gain->value, bias ? bias->value : mlir::Value(),
                                                 emitter.build().getF64FloatAttr(*epsilon));
  return {Tensor{Element::F32, x->axes, result, ""}};
}

std::vector<Value> Expander::builtinRmsNorm(Arguments &arguments) {
  std::optional<double> epsilon = knownNumber(arguments, 2);
  std::optional<Tensor> x = normOperand(arguments, 0, nullptr);
  if (!epsilon || !x)
    return {Failed()};
  if (!(*epsilon >= 0))
    return {trace.fail(arguments.places[2], fmt::format("epsilon is at least 0, got {}", printNumber(*epsilon)))};
  std::optional<Tensor> gain = normOperand(arguments, 1, &x->axes.back().extent);
  if (!gain)
    return {Failed()};
  mlir::Value result = emitter.make<RmsNormOp>(x->value.getType(), x->value, gain->value, emitter.build().getF64FloatAttr(*epsilon));
  return {Tensor{Element::F32, x->axes, result, ""}};
}

} // namespace heddle::frontend
