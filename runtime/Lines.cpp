#include "runtime/Lines.h"
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <unistd.h>

using namespace heddle::runtime;

/// What never ends is no line: /dev/zero must not take all memory. Nor must a batch of long ones.
static constexpr int64_t longestLine = int64_t{256} << 20, longBatch = int64_t{16} << 20;

bool Lines::take(std::string_view line, Failure &failure) { return lines.push(line) || failure.outOfMemory(); }

/// Reads once, into room made by moving what is not taken yet to the front.
bool Lines::fill(Failure &failure) {
  constexpr int64_t atOnce = 1 << 16;
  if (text.size() - used < atOnce && !text.resize(used + atOnce + used / 2))
    return failure.outOfMemory();
  ssize_t got = -1;
  while ((got = ::read(descriptor, text.data() + used, static_cast<size_t>(text.size() - used))) < 0 && errno == EINTR)
    ;
  if (got < 0)
    return failure.system("cannot read", name);
  used += got;
  atEnd = got == 0;
  return true;
}

/// Whether reading on would wait for somebody.
bool Lines::isWaiting() const {
  pollfd input = {descriptor, POLLIN, 0};
  return poll(&input, 1, 0) == 0;
}

bool Lines::next(int64_t most, Failure &failure) {
  before += lines.size();
  lines.clear();
  if (words) {
    for (; lines.size() < most && before + lines.size() < words->size();)
      if (!take((*words)[before + lines.size()], failure))
        return false;
    return true;
  }
  if (begin > 0)
    std::memmove(text.data(), text.data() + begin, static_cast<size_t>(used - begin));
  used -= begin, searched -= begin, begin = 0;
  // Views into the text are made when nothing moves any more: until then lines are known by where they end.
  Array<int64_t> ends;
  for (int64_t from = 0; ends.size() < most;) {
    const void *found = searched < used ? std::memchr(text.data() + searched, '\n', static_cast<size_t>(used - searched)) : nullptr;
    searched = found ? static_cast<const char *>(found) - text.data() + 1 : used;
    if (found || (atEnd && used > from)) {
      if (!ends.push(searched))
        return failure.outOfMemory();
      from = searched;
    } else if (atEnd || (!ends.empty() && (from > longBatch || isWaiting()))) {
      break;
    } else if (used - from > longestLine) {
      return failure.contents("line %lld of %s has more than %lld bytes", static_cast<long long>(before + ends.size() + 1), Quoted(name).text(),
                              static_cast<long long>(longestLine));
    } else if (!fill(failure)) {
      return false;
    }
  }
  for (int64_t end : ends) {
    std::string_view line(text.data() + begin, static_cast<size_t>(end - begin));
    begin = end;
    if (line.ends_with('\n'))
      line.remove_suffix(1);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    if (!take(line, failure))
      return false;
  }
  return true;
}
