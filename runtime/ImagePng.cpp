// PNG, decoded by libpng. What it finds wrong arrives as a call that must not return: it ends in longjmp, over frames of libpng and of guarded(), in
// which nothing has a destructor.
#include "runtime/Image.h"
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <png.h>

using namespace heddle::runtime;

namespace {

constexpr int64_t maxRatio = 1032; // deflate: 258 bytes from two bits

class PngReader {
public:
  PngReader(const char *bytes, int64_t size, const char *name, Failure &failure) : next(bytes), left(size), name(name), failure(failure) {}
  PngReader(const PngReader &) = delete;
  PngReader &operator=(const PngReader &) = delete;
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
  bool read(Image &image);

private:
  bool start();
  bool readHeader(Image &image);
  bool readRows(Image &image);
  template <typename Step> bool guarded(Step step);
  static void give(png_structp png, png_bytep to, size_t length);
  [[noreturn]] static void stop(png_structp png, png_const_charp reason);
  static void ignore(png_structp, png_const_charp) {}

  png_structp png = nullptr;
  png_infop info = nullptr;
  const char *next;
  int64_t left;
  const char *name;
  Failure &failure;
  bool isCut = false;
  char reason[128] = "";
  std::jmp_buf escape;
};

void PngReader::give(png_structp png, png_bytep to, size_t length) {
  PngReader &reader = *static_cast<PngReader *>(png_get_io_ptr(png));
  reader.isCut = length > static_cast<size_t>(reader.left);
  if (reader.isCut)
    png_error(png, "");
  std::memcpy(to, reader.next, length);
  reader.next += length, reader.left -= static_cast<int64_t>(length);
}

void PngReader::stop(png_structp png, png_const_charp reason) {
  PngReader &reader = *static_cast<PngReader *>(png_get_error_ptr(png));
  std::snprintf(reader.reason, sizeof reader.reason, "%s", reason);
  std::longjmp(reader.escape, 1);
}

template <typename Step> bool PngReader::guarded(Step step) {
  if (setjmp(escape) == 0) {
    step();
    return true;
  }
  if (isCut)
    return failure.contents("%s is cut short", Quoted(name).text());
  return failure.contents("%s is a broken PNG file: %s", Quoted(name).text(), reason);
}

bool PngReader::start() {
  png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, stop, ignore);
  info = png ? png_create_info_struct(png) : nullptr;
  return info || failure.outOfMemory();
}

/// Up to the first compressed byte. Libpng has made no room for pixels yet.
bool PngReader::readHeader(Image &image) {
  bool good = guarded([this] {
    png_set_read_fn(png, this, give);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX); // acceptSize() says it better
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1); // profiles, text and the like are not unpacked
    png_set_benign_errors(png, 0);                                         // values too few or too many are no picture
    png_read_info(png, info);
  });
  if (!good)
    return false;
  image.width = png_get_image_width(png, info);
  image.height = png_get_image_height(png, info);
  image.channels = png_get_color_type(png, info) & PNG_COLOR_MASK_COLOR ? 3 : 1;
  return acceptSize(image.width, image.height, name, failure);
}

bool PngReader::readRows(Image &image) {
  return guarded([this, &image] {
    png_set_palette_to_rgb(png);
    png_set_expand_gray_1_2_4_to_8(png);
    png_set_strip_16(png);
    png_set_strip_alpha(png);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    int64_t row = image.width * image.channels;
    if (png_get_rowbytes(png, info) != static_cast<size_t>(row))
      png_error(png, "rows of an unexpected length");
    for (int pass = 0; pass < passes; ++pass)
      for (int64_t y = 0; y < image.height; ++y)
        png_read_row(png, image.bytes.data() + y * row, nullptr);
    png_read_end(png, nullptr);
  });
}

bool PngReader::read(Image &image) {
  int64_t size = left;
  if (!start() || !readHeader(image))
    return false;
  int64_t wanted = image.width * image.height * png_get_bit_depth(png, info) * png_get_channels(png, info) / 8; // without a filter's byte a row
  if (wanted / maxRatio > size)
    return failure.contents("%s: its header asks for at least %lld bytes of values, a PNG file of %lld bytes holds at most %lld", Quoted(name).text(),
                            static_cast<long long>(wanted), static_cast<long long>(size), static_cast<long long>(size * maxRatio));
  if (!image.bytes.resize(image.width * image.height * image.channels))
    return failure.outOfMemory();
  return readRows(image);
}

} // namespace

bool heddle::runtime::readPng(const char *bytes, int64_t size, const char *name, Image &image, Failure &failure) {
  return PngReader(bytes, size, name, failure).read(image);
}
