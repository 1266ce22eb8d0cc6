// Why something could not be done: one message and the exit code that main() returns for it. Of fixed size, so that "out of memory" can be told too.
#pragma once
#include <cstdint>
#include <string_view>

namespace heddle::runtime {

class Failure {
public:
  int code = 0; // 0: nothing happened; 1: contents (a file, a value); 2: usage (an option, a command, a name)
  char text[1024] = "";

  /// Each of these records a message and gives false, so that `return failure.contents(...)` ends a function that may fail.
  bool contents(const char *format, ...) __attribute__((format(printf, 2, 3)));
  bool usage(const char *format, ...) __attribute__((format(printf, 2, 3)));
  /// "<what>: '<path>': <the system's reason from errno>".
  bool system(const char *what, const char *path);
  bool outOfMemory();
};

/// A name or path of the user in single quotes, control characters written as escapes, long ones cut. For use inside one expression.
class Quoted {
public:
  explicit Quoted(std::string_view raw);
  const char *text() const { return buffer; }

private:
  char buffer[320];
};

} // namespace heddle::runtime
