// Pictures in files: PNG and PNM -> bytes -> the numbers that a model takes. What a picture means is what Pillow's convert("RGB") and convert("L")
// make of it: alpha and transparency are dropped, colour profiles and gamma are not looked at.
#pragma once
#include "runtime/Array.h"
#include "runtime/Failure.h"
#include <cstdint>

namespace heddle::runtime {

constexpr int64_t maxPixels = 100'000'000;

struct Image {
  int64_t width = 0, height = 0;
  int64_t channels = 0; // 1: grey; 3: red, green, blue
  Array<uint8_t> bytes; // [height, width, channels]
};

/// Reads a picture; its first bytes tell what it is, its name does not. Values of fewer bits than 8 are spread over them. Of 16 bits in PNG the upper
/// 8 count, of grey too (Pillow makes all beyond 255 white there); PNM is scaled. Memory is asked for only as far as the file's size can fill it.
bool readImage(const char *path, Image &image, Failure &failure);
/// The same from memory; `name` is for messages.
bool readImage(const char *bytes, int64_t size, const char *name, Image &image, Failure &failure);

/// How a picture gets another size, numbered as in Hugging Face's preprocessor_config.json.
enum class Resample { none = -1, bilinear = 2, bicubic = 3 };

/// What a model takes: f32[channels, height, width] of (byte * rescale - mean[channel]) / std[channel].
struct PixelForm {
  int64_t height, width, channels; // channels: 1 or 3
  double rescale;
  const float *mean, *std; // [channels]
  Resample resample;       // none: a picture of another size is refused
};

/// Grey becomes three equal channels; colours become their luma (ITU-R 601-2), in place; then the size is made to fit, both axes by themselves.
bool imageToPixels(Image &image, const char *name, const PixelForm &form, float *pixels, Failure &failure);

/// Pillow's resize(), bilinear or bicubic, to the bit.
bool resizeImage(const Image &image, int64_t width, int64_t height, Resample filter, Image &resized, Failure &failure);

/// The formats, each from its file's bytes. readImage() is what others call.
bool readPng(const char *bytes, int64_t size, const char *name, Image &image, Failure &failure);
bool readPnm(const char *bytes, int64_t size, const char *name, Image &image, Failure &failure);

/// Whether a header's size is one that is read at all.
bool acceptSize(int64_t width, int64_t height, const char *name, Failure &failure);

} // namespace heddle::runtime
