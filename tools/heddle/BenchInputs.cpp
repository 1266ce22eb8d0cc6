#include "tools/heddle/BenchInputs.h"
#include "compiler/support/Npy.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <random>

using namespace heddle;

namespace {

constexpr int64_t defaultLength = 128; // of a ragged dimension; any other is 1
constexpr int64_t mostBytes = int64_t{1} << 34;

class Inputs {
public:
  Inputs(const EntryInfo &entry, const BenchRequest &request, std::string folder, Diagnostics &diagnostics)
      : entry(entry), request(request), folder(std::move(folder)), diagnostics(diagnostics) {}

  bool write() {
    if (!chooseDimensions())
      return false;
    for (const ValueInfo &argument : entry.arguments)
      if (!argument.defaultValue && !writeArgument(argument))
        return false;
    for (const auto &[name, lengths] : request.lengths)
      if (!writeLengths(name, lengths))
        return false;
    return true;
  }

  std::vector<std::string> words;

private:
  bool refuse(const std::string &message) { return diagnostics.error({}, message), false; }

  std::optional<size_t> find(const std::string &name) {
    std::vector<std::string> names;
    for (size_t d = 0; d < entry.dimensions.size(); ++d) {
      if (entry.dimensions[d].kind == DimensionKind::Tokens)
        continue;
      if (entry.dimensions[d].name == name)
        return d;
      names.push_back(entry.dimensions[d].name);
    }
    refuse(fmt::format("entry '{}' has no dimension '{}'; dimensions: {}", entry.name, name,
                       names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    return std::nullopt;
  }

  bool chooseDimensions() {
    for (const DimensionInfo &dimension : entry.dimensions) {
      bool ragged = dimension.kind == DimensionKind::Ragged;
      values.push_back(!ragged ? 1 : dimension.bound > 0 ? std::min(defaultLength, dimension.bound) : defaultLength);
    }
    for (const auto &[name, value] : request.dimensions) {
      std::optional<size_t> d = find(name);
      if (!d)
        return false;
      int64_t bound = entry.dimensions[*d].bound;
      if (bound > 0 && value > bound)
        return refuse(fmt::format("dimension '{}': expected at most {}, got {}", name, bound, value));
      values[*d] = value;
    }
    return true;
  }

  /// -1: more than fits.
  int64_t extent(const Form &form) {
    int64_t sum = 0;
    for (const FormTerm &term : form) {
      int64_t product = term.coefficient;
      for (int64_t d : term.dimensions)
        if (__builtin_mul_overflow(product, values[d], &product))
          return -1;
      if (__builtin_add_overflow(sum, product, &sum))
        return -1;
    }
    return sum;
  }

  bool save(const std::string &name, ElementType element, std::vector<int64_t> shape, std::vector<char> data) {
    return writeNpy(folder + name, {element, std::move(shape), std::move(data)}, diagnostics);
  }

  bool writeArgument(const ValueInfo &argument) {
    std::vector<int64_t> shape;
    int64_t bytes = argument.element == Element::Bool ? 1 : 4, size = bytes;
    for (const Form &form : argument.extents) {
      shape.push_back(extent(form));
      if (shape.back() < 0 || __builtin_mul_overflow(bytes, shape.back(), &bytes) || bytes > mostBytes)
        return refuse(fmt::format("argument '{}' of these dimensions has more than {} bytes", argument.name, mostBytes));
    }
    std::vector<char> data(bytes);
    for (int64_t at = 0; at < bytes; at += size)
      draw(argument, &data[at]);
    ElementType element = argument.element == Element::F32   ? ElementType::F32
                          : argument.element == Element::I32 ? ElementType::I32
                                                             : ElementType::Bool;
    std::string file = fmt::format("argument{}.npy", words.size());
    words.insert(words.end(), {"--in", argument.name + "=" + folder + file});
    return save(file, element, std::move(shape), std::move(data));
  }

  /// Ids inside their table, numbers of a common size.
  void draw(const ValueInfo &argument, char *to) {
    if (argument.element == Element::F32) {
      float value = std::uniform_real_distribution<float>(-1, 1)(random);
      std::memcpy(to, &value, sizeof value);
    } else if (argument.element == Element::I32) {
      int32_t value = std::uniform_int_distribution<int32_t>(0, argument.idBound > 0 ? static_cast<int32_t>(argument.idBound - 1) : 1)(random);
      std::memcpy(to, &value, sizeof value);
    } else {
      *to = static_cast<char>(random() & 1);
    }
  }

  bool writeLengths(const std::string &name, const std::vector<int64_t> &lengths) {
    std::optional<size_t> d = find(name);
    if (!d)
      return false;
    const DimensionInfo &dimension = entry.dimensions[*d];
    if (dimension.kind != DimensionKind::Ragged)
      return refuse(fmt::format("dimension '{}' is not ragged: its rows have no lengths", name));
    auto of = std::find_if(entry.arguments.begin(), entry.arguments.end(),
                           [&](const ValueInfo &argument) { return argument.ragged == static_cast<int64_t>(*d) && !argument.defaultValue; });
    if (of == entry.arguments.end())
      return refuse(fmt::format("dimension '{}' is of no argument that is given", name));
    std::vector<int64_t> shape{dimension.of < 0 ? 1 : values[dimension.of]};
    std::vector<char> data(shape[0] * sizeof(int32_t));
    for (int64_t row = 0; row < shape[0]; ++row) {
      int64_t length = lengths[row % lengths.size()];
      if (length > values[*d])
        return refuse(fmt::format("lengths of '{}': expected at most {}, its width, got {}", name, values[*d], length));
      int32_t narrow = static_cast<int32_t>(length);
      std::memcpy(&data[row * sizeof narrow], &narrow, sizeof narrow);
    }
    std::string file = fmt::format("lengths{}.npy", words.size());
    words.insert(words.end(), {"--lengths", of->name + "=" + folder + file});
    return save(file, ElementType::I32, std::move(shape), std::move(data));
  }

  const EntryInfo &entry;
  const BenchRequest &request;
  std::string folder;
  Diagnostics &diagnostics;
  std::vector<int64_t> values; // of entry.dimensions
  std::mt19937_64 random{1};
};

} // namespace

const EntryInfo *heddle::findEntry(const ModelInfo &info, const std::string &name, Diagnostics &diagnostics) {
  std::vector<std::string> names;
  auto count = llvm::count_if(info.entries, [](const EntryInfo &entry) { return !entry.isCheck(); });
  for (const EntryInfo &entry : info.entries) {
    if (entry.isCheck())
      continue;
    if (entry.name == name || (name.empty() && count == 1))
      return &entry;
    names.push_back(entry.name);
  }
  if (name.empty())
    diagnostics.error({}, fmt::format("the model has several entries, choose one by --entry: {}", fmt::join(names, ", ")));
  else
    diagnostics.error({}, fmt::format("the model has no entry '{}'; entries: {}", name, fmt::join(names, ", ")));
  return nullptr;
}

std::vector<std::string> heddle::writeInputs(const EntryInfo &entry, const BenchRequest &request, const std::string &folder,
                                             Diagnostics &diagnostics) {
  Inputs inputs(entry, request, folder, diagnostics);
  return inputs.write() ? inputs.words : std::vector<std::string>();
}
