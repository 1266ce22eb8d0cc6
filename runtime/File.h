// A file of the user, opened for reading: regular files alone, read in order.
#pragma once
#include "runtime/Failure.h"
#include <cstdint>

namespace heddle::runtime {

class InputFile {
public:
  InputFile() = default;
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;
  ~InputFile();

  /// Refuses folders, pipes and devices. The place of the path in memory must outlive the file.
  bool open(const char *path, Failure &failure);
  const char *name() const { return path; }
  int64_t size() const { return bytes; }
  /// Reads the next `length` bytes, all of them.
  bool read(void *to, int64_t length, Failure &failure);

private:
  const char *path = "";
  int descriptor = -1;
  int64_t bytes = 0;
};

} // namespace heddle::runtime
