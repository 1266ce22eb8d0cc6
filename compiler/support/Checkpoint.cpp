// See Checkpoint.h.
#include "compiler/support/Checkpoint.h"
#include "compiler/support/Shape.h"
#include "compiler/support/ShortFloat.h"
#include "compiler/support/WeightFiles.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace heddle {

const TensorInfo *Checkpoint::find(std::string_view name) const {
  const auto &all = tensors();
  auto at = std::lower_bound(all.begin(), all.end(), name, [](const TensorInfo &tensor, std::string_view name) { return tensor.name < name; });
  return at != all.end() && at->name == name ? &*at : nullptr;
}

bool Checkpoint::holds(std::string_view name, std::span<const int64_t> shape, ElementType element, Diagnostics &diagnostics) const {
  if (!read(name, shape, 0, {}, diagnostics)) // reading nothing checks name and shape
    return false;
  const TensorInfo *info = find(name);
  if (!info || info->element == element)
    return true;
  diagnostics.error({fileOf(name), 0, 0}, fmt::format("tensor '{}': expected elements of {}, got {}", name, nameOf(element), nameOf(info->element)));
  return false;
}

std::vector<std::string> Checkpoint::names() const {
  std::vector<std::string> names;
  for (const TensorInfo &tensor : tensors())
    names.push_back(tensor.name);
  return names;
}

namespace {
constexpr uint64_t golden = 0x9E3779B97F4A7C15;

uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}
} // namespace

SeededTensor::SeededTensor(uint64_t seed, std::string_view name, std::span<const int64_t> shape) {
  uint64_t hash = 0xCBF29CE484222325;
  for (char c : name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  key = mix(mix(seed + golden) ^ hash);
  bool matrix = shape.size() >= 2;
  scale = matrix ? 1 / std::sqrt(static_cast<double>(std::max<int64_t>(shape.back(), 1))) : 0.1;
  centre = shape.size() == 1 && name.ends_with(".weight") ? 1 : 0;
}

float SeededTensor::element(int64_t index) const {
  uint64_t h = mix(key + (static_cast<uint64_t>(index) + 1) * golden);
  // Four uniform 16-bit numbers: the standard deviation of their sum is sqrt(4 / 12) * 65536 = 37837.
  int64_t sum = static_cast<int64_t>((h & 0xFFFF) + (h >> 16 & 0xFFFF) + (h >> 32 & 0xFFFF) + (h >> 48)) - 131070;
  return static_cast<float>(centre + static_cast<double>(sum) / 37837 * scale);
}

namespace {
class SeededCheckpoint : public Checkpoint {
public:
  SeededCheckpoint(uint64_t seed, std::string text) : seed(seed), text(std::move(text)) {}
  bool isSeeded() const override { return true; }
  const std::string &source() const override { return text; }
  const std::vector<TensorInfo> &tensors() const override { return none; }

  bool read(std::string_view name, std::span<const int64_t> shape, int64_t first, std::span<float> to, Diagnostics &) const override {
    SeededTensor tensor(seed, name, shape);
    for (float &element : to)
      element = tensor.element(first++);
    return true;
  }

private:
  uint64_t seed;
  std::string text;
  std::vector<TensorInfo> none;
};

class FileCheckpoint : public Checkpoint {
public:
  explicit FileCheckpoint(WeightFiles opened) : files(std::move(opened)) {
    for (const WeightFiles::Held &held : files.tensors())
      infos.push_back({held.tensor->name, held.tensor->shape, held.tensor->element});
  }
  bool isSeeded() const override { return false; }
  const std::string &source() const override { return files.path(); }
  const std::string &fileOf(std::string_view name) const override {
    const WeightFiles::Held *held = holder(name);
    return held ? held->file->path() : source();
  }
  const std::vector<TensorInfo> &tensors() const override { return infos; }

  bool read(std::string_view name, std::span<const int64_t> shape, int64_t first, std::span<float> to, Diagnostics &diagnostics) const override {
    auto fail = [&](std::string message) {
      diagnostics.error({fileOf(name), 0, 0}, fmt::format("tensor '{}'{}", name, message));
      return false;
    };
    const WeightFiles::Held *held = holder(name);
    if (!held)
      return fail(" is missing");
    const SafetensorsTensor *tensor = held->tensor;
    if (!std::equal(shape.begin(), shape.end(), tensor->shape.begin(), tensor->shape.end()))
      return fail(fmt::format(": expected {}, got {}", shapeText(shape), shapeText(tensor->shape)));
    bool isShort = tensor->element == ElementType::F16 || tensor->element == ElementType::BF16;
    if (tensor->element != ElementType::F32 && !isShort)
      return fail(fmt::format(" is {}: weights other than F32, F16 and BF16 are not built yet", nameOf(tensor->element)));
    uint64_t count = tensor->bytes / bytesOf(tensor->element), begin = static_cast<uint64_t>(first);
    if (first < 0 || begin > count || to.size() > count - begin)
      return fail(fmt::format(": {} elements, {} from element {} on were asked for", count, to.size(), first));
    // Both sides are little-endian: x86-64 is all that Heddle runs on.
    bool isRead = isShort ? readShort(*held, begin, to, diagnostics)
                          : held->file->read(*tensor, begin * sizeof(float), {reinterpret_cast<char *>(to.data()), to.size_bytes()}, diagnostics);
    if (isRead && std::any_of(to.begin(), to.end(), [](float x) { return std::isnan(x); }))
      diagnostics.note({held->file->path(), 0, 0}, fmt::format("tensor '{}' holds NaN", name));
    return isRead;
  }

private:
  /// Null where no file holds such a tensor.
  const WeightFiles::Held *holder(std::string_view name) const {
    const TensorInfo *info = find(name);
    return info ? &files.tensors()[static_cast<size_t>(info - infos.data())] : nullptr;
  }

  bool readShort(const WeightFiles::Held &held, uint64_t begin, std::span<float> to, Diagnostics &diagnostics) const {
    std::vector<uint16_t> stored(to.size());
    if (!held.file->read(*held.tensor, begin * sizeof(uint16_t), {reinterpret_cast<char *>(stored.data()), stored.size() * sizeof(uint16_t)},
                         diagnostics))
      return false;
    std::transform(stored.begin(), stored.end(), to.begin(), held.tensor->element == ElementType::F16 ? floatOfHalf : floatOfBfloat);
    return true;
  }

  WeightFiles files;
  std::vector<TensorInfo> infos; // of files.tensors(), in their order
};
} // namespace

std::unique_ptr<Checkpoint> Checkpoint::open(const std::string &source, Diagnostics &diagnostics) {
  constexpr std::string_view seedWord = "seed:";
  if (source.starts_with(seedWord)) {
    uint64_t seed = 0;
    const char *begin = source.data() + seedWord.size(), *end = source.data() + source.size();
    auto [stop, error] = std::from_chars(begin, end, seed);
    if (error == std::errc() && stop == end && begin != end)
      return std::make_unique<SeededCheckpoint>(seed, source);
    diagnostics.error({}, fmt::format("expected 'seed:' and a whole number below 2^64, got '{}'", source));
    return nullptr;
  }
  auto files = WeightFiles::open(source, diagnostics);
  return files ? std::make_unique<FileCheckpoint>(std::move(*files)) : nullptr;
}

} // namespace heddle
