// attention: its operands, and softcap, bias and mask as one value.
#include "compiler/frontend/Broadcasting.h"
#include "compiler/frontend/Builtins.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

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
  auto q = attentionOperand(arguments, 0), k = q ? attentionOperand(arguments, 1) : std::nullopt,
       v = k ? attentionOperand(arguments, 2) : std::nullopt;
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
    return {trace.fail(arguments.at, fmt::format("attention: the heads of the queries, {}, are no multiple of those of the keys, {}",
                                                 q->heads.extent.print(), k->heads.extent.print()))};
  double scale = 1 / std::sqrt(static_cast<double>(q->width.extent.staticValue()));
  if (!arguments.values[4].isNone()) {
    std::optional<double> given = knownNumber(arguments, 4);
    if (!given)
      return {Failed()};
    scale = *given;
  }
  Axes scores = q->lead;
  if (q->headsStated)
    scores.push_back(q->heads);
  scores.push_back(q->tokens);
  scores.push_back(k->tokens);
  std::optional<mlir::Value> mask = scoreChanges(arguments, scores);
  if (!mask)
    return {Failed()};
  emitter.at(arguments.at);
  Axes made = q->lead, result(q->tensor.axes.begin(), q->tensor.axes.end() - 1);
  for (const Axis &axis : {q->heads, q->tokens, v->width})
    made.push_back(axis);
  result.push_back(v->tensor.axes.back());
  mlir::Value none;
  mlir::Value value = emitter.make<AttentionOp>(emitter.type(Element::F32, made), q->tensor.value, k->tensor.value, v->tensor.value, *mask, none,
                                                none, none, none, emitter.build().getF64FloatAttr(scale));
  return {Tensor{Element::F32, result, emitter.reshape(value, result), ""}};
}

/// Softcap, bias and mask of an attention as one value, in this order (score changes of the left side come first); null for none of them, nothing
/// after an error.
std::optional<mlir::Value> Expander::scoreChanges(const Arguments &arguments, const Axes &scores) {
  const Value &stated = arguments.values[3], &softcap = arguments.values[5], &added = arguments.values[6];
  mlir::Value change;
  auto follow = [&](mlir::Value next) {
    emitter.at(arguments.at);
    change = change ? emitter.make<MaskAndOp>(next.getType(), next, change) : next;
    return true;
  };
  // Built from the innermost outwards: softcap and (bias and mask).
  if (!stated.isNone()) {
    std::shared_ptr<const Mask> mask = elementwise.mask(stated, arguments.places[3]);
    mlir::Value value = mask ? emitMask(*mask, scores, arguments.places[3]) : mlir::Value();
    if (!value || !follow(value))
      return std::nullopt;
  }
  if (!added.isNone()) {
    std::shared_ptr<const Bias> bias = biasOf(added, arguments.places[6]);
    mlir::Value value = bias ? emitBias(*bias, scores, arguments.places[6]) : mlir::Value();
    if (!value || !follow(value))
      return std::nullopt;
  }
  if (!softcap.isNone()) {
    std::optional<double> cap = knownNumber(arguments, 5);
    if (!cap)
      return std::nullopt;
    if (!(*cap > 0) || std::isinf(*cap)) {
      trace.error(arguments.places[5], fmt::format("'softcap' of 'attention': expected a number above 0, got {}", softcap.describe()));
      return std::nullopt;
    }
    follow(emitter.make<SoftcapOp>(MaskType::get(emitter.build().getContext()), emitter.build().getF64FloatAttr(*cap)));
  }
  return change;
}

} // namespace heddle::frontend
