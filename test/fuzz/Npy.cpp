// An array in a file, by the reader of the compiler and by that of the runtime: both must take and refuse the same files and find the same values.
#include "compiler/support/Npy.h"
#include "runtime/Npy.h"
#include "test/fuzz/MemoryFile.h"
#include <cstdint>
#include <cstring>

using namespace heddle::fuzz;
using heddle::ElementType;

namespace {

/// What the compiler read, as the runtime would give it: int64 as i32. False where a value does not fit.
bool narrow(heddle::NpyArray &array) {
  if (array.element != ElementType::I64)
    return true;
  std::vector<char> narrowed;
  for (size_t at = 0; at < array.data.size(); at += sizeof(int64_t)) {
    int64_t wide;
    std::memcpy(&wide, &array.data[at], sizeof wide);
    int32_t value = static_cast<int32_t>(wide);
    if (value != wide)
      return false;
    narrowed.insert(narrowed.end(), reinterpret_cast<char *>(&value), reinterpret_cast<char *>(&value + 1));
  }
  array.data = std::move(narrowed);
  return true;
}

int64_t elementOf(ElementType type) { return type == ElementType::F32 ? HEDDLE_F32 : type == ElementType::Bool ? HEDDLE_BOOL : HEDDLE_I32; }

void compare(const std::string &path, int64_t element, const std::optional<heddle::NpyArray> &expected) {
  heddle::runtime::NpyReader reader;
  heddle::runtime::Failure failure;
  std::vector<char> values;
  bool read = reader.open(path.c_str(), element, failure);
  if (read) {
    values.resize(static_cast<size_t>(reader.count()) * (element == HEDDLE_BOOL ? 1 : 4));
    read = reader.read(values.data(), {}, failure);
  }
  require(read == (failure.code == 0));
  require(read == (expected && expected->element != ElementType::F64 && elementOf(expected->element) == element));
  if (read)
    require(values == expected->data &&
            std::equal(expected->shape.begin(), expected->shape.end(), reader.extents(), reader.extents() + reader.rank()));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static MemoryFile file;
  file.set({reinterpret_cast<const char *>(data), size});
  heddle::Diagnostics diagnostics;
  std::optional<heddle::NpyArray> array = heddle::readNpy(file.path(), diagnostics);
  require(!array == diagnostics.hasErrors());
  diagnostics.render();
  if (array && !narrow(*array))
    array.reset();
  for (int64_t element : {HEDDLE_F32, HEDDLE_I32, HEDDLE_BOOL})
    compare(file.path(), element, array);
  return 0;
}
