// Extents: sums of products of an entry's dimensions, computed with checked 64-bit arithmetic, and how types are written in messages and in --help.
#pragma once
#include "runtime/Output.h"
#include "runtime/heddle_model.h"

namespace heddle::runtime {

/// The value of `form` with dimensions `values`; false when it leaves 64 bits.
bool evaluate(const heddle_form &form, const int64_t *values, int64_t &result);

/// The dimension that `form` consists of (one term, coefficient 1, one factor), or -1.
int64_t singleDimension(const heddle_form &form);

/// The value of `form` if no dimension occurs in it, or -1.
int64_t constantExtent(const heddle_form &form);

/// Solves form = extent for the one dimension of which `known` says nothing yet. Returns its index and sets `value`; -1: nothing to solve, or no
/// whole solution of at least 1 (then a later check of all extents says what is wrong).
int64_t solve(const heddle_form &form, int64_t extent, const int64_t *values, const bool *known, int64_t &value);

const char *elementName(int64_t element);
int64_t elementBytes(int64_t element);

/// The position in the shape of the axis that runs along the value's first ragged dimension, and of the batch axis its lengths run over; -1: none.
struct RaggedAxes {
  int64_t batch, position;
};
RaggedAxes raggedAxes(const heddle_entry &entry, const heddle_value &value);

/// Text of bounded length for messages.
class TypeText {
public:
  TypeText(const heddle_entry &entry, const heddle_value &value, bool withBounds);
  const char *text() const { return buffer; }

private:
  void append(const char *format, ...) __attribute__((format(printf, 2, 3)));
  void appendForm(const heddle_entry &entry, const heddle_form &form, bool withBounds);
  char buffer[512] = "";
  size_t length = 0;
};

} // namespace heddle::runtime
