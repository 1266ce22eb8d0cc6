#include "runtime/Output.h"
#include "runtime/Escape.h"
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <unistd.h>

using namespace heddle::runtime;

void Output::write(std::string_view text) {
  while (!text.empty()) {
    if (used == sizeof buffer)
      flush();
    size_t part = text.size() < sizeof buffer - used ? text.size() : sizeof buffer - used;
    std::memcpy(buffer + used, text.data(), part);
    used += part;
    text.remove_prefix(part);
  }
}

void Output::escaped(std::string_view text) {
  while (!text.empty()) {
    Escaped next = escapeFirst(text);
    write({next.text, next.length});
    text.remove_prefix(next.consumed);
  }
}

void Output::print(const char *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  int length = std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  write({line, length < 0 ? 0 : static_cast<size_t>(length) < sizeof line ? static_cast<size_t>(length) : sizeof line - 1});
}

bool Output::flush() {
  const char *next = buffer;
  while (used > 0 && !error) {
    ssize_t wrote = ::write(descriptor, next, used);
    if (wrote < 0 && errno != EINTR)
      error = errno;
    if (wrote > 0)
      next += wrote, used -= static_cast<size_t>(wrote);
  }
  used = 0;
  return !error;
}

bool Output::finish(Failure &failure) {
  flush();
  if (!error)
    return true;
  failure.contents("cannot write standard output: %s", std::strerror(error));
  if (error == EPIPE)
    failure.text[0] = 0;
  return false;
}
