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
  const Value &p = arguments.values[0], &width = arguments.values[2], &layout = arguments.values[3];
  auto *places = p.as<Tensor>();
  auto positions = places && places->value ? matchPositions(places->value) : std::nullopt;
  if (!positions || positions->second < 0)
    return {trace.fail(arguments.places[0], fmt::format("'sinusoidal' takes positions(x), plus an int if wanted, got {}", p.describe()))};
  auto *frequencies = arguments.values[1].as<ConstantTensor>();
  if (!frequencies || frequencies->axes.size() != 1)
    return {trace.fail(arguments.places[1], fmt::format("'sinusoidal' takes a constant vector of frequencies, got {}", arguments.values[1].describe()))};
  int64_t most = 2 * frequencies->size();
  Extent columns = width.isNone() ? Extent(most) : width.integer() ? *width.integer() : Extent(0);
  if (columns.staticValue() < 1 || columns.staticValue() > most)
    return {trace.fail(arguments.places[2], fmt::format("the width of {} frequencies is an int from 1 to {}, got {}", frequencies->size(), most,
                                                        width.integer() ? width.integer()->print() : width.describe()))};
  std::string named = layout.as<std::string>() ? *layout.as<std::string>() : layout.isNone() ? "interleaved" : "";
  if (named != "interleaved" && named != "halves")
    return {trace.fail(arguments.places[3], fmt::format("layout: expected \"interleaved\" or \"halves\", got {}", layout.describe()))};
  const Extent &counted = places->axes.back().extent;
  if (!counted.isStatic() && counted.name()->bound == 0)
    return {trace.fail(arguments.at, fmt::format("'sinusoidal' needs a bound on '{}': write '{}{} <= max_position_embeddings' in the signature",
                                                 counted.form(), counted.form(), counted.isRagged() ? "..." : ""))};
  int64_t rows = (counted.isStatic() ? counted.staticValue() : counted.name()->bound) + positions->second, elements;
  constexpr int64_t largest = 1 << 28; // a GiB of f32
  if (__builtin_mul_overflow(rows, columns.staticValue(), &elements) || elements > largest)
    return {trace.fail(arguments.at, fmt::format("a table of {} positions of width {} is too large; at most {} elements", rows, columns.print(), largest))};
  if (!emitter.ready())
    return {Failed()};
  Axes axes = places->axes;
  axes.push_back({columns});
  mlir::OpBuilder &builder = emitter.build();
  auto layoutAttr = PairLayoutAttr::get(builder.getContext(), named == "halves" ? PairLayout::halves : PairLayout::interleaved);
  mlir::Value result =
      emitter.make<SinusoidalPositionsOp>(emitter.type(Element::F32, axes), positions->first.getResult(),
                                          builder.getDenseF64ArrayAttr(*frequencies->data), layoutAttr, builder.getI64IntegerAttr(positions->second));
  return {Tensor{Element::F32, axes, result, ""}};
}

} // namespace heddle::frontend
