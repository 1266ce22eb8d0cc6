// See Arguments.h.
#include "compiler/reference/Arguments.h"
#include "compiler/support/Shape.h"
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

using namespace mlir;

namespace heddle {

namespace {
/// Calls `f` with the elements of an array as double, which holds every one of its types.
template <class F> void forEachElement(const NpyArray &array, F f) {
  auto walk = [&](auto sample) {
    for (size_t at = 0; at < array.data.size(); at += sizeof sample) {
      std::memcpy(&sample, &array.data[at], sizeof sample);
      f(static_cast<double>(sample));
    }
  };
  switch (array.element) {
  case ElementType::F32:
    return walk(float());
  case ElementType::F64:
    return walk(double());
  case ElementType::I32:
    return walk(int32_t());
  case ElementType::I64:
    return walk(int64_t());
  default:
    return walk(uint8_t());
  }
}

/// The value of a scalar argument written on the command line: `true`, `false` or a number.
std::optional<double> scalarValue(std::string_view text) {
  if (text == "true" || text == "false")
    return text == "true";
  double value = 0;
  auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

template <class T> std::vector<char> bytesOfValue(T value, size_t count) {
  std::vector<char> bytes(count * sizeof(T));
  for (size_t i = 0; i < count; ++i)
    std::memcpy(&bytes[i * sizeof(T)], &value, sizeof(T));
  return bytes;
}

/// An array of `count` equal elements of the argument's type.
NpyArray filled(Type element, ArrayRef<int64_t> shape, double value, size_t count) {
  std::vector<int64_t> extents(shape.begin(), shape.end());
  if (element.isInteger(1))
    return {ElementType::Bool, extents, bytesOfValue<char>(value != 0, count)};
  if (element.isInteger())
    return {ElementType::I32, extents, bytesOfValue<int32_t>(static_cast<int32_t>(value), count)};
  return {ElementType::F32, extents, bytesOfValue<float>(static_cast<float>(value), count)};
}
} // namespace

EntryArguments::EntryArguments(func::FuncOp entry, Diagnostics &diagnostics) : entry(entry), diagnostics(diagnostics) {
  auto dimensions = entry->getAttrOfType<ArrayAttr>(dimensionsAttr);
  for (BlockArgument argument : entry.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto name = entry.getArgAttrOfType<StringAttr>(number, nameAttr);
    if (!name || entry.getArgAttr(number, offsetsAttr) || entry.getArgAttr(number, startsAttr))
      continue;
    EntryArgument one{number, name.str(), dimsOf(argument), elementOf(argument), {}, false, {}, {}};
    for (Attribute attribute : dimensions ? dimensions.getValue() : ArrayRef<Attribute>())
      if (auto dimension = cast<DimensionAttr>(attribute); dimension.isRagged() && one.dims && one.dims.find(dimension.getName().getValue()))
        one.ragged = one.ragged.empty() ? dimension.getName().str() : one.ragged;
    arguments.push_back(std::move(one));
  }
}

bool EntryArguments::refuse(const std::string &place, std::string message) {
  diagnostics.error({place, 0, 0}, std::move(message));
  return false;
}

EvaluateStatus EntryArguments::misused(std::string message, std::string_view name) {
  std::vector<std::string> names;
  for (const EntryArgument &argument : arguments)
    names.push_back(argument.name);
  Diagnostic &error = diagnostics.error({}, std::move(message));
  if (std::string near = nearestName(name, names); !near.empty())
    error.note(fmt::format("did you mean '{}'?", near));
  return EvaluateStatus::Misused;
}

EntryArgument *EntryArguments::find(std::string_view name) {
  auto at = llvm::find_if(arguments, [&](const EntryArgument &argument) { return argument.name == name; });
  return at == arguments.end() ? nullptr : &*at;
}

EvaluateStatus EntryArguments::read(const EvaluateRequest &request) {
  if (EvaluateStatus status = readInputs(request.inputs); status != EvaluateStatus::Done)
    return status;
  if (!bindSizes())
    return EvaluateStatus::Refused;
  if (EvaluateStatus status = readRows(request.lengths, "--lengths", &Rows::lengths); status != EvaluateStatus::Done)
    return status;
  if (EvaluateStatus status = readRows(request.starts, "--starts", &Rows::starts); status != EvaluateStatus::Done)
    return status;
  if (!checkRows() || !llvm::all_of(arguments, [&](const EntryArgument &argument) { return checkIds(argument); }))
    return EvaluateStatus::Refused;
  return EvaluateStatus::Done;
}

EvaluateStatus EntryArguments::readInputs(const EvaluateRequest::Files &files) {
  for (const auto &[name, file] : files) {
    EntryArgument *argument = find(name);
    if (!argument)
      return misused(fmt::format("entry '{}' has no argument '{}'", entry.getName().str(), name), name);
    if (argument->given)
      return misused(fmt::format("argument '{}' is given twice", name), {});
    argument->given = true;
    auto scalar = argument->dims && argument->dims.getRank() == 0 ? scalarValue(file) : std::nullopt;
    if (scalar) {
      argument->array = filled(argument->element, {}, *scalar, 1);
      continue;
    }
    auto array = readNpy(file, diagnostics);
    if (!array)
      return EvaluateStatus::Refused;
    argument->array = std::move(*array);
    argument->file = file;
    if (!checkElement(*argument, file))
      return EvaluateStatus::Refused;
  }
  for (const EntryArgument &argument : arguments)
    if (!argument.given && !entry.getArgAttr(argument.number, defaultAttr))
      return misused(
          fmt::format("argument '{}' of entry '{}' is missing: give --in {}=FILE.npy", argument.name, entry.getName().str(), argument.name), {});
  return EvaluateStatus::Done;
}

bool EntryArguments::checkElement(const EntryArgument &argument, const std::string &path) {
  ElementType got = argument.array.element;
  bool wholes = argument.element.isInteger(32) && (got == ElementType::I32 || got == ElementType::I64);
  if (wholes || (argument.element.isInteger(1) && got == ElementType::Bool) || (argument.element.isF32() && got == ElementType::F32))
    return true;
  const char *expected = argument.element.isInteger(1) ? "bool" : argument.element.isInteger() ? "int32" : "float32";
  return refuse(path, fmt::format("argument '{}': expected elements of {}, got {}", argument.name, expected, nameOf(got)));
}

bool EntryArguments::bindSizes() {
  for (const EntryArgument &argument : arguments)
    if (argument.given && argument.dims)
      sizes.bind(argument.dims, argument.array.shape);
  for (const EntryArgument &argument : arguments) {
    if (!argument.given || !argument.dims)
      continue;
    if (std::string clash = sizes.compare(argument.dims, argument.array.shape); !clash.empty())
      return refuse(argument.file, fmt::format("argument '{}': {}", argument.name, clash));
    if (!argument.ragged.empty() && sizes.size(argument.ragged) == 0)
      return refuse(argument.file, fmt::format("argument '{}': the width of '{}' is 0, expected at least 1", argument.name, argument.ragged));
  }
  return llvm::all_of(arguments, [&](EntryArgument &argument) { return argument.given || fillDefault(argument); });
}

bool EntryArguments::fillDefault(EntryArgument &argument) {
  Attribute attribute = entry.getArgAttr(argument.number, defaultAttr);
  auto shape = argument.dims ? sizes.shape(argument.dims) : std::nullopt;
  auto count = shape ? elementCount(*shape) : std::nullopt;
  if (!count)
    return refuse({}, fmt::format("argument '{}' cannot be left out: its size does not follow from the others", argument.name));
  auto real = dyn_cast<FloatAttr>(attribute);
  auto whole = dyn_cast<IntegerAttr>(attribute);
  double value = real                                    ? real.getValueAsDouble()
                 : whole && whole.getType().isInteger(1) ? whole.getValue().getZExtValue()
                 : whole                                 ? whole.getInt()
                                                         : 0;
  argument.array = filled(argument.element, *shape, value, static_cast<size_t>(*count));
  return true;
}

EvaluateStatus EntryArguments::readRows(const EvaluateRequest::Files &files, const char *option, std::vector<int64_t> Rows::*which) {
  for (const auto &[name, file] : files) {
    EntryArgument *argument = find(name);
    if (!argument)
      return misused(fmt::format("{}: entry '{}' has no argument '{}'", option, entry.getName().str(), name), name);
    if (argument->ragged.empty())
      return misused(fmt::format("{}: argument '{}' has no ragged dimension", option, name), {});
    if (llvm::count_if(files, [&, name = name](const auto &other) { return other.first == name; }) > 1)
      return misused(fmt::format("{}: '{}' is given twice", option, name), {});
    auto array = readNpy(file, diagnostics);
    if (!array)
      return EvaluateStatus::Refused;
    bool wholes = array->element == ElementType::I32 || array->element == ElementType::I64;
    int64_t batch = argument->dims.getRank() ? *sizes.size(argument->dims.nameOf(0).getValue()) : 0;
    if (!wholes || array->shape != std::vector<int64_t>{batch}) {
      refuse(file, fmt::format("{} {}: expected int32 [{}], got {} {}", option, name, batch, nameOf(array->element), shapeText(array->shape)));
      return EvaluateStatus::Refused;
    }
    std::vector<int64_t> numbers;
    forEachElement(*array, [&](double value) { numbers.push_back(static_cast<int64_t>(value)); });
    std::vector<int64_t> &known = sizes.ragged[argument->ragged].*which;
    if (!known.empty() && known != numbers) {
      refuse(file, fmt::format("{} {}: given for another argument with '{}' too, with other values", option, name, argument->ragged));
      return EvaluateStatus::Refused;
    }
    known = std::move(numbers);
    (which == &Rows::lengths ? lengthFiles : startFiles)[argument->ragged] = file;
  }
  return EvaluateStatus::Done;
}

/// Lengths within the width, starts from 0 on, neither beyond the bound.
bool EntryArguments::checkRows() {
  auto dimensions = entry->getAttrOfType<ArrayAttr>(dimensionsAttr);
  for (Attribute attribute : dimensions ? dimensions.getValue() : ArrayRef<Attribute>()) {
    auto dimension = cast<DimensionAttr>(attribute);
    if (!dimension.isRagged())
      continue;
    std::string name = dimension.getName().str();
    int64_t width = sizes.size(name).value_or(0), bound = dimension.getBound();
    Rows &rows = sizes.ragged[name];
    rows.batch = dimension.getBatch().str();
    size_t batch = static_cast<size_t>(sizes.size(rows.batch).value_or(0));
    if (rows.lengths.empty())
      rows.lengths.assign(batch, width);
    if (rows.starts.empty())
      rows.starts.assign(batch, 0);
    for (size_t row = 0; row < batch; ++row) {
      int64_t length = rows.lengths[row], start = rows.starts[row];
      if (length < 0 || length > width)
        return refuse(lengthFiles[name], fmt::format("'{}', row {}: length {} is not within the width {}", name, row, length, width));
      if (start < 0 || start > INT32_MAX - width)
        return refuse(startFiles[name], fmt::format("'{}', row {}: start {} is not a position", name, row, start));
      if (bound && start + length > bound)
        return refuse(startFiles[name], fmt::format("'{}', row {}: start {} and length {} pass the bound {}", name, row, start, length, bound));
    }
  }
  return true;
}

/// Ids are looked at in real tokens only: within int32, and within the table that they index.
bool EntryArguments::checkIds(const EntryArgument &argument) {
  if (!argument.element.isInteger(32))
    return true;
  int64_t bound = 0;
  if (auto attribute = entry.getArgAttrOfType<IntegerAttr>(argument.number, idBoundAttr))
    bound = attribute.getInt();
  for (Operation *user : entry.getArgument(argument.number).getUsers())
    if (auto gather = dyn_cast<GatherOp>(user);
        gather && gather.getIds() == entry.getArgument(argument.number) && dimsOf(gather.getTable()).isStatic(0))
      bound = bound ? std::min(bound, dimsOf(gather.getTable()).shape()[0]) : dimsOf(gather.getTable()).shape()[0];
  RaggedAxes ragged(argument.dims, sizes);
  std::vector<double> values;
  forEachElement(argument.array, [&](double value) { values.push_back(value); });
  size_t at = 0;
  std::string wrong;
  forEachIndex(argument.array.shape, [&](ArrayRef<int64_t> index) {
    double value = values[at++];
    bool fine = bound ? value >= 0 && value < static_cast<double>(bound) : value >= INT32_MIN && value <= INT32_MAX;
    if (fine || !wrong.empty() || !ragged.isReal(index))
      return;
    std::string place = index.size() == 2 ? fmt::format("row {}, column {}", index[0], index[1]) : shapeText(index);
    wrong = bound ? fmt::format("id {} is not within 0 to {}", value, bound - 1) : fmt::format("{} does not fit int32", value);
    wrong = fmt::format("argument '{}', {}: {}", argument.name, place, wrong);
  });
  return wrong.empty() || refuse(argument.file, wrong);
}

std::vector<Tensor> EntryArguments::tensors() const {
  std::vector<Tensor> tensors;
  for (const EntryArgument &argument : arguments) {
    std::vector<double> values;
    values.reserve(argument.array.data.size() / bytesOf(argument.array.element));
    forEachElement(argument.array, [&](double value) { values.push_back(value); });
    tensors.emplace_back(argument.array.shape, std::move(values));
  }
  return tensors;
}

} // namespace heddle
