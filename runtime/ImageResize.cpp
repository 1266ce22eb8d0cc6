// Resizing of bytes as Pillow does it, to the bit: each axis by itself, the width first, with weights in fixed point and a byte after each axis. What
// becomes smaller is averaged over all that a new pixel covers. (Pillow 13 takes the height first where a picture shrinks mostly there; 11 does not.)
#include "runtime/Image.h"

using namespace heddle::runtime;

namespace {

constexpr int weightBits = 32 - 8 - 2; // Pillow's: a byte, a sign and one bit for weights beyond 1

double distance(double x) { return x < 0 ? -x : x; }

double triangle(double x) {
  x = distance(x);
  return x < 1 ? 1 - x : 0;
}

/// Keys, "Cubic convolution interpolation for digital image processing", with a = -0.5.
double cubic(double x) {
  constexpr double a = -0.5;
  x = distance(x);
  if (x < 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

/// What the pixels of one axis give to one of the new pixels.
class Window {
public:
  Window(Resample filter, int64_t length, int64_t wanted) : length(length), scale(static_cast<double>(length) / static_cast<double>(wanted)) {
    bool bilinear = filter == Resample::bilinear;
    curve = bilinear ? triangle : cubic;
    stretch = scale < 1 ? 1 : scale;
    support = (bilinear ? 1 : 2) * stretch;
  }

  int64_t first = 0;
  Array<int32_t> weights; // [pixels from `first` on]

  [[nodiscard]] bool moveTo(int64_t index) {
    double center = (static_cast<double>(index) + 0.5) * scale;
    first = static_cast<int64_t>(center - support + 0.5);
    first = first < 0 ? 0 : first;
    int64_t end = static_cast<int64_t>(center + support + 0.5);
    end = end > length ? length : end;
    if (!weights.resize(end - first))
      return false;
    auto weightAt = [&](int64_t i) { return curve((static_cast<double>(i + first) - center + 0.5) * (1 / stretch)); };
    double sum = 0;
    for (int64_t i = 0; i < weights.size(); ++i)
      sum += weightAt(i);
    for (int64_t i = 0; i < weights.size(); ++i) {
      double weight = weightAt(i) / sum * (1 << weightBits);
      weights[i] = static_cast<int32_t>(weight < 0 ? weight - 0.5 : weight + 0.5);
    }
    return true;
  }

private:
  int64_t length;
  double scale, stretch, support;
  double (*curve)(double);
};

/// bytes[outer, length, inner] -> bytes[outer, wanted, inner].
bool resampleAxis(const Array<uint8_t> &from, int64_t outer, int64_t length, int64_t inner, int64_t wanted, Resample filter, Array<uint8_t> &to) {
  if (!to.resize(outer * wanted * inner))
    return false;
  Window window(filter, length, wanted);
  for (int64_t i = 0; i < wanted; ++i) {
    if (!window.moveTo(i))
      return false;
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t c = 0; c < inner; ++c) {
        const uint8_t *next = from.data() + (o * length + window.first) * inner + c;
        int64_t sum = 1 << (weightBits - 1);
        for (int32_t weight : window.weights)
          sum += int64_t{*next} * weight, next += inner;
        sum >>= weightBits;
        to[(o * wanted + i) * inner + c] = static_cast<uint8_t>(sum < 0 ? 0 : sum > UINT8_MAX ? UINT8_MAX : sum);
      }
  }
  return true;
}

} // namespace

bool heddle::runtime::resizeImage(const Image &image, int64_t width, int64_t height, Resample filter, Image &resized, Failure &failure) {
  Array<uint8_t> columns; // [image.height, width, channels]
  resized.width = width, resized.height = height, resized.channels = image.channels;
  return (resampleAxis(image.bytes, image.height, image.width, image.channels, width, filter, columns) &&
          resampleAxis(columns, 1, image.height, width * image.channels, height, filter, resized.bytes)) ||
         failure.outOfMemory();
}
