#include "runtime/SelfTest.h"
#include "runtime/Call.h"
#include "runtime/Form.h"
#include "runtime/Npy.h"
#include "runtime/checksum.h"
#include "runtime/seeded.h"
#include <cmath>
#include <cstring>

using namespace heddle::runtime;

namespace {

constexpr double mostError = 1e-10; // what the design promises of f32, as a normalised mean squared error

bool checkSection(const heddle_context &context, Output &out, Failure &failure) {
  int64_t size = context.model->section_bytes - 8;
  if (size < 0)
    return failure.contents("self-test: the section has no checksum");
  heddle_checksum sum = {};
  heddle_checksum_add(&sum, context.section.data(), static_cast<size_t>(size));
  uint64_t stored;
  std::memcpy(&stored, context.section.data() + size, sizeof stored);
  if (stored != heddle_checksum_value(sum))
    return failure.contents("self-test: the weights are damaged: expected the checksum %016llx, got %016llx", static_cast<unsigned long long>(stored),
                            static_cast<unsigned long long>(heddle_checksum_value(sum)));
  out.print("weights: %lld bytes, ok\n", static_cast<long long>(size));
  return true;
}

/// What is behind `prefix`, or null.
const char *behind(const char *prefix, const char *text) {
  size_t length = std::strlen(prefix);
  return std::strncmp(text, prefix, length) == 0 ? text + length : nullptr;
}

class Check {
public:
  Check(heddle_context &context, const heddle_check &check, Failure &failure)
      : context(context), check(check), call(context.model->entries[check.entry]), kernel(behind(HEDDLE_CHECK_PREFIX, call.entry.name)),
        failure(failure) {}

  bool run(Output &out) {
    if (*check.unchecked) {
      out.print("%s %s: not checked, %s\n", kind(), name(), check.unchecked);
      return true;
    }
    if (!prepare())
      return false;
    for (int64_t a = 0; a < call.entry.argument_count; ++a)
      fill(a);
    call.invoke(context);
    double worst = 0;
    for (int64_t r = 0; r < call.entry.result_count; ++r)
      if (!compare(r, worst))
        return false;
    out.print("%s %s: error %.1e, allowed %.0e, ok\n", kind(), name(), worst, mostError);
    return true;
  }

private:
  const char *kind() const { return kernel ? "kernel" : "entry"; }
  const char *name() const { return kernel ? kernel : call.entry.name; }
  bool damaged() { return failure.contents("self-test: what is stored for %s '%s' is damaged", kind(), name()); }

  bool prepare() {
    const heddle_entry &entry = call.entry;
    if (check.dimension_count != entry.dimension_count)
      return damaged();
    if (!call.prepare(failure) || !call.setDimensions(check.dimensions, failure))
      return false;
    for (int64_t d = 0; d < entry.dimension_count; ++d) {
      if (entry.dimensions[d].kind != HEDDLE_RAGGED)
        continue;
      Array<int64_t> &lengths = call.rows(d).lengths;
      for (int64_t row = 0; row < lengths.size(); ++row)
        lengths[row] = call.dimension(d) - 2 * row > 1 ? call.dimension(d) - 2 * row : 1;
    }
    return call.finishRows(failure) && call.allocate(context, failure);
  }

  void fill(int64_t argument) {
    const heddle_value &value = call.entry.arguments[argument];
    if (value.has_default)
      return; // allocate() did
    void *data = call.argument(argument);
    for (int64_t i = 0, count = call.elements(argument); i < count; ++i) {
      bool isReal = !isPadding(argument, i);
      if (value.element == HEDDLE_F32)
        static_cast<float *>(data)[i] = isReal ? heddle_seeded_number(check.seeds, argument, i) : 0;
      else if (value.element == HEDDLE_I32)
        static_cast<int32_t *>(data)[i] = isReal ? heddle_seeded_id(argument, i, value.id_bound) : 0;
      else
        static_cast<char *>(data)[i] = isReal && heddle_seeded_flag(argument, i);
    }
  }

  /// Whether an element of an argument or result (counted on from there) lies beyond the length of a row, on whichever ragged axis.
  bool isPadding(int64_t number, int64_t element) const {
    const heddle_value &value = call.value(number);
    int64_t index[maxRank] = {};
    for (int64_t axis = value.rank - 1; axis >= 0; --axis) {
      int64_t extent = call.extents(number)[axis];
      index[axis] = element % extent;
      element /= extent;
    }
    for (int64_t axis = 0; axis < value.rank; ++axis) {
      int64_t d = singleDimension(value.extents[axis]);
      if (d < 0 || call.entry.dimensions[d].kind != HEDDLE_RAGGED)
        continue;
      for (int64_t batch = 0; batch < value.rank; ++batch)
        if (singleDimension(value.extents[batch]) == call.entry.dimensions[d].of && index[axis] >= call.rows(d).lengths[index[batch]])
          return true;
    }
    return false;
  }

  /// The next `bytes` that are stored; null: there are not so many.
  const char *take(int64_t bytes) {
    int64_t begin = (used + 63) / 64 * 64;
    if (bytes < 0 || begin > check.bytes || bytes > check.bytes - begin)
      return nullptr;
    used = begin + bytes;
    return context.section.data() + check.offset + begin;
  }

  bool compare(int64_t result, double &worst) {
    const heddle_value &value = call.entry.results[result];
    int64_t number = call.entry.argument_count + result, count = call.elements(number), size = elementBytes(value.element);
    int64_t kept = heddle_kept_count(count);
    const char *stored = take(kept * size);
    if (!stored)
      return damaged();
    double differences = 0, squares = 0;
    for (int64_t i = 0; i < kept; ++i) {
      int64_t element = heddle_kept_element(i, count);
      if (kernel && isPadding(number, element))
        continue; // between kernels anything may stand there
      double got = numberAt(static_cast<const char *>(call.result(result)) + element * size, value.element),
             expected = numberAt(stored + i * size, value.element);
      bool isNumber = value.element == HEDDLE_F32 && std::isfinite(expected);
      if (isNumber ? !std::isfinite(got) : std::isnan(expected) ? !std::isnan(got) : got != expected)
        differences = INFINITY;
      if (!isNumber)
        continue;
      differences += (got - expected) * (got - expected);
      squares += expected * expected;
    }
    double error = differences == 0 ? 0 : differences / squares;
    if (!(error <= mostError))
      return failure.contents("self-test: result '%s' of %s '%s' is off by %.2e (squared differences over squares), allowed %.0e", value.name, kind(),
                              name(), error, mostError);
    worst = error > worst ? error : worst;
    return true;
  }

  static double numberAt(const char *at, int64_t element) {
    float real = 0;
    int32_t whole = 0;
    if (element == HEDDLE_F32)
      std::memcpy(&real, at, sizeof real);
    else if (element == HEDDLE_I32)
      std::memcpy(&whole, at, sizeof whole);
    else
      whole = *at;
    return element == HEDDLE_F32 ? static_cast<double>(real) : whole;
  }

  heddle_context &context;
  const heddle_check &check;
  Call call;
  const char *kernel; // null: an entry of the text
  Failure &failure;
  int64_t used = 0;
};

bool hasCheck(const heddle_model_table &model, const char *kernel) {
  for (int64_t i = 0; i < model.check_count; ++i)
    if (const char *name = behind(HEDDLE_CHECK_PREFIX, model.entries[model.checks[i].entry].name); name && std::strcmp(name, kernel) == 0)
      return true;
  return false;
}

} // namespace

bool heddle::runtime::selfTest(heddle_context &context, int threads, Output &out, Failure &failure) {
  if (!checkSection(context, out, failure) || !context.pool.start(threads ? threads : availableProcessors(), failure))
    return false;
  const heddle_model_table &model = *context.model;
  for (int64_t i = 0; i < model.check_count; ++i)
    if (!Check(context, model.checks[i], failure).run(out))
      return false;
  for (int64_t k = 0; k < model.kernel_count; ++k)
    if (const char *name = model.kernels[k].name; !behind(HEDDLE_CHECK_PREFIX, name) && !hasCheck(model, name))
      out.print("kernel %s: not checked, its shapes divide or multiply dimensions\n", name);
  return true;
}
