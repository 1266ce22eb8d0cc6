// Reads and checks the header of a safetensors file. See Safetensors.h.
#include "compiler/support/Safetensors.h"
#include "compiler/support/Json.h"
#include "compiler/support/Shape.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace heddle {

namespace {
constexpr uint64_t longestHeader = 100'000'000;

/// Checks the entries of a parsed header. Places are left out of messages: lines of a binary file say nothing; the tensor's name does.
class HeaderReader {
public:
  HeaderReader(const std::string &path, uint64_t dataBegin, uint64_t dataBytes, Diagnostics &diagnostics)
      : path(path), dataBegin(dataBegin), dataBytes(dataBytes), diagnostics(diagnostics) {}

  std::optional<std::vector<SafetensorsTensor>> read(const Json &header) {
    if (!header.isObject())
      return fail(fmt::format("header: expected an object, got {}", header.describe()));
    for (const JsonMember &member : header.members()) {
      if (member.key == "__metadata__") {
        if (!metadata(member.value))
          return std::nullopt;
      } else if (!tensor(member)) {
        return std::nullopt;
      }
    }
    if (!coversTheData())
      return std::nullopt;
    std::sort(tensors.begin(), tensors.end(), [](const auto &a, const auto &b) { return a.name < b.name; });
    return std::move(tensors);
  }

private:
  std::nullopt_t fail(std::string message) {
    diagnostics.error({path, 0, 0}, std::move(message));
    return std::nullopt;
  }

  bool refuse(std::string_view name, std::string message) {
    fail(fmt::format("tensor '{}': {}", name, message));
    return false;
  }

  bool metadata(const Json &value) {
    bool fine = value.isObject();
    for (const JsonMember &member : value.members())
      fine &= member.value.string() != nullptr;
    if (!fine)
      fail("header: '__metadata__' is no object of strings");
    return fine;
  }

  bool tensor(const JsonMember &member) {
    SafetensorsTensor tensor;
    tensor.name = member.key;
    const Json *type = member.value.find("dtype"), *shape = member.value.find("shape"), *offsets = member.value.find("data_offsets");
    if (!type || !shape || !offsets)
      return refuse(member.key, fmt::format("no '{}'", !type ? "dtype" : !shape ? "shape" : "data_offsets"));
    auto element = type->string() ? elementNamed(*type->string()) : std::nullopt;
    if (!element)
      return refuse(member.key, fmt::format("unknown dtype {}", type->describe()));
    tensor.element = *element;
    if (!shape->isArray())
      return refuse(member.key, fmt::format("shape: expected a list, got {}", shape->describe()));
    for (const Json &extent : shape->elements()) {
      if (!extent.integer() || *extent.integer() < 0)
        return refuse(member.key, fmt::format("shape: expected whole numbers of at least 0, got {}", extent.describe()));
      tensor.shape.push_back(*extent.integer());
    }
    if (!span(tensor, *offsets))
      return false;
    tensors.push_back(std::move(tensor));
    return true;
  }

  /// `data_offsets` within the data and of the length that shape and type say.
  bool span(SafetensorsTensor &tensor, const Json &offsets) {
    const auto &pair = offsets.elements();
    bool fine = pair.size() == 2;
    for (const Json &offset : pair)
      fine &= offset.integer() && *offset.integer() >= 0;
    if (!fine)
      return refuse(tensor.name, "data_offsets: expected two whole numbers of at least 0");
    uint64_t begin = static_cast<uint64_t>(*pair[0].integer()), end = static_cast<uint64_t>(*pair[1].integer());
    std::string text = fmt::format("data_offsets [{}, {}]", begin, end);
    if (begin > end)
      return refuse(tensor.name, text + ": the end lies before the beginning");
    if (end > dataBytes)
      return refuse(tensor.name, fmt::format("{}: the file has {} bytes of data", text, dataBytes));
    auto bytes = byteCount(tensor.shape, bytesOf(tensor.element));
    std::string shape = fmt::format("shape {} of {}", shapeText(tensor.shape), nameOf(tensor.element));
    if (!bytes)
      return refuse(tensor.name, shape + ": the number of bytes passes 2^63");
    if (static_cast<uint64_t>(*bytes) != end - begin)
      return refuse(tensor.name, fmt::format("{} has {} bytes, {} has {}", shape, *bytes, text, end - begin));
    tensor.begin = dataBegin + begin;
    tensor.bytes = end - begin;
    return true;
  }

  /// Sorted by place, each tensor begins where the last one ends.
  bool coversTheData() {
    std::sort(tensors.begin(), tensors.end(), [](const auto &a, const auto &b) { return std::pair(a.begin, a.bytes) < std::pair(b.begin, b.bytes); });
    uint64_t end = dataBegin;
    std::string_view last = "the header";
    for (const SafetensorsTensor &tensor : tensors) {
      if (tensor.begin < end)
        return refuse(tensor.name, fmt::format("overlaps '{}' by {} bytes", last, end - tensor.begin));
      if (tensor.begin > end)
        return refuse(tensor.name, fmt::format("{} bytes before it belong to no tensor", tensor.begin - end));
      end = tensor.begin + tensor.bytes;
      last = tensor.name;
    }
    if (uint64_t rest = dataBegin + dataBytes - end)
      fail(fmt::format("{} bytes after the last tensor belong to none", rest));
    return end == dataBegin + dataBytes;
  }

  const std::string &path;
  uint64_t dataBegin, dataBytes;
  Diagnostics &diagnostics;
  std::vector<SafetensorsTensor> tensors;
};
} // namespace

std::optional<Safetensors> Safetensors::open(const std::string &path, Diagnostics &diagnostics) {
  auto file = InputFile::open(path, diagnostics);
  if (!file)
    return std::nullopt;
  auto fail = [&](std::string message) {
    diagnostics.error({path, 0, 0}, std::move(message));
    return std::nullopt;
  };
  if (file->size() < 8)
    return fail(fmt::format("no safetensors file: {} bytes, a header needs 8", file->size()));
  unsigned char length[8];
  if (!file->read(0, {reinterpret_cast<char *>(length), 8}, diagnostics))
    return std::nullopt;
  uint64_t headerBytes = 0;
  for (int i = 7; i >= 0; --i)
    headerBytes = headerBytes << 8 | length[i];
  if (headerBytes > file->size() - 8)
    return fail(
        fmt::format("no safetensors file, or cut short: the header's length is said to be {} bytes, the file has {}", headerBytes, file->size()));
  if (headerBytes > longestHeader)
    return fail(fmt::format("the header's length is {} bytes, at most {} are read", headerBytes, longestHeader));
  std::string text(headerBytes, '\0');
  if (!file->read(8, text, diagnostics))
    return std::nullopt;
  auto header = parseJson(text, path, diagnostics);
  if (!header)
    return std::nullopt;
  HeaderReader reader(path, 8 + headerBytes, file->size() - 8 - headerBytes, diagnostics);
  auto tensors = reader.read(*header);
  if (!tensors)
    return std::nullopt;
  return Safetensors(std::move(*file), std::move(*tensors));
}

const SafetensorsTensor *Safetensors::find(std::string_view name) const {
  auto at = std::lower_bound(sorted.begin(), sorted.end(), name, [](const auto &tensor, std::string_view name) { return tensor.name < name; });
  return at != sorted.end() && at->name == name ? &*at : nullptr;
}

bool Safetensors::read(const SafetensorsTensor &tensor, uint64_t offset, std::span<char> to, Diagnostics &diagnostics) const {
  return file.read(tensor.begin + offset, to, diagnostics);
}

} // namespace heddle
