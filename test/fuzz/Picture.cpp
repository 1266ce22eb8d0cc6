// PNG and PNM, from memory, and the pixels that a model takes. Sums of PNG are repaired, else nearly every change would end at the first of them.
#include "runtime/Image.h"
#include <cstdlib>
#include <cstring>
#include <vector>
#include <zlib.h>

using namespace heddle::runtime;

static uint32_t bigEndian(const unsigned char *at) { return uint32_t{at[0]} << 24 | uint32_t{at[1]} << 16 | uint32_t{at[2]} << 8 | at[3]; }

static void repairSums(std::vector<unsigned char> &bytes) {
  for (size_t at = 8; at + 12 <= bytes.size();) {
    size_t length = bigEndian(&bytes[at]);
    if (length > bytes.size() - at - 12)
      return;
    uLong sum = crc32(0, &bytes[at + 4], static_cast<uInt>(length + 4));
    for (int i = 0; i < 4; ++i)
      bytes[at + 8 + length + static_cast<size_t>(i)] = static_cast<unsigned char>(sum >> (24 - 8 * i));
    at += 12 + length;
  }
}

/// The first byte chooses the form and whether sums are repaired; the others are the picture.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  if (size == 0)
    return 0;
  std::vector<unsigned char> bytes(data + 1, data + size);
  if (data[0] & 1)
    repairSums(bytes);
  Image image;
  Failure failure;
  const char *text = reinterpret_cast<const char *>(bytes.data());
  if (!readImage(text, static_cast<int64_t>(bytes.size()), "picture", image, failure)) {
    if (failure.code != 1 || !failure.text[0])
      std::abort(); // a refusal says why
    return 0;
  }
  if (image.bytes.size() != image.width * image.height * image.channels)
    std::abort();
  const float mean[] = {0.5f, 0.25f, 0.125f}, deviation[] = {0.5f, 1, 2};
  float pixels[3 * 5 * 7];
  PixelForm form = {5, 7, data[0] & 2 ? 3 : 1, 1 / 255.0, mean, deviation, data[0] & 4 ? Resample::bicubic : Resample::bilinear};
  imageToPixels(image, "picture", form, pixels, failure);
  return 0;
}
