// Look-up of weights in the header of a checkpoint, and their ops.
#include "compiler/frontend/Weights.h"
#include "compiler/support/Shape.h"
#include "mlir/IR/Builders.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace heddle::frontend {

Weights::Weights(mlir::ModuleOp module, const Checkpoint *checkpoint, std::vector<std::string> prefixes, std::set<std::string> entries, Trace &trace)
    : module(module), checkpoint(checkpoint), prefixes(std::move(prefixes)), taken(std::move(entries)), trace(trace) {
  if (this->prefixes.empty())
    this->prefixes.push_back("");
}

std::string Weights::fullName(const std::string &name) const {
  if (!hasFile())
    return prefixes.front() + name;
  for (const std::string &prefix : prefixes)
    if (checkpoint->find(prefix + name))
      return prefix + name;
  return "";
}

bool Weights::has(const std::string &name) const { return hasFile() && !fullName(name).empty(); }

Value Weights::find(Position at, const std::vector<std::string> &names, const Axes &axes, bool fixed, const std::string &loopNote,
                    const std::string &choiceNote) {
  std::string name;
  for (const std::string &candidate : names)
    if (name = fullName(candidate); !name.empty())
      break;
  if (name.empty()) {
    reportMissing(at, names, loopNote, choiceNote);
    return Failed();
  }
  auto found = known.find(name);
  if (found == known.end()) {
    if (!checkExtents(at, name, axes))
      return Failed();
    known.insert({name, {axes, at, trace.location(at), fixed, {}}});
  } else if (!std::ranges::equal(found->second.axes, axes, [](const Axis &a, const Axis &b) { return a.extent.agrees(b.extent); })) {
    return trace.fail(at, fmt::format("weight '{}' has extents {} here and {} in line {}", name, printAxes(axes), printAxes(found->second.axes),
                                      found->second.at.line));
  }
  return Tensor{Element::F32, axes, {}, name};
}

bool Weights::checkExtents(Position at, const std::string &name, const Axes &axes) {
  std::vector<int64_t> shape;
  for (const Axis &axis : axes)
    shape.push_back(axis.extent.staticValue());
  if (!byteCount(shape, sizeof(double))) {
    trace.error(at, fmt::format("tensor '{}': the product of {} does not fit into 64 bits", name, printAxes(axes)));
    return false;
  }
  const TensorInfo *info = hasFile() ? checkpoint->find(name) : nullptr;
  if (!info)
    return true;
  const std::string &file = checkpoint->fileOf(name);
  std::string where = file == checkpoint->source() ? "" : fmt::format(" in '{}'", std::filesystem::path(file).filename().string());
  if (info->shape != shape) {
    trace.error(at, fmt::format("tensor '{}': expected {}, got {}{}", name, printAxes(axes), shapeText(info->shape), where));
    return false;
  }
  if (info->element != ElementType::F32 && info->element != ElementType::F16 && info->element != ElementType::BF16) {
    trace.error(
        at, fmt::format("tensor '{}': expected elements of F32, F16 or BF16, got {}{}, which is not built yet", name, nameOf(info->element), where));
    return false;
  }
  return true;
}

static std::string quotedList(const std::vector<std::string> &names, std::string_view last) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{}'{}'", i == 0 ? "" : i + 1 == names.size() ? last : ", ", names[i]);
  return text;
}

void Weights::reportMissing(Position at, const std::vector<std::string> &names, const std::string &loopNote, const std::string &choiceNote) {
  if (trace.wasReported(at))
    return;
  std::vector<std::string> candidates;
  for (const std::string &name : names)
    for (const std::string &prefix : prefixes)
      candidates.push_back(prefix + name);
  std::string file = std::filesystem::path(checkpoint->source()).filename().string();
  std::string where = candidates.size() == 1   ? fmt::format("it is not in '{}'", file)
                      : candidates.size() == 2 ? fmt::format("neither {} is in '{}'", quotedList(candidates, " nor "), file)
                                               : fmt::format("none of {} is in '{}'", quotedList(candidates, " and "), file);
  std::vector<std::string> remedies;
  constexpr unsigned shownErrors = 20; // searching the file for near names is dear, and nobody reads the rest
  if (trace.all().errorCount() >= shownErrors)
    return trace.error(at, fmt::format("tensor '{}' is missing: {}", names.front(), where));
  for (const std::string &candidate : candidates) {
    std::string note = rangeNote(candidate);
    if (note.empty())
      continue;
    remedies.push_back(note + (loopNote.empty() ? "" : "; " + loopNote));
    break;
  }
  for (size_t i = 0; i < candidates.size() && remedies.empty(); ++i)
    if (std::string near = nearestName(candidates[i], checkpoint->names()); !near.empty())
      remedies.push_back(fmt::format("did you mean '{}'?", near));
  if (!choiceNote.empty())
    remedies.push_back(choiceNote);
  trace.error(at, fmt::format("tensor '{}' is missing: {}", candidates.size() == 1 ? candidates[0] : names.front(), where), remedies);
}

/// A name with a number in it, where the file has the same name with other numbers: which.
std::string Weights::rangeNote(const std::string &name) const {
  for (size_t begin = 0; begin < name.size();) {
    size_t dot = std::min(name.find('.', begin), name.size());
    std::string_view part = std::string_view(name).substr(begin, dot - begin);
    if (!part.empty() && part.size() < 10 && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; })) {
      std::string_view before = std::string_view(name).substr(0, begin), after = std::string_view(name).substr(dot);
      std::vector<std::pair<uint64_t, std::string>> others;
      for (const TensorInfo &tensor : checkpoint->tensors()) {
        std::string_view other = tensor.name;
        if (!other.starts_with(before) || !other.ends_with(after) || other.size() <= before.size() + after.size())
          continue;
        std::string_view number = other.substr(before.size(), other.size() - before.size() - after.size());
        if (number.size() < 10 && std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; }))
          others.push_back({std::stoull(std::string(number)), tensor.name});
      }
      if (!others.empty()) {
        auto [first, last] = std::ranges::minmax(others);
        return others.size() == 1 ? fmt::format("the file has '{}'", first.second)
                                  : fmt::format("the file has '{}' to '{}'", first.second, last.second);
      }
    }
    begin = dot + 1;
  }
  return "";
}

mlir::FlatSymbolRefAttr Weights::insert(std::string symbol, mlir::RankedTensorType type, mlir::Attribute recipe, mlir::Location location) {
  while (!taken.insert(symbol).second) // an entry and a weight may have one name in the text
    symbol += ".weight";
  mlir::OpBuilder builder(module.getContext());
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToStart(module.getBody());
  last = WeightOp::create(builder, location, symbol, type, recipe);
  return mlir::FlatSymbolRefAttr::get(module.getContext(), symbol);
}

mlir::FlatSymbolRefAttr Weights::use(const std::string &name) {
  Known &weight = known.at(name);
  if (weight.symbol)
    return weight.symbol;
  llvm::SmallVector<int64_t> used;
  for (const Axis &axis : weight.axes)
    if (!axis.unit)
      used.push_back(axis.extent.staticValue());
  mlir::MLIRContext *context = module.getContext();
  auto type = DimsAttr::fixed(context, used).tensorOf(mlir::Float32Type::get(context));
  return weight.symbol = insert(name, type, recipe(name), weight.location);
}

mlir::Attribute Weights::recipe(const std::string &name) {
  mlir::MLIRContext *context = module.getContext();
  llvm::SmallVector<int64_t> stored, used;
  for (const Axis &axis : known.at(name).axes) {
    stored.push_back(axis.extent.staticValue());
    if (!axis.unit)
      used.push_back(axis.extent.staticValue());
  }
  const TensorInfo *info = hasFile() ? checkpoint->find(name) : nullptr;
  mlir::Type real = mlir::Float32Type::get(context), element = real;
  if (info && info->element != ElementType::F32)
    element = info->element == ElementType::F16 ? mlir::Type(mlir::Float16Type::get(context)) : mlir::BFloat16Type::get(context);
  mlir::Attribute recipe = TensorRecipeAttr::get(context, mlir::StringAttr::get(context, name), mlir::RankedTensorType::get(stored, element));
  if (element != real)
    recipe = CastRecipeAttr::get(context, recipe, real);
  return used.size() == stored.size() ? recipe : ReshapeRecipeAttr::get(context, recipe, used);
}

mlir::FlatSymbolRefAttr Weights::useByDistance(const std::string &name, const std::vector<int64_t> &buckets, mlir::RankedTensorType type) {
  mlir::MLIRContext *context = module.getContext();
  mlir::Attribute table = recipe(name), byBucket;
  if (mlir::RankedTensorType stored = recipeType(table); stored.getRank() == 1) // one head: the unit axis is in the file only
    byBucket = ReshapeRecipeAttr::get(context, table, {1, stored.getDimSize(0)});
  else
    byBucket = TransposeRecipeAttr::get(context, table, llvm::ArrayRef<int64_t>{1, 0});
  mlir::Attribute byDistance = SelectRecipeAttr::get(context, byBucket, 1, mlir::DenseI64ArrayAttr::get(context, buckets));
  mlir::FlatSymbolRefAttr &symbol = distances[byDistance.getAsOpaquePointer()];
  if (!symbol)
    symbol = insert(name + ".by_distance", type, byDistance, known.at(name).location);
  return symbol;
}

mlir::FlatSymbolRefAttr Weights::useConstant(mlir::Attribute recipe, mlir::RankedTensorType type, mlir::Location location) {
  mlir::FlatSymbolRefAttr &symbol = constants[recipe.getAsOpaquePointer()];
  if (!symbol)
    symbol = insert(fmt::format("heddle.constant.{}", constants.size() - 1), type, recipe, location);
  return symbol;
}

void Weights::noteUnused(Diagnostics &diagnostics) const {
  if (!hasFile())
    return;
  std::vector<std::string> unused;
  for (const TensorInfo &tensor : checkpoint->tensors())
    if (!known.contains(tensor.name))
      unused.push_back(tensor.name);
  if (unused.empty())
    return;
  constexpr size_t shown = 5;
  size_t count = unused.size();
  if (count > shown)
    unused.resize(shown);
  diagnostics.note({checkpoint->source(), 0, 0},
                   fmt::format("{} {} not used: {}{}", count, count == 1 ? "tensor is" : "tensors are",
                               quotedList(unused, count > shown ? ", " : " and "), count > shown ? fmt::format(" and {} more", count - shown) : ""));
}

} // namespace heddle::frontend
