#include "runtime/Print.h"
#include "runtime/Form.h"
#include "runtime/Npy.h"
#include <cstdio>
#include <cstring>

using namespace heddle::runtime;

namespace {

constexpr int64_t longAxis = 10, shownAtEachEnd = 3;

/// The axis index after `i`, jumping over the middle of long axes; -1 stands for the gap.
int64_t following(int64_t i, int64_t extent) { return extent > longAxis && i == shownAtEachEnd - 1 ? extent - shownAtEachEnd : i + 1; }
bool isGap(int64_t i, int64_t extent) { return extent > longAxis && i == extent - shownAtEachEnd; }

class Printer {
public:
  Printer(const heddle_value &value, const int64_t *extents, const void *data, Output &out) : value(value), extents(extents), data(data), out(out) {}

  void print() {
    measure(0, 0);
    if (value.rank <= 1)
      row(0);
    else
      planes(0, 0);
  }

private:
  int64_t extent(int64_t axis) const { return axis < value.rank ? extents[axis] : 1; }

  int format(int64_t index, char *cell, size_t size) const {
    if (value.element == HEDDLE_F32) {
      float number;
      std::memcpy(&number, static_cast<const char *>(data) + index * 4, 4);
      return std::snprintf(cell, size, "%.6g", static_cast<double>(number));
    }
    if (value.element == HEDDLE_I32)
      return std::snprintf(cell, size, "%d", static_cast<const int32_t *>(data)[index]);
    return std::snprintf(cell, size, "%s", static_cast<const char *>(data)[index] ? "true" : "false");
  }

  /// The widest cell that will be shown.
  void measure(int64_t axis, int64_t index) {
    if (axis >= value.rank) {
      char cell[64];
      int length = format(index, cell, sizeof cell);
      width = length > width ? length : width;
      return;
    }
    for (int64_t i = 0; i < extent(axis); i = following(i, extent(axis)))
      measure(axis + 1, index * extent(axis) + i);
  }

  /// One line of the last axis; `index` is that of its first value.
  void row(int64_t index) {
    int64_t last = value.rank == 0 ? 1 : extent(value.rank - 1);
    out.write(" ");
    for (int64_t i = 0; i < last; i = following(i, last)) {
      char cell[64];
      format(index + i, cell, sizeof cell);
      out.print("%s %*s", isGap(i, last) ? " ..." : "", width, cell);
    }
    out.write("\n");
  }

  /// Matrices of the last two axes, each under its leading indices.
  void planes(int64_t axis, int64_t index) {
    if (axis == value.rank - 2)
      return plane(index);
    for (int64_t i = 0; i < extent(axis); i = following(i, extent(axis))) {
      if (isGap(i, extent(axis)))
        out.write(axis == value.rank - 3 ? " ...\n" : "");
      leading[axis] = i;
      planes(axis + 1, index * extent(axis) + i);
    }
  }

  void plane(int64_t index) {
    if (value.rank > 2) {
      out.write(" [");
      for (int64_t axis = 0; axis < value.rank - 2; ++axis)
        out.print("%lld, ", static_cast<long long>(leading[axis]));
      out.write("..]\n");
    }
    int64_t rows = extent(value.rank - 2), columns = extent(value.rank - 1);
    for (int64_t i = 0; i < rows; i = following(i, rows)) {
      if (isGap(i, rows))
        out.write("  ...\n");
      row((index * rows + i) * columns);
    }
  }

  const heddle_value &value;
  const int64_t *extents;
  const void *data;
  Output &out;
  int width = 1;
  int64_t leading[maxRank] = {};
};

} // namespace

void heddle::runtime::printResult(Call &call, int64_t index, Output &out) {
  const heddle_value &value = call.entry.results[index];
  const int64_t *extents = call.extents(call.entry.argument_count + index);
  out.escaped(value.name);
  out.print(": %s", elementName(value.element));
  for (int64_t axis = 0; axis < value.rank; ++axis)
    out.print("%s%lld", axis ? ", " : "[", static_cast<long long>(extents[axis]));
  out.write(value.rank ? "]" : "");
  if (value.ragged >= 0) {
    const Array<int64_t> &lengths = call.rows(value.ragged).lengths;
    out.print(", %s lengths", call.entry.dimensions[value.ragged].name);
    for (int64_t i = 0; i < lengths.size(); i = following(i, lengths.size()))
      out.print("%s %lld", isGap(i, lengths.size()) ? " ..." : "", static_cast<long long>(lengths[i]));
  }
  out.write("\n");
  if (call.elements(call.entry.argument_count + index) > 0)
    Printer(value, extents, call.result(index), out).print();
}
