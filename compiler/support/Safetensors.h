// Weight files in the safetensors format: 8 bytes of header length, a JSON header, the data. The header is believed only as far as the file's size
// bears it out: nothing is allocated on a claim, and holes, overlaps and trailing bytes are refused, so every byte of a file belongs to exactly one
// tensor.
#pragma once
#include "compiler/support/ElementType.h"
#include "compiler/support/File.h"
#include <string_view>
#include <vector>

namespace heddle {

struct SafetensorsTensor {
  std::string name;
  ElementType element;
  std::vector<int64_t> shape; // row-major
  uint64_t begin = 0;         // offset in the file
  uint64_t bytes = 0;
};

class Safetensors {
public:
  static std::optional<Safetensors> open(const std::string &path, Diagnostics &diagnostics);

  const std::string &path() const { return file.path(); }
  /// Sorted by name.
  const std::vector<SafetensorsTensor> &tensors() const { return sorted; }
  const SafetensorsTensor *find(std::string_view name) const;
  /// Bytes of a tensor from byte `offset` on, as they stand in the file (little-endian).
  bool read(const SafetensorsTensor &tensor, uint64_t offset, std::span<char> to, Diagnostics &diagnostics) const;

private:
  Safetensors(InputFile file, std::vector<SafetensorsTensor> sorted) : file(std::move(file)), sorted(std::move(sorted)) {}
  InputFile file;
  std::vector<SafetensorsTensor> sorted;
};

} // namespace heddle
