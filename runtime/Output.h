// Text on its way to a file descriptor: buffered, escaped where it comes from the user, and every failed write is remembered.
#pragma once
#include "runtime/Failure.h"
#include <cstddef>
#include <string_view>

namespace heddle::runtime {

class Output {
public:
  explicit Output(int descriptor) : descriptor(descriptor) {}
  void write(std::string_view text);
  void escaped(std::string_view text);
  void print(const char *format, ...) __attribute__((format(printf, 2, 3))); // at most 512 bytes
  /// Writes what is left; false and a message when anything was lost. A reader that went away (EPIPE) is told by the code alone: `failure.text` stays
  /// empty.
  bool finish(Failure &failure);

  /// Writes what is there now; false once anything was lost, so that nobody works on for a reader that has gone.
  bool flush();

private:
  char buffer[1 << 14];
  size_t used = 0;
  int descriptor, error = 0;
};

} // namespace heddle::runtime
