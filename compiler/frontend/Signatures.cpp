// Entries: their signatures declare dimensions, their bodies are expanded into one func.func each.
#include "compiler/frontend/Expander.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace heddle::frontend {

using namespace syntax;

struct Expander::Signature {
  std::vector<ExtentName *> dimensions;  // in order of first mention
  std::vector<Tensor> parameters;        // without values yet
  std::map<std::string, Position> plain; // where each dimension was mentioned without dots
};

static Element elementOfType(const TypeExpr &type) {
  return type.kind == TypeKind::F32 ? Element::F32 : type.kind == TypeKind::I32 ? Element::I32 : Element::Bool;
}

void Expander::expandEntries(mlir::ModuleOp module) {
  for (const Entry &entry : names.model().entries) {
    std::optional<bool> wanted = entry.when ? decide(*entry.when) : std::optional(true);
    if (wanted && *wanted)
      expandEntry(entry, module);
  }
}

/// A dimension at its first mention, or the one known by this name. Null after an error.
ExtentName *Expander::declareDimension(const AxisExpr &axis, const std::string &name, Signature &signature, Frame &callee) {
  auto known = std::ranges::find(signature.dimensions, name, &ExtentName::name);
  if (known != signature.dimensions.end()) {
    if ((*known)->ragged != axis.ragged) {
      Position at = axis.ragged ? signature.plain[name] : axis.at;
      trace.error(at, fmt::format("'{}' is ragged: write '{}...' at every mention in a signature", name, name));
      return nullptr;
    }
    if (axis.bound) {
      trace.error(axis.at, fmt::format("the bound of '{}' stands at its first mention", name));
      return nullptr;
    }
    return *known;
  }
  extentNames.push_back({name, static_cast<unsigned>(extentNames.size()), std::nullopt, axis.ragged, false, 0, nullptr});
  ExtentName *dimension = &extentNames.back();
  if (axis.bound) {
    std::optional<Extent> bound = evaluateInt(*axis.bound, fmt::format("the bound of '{}'", name));
    if (!bound)
      return nullptr;
    constexpr int64_t largest = 1 << 24; // positions in f32 are exact up to here
    if (bound->staticValue() < 1 || bound->staticValue() > largest) {
      trace.error(axis.bound->at, fmt::format("the bound of '{}' is 1 to {}, got {}", name, largest, bound->print()));
      return nullptr;
    }
    dimension->bound = bound->staticValue();
  }
  if (!axis.ragged)
    signature.plain[name] = axis.at;
  signature.dimensions.push_back(dimension);
  callee.extents.insert_or_assign(name, Extent(*dimension));
  return dimension;
}

/// The axes of a type in a signature. Names that are no ints declare dimensions where `declareIn` is given, else they must be known.
std::optional<Axes> Expander::readAxes(const std::vector<AxisExpr> &exprs, Signature *declareIn, Frame &callee) {
  Axes axes;
  for (const AxisExpr &expr : exprs) {
    if (expr.leading) {
      trace.error(expr.at, "a signature names all axes; '..' stands in functions only");
      return std::nullopt;
    }
    auto *path = std::get_if<Path>(&expr.extent->node);
    auto model = path ? modelValues.find(path->name) : modelValues.end();
    if (model != modelValues.end() && model->second.failed())
      return std::nullopt;
    auto local = path ? callee.extents.find(path->name) : callee.extents.end();
    if (path && (model == modelValues.end() || !model->second.integer())) {
      if (declareIn) {
        ExtentName *dimension = declareDimension(expr, path->name, *declareIn, callee);
        if (!dimension)
          return std::nullopt;
        axes.push_back({Extent(*dimension)});
        continue;
      }
      if (local == callee.extents.end()) {
        trace.error(expr.at, fmt::format("unknown dimension '{}'", path->name), {"a dimension is declared by the type of a parameter"});
        return std::nullopt;
      }
      if (local->second.isRagged() != expr.ragged) {
        trace.error(expr.at, expr.ragged ? fmt::format("'{}' is not ragged", path->name)
                                         : fmt::format("'{0}' is ragged: write '{0}...' at every mention in a signature", path->name));
        return std::nullopt;
      }
      axes.push_back({local->second});
      continue;
    }
    std::optional<Extent> extent = evaluateInt(*expr.extent, "an axis of a signature");
    if (!extent)
      return std::nullopt;
    if (expr.ragged || expr.bound || extent->staticValue() < 1) {
      trace.error(expr.at, expr.ragged || expr.bound
                               ? fmt::format("{} is known when compiling; only a dimension is ragged or bounded", extent->print())
                               : fmt::format("an extent is at least 1, got {}", extent->print()));
      return std::nullopt;
    }
    axes.push_back({*extent, extent->isLiteral(1)});
  }
  constexpr size_t maxAxes = 8;
  if (axes.size() > maxAxes) {
    trace.error(exprs.front().at, fmt::format("a tensor has at most {} axes, got {}", maxAxes, axes.size()));
    return std::nullopt;
  }
  return axes;
}

bool Expander::readParameter(const Parameter &parameter, Signature &signature, Frame &callee) {
  if (!parameter.type || !parameter.type->isTensor()) {
    trace.error(parameter.at, fmt::format("parameter '{}' of an entry needs a tensor type: f32[...], i32[...] or bool[...]", parameter.name));
    return false;
  }
  std::optional<Axes> axes = readAxes(parameter.type->axes, &signature, callee);
  if (!axes)
    return false;
  auto dimensionOf = [&](const Axis &axis) -> ExtentName * {
    auto found = std::ranges::find_if(signature.dimensions, [&](ExtentName *name) { return axis.extent.name() == name; });
    return found == signature.dimensions.end() ? nullptr : *found;
  };
  ExtentName *batch = axes->empty() ? nullptr : dimensionOf(axes->front());
  if (batch && batch->ragged) {
    trace.error(parameter.at, fmt::format("'{}' is ragged and stands first; a ragged dimension needs a batch before it", batch->name));
    return false;
  }
  if (batch)
    batch->batch = true;
  const ExtentName *ragged = nullptr;
  for (size_t i = 1; i < axes->size(); ++i) {
    ExtentName *dimension = dimensionOf((*axes)[i]);
    if (!dimension || !dimension->ragged)
      continue;
    if (ragged || !batch) {
      trace.error(parameter.at, batch ? fmt::format("one ragged dimension a parameter, got '{}' and '{}'", ragged->name, dimension->name)
                                      : fmt::format("'{}' is ragged and needs a batch as the first axis", dimension->name));
      return false;
    }
    if (dimension->batchName && dimension->batchName != batch) {
      trace.error(parameter.at, fmt::format("'{}' has rows of '{}' and of '{}'", dimension->name, dimension->batchName->name, batch->name));
      return false;
    }
    ragged = dimension;
    dimension->batchName = batch;
  }
  signature.parameters.push_back({elementOfType(*parameter.type), std::move(*axes), {}, ""});
  return true;
}

bool Expander::readSignature(const Entry &entry, Signature &signature, Frame &callee) {
  bool ok = true;
  for (const Parameter &parameter : entry.function.parameters)
    ok = readParameter(parameter, signature, callee) && ok;
  return ok;
}

/// The value of a default as an attribute; null where it is none of the parameter's element.
static mlir::Attribute defaultAttribute(const Value &value, Element element, mlir::Builder &builder) {
  if (element == Element::Bool)
    return value.as<bool>() ? builder.getBoolAttr(*value.as<bool>()) : mlir::Attribute();
  if (auto *integer = value.integer()) {
    bool fits = element == Element::F32 || (integer->staticValue() >= INT32_MIN && integer->staticValue() <= INT32_MAX);
    return fits ? builder.getI64IntegerAttr(integer->staticValue()) : mlir::Attribute();
  }
  return value.as<double>() && element == Element::F32 ? builder.getF64FloatAttr(*value.as<double>()) : mlir::Attribute();
}

mlir::func::FuncOp Expander::makeFunction(const Entry &entry, Signature &signature, mlir::ModuleOp module) {
  mlir::OpBuilder &builder = emitter.build();
  builder.setInsertionPointToEnd(module.getBody());
  llvm::SmallVector<mlir::Type> types;
  for (const Tensor &parameter : signature.parameters) {
    Axes outside = parameter.axes; // the caller's array has the unit axes
    for (Axis &axis : outside)
      axis.unit = false;
    types.push_back(emitter.type(parameter.element, outside));
  }
  auto function = mlir::func::FuncOp::create(builder, trace.location(entry.function.nameAt), entry.function.name, builder.getFunctionType(types, {}));
  function.setPublic();
  mlir::Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    const Parameter &parameter = entry.function.parameters[i];
    function.setArgAttr(i, nameAttr, builder.getStringAttr(parameter.name));
    if (parameter.fallback) {
      Value value = evaluate(*parameter.fallback);
      if (mlir::Attribute attribute = defaultAttribute(value, signature.parameters[i].element, builder))
        function.setArgAttr(i, defaultAttr, attribute);
      else if (!value.failed())
        trace.error(parameter.fallback->at, fmt::format("the default of '{}' has element {}, got {}", parameter.name,
                                                        nameOf(signature.parameters[i].element), value.describe()));
    }
    emitter.at(parameter.at);
    signature.parameters[i].value = emitter.reshape(body->getArgument(i), signature.parameters[i].axes);
  }
  return function;
}

std::optional<mlir::Value> Expander::result(const Entry &entry, const NamedResult &expected, const Value &value, Position at, Frame &callee) {
  std::optional<Axes> axes = readAxes(expected.type.axes, nullptr, callee);
  if (!axes || value.failed())
    return std::nullopt;
  Element element = elementOfType(expected.type);
  auto dropUnits = [](const Axes &from) {
    Axes rest;
    for (const Axis &axis : from)
      if (!axis.unit)
        rest.push_back(axis);
    return rest;
  };
  auto agree = [](const Axes &a, const Axes &b) {
    return std::ranges::equal(a, b, [](const Axis &x, const Axis &y) { return x.extent.agrees(y.extent); });
  };
  bool fits =
      value.isTensor() && elementOfValue(value) == element && (agree(*axes, *value.axes()) || agree(dropUnits(*axes), dropUnits(*value.axes())));
  if (!fits) {
    std::string what = entry.namedResults ? fmt::format("result '{}' of entry '{}' is", expected.name, entry.function.name)
                                          : fmt::format("entry '{}' returns", entry.function.name);
    trace.error(at, fmt::format("{} {}, its signature says {}", what, value.describe(), printType(element, *axes)));
    return std::nullopt;
  }
  emitter.at(at);
  std::optional<Tensor> tensor = elementwise.tensor(value, element);
  if (!tensor)
    return std::nullopt;
  for (Axis &axis : *axes)
    axis.unit = false; // the array that leaves has all axes that the signature names
  return emitter.reshape(tensor->value, *axes);
}

void Expander::expandEntry(const Entry &entry, mlir::ModuleOp module) {
  Signature signature;
  Frame callee;
  if (!readSignature(entry, signature, callee))
    return;
  unsigned before = trace.all().errorCount();
  mlir::func::FuncOp function = makeFunction(entry, signature, module);
  Inside inside(*this, callee);
  emitter.enterEntry(true);
  idBounds.clear(); // of values of another entry
  entryDimensions = signature.dimensions;
  for (size_t i = 0; i < signature.parameters.size(); ++i)
    callee.values[entry.function.parameters[i].name] = signature.parameters[i];
  std::vector<Value> values;
  std::vector<Position> places;
  const Function &text = entry.function;
  if (text.expression) {
    values = evaluateMany(*text.expression);
    places.assign(values.size(), text.expression->at);
  } else {
    run(text.block);
    auto *last = text.block.empty() ? nullptr : std::get_if<Return>(&text.block.back().node);
    values = entry.namedResults ? entryResults(entry) : std::move(callee.returned);
    for (size_t i = 0; i < values.size(); ++i)
      places.push_back(entry.namedResults ? entry.results[i].at : last->values[std::min(i, last->values.size() - 1)]->at);
  }
  bool failed = values.size() == 1 && values.front().failed();
  if (values.size() != entry.results.size() && !failed) {
    trace.error(text.nameAt, fmt::format("entry '{}' returns {} values, its signature names {}", text.name, values.size(), entry.results.size()));
    failed = true;
  }
  std::vector<mlir::Value> results;
  for (size_t i = 0; i < values.size() && !failed; ++i)
    if (std::optional<mlir::Value> value = result(entry, entry.results[i], values[i], places[i], callee))
      results.push_back(*value);
  if (trace.all().errorCount() == before && results.size() == entry.results.size()) {
    finishFunction(function, signature, entry, results);
    expanded.insert(text.name);
  } else {
    function.erase();
  }
  emitter.enterEntry(false);
}

void Expander::finishFunction(mlir::func::FuncOp function, const Signature &signature, const Entry &entry, const std::vector<mlir::Value> &results) {
  mlir::OpBuilder &builder = emitter.build();
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value value : results)
    types.push_back(value.getType());
  mlir::func::ReturnOp::create(builder, trace.location(entry.function.nameAt), results);
  function.setType(builder.getFunctionType(function.getArgumentTypes(), types));
  for (size_t i = 0; i < results.size(); ++i)
    function.setResultAttr(i, nameAttr, builder.getStringAttr(entry.namedResults ? entry.results[i].name : "result"));
  function->setAttr(entryAttr, builder.getUnitAttr());
  function->setAttr(documentationAttr, builder.getStringAttr(entry.function.documentation));
  llvm::SmallVector<mlir::Attribute> dimensions;
  for (const ExtentName *dimension : signature.dimensions)
    dimensions.push_back(DimensionAttr::get(builder.getContext(), builder.getStringAttr(dimension->name),
                                            dimension->ragged ? builder.getStringAttr(dimension->batchName->name) : mlir::StringAttr(),
                                            dimension->bound));
  function->setAttr(dimensionsAttr, builder.getArrayAttr(dimensions));
  for (mlir::BlockArgument argument : function.getArguments())
    if (auto bound = idBounds.find(argument.getAsOpaquePointer()); bound != idBounds.end())
      function.setArgAttr(argument.getArgNumber(), idBoundAttr, builder.getI64IntegerAttr(bound->second));
}

} // namespace heddle::frontend
