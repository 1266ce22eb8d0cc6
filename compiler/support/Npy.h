// NumPy's .npy files, for the tools of the compiler. The runtime of an executable has its own reader (it may not use the C++ library); both take and
// refuse the same files: versions 1 to 3, little-endian, C or Fortran order, no objects, no trailing bytes.
#pragma once
#include "compiler/support/Diagnostics.h"
#include "compiler/support/ElementType.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

struct NpyArray {
  ElementType element; // F32, F64, I32, I64 or Bool
  std::vector<int64_t> shape;
  std::vector<char> data; // row-major, whatever the order in the file
};

std::optional<NpyArray> readNpy(const std::string &path, Diagnostics &diagnostics);
bool writeNpy(const std::string &path, const NpyArray &array, Diagnostics &diagnostics);

} // namespace heddle
