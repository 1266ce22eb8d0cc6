// The part of the model's table that is known at the linalg stage: from attributes of heddle to plain structs.
#include "compiler/linalg/EntryLowering.h"

using namespace mlir;
using namespace heddle;

static std::string textOf(Attribute attribute) {
  auto text = dyn_cast_or_null<StringAttr>(attribute);
  return text ? text.str() : "";
}

/// A sum of products of dimensions and numbers; divisions have no form.
static LogicalResult addTerms(AffineExpr e, ArrayRef<StringAttr> names, const EntryInfo &entry, int64_t factor, Form &form) {
  if (auto constant = dyn_cast<AffineConstantExpr>(e)) {
    form.push_back({factor * constant.getValue(), {}});
    return success();
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(e)) {
    for (auto [i, dimension] : llvm::enumerate(entry.dimensions))
      if (dimension.name == names[symbol.getPosition()].getValue()) {
        form.push_back({factor, {static_cast<int64_t>(i)}});
        return success();
      }
    return failure();
  }
  auto binary = cast<AffineBinaryOpExpr>(e);
  if (e.getKind() == AffineExprKind::Add)
    return failure(failed(addTerms(binary.getLHS(), names, entry, factor, form)) || failed(addTerms(binary.getRHS(), names, entry, factor, form)));
  auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (e.getKind() == AffineExprKind::Mul && by)
    return addTerms(binary.getLHS(), names, entry, factor * by.getValue(), form);
  return failure();
}

FailureOr<Form> heddle::formOf(DimsAttr dims, int64_t axis, const EntryInfo &entry) {
  Form form;
  if (failed(addTerms(dims.getMap().getResult(axis), dims.getNames(), entry, 1, form)))
    return failure();
  return form;
}

static FailureOr<ValueInfo> describeValue(func::FuncOp entry, Type type, DictionaryAttr attributes, const EntryInfo &info) {
  ValueInfo value;
  value.name = textOf(attributes ? attributes.get(nameAttr) : Attribute());
  DimsAttr dims = dimsOf(type);
  Type element = getElementTypeOrSelf(type);
  if (value.name.empty() || !dims)
    return entry.emitOpError("expected named extents and a ") << nameAttr << " on every argument and result";
  if (element.isF32())
    value.element = Element::F32;
  else if (element.isInteger(32))
    value.element = Element::I32;
  else if (element.isInteger(1))
    value.element = Element::Bool;
  else
    return entry.emitOpError("expected elements of f32, i32 or i1, got ") << element;
  for (int64_t i = 0; i < dims.getRank(); ++i) {
    FailureOr<Form> form = formOf(dims, i, info);
    if (failed(form))
      return entry.emitOpError("has no form for extent ") << dims.extent(i);
    if (form->size() == 1 && value.ragged < 0 && form->front().dimensions.size() == 1 &&
        info.dimensions[form->front().dimensions[0]].kind == DimensionKind::Ragged)
      value.ragged = form->front().dimensions[0];
    value.extents.push_back(*form);
  }
  if (attributes)
    if (auto bound = dyn_cast_or_null<IntegerAttr>(attributes.get(idBoundAttr)))
      value.idBound = bound.getInt();
  Attribute preset = attributes ? attributes.get(defaultAttr) : Attribute();
  if (auto number = dyn_cast_or_null<FloatAttr>(preset))
    value.defaultValue = number.getValueAsDouble();
  else if (auto flag = dyn_cast_or_null<BoolAttr>(preset))
    value.defaultValue = flag.getValue();
  else if (auto integer = dyn_cast_or_null<IntegerAttr>(preset))
    value.defaultValue = integer.getInt();
  return value;
}

FailureOr<EntryInfo> heddle::describeEntry(func::FuncOp entry) {
  EntryInfo info;
  info.name = entry.getName().str();
  info.documentation = textOf(entry->getAttr(documentationAttr));
  auto dimensions = entry->getAttrOfType<ArrayAttr>(dimensionsAttr);
  auto all = dimensions ? dimensions.getValue() : ArrayRef<Attribute>();
  for (Attribute attribute : all)
    info.dimensions.push_back({cast<DimensionAttr>(attribute).getName().str(), DimensionKind::Plain, -1, 0});
  for (auto [i, attribute] : llvm::enumerate(all)) {
    auto dimension = cast<DimensionAttr>(attribute);
    if (!dimension.isRagged())
      continue;
    auto batch = llvm::find_if(info.dimensions, [&](const DimensionInfo &d) { return d.name == dimension.getBatch().getValue(); });
    if (batch == info.dimensions.end())
      return entry.emitOpError("has no dimension ") << dimension.getBatch();
    info.dimensions[i].kind = DimensionKind::Ragged;
    info.dimensions[i].of = batch - info.dimensions.begin();
    info.dimensions[i].bound = dimension.getBound();
  }
  for (size_t i = 0, declared = info.dimensions.size(); i < declared; ++i)
    if (info.dimensions[i].kind == DimensionKind::Ragged)
      info.dimensions.push_back({tokensName(info.dimensions[i].name), DimensionKind::Tokens, static_cast<int64_t>(i), 0});
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    if (entry.getArgAttr(i, offsetsAttr) || entry.getArgAttr(i, startsAttr))
      continue;
    auto value = describeValue(entry, entry.getArgument(i).getType(), entry.getArgAttrDict(i), info);
    if (failed(value))
      return failure();
    info.arguments.push_back(*value);
  }
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    auto value = describeValue(entry, entry.getResultTypes()[i], entry.getResultAttrDict(i), info);
    if (failed(value))
      return failure();
    info.results.push_back(*value);
  }
  return info;
}

LogicalResult heddle::describeModel(ModuleOp module, ModelInfo &info) {
  info.name = textOf(module->getAttr(nameAttr));
  info.documentation = textOf(module->getAttr(documentationAttr));
  auto array = [&](StringRef name) {
    auto all = module->getAttrOfType<ArrayAttr>(name);
    return all ? all.getValue() : ArrayRef<Attribute>();
  };
  for (Attribute attribute : array(tokenizersAttr)) {
    auto tokenizer = dyn_cast<DictionaryAttr>(attribute);
    if (!tokenizer)
      return module.emitOpError("expected dictionaries in ") << tokenizersAttr;
    TokenizerInfo made{textOf(tokenizer.get("side")), textOf(tokenizer.get("kind")), textOf(tokenizer.get("path")), {}};
    if (auto unknown = dyn_cast_or_null<IntegerAttr>(tokenizer.get("unknown")))
      made.unknown = unknown.getInt();
    info.tokenizers.push_back(made);
  }
  for (Attribute attribute : array(tasksAttr)) {
    auto task = dyn_cast<DictionaryAttr>(attribute);
    if (!task)
      return module.emitOpError("expected dictionaries in ") << tasksAttr;
    TaskInfo made{textOf(task.get("kind")), {}, {}, {}, {}};
    if (auto entries = dyn_cast_or_null<ArrayAttr>(task.get("entries")))
      for (Attribute entry : entries)
        made.entries.push_back(textOf(entry));
    if (auto settings = dyn_cast_or_null<DictionaryAttr>(task.get("settings")))
      for (NamedAttribute setting : settings)
        if (auto values = dyn_cast<DenseI64ArrayAttr>(setting.getValue()))
          for (int64_t value : values.asArrayRef())
            made.settings.push_back({setting.getName().str(), value});
    if (auto numbers = dyn_cast_or_null<DictionaryAttr>(task.get("numbers")))
      for (NamedAttribute list : numbers)
        if (auto values = dyn_cast<DenseF64ArrayAttr>(list.getValue()))
          made.numbers.push_back({list.getName().str(), values.asArrayRef().vec()});
    if (auto labels = dyn_cast_or_null<ArrayAttr>(task.get("labels")))
      for (Attribute label : labels)
        made.labels.push_back(textOf(label));
    info.tasks.push_back(made);
  }
  return success();
}
