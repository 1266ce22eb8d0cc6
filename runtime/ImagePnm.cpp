// PNM, the formats of Netpbm: P2 and P5 are grey, P3 and P6 have colours; P2 and P3 are text, P5 and P6 are bytes.
#include "runtime/Image.h"
#include <cmath>
#include <cstring>

using namespace heddle::runtime;

namespace {

bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

class PnmReader {
public:
  PnmReader(const char *bytes, int64_t size, const char *name, Failure &failure)
      : kind(bytes[1]), next(bytes + 2), end(bytes + size), name(name), failure(failure) {}
  bool read(Image &image);

private:
  bool isText() const { return kind <= '3'; }
  bool readText(Image &image);
  bool readBytes(Image &image);
  bool readNumber(const char *what, int64_t most, int64_t &value);
  void skipSpace();
  /// A comment runs from # to the end of its line, which stays.
  void skipComment() {
    while (next != end && *next != '\n' && *next != '\r')
      ++next;
  }
  bool hasBytes(int64_t wanted);
  bool isAtEnd();

  char kind;
  const char *next, *end, *name;
  Failure &failure;
  int64_t brightest = 0; // what is 255 in a byte
  /// To the nearest, halves to the even one, as Python's round() does.
  uint8_t byteOf(int64_t value) const { return static_cast<uint8_t>(std::lrint(static_cast<double>(value) / static_cast<double>(brightest) * 255)); }
};

void PnmReader::skipSpace() {
  for (; next != end && (isSpace(*next) || *next == '#'); next += next != end)
    if (*next == '#')
      skipComment();
}

bool PnmReader::readNumber(const char *what, int64_t most, int64_t &value) {
  skipSpace();
  if (next == end)
    return failure.contents("%s is cut short", Quoted(name).text());
  const char *begin = next;
  for (value = 0; next != end && isDigit(*next) && value <= most; ++next)
    value = value * 10 + (*next - '0');
  if (next == begin || value > most || (next != end && !isSpace(*next) && *next != '#')) {
    int64_t rest = end - begin, shown = 0;
    while (shown < rest && shown < 16 && !isSpace(begin[shown]))
      ++shown;
    return failure.contents("%s: expected %s of at most %lld, got %s", Quoted(name).text(), what, static_cast<long long>(most),
                            Quoted({begin, static_cast<size_t>(shown)}).text());
  }
  return true;
}

bool PnmReader::hasBytes(int64_t wanted) {
  return end - next >= wanted || failure.contents("%s: its header asks for at least %lld bytes of values, the file has %lld", Quoted(name).text(),
                                                  static_cast<long long>(wanted), static_cast<long long>(end - next));
}

/// A file may hold several pictures one behind the other: none is chosen silently.
bool PnmReader::isAtEnd() {
  skipSpace();
  return next == end || failure.contents("%s has %lld bytes more than its header asks for", Quoted(name).text(), static_cast<long long>(end - next));
}

bool PnmReader::read(Image &image) {
  if (!readNumber("a width", INT32_MAX, image.width) || !readNumber("a height", INT32_MAX, image.height) ||
      !readNumber("a largest value", UINT16_MAX, brightest) || !acceptSize(image.width, image.height, name, failure))
    return false;
  if (brightest == 0)
    return failure.contents("%s: expected a largest value of 1 to %d, got 0", Quoted(name).text(), UINT16_MAX);
  image.channels = kind == '3' || kind == '6' ? 3 : 1;
  return (isText() ? readText(image) : readBytes(image)) && isAtEnd();
}

bool PnmReader::readText(Image &image) {
  int64_t values = image.width * image.height * image.channels;
  if (!hasBytes(2 * values)) // a digit and what stands before it
    return false;
  if (!image.bytes.resize(values))
    return failure.outOfMemory();
  for (uint8_t &byte : image.bytes) {
    int64_t value = 0;
    if (!readNumber("a value", brightest, value))
      return false;
    byte = byteOf(value);
  }
  return true;
}

bool PnmReader::readBytes(Image &image) {
  int64_t values = image.width * image.height * image.channels, width = brightest > UINT8_MAX ? 2 : 1;
  if (next != end && *next == '#')
    skipComment();
  if (!hasBytes(1 + values * width)) // one space ends the header
    return false;
  if (!image.bytes.resize(values))
    return failure.outOfMemory();
  const char *from = next + 1;
  next = from + values * width;
  for (uint8_t &byte : image.bytes) {
    int64_t value = static_cast<uint8_t>(*from++);
    if (width == 2)
      value = value << 8 | static_cast<uint8_t>(*from++);
    if (value > brightest)
      return failure.contents("%s: expected values of at most %lld, got %lld", Quoted(name).text(), static_cast<long long>(brightest),
                              static_cast<long long>(value));
    byte = byteOf(value);
  }
  return true;
}

} // namespace

bool heddle::runtime::readPnm(const char *bytes, int64_t size, const char *name, Image &image, Failure &failure) {
  return PnmReader(bytes, size, name, failure).read(image);
}
