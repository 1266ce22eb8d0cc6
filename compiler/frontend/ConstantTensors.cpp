// Elementwise work on constant tensors.
#include "compiler/frontend/ConstantTensors.h"
#include <cmath>
#include <fmt/format.h>

namespace heddle::frontend {

static Value makeTensor(Element element, Axes axes, std::vector<double> data) {
  return ConstantTensor{element, std::move(axes), std::make_shared<const std::vector<double>>(std::move(data))};
}

Value makeIota(const Extent &extent, Position at, Trace &trace) {
  int64_t size = extent.staticValue();
  if (size < 1 || size > maxConstantElements)
    return trace.fail(at, fmt::format("'iota' makes 1 to {} elements, got {}", maxConstantElements, extent.print()));
  if (!trace.spend(at, size))
    return Failed();
  std::vector<double> data(size);
  for (int64_t i = 0; i < size; ++i)
    data[i] = static_cast<double>(i);
  return makeTensor(Element::I32, {{extent}}, std::move(data));
}

Value makeConstant(const Value &list, Position at, Trace &trace) {
  std::vector<double> data;
  for (const Value &item : **list.as<List>()) {
    if (item.failed())
      return Failed();
    if (!item.isNumber())
      return trace.fail(at, fmt::format("'tensor' takes a list of numbers, got {} at place {}", item.describe(), data.size()));
    data.push_back(*item.number());
  }
  if (data.empty() || static_cast<int64_t>(data.size()) > maxConstantElements)
    return trace.fail(at, fmt::format("'tensor' takes 1 to {} numbers, got {}", maxConstantElements, data.size()));
  Extent extent(static_cast<int64_t>(data.size()));
  return makeTensor(Element::F32, {{extent}}, std::move(data));
}

ConstantTensor constantOf(const Value &number) {
  return {number.integer() ? Element::I32 : Element::F32, {}, std::make_shared<const std::vector<double>>(1, *number.number())};
}

/// How far apart the elements of an operand lie along each axis of the result; 0 where it repeats.
static std::vector<int64_t> strides(const Axes &of, const Axes &in) {
  std::vector<int64_t> result(in.size(), 0);
  int64_t stride = 1;
  for (size_t i = of.size(); i-- > 0;) {
    if (!of[i].unit)
      result[in.size() - of.size() + i] = stride;
    stride *= of[i].extent.staticValue();
  }
  return result;
}

Value mapConstants(Element element, const Axes &axes, const std::vector<const ConstantTensor *> &operands,
                   const std::function<double(const double *)> &function, Position at, Trace &trace) {
  int64_t count = 1;
  for (const Axis &axis : axes)
    if (__builtin_mul_overflow(count, axis.extent.staticValue(), &count) || count > maxConstantElements)
      return trace.fail(at, fmt::format("a constant tensor has at most {} elements, got {}", maxConstantElements, printType(element, axes)));
  if (!trace.spend(at, count))
    return Failed();
  std::vector<std::vector<int64_t>> steps;
  for (const ConstantTensor *operand : operands)
    steps.push_back(strides(operand->axes, axes));
  std::vector<double> data(count), arguments(operands.size());
  std::vector<int64_t> index(axes.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < operands.size(); ++k) {
      int64_t place = 0;
      for (size_t axis = 0; axis < axes.size(); ++axis)
        place += index[axis] * steps[k][axis];
      arguments[k] = (*operands[k]->data)[place];
    }
    data[i] = function(arguments.data());
    constexpr double exactInts = 9007199254740992.0; // 2^53
    if (element == Element::I32 && !(std::fabs(data[i]) <= exactInts))
      return trace.fail(at, "a constant tensor of ints leaves the range of exact numbers");
    for (size_t axis = axes.size(); axis-- > 0;) {
      if (++index[axis] < axes[axis].extent.staticValue())
        break;
      index[axis] = 0;
    }
  }
  return makeTensor(element, axes, std::move(data));
}

} // namespace heddle::frontend
