// Built-ins and brackets that move elements: split, concat, x[axis = i], table[ids], list[i].
#include "compiler/frontend/Broadcasting.h"
#include "compiler/frontend/Builtins.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace heddle::frontend {

using namespace syntax;

/// Whether an axis may be cut or joined: it must be known when compiling. Reports, with what was tried (`split`).
bool Expander::mayCut(const Axis &axis, const std::string &what, Position at) {
  if (axis.extent.isStatic())
    return true;
  if (axis.extent.isBatch())
    trace.error(at, fmt::format("{}: '{}' is the batch; a row's result may depend on that row only", what, axis.extent.form()));
  else if (axis.extent.isRagged())
    trace.error(at, fmt::format("{}: '{}' is ragged and cannot be cut or merged", what, axis.extent.form()));
  else
    trace.error(at, fmt::format("{}: cutting '{}', which a run decides, is not built yet", what, axis.extent.form()));
  return false;
}

/// `size` places from `first` on; with `drop` (size 1) the axis goes.
Value Expander::slice(const Tensor &tensor, size_t axis, int64_t first, const Extent &size, bool drop) {
  if (!emitter.ready())
    return Failed();
  mlir::Value source = emitter.read(tensor);
  Axes axes = tensor.axes;
  axes[axis] = {size};
  if (!tensor.axes[axis].unit) // of a unit axis everything is taken
    source = emitter.make<SliceOp>(emitter.type(tensor.element, axes), source, Emitter::places(axes)[axis], first);
  if (drop)
    axes.erase(axes.begin() + axis);
  return Tensor{tensor.element, axes, emitter.reshape(source, axes), ""};
}

std::optional<Tensor> Expander::movable(const Value &value, const std::string &what, Position at) {
  if (auto *tensor = value.as<Tensor>())
    return *tensor;
  if (auto *constant = value.as<ConstantTensor>())
    return elementwise.tensor(value, constant->element == Element::I32 ? Element::F32 : constant->element);
  if (!value.failed())
    trace.error(at, fmt::format("{}: expected a tensor, got {}", what, value.describe()));
  return std::nullopt;
}

std::vector<Value> Expander::builtinSplit(Arguments &arguments) {
  std::optional<Tensor> x = movable(arguments.values[0], "split", arguments.places[0]);
  if (!x)
    return {Failed()};
  if (x->axes.empty() || arguments.over.size() > 1)
    return {trace.fail(arguments.at, fmt::format("'split' cuts one axis, got {}", arguments.values[0].describe()))};
  std::optional<size_t> axis = x->axes.size() - 1;
  if (!arguments.over.empty() && !(axis = findAxis(arguments.over[0], *x, arguments.overNames[0], arguments.overAt)))
    return {Failed()};
  const Extent whole = x->axes[*axis].extent;
  if (!mayCut(x->axes[*axis], "split", arguments.at))
    return {Failed()};
  std::vector<Extent> sizes;
  if (auto *count = arguments.values[1].integer()) {
    int64_t n = count->staticValue();
    if (n < 1 || n > whole.staticValue() || whole.staticValue() % n != 0)
      return {trace.fail(arguments.places[1], fmt::format("{} does not split into {} equal parts", whole.print(), count->print()))};
    sizes.assign(n, *(whole / *count));
  } else if (auto *list = arguments.values[1].as<List>()) {
    int64_t sum = 0;
    for (const Value &size : **list) {
      if (!size.integer() || size.integer()->staticValue() < 1 || __builtin_add_overflow(sum, size.integer()->staticValue(), &sum))
        return {trace.fail(arguments.places[1], fmt::format("the sizes of a split are ints of at least 1, got {}", size.describe()))};
      sizes.push_back(*size.integer());
    }
    if (sum != whole.staticValue())
      return {trace.fail(arguments.places[1], fmt::format("the sizes of the split add up to {}, the axis is {}", sum, whole.print()))};
  } else {
    return {
        trace.fail(arguments.places[1], fmt::format("'split' takes a number of parts or a list of sizes, got {}", arguments.values[1].describe()))};
  }
  std::vector<Value> parts;
  int64_t first = 0;
  for (const Extent &size : sizes) {
    parts.push_back(slice(*x, *axis, first, size, false));
    first += size.staticValue();
  }
  return parts;
}

std::vector<Value> Expander::builtinConcat(Arguments &arguments) {
  std::vector<Tensor> parts;
  for (const Value &value : arguments.parts) {
    std::optional<Tensor> part = movable(value, "concat", arguments.at);
    if (!part)
      return {Failed()};
    parts.push_back(std::move(*part));
  }
  if (parts.empty() || arguments.over.size() > 1)
    return {trace.fail(arguments.at, parts.empty() ? "'concat' joins at least one tensor" : "'concat' joins along one axis")};
  size_t axis = parts.front().axes.size() - 1;
  if (!arguments.over.empty()) { // looked up in the parts in turn
    auto hasAxis = [&](const Tensor &part) {
      return std::ranges::any_of(part.axes, [&](const Axis &a) { return a.extent.sameForm(arguments.over[0]); });
    };
    auto holder = std::ranges::find_if(parts, hasAxis);
    std::optional<size_t> found =
        findAxis(arguments.over[0], holder == parts.end() ? parts.front() : *holder, arguments.overNames[0], arguments.overAt);
    if (!found)
      return {Failed()};
    axis = *found;
  }
  Axes joined;
  std::optional<Extent> total = Extent(0);
  for (const Tensor &part : parts) {
    if (part.axes.size() != parts.front().axes.size() || part.element != parts.front().element || part.axes.empty())
      return {trace.fail(arguments.at, fmt::format("cannot concat {} and {}", Value(parts.front()).describe(), Value(part).describe()))};
    if (!mayCut(part.axes[axis], "concat", arguments.at))
      return {Failed()};
    total = total ? *total + part.axes[axis].extent : total;
    Axes others = part.axes;
    others[axis] = Axis::makeUnit();
    Joined together = joined.empty() ? Joined{others, "", {}, false} : joinAxes(joined, others, "", "");
    if (!together.problem.empty())
      return {trace.fail(arguments.at,
                         fmt::format("cannot concat {} and {}: {}", Value(parts.front()).describe(), Value(part).describe(), together.problem))};
    joined = std::move(together.axes);
  }
  if (!total)
    return {trace.fail(arguments.at, "the joined axis does not fit into 64 bits")};
  if (!emitter.ready())
    return {Failed()};
  llvm::SmallVector<mlir::Value> values;
  for (Tensor &part : parts) {
    Axes own = part.axes, target = joined;
    own[axis] = target[axis] = {part.axes[axis].extent}; // a unit axis becomes one of a single place
    values.push_back(emitter.widen(emitter.reshape(emitter.read(part), own), own, target));
  }
  joined[axis] = {*total};
  mlir::Value result = emitter.make<ConcatOp>(emitter.type(parts.front().element, joined), values, Emitter::places(joined)[axis]);
  return {Tensor{parts.front().element, joined, result, ""}};
}

/// The first or last token of each row; its axis goes.
Value Expander::pickToken(const Tensor &tensor, size_t axis, bool last) {
  if (!emitter.ready())
    return Failed();
  Axes axes = tensor.axes;
  Axis tokens = axes[axis];
  int64_t place = Emitter::places(axes)[axis];
  mlir::Value source = emitter.read(tensor);
  axes.erase(axes.begin() + axis);
  if (place != 1) { // the op has tokens behind the batch
    Axes moved = axes;
    moved.insert(moved.begin() + 1, tokens);
    llvm::SmallVector<int64_t> permutation(dimsOf(source).getRank());
    std::iota(permutation.begin(), permutation.end(), 0);
    std::rotate(permutation.begin() + 1, permutation.begin() + place, permutation.begin() + place + 1);
    source = emitter.make<TransposeOp>(emitter.type(tensor.element, moved), source, permutation);
  }
  return Tensor{tensor.element, axes, emitter.make<PickOp>(emitter.type(tensor.element, axes), source, last, mlir::Value()), ""};
}

/// windows(x, size, stride=1, padding=0, over): pieces of an axis, as a new last axis.
std::vector<Value> Expander::builtinWindows(Arguments &arguments) {
  std::optional<Tensor> x = movable(arguments.values[0], "windows", arguments.places[0]);
  if (!x)
    return {Failed()};
  if (arguments.over.size() != 1)
    return {trace.fail(arguments.at, "'windows' needs 'over', the one axis it cuts")};
  std::optional<size_t> axis = findAxis(arguments.over[0], *x, arguments.overNames[0], arguments.overAt);
  if (!axis || !mayCut(x->axes[*axis], "windows", arguments.at))
    return {Failed()};
  constexpr int64_t least[] = {1, 1, 0}, otherwise[] = {0, 1, 0}, largest = 1 << 24;
  int64_t numbers[3]; // size, stride, padding
  for (size_t i = 0; i < 3; ++i) {
    const Value &value = arguments.values[i + 1];
    numbers[i] = value.isNone() ? otherwise[i] : value.integer() ? value.integer()->staticValue() : -1;
    if (numbers[i] < least[i] || numbers[i] > largest)
      return {trace.fail(arguments.places[i + 1], fmt::format("'{}' of 'windows': expected an int from {} to {}, got {}",
                                                              arguments.builtin->parameters[i + 1].name, least[i], largest, value.describe()))};
  }
  auto [size, stride, padding] = numbers;
  const Extent whole = x->axes[*axis].extent;
  int64_t padded;
  if (__builtin_add_overflow(whole.staticValue(), 2 * padding, &padded) || padded < size)
    return {trace.fail(arguments.places[1], fmt::format("windows of {} do not fit into {} with padding {}", size, whole.print(), padding))};
  int64_t count = (padded - size) / stride + 1;
  if (!emitter.ready())
    return {Failed()};
  Axes axes = x->axes;
  axes[*axis].unit = false;
  mlir::Value source = emitter.reshape(emitter.read(*x), axes);
  int64_t place = Emitter::places(axes)[*axis];
  if (count != whole.staticValue())
    axes[*axis] = {Extent(count)};
  axes.push_back({Extent(size)});
  mlir::Value result = emitter.make<WindowsOp>(emitter.type(x->element, axes), source, place, size, stride, padding);
  return {Tensor{x->element, axes, result, ""}};
}

Value Expander::evaluateCut(const Expr &expr, const Cut &node) {
  Value base = evaluate(*node.base);
  if (base.failed())
    return Failed();
  emitter.at(expr.at);
  std::optional<Tensor> tensor = movable(base, "a cut", expr.at);
  std::optional<Extent> named = namedExtent(node.axis);
  if (!named)
    return unknownName(node.axisAt, node.axis);
  std::optional<size_t> axis = tensor ? findAxis(*named, *tensor, node.axis, node.axisAt) : std::nullopt;
  if (!axis)
    return Failed();
  const Axis &whole = tensor->axes[*axis];
  if (whole.extent.isRagged() && !node.end) {
    std::optional<Extent> place = node.first ? evaluateInt(*node.first, "a place") : Extent(0);
    if (place && place->staticValue() != 0)
      return trace.fail(node.first->at,
                        fmt::format("of the ragged '{}' a row's first token (0) and its last can be taken, got {}", node.axis, place->print()));
    emitter.at(expr.at);
    return place ? pickToken(*tensor, *axis, !node.first) : Failed();
  }
  if (!mayCut(whole, "a cut", expr.at))
    return Failed();
  int64_t length = whole.extent.staticValue();
  std::optional<Extent> first = node.first ? evaluateInt(*node.first, "a place") : Extent(length - 1), end;
  if (!first || (node.end && !(end = evaluateInt(*node.end, "a place"))))
    return Failed();
  int64_t begin = first->staticValue(), behind = end ? end->staticValue() : begin < INT64_MAX ? begin + 1 : begin;
  if (begin < 0 || behind > length || begin >= behind)
    return trace.fail(node.first ? node.first->at : expr.at,
                      fmt::format("{} is not within {}", end ? fmt::format("{}..{}", begin, behind) : std::to_string(begin), whole.extent.print()));
  emitter.at(expr.at);
  return slice(*tensor, *axis, begin, end ? *(*end - *first) : Extent(1), !end);
}

Value Expander::evaluateIndex(const Expr &expr, const Index &node) {
  Value base = evaluate(*node.base), index = evaluate(*node.index);
  if (base.failed() || index.failed())
    return Failed();
  if (auto *list = base.as<List>()) {
    int64_t size = static_cast<int64_t>((*list)->size());
    if (!index.integer())
      return trace.fail(node.index->at, fmt::format("a list is indexed by an int known when compiling, got {}", index.describe()));
    int64_t place = index.integer()->staticValue();
    if (place < 0 || place >= size)
      return trace.fail(node.index->at, fmt::format("place {} of a list of {}", place, size));
    return (**list)[place];
  }
  emitter.at(expr.at);
  return gather(base, index, expr.at);
}

Value Expander::gather(const Value &table, const Value &ids, Position at) {
  if (!table.isTensor() || elementOfValue(table) != Element::F32 || table.axes()->empty() || elementOfValue(ids) != Element::I32)
    return trace.fail(at, fmt::format("table[ids] takes an f32 table and i32 ids, got {} and {}", table.describe(), ids.describe()),
                      ids.integer() ? std::vector<std::string>{"name the axis: x[axis = i]"} : std::vector<std::string>{});
  const Axis &rows = table.axes()->front();
  if (rows.unit || !rows.extent.isStatic())
    return trace.fail(at, fmt::format("the rows of a table are known when compiling and no unit axis, got {}", table.describe()));
  std::optional<Tensor> t = elementwise.tensor(table, Element::F32), i = t ? elementwise.tensor(ids, Element::I32) : std::nullopt;
  if (!i)
    return Failed();
  boundIds(*i, rows.extent.staticValue(), at);
  Axes axes = i->axes;
  axes.insert(axes.end(), t->axes.begin() + 1, t->axes.end());
  mlir::RankedTensorType result = emitter.type(Element::F32, axes);
  DimsAttr whole = dimsOf(t->value), places = dimsOf(i->value);
  bool staticPlaces = places.getRank() > 0 && places.isStatic(places.getRank() - 1);
  if (whole.getRank() == 2 || (whole.getRank() == 1 && !staticPlaces))
    return Tensor{Element::F32, axes, emitter.make<GatherOp>(result, t->value, i->value), ""};
  // A row of more axes is gathered as one of one axis, and so is a number where the ids have columns: each id is a row of the result.
  DimsAttr row = whole.dropFront().product();
  mlir::Type element = result.getElementType();
  mlir::Value flat = emitter.make<ReshapeOp>(whole.extent(0).concat(row).tensorOf(element), t->value);
  mlir::Value gathered = emitter.make<GatherOp>(places.concat(row).tensorOf(element), flat, i->value);
  return Tensor{Element::F32, axes, emitter.make<ReshapeOp>(result, gathered), ""};
}

} // namespace heddle::frontend
