// attention, masks of scores, masks as tensors.
#include "compiler/frontend/Broadcasting.h"
#include "compiler/frontend/Builtins.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace heddle::frontend {

/// Queries, keys or values, [.., heads, tokens, width] with real heads and tokens.
struct Expander::AttentionOperand {
  Tensor tensor;
  Axes lead; // before the heads
  Axis heads, tokens, width;
  bool headsStated = false; // else the tensor has no axis of heads
};

std::optional<Expander::AttentionOperand> Expander::attentionOperand(const Arguments &arguments, size_t place) {
  const Value &value = arguments.values[place];
  std::string_view name = arguments.builtin->parameters[place].name;
  if (!value.isTensor() || elementOfValue(value) == Element::Bool || value.axes()->size() < 2) {
    trace.error(arguments.places[place], fmt::format("'{}' of 'attention': expected f32[.., tokens, width], got {}", name, value.describe()));
    return std::nullopt;
  }
  std::optional<Tensor> tensor = elementwise.tensor(value, Element::F32);
  if (!tensor)
    return std::nullopt;
  const Axes &axes = tensor->axes;
  if (!axes.back().extent.isStatic()) {
    trace.error(arguments.places[place], fmt::format("'{}' of 'attention': its width must be known when compiling, got {}", name, value.describe()));
    return std::nullopt;
  }
  AttentionOperand result{*tensor, {}, {Extent(1)}, {axes[axes.size() - 2].extent}, {axes.back().extent}, false};
  result.headsStated = axes.size() >= 3 && axes[axes.size() - 3].extent.isStatic();
  if (result.headsStated)
    result.heads = {axes[axes.size() - 3].extent};
  result.lead.assign(axes.begin(), axes.end() - (result.headsStated ? 3 : 2));
  Axes real = result.lead;
  for (const Axis &axis : {result.heads, result.tokens, result.width})
    real.push_back({axis.extent});
  result.tensor.value = emitter.reshape(tensor->value, real);
  return result;
}

std::vector<Value> Expander::builtinAttention(Arguments &arguments) {
  for (size_t place : {size_t(5), size_t(6)})
    if (!arguments.values[place].isNone())
      return {trace.fail(arguments.places[place], fmt::format("'{}' of 'attention' is not built yet", arguments.builtin->parameters[place].name))};
  auto q = attentionOperand(arguments, 0), k = q ? attentionOperand(arguments, 1) : std::nullopt, v = k ? attentionOperand(arguments, 2) : std::nullopt;
  if (!v)
    return {Failed()};
  auto meets = [&](const Extent &a, const Extent &b, const std::string &what) {
    if (!a.agrees(b))
      trace.error(arguments.at, fmt::format("attention: {}: {}", what, printMeeting(a, b)));
    return a.agrees(b);
  };
  if (!meets(q->width.extent, k->width.extent, "queries and keys differ in width") || !meets(k->tokens.extent, v->tokens.extent, "keys and values") ||
      !meets(k->heads.extent, v->heads.extent, "heads of keys and values"))
    return {Failed()};
  auto sameLead = [&](const AttentionOperand &other) {
    return std::ranges::equal(q->lead, other.lead, [](const Axis &a, const Axis &b) { return a.unit == b.unit && a.extent.agrees(b.extent); });
  };
  if (!sameLead(*k) || !sameLead(*v))
    return {trace.fail(arguments.at, fmt::format("attention: the leading axes of {}, {} and {} differ", arguments.values[0].describe(),
                                                 arguments.values[1].describe(), arguments.values[2].describe()))};
  if (q->heads.extent.staticValue() % k->heads.extent.staticValue() != 0)
    return {trace.fail(arguments.at, fmt::format("attention: the heads of the queries, {}, are no multiple of those of the keys, {}", q->heads.extent.print(),
                                                 k->heads.extent.print()))};
  double scale = 1 / std::sqrt(static_cast<double>(q->width.extent.staticValue()));
  if (!arguments.values[4].isNone()) {
    std::optional<double> given = knownNumber(arguments, 4);
    if (!given)
      return {Failed()};
    scale = *given;
  }
  mlir::Value mask;
  if (!arguments.values[3].isNone()) {
    Axes scores = q->lead;
    if (q->headsStated)
      scores.push_back(q->heads);
    scores.push_back(q->tokens);
    scores.push_back(k->tokens);
    std::shared_ptr<const Mask> stated = elementwise.mask(arguments.values[3], arguments.places[3]);
    if (!stated || !(mask = emitMask(*stated, scores, arguments.places[3])))
      return {Failed()};
  }
  emitter.at(arguments.at);
  Axes made = q->lead, result(q->tensor.axes.begin(), q->tensor.axes.end() - 1);
  for (const Axis &axis : {q->heads, q->tokens, v->width})
    made.push_back(axis);
  result.push_back(v->tensor.axes.back());
  mlir::Value none;
  mlir::Value value = emitter.make<AttentionOp>(emitter.type(Element::F32, made), q->tensor.value, k->tensor.value, v->tensor.value, mask, none, none,
                                                none, none, emitter.build().getF64FloatAttr(scale));
  return {Tensor{Element::F32, result, emitter.reshape(value, result), ""}};
}

mlir::Value Expander::emitMask(const Mask &mask, const Axes &scores, Position at) {
  emitter.at(at);
  if (!emitter.ready())
    return {};
  if (mask.kind == Mask::Kind::Causal)
    return emitter.make<MaskCausalOp>(MaskType::get(emitter.build().getContext()));
  if (mask.kind == Mask::Kind::Tensor)
    return emitMaskTensor(mask.tensor, scores, at);
  mlir::Value left = emitMask(*mask.left, scores, at), right = left ? emitMask(*mask.right, scores, at) : mlir::Value();
  return right ? mlir::Value(emitter.make<MaskAndOp>(left.getType(), left, right)) : right;
}

/// A bool tensor against scores [batch, heads, query, key] or [batch, query, key]; its own op knows [q, k], [batch, q, k] and all four.
mlir::Value Expander::emitMaskTensor(const Tensor &tensor, const Axes &scores, Position at) {
  Value shown(tensor);
  Joined joined = joinAxes(tensor.axes, scores, shown.describe(), printType(Element::F32, scores));
  bool widens = tensor.axes.size() > scores.size() || !std::ranges::equal(joined.axes, scores, [](const Axis &a, const Axis &b) { return a.unit == b.unit; });
  if (!joined.problem.empty() || widens) {
    trace.error(at, fmt::format("a mask of {} does not fit scores of {}{}", shown.describe(), printType(Element::F32, scores),
                                joined.problem.empty() || joined.widens ? "" : ": " + joined.problem),
                joined.remedies);
    return {};
  }
  if (scores.size() > 4) {
    trace.error(at, "a tensor mask for scores of more than 4 axes is not built yet");
    return {};
  }
  Axes own(scores.size() - tensor.axes.size(), Axis::makeUnit()), target = scores;
  own.insert(own.end(), tensor.axes.begin(), tensor.axes.end());
  size_t lead = scores.size() - 2;
  if (lead == 2 && own[1].unit) // the same for all heads
    own.erase(own.begin() + 1), target.erase(target.begin() + 1), --lead;
  if (std::all_of(own.begin(), own.begin() + lead, [](const Axis &axis) { return axis.unit; }))
    own.erase(own.begin(), own.begin() + lead), target.erase(target.begin(), target.begin() + lead);
  return emitter.make<MaskTensorOp>(MaskType::get(emitter.build().getContext()), emitter.widen(emitter.read(tensor), own, target));
}

/// The axis of tokens: the ragged one, else the one behind the batch.
std::optional<Axis> Expander::tokenAxis(const Value &value, Position at) {
  const Axes *axes = value.as<Tensor>() ? value.axes() : nullptr;
  std::optional<Axis> found;
  for (size_t i = 0; axes && i < axes->size(); ++i)
    if ((*axes)[i].extent.isRagged() && !found)
      found = (*axes)[i];
  if (!found && axes && axes->size() >= 2 && !(*axes)[1].unit)
    found = (*axes)[1];
  if (!found)
    trace.error(at, fmt::format("expected a tensor with an axis of tokens, got {}", value.describe()));
  return found;
}

std::vector<Value> Expander::builtinMaskValues(Arguments &arguments) {
  std::optional<Axis> rows = tokenAxis(arguments.values[1], arguments.places[1]), columns = tokenAxis(arguments.values[2], arguments.places[2]);
  if (!rows || !columns)
    return {Failed()};
  const Axis &batch = arguments.values[1].axes()->front(), &other = arguments.values[2].axes()->front();
  if (batch.unit || !batch.extent.agrees(other.extent))
    return {trace.fail(arguments.at, fmt::format("'mask_values': {}", printMeeting(batch.extent, other.extent)))};
  Axes axes{batch, *rows, *columns};
  mlir::Value mask, none;
  if (!arguments.values[0].isNone()) {
    std::shared_ptr<const Mask> stated = elementwise.mask(arguments.values[0], arguments.places[0]);
    if (!stated || !(mask = emitMask(*stated, axes, arguments.places[0])))
      return {Failed()};
  }
  emitter.at(arguments.at);
  if (!emitter.ready())
    return {Failed()};
  return {Tensor{Element::Bool, axes, emitter.make<MaskValuesOp>(emitter.type(Element::Bool, axes), mask, none, none, none, none), ""}};
}

/// -infinity where hidden: mask_values as a condition.
std::vector<Value> Expander::builtinMask(Arguments &arguments) {
  const Value &scores = arguments.values[0];
  if (!scores.as<Tensor>() || scores.axes()->size() < 3 || scores.axes()->front().unit)
    return {trace.fail(arguments.places[0], fmt::format("'mask' takes scores [batch, .., query, key] of a run, got {}", scores.describe()))};
  std::shared_ptr<const Mask> stated = elementwise.mask(arguments.values[1], arguments.places[1]);
  if (!stated)
    return {Failed()};
  const Axes &all = *scores.axes();
  Axes axes{all.front(), all[all.size() - 2], all.back()};
  if (axes[1].unit || axes[2].unit)
    return {trace.fail(arguments.places[0], fmt::format("'mask' needs axes of queries and keys, got {}", scores.describe()))};
  mlir::Value mask = emitMask(*stated, axes, arguments.places[1]), none;
  if (!mask)
    return {Failed()};
  emitter.at(arguments.at);
  mlir::Value visible = emitter.make<MaskValuesOp>(emitter.type(Element::Bool, axes), mask, none, none, none, none);
  Axes spread = axes;
  spread.insert(spread.begin() + 1, all.size() - 3, Axis::makeUnit());
  return {elementwise.where(Tensor{Element::Bool, spread, visible, ""}, scores, -std::numeric_limits<double>::infinity(), arguments.at)};
}

} // namespace heddle::frontend
