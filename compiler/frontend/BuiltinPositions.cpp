// Positions of tokens, sinusoids of them, and what a table says of its ids.
#include "compiler/frontend/Builtins.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include <algorithm>
#include <fmt/format.h>

namespace heddle::frontend {

/// `positions(x)`, or that plus an int: the op and the int.
static std::optional<std::pair<PositionsOp, int64_t>> matchPositions(mlir::Value value) {
  if (auto positions = value.getDefiningOp<PositionsOp>())
    return std::pair(positions, int64_t(0));
  auto sum = value.getDefiningOp<mlir::arith::AddIOp>();
  auto positions = sum ? sum.getLhs().getDefiningOp<PositionsOp>() : PositionsOp();
  auto broadcast = sum ? sum.getRhs().getDefiningOp<BroadcastOp>() : BroadcastOp();
  if (sum && !positions) {
    positions = sum.getRhs().getDefiningOp<PositionsOp>();
    broadcast = sum.getLhs().getDefiningOp<BroadcastOp>();
  }
  mlir::APInt shift;
  if (!positions || !broadcast || !mlir::matchPattern(broadcast.getSource(), mlir::m_ConstantInt(&shift)))
    return std::nullopt;
  return std::pair(positions, shift.getSExtValue());
}

/// Ids of an argument are checked before a run; positions bound the dimension they count along.
void Expander::boundIds(const Tensor &ids, int64_t rows, Position at) {
  if (mlir::isa<mlir::BlockArgument>(ids.value)) {
    int64_t &bound = idBounds.insert({ids.value.getAsOpaquePointer(), rows}).first->second;
    bound = std::min(bound, rows);
    return;
  }
  auto positions = matchPositions(ids.value);
  if (!positions)
    return;
  const Extent &counted = ids.axes.back().extent;
  int64_t bound = rows - positions->second, most = counted.isStatic() ? counted.staticValue() : 1;
  if (bound < most || positions->second < 0) {
    trace.error(at, fmt::format("a table of {} rows has none for positions {} to {}", rows, positions->second, positions->second + most - 1));
    return;
  }
  for (ExtentName *dimension : entryDimensions)
    if (counted.name() == dimension)
      dimension->bound = dimension->bound ? std::min(dimension->bound, bound) : bound;
}

std::vector<Value> Expander::builtinPositions(Arguments &arguments) {
  const Value &x = arguments.values[0];
  auto *tensor = x.as<Tensor>();
  if (!tensor || arguments.over.size() > 1)
    return {trace.fail(arguments.places[0], fmt::format("'positions' takes a tensor of a run, got {}", x.describe()))};
  std::optional<size_t> axis;
  if (!arguments.over.empty()) {
    if (!(axis = findAxis(arguments.over[0], x, arguments.overNames[0], arguments.overAt)))
      return {Failed()};
  } else {
    for (size_t i = 0; i < tensor->axes.size(); ++i)
      if (tensor->axes[i].extent.isRagged()) {
        if (axis)
          return {trace.fail(arguments.at, fmt::format("'positions' of {}: say which axis, over=...", x.describe()))};
        axis = i;
      }
    if (!axis)
      return {trace.fail(arguments.at, fmt::format("'positions' counts along a ragged axis, {} has none; say which axis, over=...", x.describe()))};
  }
  const Axis &counted = tensor->axes[*axis];
  if (counted.unit || (*axis == 0 && !counted.extent.isStatic()))
    return {trace.fail(arguments.at, fmt::format("'positions' cannot count along {}", counted.extent.print()))};
  if (!emitter.ready())
    return {Failed()};
  Axes axes{counted};
  if (!counted.extent.isStatic())
    axes.insert(axes.begin(), tensor->axes.front());
  return {Tensor{Element::I32, axes, emitter.make<PositionsOp>(emitter.type(Element::I32, axes), mlir::Value(), mlir::Value()), ""}};
}

std::vector<Value> Expander::builtinSinusoidal(Arguments &arguments) {
  const Value &p = arguments.values[0], &width = arguments.values[2];
  auto *places = p.as<Tensor>();
  auto positions = places && places->value ? matchPositions(places->value) : std::nullopt;
  if (!positions || positions->second < 0)
    return {trace.fail(arguments.places[0], fmt::format("'sinusoidal' takes positions(x), plus an int if wanted, got {}", p.describe()))};
  auto *frequencies = arguments.values[1].as<ConstantTensor>();
  if (!frequencies || frequencies->axes.size() != 1)
    return {
        trace.fail(arguments.places[1], fmt::format("'sinusoidal' takes a constant vector of frequencies, got {}", arguments.values[1].describe()))};
  int64_t most = 2 * frequencies->size();
  Extent columns = width.isNone() ? Extent(most) : width.integer() ? *width.integer() : Extent(0);
  if (columns.staticValue() < 1 || columns.staticValue() > most)
    return {trace.fail(arguments.places[2], fmt::format("the width of {} frequencies is an int from 1 to {}, got {}", frequencies->size(), most,
                                                        width.integer() ? width.integer()->print() : width.describe()))};
  auto pairs = pairLayout(arguments, 3, PairLayout::interleaved);
  if (!pairs)
    return {Failed()};
  Axes axes = places->axes;
  axes.push_back({columns});
  mlir::Value result = sinusoids(arguments, positions->first.getResult(), axes, *frequencies, *pairs, positions->second);
  return {result ? Value(Tensor{Element::F32, axes, result, ""}) : Failed()};
}

/// `"interleaved"` or `"halves"`; nothing after an error.
std::optional<PairLayout> Expander::pairLayout(const Arguments &arguments, size_t place, PairLayout fallback) {
  const Value &value = arguments.values[place];
  auto *name = value.as<std::string>();
  if (value.isNone())
    return fallback;
  if (name && (*name == "interleaved" || *name == "halves"))
    return *name == "halves" ? PairLayout::halves : PairLayout::interleaved;
  trace.error(arguments.places[place], fmt::format("layout: expected \"interleaved\" or \"halves\", got {}", value.describe()));
  return std::nullopt;
}

/// Sines and cosines of positions, [.., tokens, width]: a table as long as the tokens' bound. Null after an error.
mlir::Value Expander::sinusoids(const Arguments &arguments, mlir::Value positions, const Axes &axes, const ConstantTensor &frequencies,
                                PairLayout layout, int64_t shift) {
  const Extent &counted = axes[axes.size() - 2].extent, &columns = axes.back().extent;
  if (!counted.isStatic() && counted.name()->bound == 0) {
    trace.error(arguments.at, fmt::format("'{}' needs a bound on '{}': write '{}{} <= max_position_embeddings' in the signature", arguments.name(),
                                          counted.form(), counted.form(), counted.isRagged() ? "..." : ""));
    return {};
  }
  int64_t rows = (counted.isStatic() ? counted.staticValue() : counted.name()->bound) + shift, elements;
  constexpr int64_t largest = 1 << 28; // a GiB of f32
  if (__builtin_mul_overflow(rows, columns.staticValue(), &elements) || elements > largest) {
    trace.error(arguments.at, fmt::format("a table of {} positions of width {} is too large; at most {} elements", rows, columns.print(), largest));
    return {};
  }
  if (!emitter.ready())
    return {};
  mlir::OpBuilder &builder = emitter.build();
  return emitter.make<SinusoidalPositionsOp>(emitter.type(Element::F32, axes), positions, builder.getDenseF64ArrayAttr(*frequencies.data),
                                             PairLayoutAttr::get(builder.getContext(), layout), builder.getI64IntegerAttr(shift));
}

/// rotary(x, frequencies, layout="halves", gain=1.0): the first 2 len channels of x [.., tokens, d] turned by the angles of their position.
std::vector<Value> Expander::builtinRotary(Arguments &arguments) {
  const Value &x = arguments.values[0], &given = arguments.values[3];
  size_t rank = x.isTensor() ? x.axes()->size() : 0;
  if (rank < 2 || elementOfValue(x) == Element::Bool || !x.axes()->back().extent.isStatic())
    return {trace.fail(arguments.places[0], fmt::format("'rotary' takes f32[.., tokens, width], got {}", x.describe()))};
  auto *frequencies = arguments.values[1].as<ConstantTensor>();
  if (!frequencies || frequencies->axes.size() != 1)
    return {trace.fail(arguments.places[1], fmt::format("'rotary' takes a constant vector of frequencies, got {}", arguments.values[1].describe()))};
  Extent width(2 * frequencies->size());
  const Extent &channels = x.axes()->back().extent, &counted = (*x.axes())[rank - 2].extent;
  if (width.staticValue() > channels.staticValue())
    return {trace.fail(arguments.places[1],
                       fmt::format("{} frequencies turn {} channels, x has {}", frequencies->size(), width.print(), channels.print()))};
  if (counted.isBatch())
    return {trace.fail(arguments.places[0], fmt::format("'rotary' turns by positions along tokens, '{}' is the batch", counted.form()))};
  auto layout = pairLayout(arguments, 2, PairLayout::halves);
  std::optional<double> gain = given.isNone() ? std::optional(1.0) : knownNumber(arguments, 3);
  std::optional<Tensor> source = layout && gain ? elementwise.tensor(x, Element::F32) : std::nullopt;
  if (!source)
    return {Failed()};
  emitter.at(arguments.at);
  Axes real = source->axes, places{{counted}};
  real[rank - 1].unit = real[rank - 2].unit = false; // the op has both axes
  if (!counted.isStatic())
    places.insert(places.begin(), source->axes.front());
  mlir::Value none, positions = emitter.make<PositionsOp>(emitter.type(Element::I32, places), none, none);
  places.push_back({width});
  mlir::Value angles = sinusoids(arguments, positions, places, *frequencies, PairLayout::halves, 0);
  if (!angles)
    return {Failed()};
  mlir::Value unturned = emitter.reshape(source->value, real);
  mlir::OpBuilder &builder = emitter.build();
  mlir::Value turned = emitter.make<RotaryEmbeddingOp>(unturned.getType(), unturned, angles, PairLayoutAttr::get(builder.getContext(), *layout),
                                                       builder.getF64FloatAttr(*gain));
  return {Tensor{Element::F32, source->axes, emitter.reshape(turned, source->axes), ""}};
}

} // namespace heddle::frontend
