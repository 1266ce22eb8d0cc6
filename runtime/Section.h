// The weights: a section of the executable's own file, mapped read-only and never copied.
#pragma once
#include "runtime/Failure.h"
#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

class Section {
public:
  Section() = default;
  Section(const Section &) = delete;
  Section &operator=(const Section &) = delete;
  ~Section();

  /// Maps the section HEDDLE_SECTION of the ELF file at `path`, which must have exactly `bytes` bytes. Every value of the headers is checked against
  /// the size of the file: strip, objcopy or a broken copy may have been at it.
  bool map(const char *path, int64_t bytes, Failure &failure);
  /// 64-byte aligned, never null.
  const char *data() const { return base; }
  int64_t size() const { return length; }

private:
  bool mapAt(int file, uint64_t offset, const char *path, Failure &failure);
  static const char empty[64];
  const char *base = empty;
  int64_t length = 0;
  void *mapping = nullptr;
  size_t mapped = 0;
};

} // namespace heddle::runtime
