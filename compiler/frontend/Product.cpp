// `@`: the matrix product of the last two axes.
#include "compiler/frontend/Broadcasting.h"
#include "compiler/frontend/Expander.h"
#include <algorithm>
#include <fmt/format.h>

namespace heddle::frontend {

Value Expander::product(const Value &left, const Value &right, Position at) {
  std::string what = fmt::format("cannot multiply {} @ {}", left.describe(), right.describe());
  auto isMatrix = [](const Value &value) { return value.isTensor() && elementOfValue(value) != Element::Bool && value.axes()->size() >= 2; };
  if (!isMatrix(left) || !isMatrix(right))
    return trace.fail(at, what + ": both sides need two axes at least");
  const Axes &a = *left.axes(), &b = *right.axes();
  const Axis &inner = a.back(), &other = b[b.size() - 2];
  if (!inner.extent.agrees(other.extent)) {
    bool stored = b.size() == 2 && inner.extent.agrees(b.back().extent);
    return trace.fail(at, fmt::format("{}: {}", what, printMeeting(inner.extent, other.extent)),
                      stored ? std::vector<std::string>{"the matrix is stored [out, in]: write '@ transpose(...)'"} : std::vector<std::string>{});
  }
  if (inner.extent.isBatch())
    return trace.fail(at, fmt::format("a product over '{}' would mix rows; a row's result may depend on that row only", inner.extent.form()));
  Axes leftLead(a.begin(), a.end() - 2), rightLead(b.begin(), b.end() - 2);
  Joined lead = joinAxes(leftLead, rightLead, left.describe(), right.describe());
  if (!lead.problem.empty())
    return trace.fail(at, lead.widens ? lead.problem : fmt::format("{}: {}", what, lead.problem), lead.remedies);
  Axis rows = a[a.size() - 2], columns = b.back();
  emitter.at(at);
  std::optional<Tensor> x = elementwise.tensor(left, Element::F32), y = x ? elementwise.tensor(right, Element::F32) : std::nullopt;
  if (!y)
    return Failed();
  // The op needs its matrix axes; unit ones come back for it and go again afterwards.
  Axes result = lead.axes, leftAxes = lead.axes, rightAxes = b.size() == 2 ? Axes{} : lead.axes;
  bool plain = b.size() == 2 && rows.unit && std::ranges::any_of(lead.axes, [](const Axis &axis) { return !axis.unit; });
  auto real = [](const Axis &axis) { return Axis{axis.extent}; };
  leftAxes.push_back(plain ? rows : real(rows)); // with one matrix on the right the leading axes are rows as well
  leftAxes.push_back(real(inner));
  rightAxes.push_back(real(other));
  rightAxes.push_back(real(columns));
  auto prepare = [&](const Tensor &tensor, const Axes &target) {
    Axes own = tensor.axes;
    size_t last = own.size() - 1;
    own[last] = target[target.size() - 1], own[last - 1] = target[target.size() - 2];
    return emitter.widen(emitter.reshape(tensor.value, own), own, target);
  };
  mlir::Value lhs = prepare(*x, leftAxes), rhs = prepare(*y, rightAxes);
  Axes made = leftAxes;
  made.back() = real(columns);
  mlir::Value value = emitter.make<MatmulOp>(emitter.type(Element::F32, made), lhs, rhs, mlir::Value());
  result.push_back(rows);
  result.push_back(columns);
  return Tensor{Element::F32, result, emitter.reshape(value, result), ""};
}

} // namespace heddle::frontend
