#include "runtime/Lines.h"
#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace heddle::runtime;

bool Lines::read(int descriptor, Failure &failure) {
  fromFile = true;
  for (int64_t used = 0;;) {
    constexpr int64_t atOnce = 1 << 16;
    if (text.size() - used < atOnce && !text.resize(used + atOnce + used / 2))
      return failure.outOfMemory();
    ssize_t got = ::read(descriptor, text.data() + used, static_cast<size_t>(text.size() - used));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return failure.contents("cannot read standard input: %s", std::strerror(errno));
    used += got;
    if (got > 0)
      continue;
    if (!text.resize(used))
      return failure.outOfMemory();
    break;
  }
  std::string_view rest(text.data(), static_cast<size_t>(text.size()));
  while (!rest.empty()) {
    const void *found = std::memchr(rest.data(), '\n', rest.size());
    size_t end = found ? static_cast<size_t>(static_cast<const char *>(found) - rest.data()) : rest.size();
    std::string_view line(rest.data(), end);
    rest.remove_prefix(found ? end + 1 : end);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    if (!lines.push(line))
      return failure.outOfMemory();
  }
  return true;
}

bool Lines::take(const Array<const char *> &words, Failure &failure) {
  for (const char *word : words)
    if (!lines.push(word))
      return failure.outOfMemory();
  return true;
}
