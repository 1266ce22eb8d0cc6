// Masks and biases: what a query may see and what is added to scores, as values of the language and in the IR.
#include "compiler/frontend/Broadcasting.h"
#include "compiler/frontend/Builtins.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace heddle::frontend {

/// window(left, right=infinity); a limit may be infinite.
std::vector<Value> Expander::builtinWindow(Arguments &arguments) {
  Mask mask{Mask::Kind::Window, nullptr, nullptr, {}, {}, {}};
  for (size_t place : {size_t(0), size_t(1)}) {
    const Value &value = arguments.values[place];
    std::optional<int64_t> &limit = place == 0 ? mask.before : mask.behind;
    if (value.isNone() || (value.as<double>() && *value.as<double>() == HUGE_VAL))
      continue;
    if (!value.integer() || value.integer()->staticValue() < 1)
      return {trace.fail(arguments.places[place], fmt::format("'{}' of 'window': expected an int of at least 1, or infinity, got {}",
                                                              arguments.builtin->parameters[place].name, value.describe()))};
    limit = value.integer()->staticValue();
  }
  return {std::make_shared<const Mask>(std::move(mask))};
}

/// A run-time tensor of i32 as an argument; null (reported) for anything else.
static const Tensor *numbersOf(const Arguments &arguments, size_t place, size_t rank, const char *expected, Trace &trace) {
  const Value &value = arguments.values[place];
  auto *tensor = value.as<Tensor>();
  bool fits = tensor && tensor->element == Element::I32 && tensor->axes.size() == rank && std::ranges::none_of(tensor->axes, &Axis::unit);
  if (!fits && !value.failed())
    trace.error(arguments.places[place], fmt::format("'{}' of '{}': expected {}, got {}", arguments.builtin->parameters[place].name,
                                                     arguments.builtin->name, expected, value.describe()));
  return fits ? tensor : nullptr;
}

/// prefix(lengths), lengths i32[batch]
std::vector<Value> Expander::builtinPrefix(Arguments &arguments) {
  const Tensor *lengths = numbersOf(arguments, 0, 1, "i32[batch]", trace);
  return {lengths ? Value(std::make_shared<const Mask>(Mask{Mask::Kind::Prefix, nullptr, nullptr, *lengths, {}, {}})) : Failed()};
}

/// segments(queries, keys), i32[batch, s] and i32[batch, t]
std::vector<Value> Expander::builtinSegments(Arguments &arguments) {
  const Tensor *queries = numbersOf(arguments, 0, 2, "i32[batch, query]", trace), *keys = numbersOf(arguments, 1, 2, "i32[batch, key]", trace);
  return {queries && keys ? Value(std::make_shared<const Mask>(Mask{Mask::Kind::Segments, nullptr, nullptr, *queries, {}, {}, *keys})) : Failed()};
}

/// alibi(slopes), slopes f32[heads]
std::vector<Value> Expander::builtinAlibi(Arguments &arguments) {
  const Value &value = arguments.values[0];
  const Axes *axes = value.axes();
  bool fits = axes && axes->size() == 1 && !axes->front().unit && axes->front().extent.isStatic() && elementOfValue(value) == Element::F32;
  if (!fits)
    return {trace.fail(arguments.places[0], fmt::format("'slopes' of 'alibi': expected f32[heads], got {}", value.describe()))};
  Bias bias{Bias::Kind::Alibi, nullptr, nullptr, {}, {}};
  if (auto *constant = value.as<ConstantTensor>())
    bias.constant = *constant;
  else
    bias.tensor = *value.as<Tensor>();
  return {std::make_shared<const Bias>(std::move(bias))};
}

/// Which bucket a distance (key - query) falls into: half of them one distance each, the rest growing with its logarithm (Raffel et al. 2020).
static int64_t bucketOf(int64_t distance, bool bidirectional, int64_t buckets, int64_t maxDistance) {
  int64_t count = bidirectional ? buckets / 2 : buckets, first = bidirectional && distance > 0 ? count : 0;
  int64_t away = bidirectional ? std::abs(distance) : std::max<int64_t>(-distance, 0), exact = count / 2;
  if (away < exact)
    return first + away;
  double part = std::log(static_cast<double>(away) / exact) / std::log(static_cast<double>(maxDistance) / exact);
  return first + std::min(exact + static_cast<int64_t>(part * (count - exact)), count - 1);
}

/// relative(table, bidirectional, max_distance), table f32[buckets, heads] a weight: what is read is laid out by distance in its recipe.
std::vector<Value> Expander::builtinRelative(Arguments &arguments) {
  auto *table = arguments.values[0].as<Tensor>();
  if (!table || table->weight.empty() || table->axes.size() != 2 || table->axes[0].unit)
    return {trace.fail(arguments.places[0], fmt::format("'relative' takes a weight [buckets, heads], got {}", arguments.values[0].describe()))};
  auto *bidirectional = arguments.values[1].as<bool>();
  if (!bidirectional)
    return {trace.fail(arguments.places[1], fmt::format("'bidirectional' of 'relative': expected bool, got {}", arguments.values[1].describe()))};
  int64_t buckets = table->axes[0].extent.staticValue(), least = *bidirectional ? 4 : 2;
  if (buckets < least)
    return {trace.fail(arguments.places[0], fmt::format("'relative' needs {} buckets at least, got {}", least, table->axes[0].extent.print()))};
  constexpr int64_t largest = 1 << 16;
  int64_t exact = buckets / least; // distances with a bucket of their own
  const Extent *reach = arguments.values[2].integer();
  if (!reach || reach->staticValue() <= exact || reach->staticValue() > largest)
    return {trace.fail(arguments.places[2], fmt::format("'max_distance' of 'relative': expected an int from {} to {}, got {}", exact + 1, largest,
                                                        arguments.values[2].describe()))};
  Bias bias{Bias::Kind::Relative, nullptr, nullptr, *table, {}};
  for (int64_t distance = -reach->staticValue(); distance <= reach->staticValue(); ++distance)
    bias.buckets.push_back(bucketOf(distance, *bidirectional, buckets, reach->staticValue()));
  return {std::make_shared<const Bias>(std::move(bias))};
}

std::shared_ptr<const Bias> Expander::biasOf(const Value &value, Position at) {
  if (auto *bias = value.as<std::shared_ptr<const Bias>>())
    return *bias;
  emitter.at(at);
  if (value.isTensor() && elementOfValue(value) == Element::F32) {
    std::optional<Tensor> tensor = elementwise.tensor(value, Element::F32);
    return tensor ? std::make_shared<const Bias>(Bias{Bias::Kind::Tensor, nullptr, nullptr, *tensor, {}}) : nullptr;
  }
  if (!value.failed())
    trace.error(at, fmt::format("expected a bias (relative(...), alibi(...), an f32 tensor), got {}", value.describe()));
  return nullptr;
}

/// A bias and what it is added to: written-out scores change, other tensors and biases become one bias.
Value Expander::addBias(const Value &left, const Value &right, Position at) {
  const Value &other = left.as<std::shared_ptr<const Bias>>() ? right : left, &bias = &other == &left ? right : left;
  if (auto *scores = other.as<Tensor>(); scores && scores->element == Element::F32) {
    const Axes &axes = scores->axes;
    if (axes.size() >= 2 && std::ranges::none_of(axes, &Axis::unit))
      return changeScores(*scores, emitBias(**bias.as<std::shared_ptr<const Bias>>(), axes, at), at);
  }
  std::shared_ptr<const Bias> a = biasOf(left, at), b = a ? biasOf(right, at) : nullptr;
  return b ? Value(std::make_shared<const Bias>(Bias{Bias::Kind::Sum, a, b, {}, {}})) : Failed();
}

/// Written-out scores [.., query, key] as a mask or bias changes them; fails where `change` is null.
Value Expander::changeScores(const Tensor &scores, mlir::Value change, Position at) {
  if (!change)
    return Failed();
  emitter.at(at);
  mlir::Value none, value = emitter.read(scores);
  return Tensor{Element::F32, scores.axes, emitter.make<MaskScoresOp>(value.getType(), value, change, none, none, none, none), ""};
}

mlir::Value Expander::emitMask(const Mask &mask, const Axes &scores, Position at) {
  emitter.at(at);
  if (!emitter.ready())
    return {};
  mlir::OpBuilder &builder = emitter.build();
  mlir::Type type = MaskType::get(builder.getContext());
  auto limit = [&](std::optional<int64_t> value) { return value ? builder.getI64IntegerAttr(*value) : mlir::IntegerAttr(); };
  if (mask.kind == Mask::Kind::Causal)
    return emitter.make<MaskCausalOp>(type);
  if (mask.kind == Mask::Kind::Window)
    return emitter.make<MaskWindowOp>(type, limit(mask.before), limit(mask.behind));
  if (mask.kind == Mask::Kind::Tensor) {
    mlir::Value values = overPairs(mask.tensor, scores, "mask", at);
    return values ? mlir::Value(emitter.make<MaskTensorOp>(type, values)) : values;
  }
  if (mask.kind == Mask::Kind::Prefix)
    return emitPrefix(mask, scores, at);
  if (mask.kind == Mask::Kind::Segments)
    return emitSegments(mask, scores, at);
  mlir::Value left = emitMask(*mask.left, scores, at), right = left ? emitMask(*mask.right, scores, at) : mlir::Value();
  return right ? mlir::Value(emitter.make<MaskAndOp>(type, left, right)) : right;
}

mlir::Value Expander::emitPrefix(const Mask &mask, const Axes &scores, Position at) {
  const Extent &batch = mask.tensor.axes[0].extent;
  if (scores.size() < 3 || scores[0].unit || !scores[0].extent.agrees(batch)) {
    trace.error(at, fmt::format("'prefix' of {} does not fit scores of {}: expected a length for each row of the batch",
                                printType(Element::I32, mask.tensor.axes), printType(Element::F32, scores)));
    return {};
  }
  return emitter.make<MaskPrefixOp>(MaskType::get(emitter.build().getContext()), emitter.read(mask.tensor));
}

mlir::Value Expander::emitSegments(const Mask &mask, const Axes &scores, Position at) {
  auto fits = [&](const Tensor &side, size_t fromBack) {
    return side.axes[0].extent.agrees(scores[0].extent) && side.axes[1].extent.agrees(scores[scores.size() - fromBack].extent);
  };
  if (scores.size() < 3 || scores[0].unit || !fits(mask.tensor, 2) || !fits(mask.keys, 1)) {
    trace.error(at, fmt::format("'segments' of {} and {} do not fit scores of {}", printType(Element::I32, mask.tensor.axes),
                                printType(Element::I32, mask.keys.axes), printType(Element::F32, scores)));
    return {};
  }
  mlir::Value queries = emitter.read(mask.tensor), keys = emitter.read(mask.keys);
  return emitter.make<MaskSegmentsOp>(MaskType::get(emitter.build().getContext()), queries, keys);
}

bool Expander::fitsHeads(const std::string &what, const Extent &heads, const Axes &scores, Position at) {
  Extent given = scores.size() >= 3 && scores[scores.size() - 3].extent.isStatic() ? scores[scores.size() - 3].extent : Extent(1);
  bool fits = given.agrees(heads);
  if (!fits)
    trace.error(at, fmt::format("{} of {} heads does not fit scores of {}", what, heads.print(), printType(Element::F32, scores)));
  return fits;
}

mlir::Value Expander::emitBias(const Bias &bias, const Axes &scores, Position at) {
  emitter.at(at);
  if (!emitter.ready())
    return {};
  mlir::Type type = MaskType::get(emitter.build().getContext());
  if (bias.kind == Bias::Kind::Tensor) {
    mlir::Value values = overPairs(bias.tensor, scores, "bias", at);
    return values ? mlir::Value(emitter.make<BiasTensorOp>(type, values)) : values;
  }
  if (bias.kind == Bias::Kind::Sum) {
    mlir::Value left = emitBias(*bias.left, scores, at), right = left ? emitBias(*bias.right, scores, at) : mlir::Value();
    return right ? mlir::Value(emitter.make<MaskAndOp>(type, left, right)) : right;
  }
  if (bias.kind == Bias::Kind::Alibi) {
    std::optional<Tensor> slopes = bias.constant.data ? elementwise.tensor(Value(bias.constant), Element::F32) : bias.tensor;
    if (!slopes || !fitsHeads("a bias 'alibi'", slopes->axes[0].extent, scores, at))
      return {};
    return emitter.make<BiasAlibiOp>(type, emitter.read(*slopes));
  }
  const Extent &heads = bias.tensor.axes[1].extent;
  if (!fitsHeads("a relative bias", heads, scores, at))
    return {};
  Axes axes{{heads}, {Extent(static_cast<int64_t>(bias.buckets.size()))}};
  auto tableType = emitter.type(Element::F32, axes);
  mlir::Value table = emitter.make<UseOp>(tableType, weights.useByDistance(bias.tensor.weight, bias.buckets, tableType));
  return emitter.make<BiasRelativeOp>(type, table);
}

/// A tensor against scores [batch, heads, query, key] or [batch, query, key]; the ops of masks know [q, k], [batch, q, k] and all four.
mlir::Value Expander::overPairs(const Tensor &tensor, const Axes &scores, const std::string &what, Position at) {
  Value shown(tensor);
  Joined joined = joinAxes(tensor.axes, scores, shown.describe(), printType(Element::F32, scores));
  bool widens =
      tensor.axes.size() > scores.size() || !std::ranges::equal(joined.axes, scores, [](const Axis &a, const Axis &b) { return a.unit == b.unit; });
  if (!joined.problem.empty() || widens) {
    trace.error(at,
                fmt::format("a {} of {} does not fit scores of {}{}", what, shown.describe(), printType(Element::F32, scores),
                            joined.problem.empty() || joined.widens ? "" : ": " + joined.problem),
                joined.remedies);
    return {};
  }
  if (scores.size() > 4) {
    trace.error(at, fmt::format("a tensor as {} for scores of more than 4 axes is not built yet", what));
    return {};
  }
  Axes own(scores.size() - tensor.axes.size(), Axis::makeUnit()), target = scores;
  own.insert(own.end(), tensor.axes.begin(), tensor.axes.end());
  size_t lead = scores.size() - 2;
  if (lead == 2 && own[1].unit) // the same for all heads
    own.erase(own.begin() + 1), target.erase(target.begin() + 1), --lead;
  if (std::all_of(own.begin(), own.begin() + lead, [](const Axis &axis) { return axis.unit; }))
    own.erase(own.begin(), own.begin() + lead), target.erase(target.begin(), target.begin() + lead);
  return emitter.widen(emitter.read(tensor), own, target);
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

/// -infinity where hidden; nothing is under `none`, as in attention and mask_values.
std::vector<Value> Expander::builtinMask(Arguments &arguments) {
  const Value &given = arguments.values[0];
  size_t rank = given.isTensor() ? given.axes()->size() : 0;
  if (rank < 2 || elementOfValue(given) == Element::Bool || (*given.axes())[rank - 1].unit || (*given.axes())[rank - 2].unit)
    return {trace.fail(arguments.places[0], fmt::format("'mask' takes scores f32[.., query, key], got {}", given.describe()))};
  if (rank > 4)
    return {trace.fail(arguments.places[0], fmt::format("'mask' of scores of more than 4 axes is not built yet, got {}", given.describe()))};
  std::optional<Tensor> scores = elementwise.tensor(given, Element::F32);
  if (scores && arguments.values[1].isNone())
    return {*scores};
  std::shared_ptr<const Mask> stated = scores ? elementwise.mask(arguments.values[1], arguments.places[1]) : nullptr;
  return {stated ? changeScores(*scores, emitMask(*stated, scores->axes, arguments.places[1]), arguments.at) : Failed()};
}

} // namespace heddle::frontend
