// An executable's own file, as a copy or a tool may have left it: the section of its weights is found and all of it readable, or refused. The input
// ends in the eight bytes of the size that the table says.
#include "runtime/Section.h"
#include "test/fuzz/MemoryFile.h"
#include <cstdint>
#include <cstring>
#include <numeric>

using namespace heddle::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static MemoryFile file;
  int64_t bytes = 0;
  if (size < sizeof bytes)
    return 0;
  size -= sizeof bytes;
  std::memcpy(&bytes, data + size, sizeof bytes);
  file.set({reinterpret_cast<const char *>(data), size});
  heddle::runtime::Section section;
  heddle::runtime::Failure failure;
  bool found = section.map(file.path().c_str(), bytes, failure);
  require(found == (failure.code == 0) && (!found || section.size() == bytes));
  [[maybe_unused]] volatile int sum = found ? std::accumulate(section.data(), section.data() + section.size(), 0) : 0;
  return 0;
}
