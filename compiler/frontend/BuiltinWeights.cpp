// weight and has_weight.
#include "compiler/frontend/Builtins.h"
#include <fmt/format.h>

namespace heddle::frontend {

std::vector<Value> Expander::builtinWeight(Arguments &arguments) {
  const Value &given = arguments.values[0], &extents = arguments.values[1], &fixed = arguments.values[2];
  std::vector<std::string> candidates;
  if (auto *name = given.as<std::string>()) {
    candidates.push_back(*name);
  } else if (auto *list = given.as<List>()) {
    for (const Value &item : **list) {
      if (item.failed())
        return {Failed()};
      if (auto *text = item.as<std::string>())
        candidates.push_back(*text);
    }
    if (candidates.size() != (*list)->size())
      candidates.clear();
  }
  for (const std::string &name : candidates)
    if (name.empty() || name.find('\0') != name.npos)
      return {trace.fail(arguments.places[0], fmt::format("'{}' is no name of a weight", name))};
  if (candidates.empty())
    return {trace.fail(arguments.places[0], fmt::format("'weight' takes a name or a list of names, got {}", given.describe()))};
  auto *list = extents.as<List>();
  if (!list)
    return {trace.fail(arguments.places[1], fmt::format("the extents of a weight are a list of ints, got {}", extents.describe()))};
  constexpr size_t maxAxes = 8;
  if ((*list)->size() > maxAxes)
    return {trace.fail(arguments.places[1], fmt::format("a tensor has at most {} axes, got {}", maxAxes, (*list)->size()))};
  Axes axes;
  for (const Value &item : **list) {
    if (item.failed())
      return {Failed()};
    if (!item.integer() || item.integer()->staticValue() < 1)
      return {trace.fail(arguments.places[1], fmt::format("the extent of a weight is an int of at least 1, got {}",
                                                          item.integer() ? item.integer()->print() : item.describe()))};
    axes.push_back({*item.integer(), item.integer()->isLiteral(1)});
  }
  if (!fixed.isNone() && !fixed.as<bool>())
    return {trace.fail(arguments.places[2], fmt::format("'fixed' is a bool, got {}", fixed.describe()))};
  return {weights.find(arguments.at, candidates, axes, fixed.as<bool>() && *fixed.as<bool>(), loopNote(), choiceNote())};
}

std::vector<Value> Expander::builtinHasWeight(Arguments &arguments) {
  if (auto *name = arguments.values[0].as<std::string>())
    return {weights.has(*name)};
  return {trace.fail(arguments.places[0], fmt::format("'has_weight' takes a name, got {}", arguments.values[0].describe()))};
}

} // namespace heddle::frontend
