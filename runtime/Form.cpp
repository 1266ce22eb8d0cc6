#include "runtime/Form.h"
#include <cstdarg>
#include <cstdio>

using namespace heddle::runtime;

namespace {

constexpr int factors = 4; // places of heddle_term.dimensions

bool isConstant(const heddle_term &term) {
  for (int64_t d : term.dimensions)
    if (d >= 0)
      return false;
  return true;
}

} // namespace

bool heddle::runtime::evaluate(const heddle_form &form, const int64_t *values, int64_t &result) {
  result = 0;
  for (int64_t i = 0; i < form.count; ++i) {
    int64_t product = form.terms[i].coefficient;
    for (int64_t d : form.terms[i].dimensions)
      if (d >= 0 && __builtin_mul_overflow(product, values[d], &product))
        return false;
    if (__builtin_add_overflow(result, product, &result))
      return false;
  }
  return true;
}

int64_t heddle::runtime::singleDimension(const heddle_form &form) {
  if (form.count != 1 || form.terms[0].coefficient != 1)
    return -1;
  int64_t found = -1;
  for (int64_t d : form.terms[0].dimensions) {
    if (d >= 0 && found >= 0)
      return -1;
    if (d >= 0)
      found = d;
  }
  return found;
}

int64_t heddle::runtime::constantExtent(const heddle_form &form) {
  for (int64_t i = 0; i < form.count; ++i)
    if (!isConstant(form.terms[i]))
      return -1;
  int64_t result;
  return evaluate(form, nullptr, result) ? result : -1;
}

int64_t heddle::runtime::solve(const heddle_form &form, int64_t extent, const int64_t *values, const bool *known, int64_t &value) {
  int64_t unknown = -1, slope = 0, rest = extent;
  for (int64_t i = 0; i < form.count; ++i) {
    int64_t product = form.terms[i].coefficient, here = -1;
    for (int64_t d : form.terms[i].dimensions) {
      if (d < 0)
        continue;
      if (!known[d] && here >= 0)
        return -1; // a square: left to the check of all extents
      if (!known[d])
        here = d;
      else if (__builtin_mul_overflow(product, values[d], &product))
        return -1;
    }
    if (here >= 0 && unknown >= 0 && here != unknown)
      return -1;
    if (here >= 0)
      unknown = here;
    if (here >= 0 ? __builtin_add_overflow(slope, product, &slope) : __builtin_sub_overflow(rest, product, &rest))
      return -1;
  }
  if (unknown < 0 || slope <= 0 || rest < 0 || rest % slope != 0)
    return -1;
  value = rest / slope;
  return unknown;
}

const char *heddle::runtime::elementName(int64_t element) { return element == HEDDLE_F32 ? "f32" : element == HEDDLE_I32 ? "i32" : "bool"; }
int64_t heddle::runtime::elementBytes(int64_t element) { return element == HEDDLE_BOOL ? 1 : 4; }

RaggedAxes heddle::runtime::raggedAxes(const heddle_entry &entry, const heddle_value &value) {
  RaggedAxes axes = {-1, -1};
  if (value.ragged < 0)
    return axes;
  for (int64_t axis = value.rank - 1; axis >= 0; --axis) {
    int64_t dimension = singleDimension(value.extents[axis]);
    if (dimension == value.ragged)
      axes.position = axis;
    else if (dimension >= 0 && dimension == entry.dimensions[value.ragged].of)
      axes.batch = axis;
  }
  return axes;
}

TypeText::TypeText(const heddle_entry &entry, const heddle_value &value, bool withBounds) {
  append("%s", elementName(value.element));
  if (value.rank == 0)
    return;
  for (int64_t axis = 0; axis < value.rank; ++axis) {
    append("%s", axis ? ", " : "[");
    appendForm(entry, value.extents[axis], withBounds);
  }
  append("]");
}

void TypeText::appendForm(const heddle_entry &entry, const heddle_form &form, bool withBounds) {
  if (form.count == 0)
    append("0");
  for (int64_t i = 0; i < form.count; ++i) {
    const heddle_term &term = form.terms[i];
    const char *between = i ? " + " : "";
    if (term.coefficient != 1 || isConstant(term)) {
      append("%s%lld", between, static_cast<long long>(term.coefficient));
      between = " * ";
    }
    for (int f = 0; f < factors; ++f) {
      if (term.dimensions[f] < 0)
        continue;
      const heddle_dimension &dimension = entry.dimensions[term.dimensions[f]];
      append("%s%s%s", between, dimension.name, dimension.kind == HEDDLE_RAGGED ? "..." : "");
      between = " * ";
    }
  }
  int64_t single = singleDimension(form);
  if (withBounds && single >= 0 && entry.dimensions[single].kind == HEDDLE_RAGGED && entry.dimensions[single].bound > 0)
    append(" <= %lld", static_cast<long long>(entry.dimensions[single].bound));
}

void TypeText::append(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int added = std::vsnprintf(buffer + length, sizeof buffer - length, format, arguments);
  va_end(arguments);
  length += static_cast<size_t>(added < 0 ? 0 : added);
  if (length >= sizeof buffer)
    length = sizeof buffer - 1;
}
