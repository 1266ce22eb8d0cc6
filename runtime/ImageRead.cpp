// Which format a file is of, and the limits of all formats.
#include "runtime/File.h"
#include "runtime/Image.h"
#include "runtime/heddle_model.h"
#include <cstring>

using namespace heddle::runtime;

namespace {

constexpr int64_t maxFile = int64_t{1} << 30; // the longest PNG of so many pixels has 800 MB of values; text takes more and seldom needs it

using Reader = bool (*)(const char *bytes, int64_t size, const char *name, Image &image, Failure &failure);

/// What the first bytes announce. Of PNG's eight the last four show a file that went through a conversion of line ends: its reader says so.
Reader readerOf(const char *bytes, int64_t size) {
  if (size >= 4 && std::memcmp(bytes, "\x89PNG", 4) == 0)
    return readPng;
  if (size >= 3 && bytes[0] == 'P' && std::memchr("2356", bytes[1], 4) && std::memchr(" \t\n\v\f\r#", bytes[2], 7))
    return readPnm;
  return nullptr;
}

bool refuseFormat(const char *name, Failure &failure) {
  return failure.contents("%s is neither PNG nor PNM (P2, P3, P5, P6) nor NumPy's .npy: convert the picture to PNG", Quoted(name).text());
}

} // namespace

bool heddle::runtime::acceptSize(int64_t width, int64_t height, const char *name, Failure &failure) {
  if (width >= 1 && height >= 1 && width <= maxPixels / height)
    return true;
  return failure.contents("%s: expected a picture of 1 to %lld pixels, got width %lld, height %lld", Quoted(name).text(),
                          static_cast<long long>(maxPixels), static_cast<long long>(width), static_cast<long long>(height));
}

bool heddle::runtime::readImage(const char *bytes, int64_t size, const char *name, Image &image, Failure &failure) {
  Reader reader = readerOf(bytes, size);
  return reader ? reader(bytes, size, name, image, failure) : refuseFormat(name, failure);
}

bool heddle::runtime::readImage(const char *path, Image &image, Failure &failure) {
  InputFile file;
  char start[8];
  if (!file.open(path, failure))
    return false;
  int64_t size = file.size(), first = size < 8 ? size : 8;
  if (!file.read(start, first, failure))
    return false;
  if (!readerOf(start, first))
    return refuseFormat(path, failure); // before a long file of something else is read
  if (size > maxFile)
    return failure.contents("%s has %lld bytes, expected at most %lld", Quoted(path).text(), static_cast<long long>(size),
                            static_cast<long long>(maxFile));
  Array<char> bytes;
  if (!bytes.resize(size))
    return failure.outOfMemory();
  std::memcpy(bytes.data(), start, static_cast<size_t>(first));
  return file.read(bytes.data() + first, size - first, failure) && readImage(bytes.data(), size, path, image, failure);
}

extern "C" int64_t heddle_read_picture(const char *path, const void *form, float *pixels, void *failure) {
  Failure &told = *static_cast<Failure *>(failure);
  Image image;
  return readImage(path, image, told) && imageToPixels(image, path, *static_cast<const PixelForm *>(form), pixels, told);
}
