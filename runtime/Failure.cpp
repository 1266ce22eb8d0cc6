// Messages of the runtime. They are put together here and printed by main() alone.
#include "runtime/Failure.h"
#include "runtime/Escape.h"
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

using namespace heddle::runtime;

bool Failure::contents(const char *format, ...) {
  code = 1;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return false;
}

bool Failure::usage(const char *format, ...) {
  code = 2;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return false;
}

bool Failure::system(const char *what, const char *path) {
  int reason = errno;
  return contents("%s: %s: %s", what, Quoted(path).text(), std::strerror(reason));
}

bool Failure::outOfMemory() { return contents("out of memory"); }

Quoted::Quoted(std::string_view raw) {
  constexpr size_t last = sizeof buffer - 8; // room for dots, the quote and the end
  size_t length = 0;
  buffer[length++] = '\'';
  while (!raw.empty()) {
    Escaped next = escapeFirst(raw);
    if (length + next.length > last) {
      std::memcpy(buffer + length, "...", 3);
      length += 3;
      break;
    }
    std::memcpy(buffer + length, next.text, next.length);
    length += next.length;
    raw.remove_prefix(next.consumed);
  }
  buffer[length++] = '\'';
  buffer[length] = 0;
}
