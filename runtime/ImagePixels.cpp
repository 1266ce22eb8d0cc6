// Bytes of a picture -> the numbers that a model takes.
#include "runtime/Image.h"

using namespace heddle::runtime;

namespace {

/// Pillow's convert("L"), in place.
void makeGrey(Image &image) {
  int64_t count = image.width * image.height;
  for (int64_t i = 0; i < count; ++i) {
    const uint8_t *pixel = image.bytes.data() + i * 3;
    image.bytes[i] = static_cast<uint8_t>((19595 * pixel[0] + 38470 * pixel[1] + 7471 * pixel[2] + 0x8000) >> 16);
  }
  image.channels = 1;
}

} // namespace

bool heddle::runtime::imageToPixels(Image &image, const char *name, const PixelForm &form, float *pixels, Failure &failure) {
  if (form.channels == 1 && image.channels == 3)
    makeGrey(image);
  const Image *source = &image;
  Image resized;
  if (image.width != form.width || image.height != form.height) {
    auto refuse = [&](const char *remedy) {
      return failure.contents("%s: expected a picture of width %lld, height %lld, got width %lld, height %lld: %s", Quoted(name).text(),
                              static_cast<long long>(form.width), static_cast<long long>(form.height), static_cast<long long>(image.width),
                              static_cast<long long>(image.height), remedy);
    };
    if (form.resample == Resample::none)
      return refuse("resize it first");
    if (image.height > maxPixels / form.width)
      return refuse("it is too tall to be resized here");
    if (!resizeImage(image, form.width, form.height, form.resample, resized, failure))
      return false;
    source = &resized;
  }
  int64_t count = form.width * form.height;
  for (int64_t channel = 0; channel < form.channels; ++channel) {
    float values[256]; // of each byte
    for (int byte = 0; byte < 256; ++byte)
      values[byte] = (static_cast<float>(byte * form.rescale) - form.mean[channel]) / form.std[channel];
    const uint8_t *from = source->bytes.data() + (source->channels == 3 ? channel : 0); // grey is each channel
    for (int64_t i = 0; i < count; ++i)
      *pixels++ = values[from[i * source->channels]];
  }
  return true;
}
