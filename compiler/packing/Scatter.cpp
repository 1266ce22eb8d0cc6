// See Scatter.h.
#include "compiler/packing/Scatter.h"
#include "compiler/support/ShortFloat.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace heddle {

namespace {
constexpr int64_t pieceElements = 1 << 17; // a megabyte of doubles: read in few calls, and stays in the cache

struct Half {
  uint16_t bits = 0;
  explicit operator double() const { return floatOfHalf(bits); }
};
struct Bfloat {
  uint16_t bits = 0;
  explicit operator double() const { return floatOfBfloat(bits); }
};

/// Calls `f` with a value of the C++ type that stands for a stored type.
template <class F> void visit(StoredType type, F f) {
  switch (type) {
  case StoredType::F64:
    return f(double());
  case StoredType::F32:
    return f(float());
  case StoredType::F16:
    return f(Half());
  case StoredType::BF16:
    return f(Bfloat());
  case StoredType::I32:
    return f(int32_t());
  case StoredType::Bool:
    return f(bool());
  }
}

/// Rounds to nearest, ties to even, for floats; towards zero and into the range for ints; NaN becomes 0.
template <class T> T convert(double value) {
  if constexpr (std::is_same_v<T, int32_t>)
    return std::isnan(value) ? 0 : static_cast<int32_t>(std::clamp<double>(value, INT32_MIN, INT32_MAX));
  else if constexpr (std::is_same_v<T, Half>)
    return {halfOf(value)};
  else if constexpr (std::is_same_v<T, Bfloat>)
    return {bfloatOf(value)};
  else
    return static_cast<T>(value);
}
} // namespace

std::optional<StoredType> storedType(mlir::Type type) {
  if (type.isF64())
    return StoredType::F64;
  if (type.isF32())
    return StoredType::F32;
  if (type.isF16())
    return StoredType::F16;
  if (type.isBF16())
    return StoredType::BF16;
  if (type.isInteger(32))
    return StoredType::I32;
  if (type.isInteger(1))
    return StoredType::Bool;
  return std::nullopt;
}

int64_t bytesOf(StoredType type) {
  int64_t bytes = 0;
  visit(type, [&](auto sample) { bytes = sizeof sample; });
  return bytes;
}

void load(StoredType type, const char *from, std::span<double> to) {
  visit(type, [&](auto sample) {
    for (double &value : to) {
      std::memcpy(&sample, from, sizeof sample);
      value = static_cast<double>(sample);
      from += sizeof sample;
    }
  });
}

namespace {
class Scatterer {
public:
  Scatterer(ValueSource &source, const std::vector<AxisOffsets> &axes, std::span<const Step> steps, StoredType type, char *out)
      : source(source), axes(axes), steps(steps), type(type), out(out) {}

  /// Cuts the axes in two: those from `blockAxis` on lie in one run of the source; for each wanted place of the axes before, one block of it is read.
  bool run() {
    if (axes.empty())
      return row(0, 1, 0, AxisOffsets{0});
    size_t blockAxis = axes.size() - 1;
    while (blockAxis > 0 && std::all_of(axes[blockAxis].begin(), axes[blockAxis].end(), [](int64_t offset) { return offset >= 0; }))
      --blockAxis;
    return outer(0, blockAxis, 0, 0);
  }

private:
  int64_t extent(size_t axis) const { return static_cast<int64_t>(axes[axis].size()); }

  /// `first`: index in the source, in units of the axes so far; `place`: byte offset in the output.
  bool outer(size_t axis, size_t blockAxis, int64_t first, int64_t place) {
    if (axis < blockAxis) {
      for (int64_t i = 0; i < extent(axis); ++i)
        if (axes[axis][i] >= 0 && !outer(axis + 1, blockAxis, first * extent(axis) + i, place + axes[axis][i]))
          return false;
      return true;
    }
    int64_t inner = 1;
    for (size_t a = blockAxis + 1; a < axes.size(); ++a)
      inner *= extent(a);
    auto wanted = [](int64_t offset) { return offset >= 0; };
    const AxisOffsets &table = axes[blockAxis];
    int64_t from = std::find_if(table.begin(), table.end(), wanted) - table.begin();
    int64_t to = extent(blockAxis) - (std::find_if(table.rbegin(), table.rend(), wanted) - table.rbegin());
    blockEnd = (first * extent(blockAxis) + to) * inner;
    return rows(blockAxis, first, place, from, to);
  }

  /// The places of one axis within a block; the last axis is the row that is written at once.
  bool rows(size_t axis, int64_t first, int64_t place, int64_t from, int64_t to) {
    if (axis + 1 == axes.size())
      return row(first * extent(axis) + from, to - from, place, std::span(axes[axis]).subspan(static_cast<size_t>(from)));
    for (int64_t i = from; i < to; ++i)
      if (axes[axis][i] >= 0 && !rows(axis + 1, first * extent(axis) + i, place + axes[axis][i], 0, extent(axis + 1)))
        return false;
    return true;
  }

  bool row(int64_t first, int64_t count, int64_t place, std::span<const int64_t> table) {
    blockEnd = std::max(blockEnd, first + count);
    for (int64_t done = 0; done < count;) {
      int64_t part = std::min(count - done, pieceElements);
      const double *values = window(first + done, part);
      if (!values)
        return false;
      visit(type, [&](auto sample) {
        for (int64_t i = 0; i < part; ++i) {
          if (table[done + i] < 0)
            continue;
          sample = convert<decltype(sample)>(values[i]);
          std::memcpy(out + place + table[done + i], &sample, sizeof sample);
        }
      });
      done += part;
    }
    return true;
  }

  /// `count` values from `first` on, after all steps; reads ahead to the end of the block.
  const double *window(int64_t first, int64_t count) {
    if (first < pieceFirst || first + count > pieceFirst + static_cast<int64_t>(piece.size())) {
      pieceFirst = first;
      piece.resize(static_cast<size_t>(std::max(count, std::min(pieceElements, blockEnd - first))));
      if (!source.fetch(first, piece)) {
        piece.clear();
        return nullptr;
      }
      for (size_t i = steps.size(); i-- > 0;)
        take(steps[i]);
    }
    return piece.data() + (first - pieceFirst);
  }

  void take(const Step &step) {
    for (double &value : piece)
      value = step.kind == Step::Add ? value + step.number : step.kind == Step::Scale ? value * step.number : value;
    visit(step.type, [&](auto sample) {
      for (double &value : piece)
        value = static_cast<double>(convert<decltype(sample)>(value));
    });
  }

  ValueSource &source;
  const std::vector<AxisOffsets> &axes;
  std::span<const Step> steps;
  StoredType type;
  char *out;
  std::vector<double> piece;
  int64_t pieceFirst = 0, blockEnd = 0;
};
} // namespace

bool scatter(ValueSource &source, const std::vector<AxisOffsets> &axes, std::span<const Step> steps, StoredType type, char *out) {
  return Scatterer(source, axes, steps, type, out).run();
}

} // namespace heddle
