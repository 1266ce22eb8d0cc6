// Stated types: what they know they check, what they do not know they bind. And the names of axes.
#include "compiler/frontend/Expander.h"
#include <fmt/format.h>

namespace heddle::frontend {

using namespace syntax;

static std::optional<Element> elementOfType(TypeKind kind) {
  switch (kind) {
  case TypeKind::F32:
    return Element::F32;
  case TypeKind::I32:
    return Element::I32;
  case TypeKind::BoolTensor:
    return Element::Bool;
  default:
    return std::nullopt;
  }
}

/// Dimensions first, then ints known when compiling; tensors of the name are not asked.
std::optional<Extent> Expander::namedExtent(const std::string &name) {
  if (auto found = frame->extents.find(name); found != frame->extents.end())
    return found->second;
  if (auto found = frame->values.find(name); found != frame->values.end() && found->second.integer())
    return *found->second.integer();
  if (!frame->inPrelude)
    if (auto found = modelValues.find(name); found != modelValues.end() && found->second.integer())
      return *found->second.integer();
  return std::nullopt;
}

std::optional<Extent> Expander::evaluateExtent(const Expr &expr) {
  if (auto *path = std::get_if<Path>(&expr.node))
    if (std::optional<Extent> known = namedExtent(path->name))
      return known;
  return evaluateInt(expr, "an axis");
}

std::optional<size_t> Expander::findAxis(const Extent &extent, const Value &tensor, const std::string &named, Position at) {
  const Axes &axes = *tensor.axes();
  std::optional<size_t> found;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (!axes[i].extent.sameForm(extent))
      continue;
    if (found) {
      trace.error(at, fmt::format("'{}' names two axes of {}", named, tensor.describe()),
                  {"without over= the last axis is taken; for the other, transpose first"});
      return std::nullopt;
    }
    found = i;
  }
  if (!found)
    trace.error(at, fmt::format("'{}' names no axis of {}", named, tensor.describe()));
  return found;
}

std::string Expander::printExpected(const TypeExpr &type) {
  std::string axes;
  for (const AxisExpr &axis : type.axes) {
    std::string text = "..";
    if (!axis.leading) {
      auto *path = std::get_if<Path>(&axis.extent->node);
      std::optional<Extent> known = path ? namedExtent(path->name) : evaluateExtent(*axis.extent);
      text = known ? known->print() : path ? path->name : "?";
    }
    axes += (axes.empty() ? "" : ", ") + text;
  }
  return fmt::format("{}[{}]", nameOf(*elementOfType(type.kind)), axes);
}

bool Expander::conform(Value &value, const TypeExpr &type, const std::string &what, Position at) {
  auto refuse = [&](std::string_view expected) {
    trace.error(at, fmt::format("{}: expected {}, got {}", what, expected, value.describe()));
    return false;
  };
  switch (type.kind) {
  case TypeKind::Int:
    return value.integer() || refuse("int");
  case TypeKind::Float:
    if (!value.isNumber())
      return refuse("float");
    value = *value.number();
    return true;
  case TypeKind::Bool:
    return value.as<bool>() || refuse("bool");
  case TypeKind::String:
    return value.as<std::string>() || refuse("string");
  case TypeKind::Mask:
    if (auto *tensor = value.as<Tensor>(); tensor && tensor->element == Element::Bool)
      return true;
    return value.as<std::shared_ptr<const Mask>>() || value.isNone() || refuse("a mask");
  case TypeKind::Bias:
    if (auto *tensor = value.as<Tensor>(); tensor && tensor->element == Element::F32)
      return true;
    return value.as<std::shared_ptr<const Bias>>() || value.isNone() || refuse("a bias");
  default:
    break;
  }
  return value.isTensor() ? conformTensor(value, type, what, at) : refuse(printExpected(type));
}

bool Expander::conformTensor(const Value &value, const TypeExpr &type, const std::string &what, Position at) {
  const Axes &axes = *value.axes();
  size_t first = !type.axes.empty() && type.axes.front().leading ? 1 : 0, stated = type.axes.size() - first;
  bool fits = elementOfValue(value) == elementOfType(type.kind) && (first ? axes.size() >= stated : axes.size() == stated);
  std::vector<std::pair<std::string, Extent>> bound;
  for (size_t i = 0; i < stated && fits; ++i) {
    const AxisExpr &expected = type.axes[first + i];
    const Axis &axis = axes[axes.size() - stated + i];
    if (auto *path = std::get_if<Path>(&expected.extent->node); path && !namedExtent(path->name)) {
      frame->extents.insert({path->name, axis.extent}); // a name twice in one type must agree with itself
      continue;
    }
    std::optional<Extent> known = evaluateExtent(*expected.extent);
    if (!known)
      return false;
    fits = known->agrees(axis.extent);
  }
  if (!fits)
    trace.error(at, fmt::format("{}: expected {}, got {}", what, printExpected(type), value.describe()));
  return fits;
}

} // namespace heddle::frontend
