#include "runtime/SelfTest.h"
#include "runtime/Call.h"
#include "runtime/Form.h"
#include "runtime/checksum.h"
#include <cmath>
#include <cstring>

using namespace heddle::runtime;

namespace {

constexpr double mostError = 1e-10; // what the design promises of f32, as a normalised mean squared error
constexpr int64_t most = 16;        // axes

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

class Check {
public:
  Check(heddle_context &context, const heddle_check &check, Failure &failure)
      : context(context), check(check), call(context.model->entries[check.entry]), failure(failure) {}

  bool run(Output &out) {
    if (!prepare() || !load())
      return false;
    call.invoke(context);
    double worst = 0;
    for (int64_t r = 0; r < call.entry.result_count; ++r)
      if (!compare(r, worst))
        return false;
    out.print("entry %s: error %.1e, allowed %.0e, ok\n", call.entry.name, worst, mostError);
    return true;
  }

private:
  bool damaged() { return failure.contents("self-test: what is stored for entry '%s' is damaged", call.entry.name); }

  bool prepare() {
    const heddle_entry &entry = call.entry;
    if (!call.prepare(failure))
      return false;
    for (int64_t a = 0; a < entry.argument_count; ++a) {
      int64_t shape[most];
      const heddle_value &value = entry.arguments[a];
      for (int64_t axis = 0; axis < value.rank; ++axis)
        if (axis >= most || check.dimension_count != entry.dimension_count || !evaluate(value.extents[axis], check.dimensions, shape[axis]))
          return damaged();
      if (!call.giveShape(a, static_cast<int>(value.rank), shape, failure))
        return false;
    }
    if (!call.inferDimensions(failure))
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

  /// The next `bytes` that are stored; null: there are not so many.
  const char *take(int64_t bytes) {
    int64_t begin = (used + 63) / 64 * 64;
    if (bytes < 0 || begin > check.bytes || bytes > check.bytes - begin)
      return nullptr;
    used = begin + bytes;
    return context.section.data() + check.offset + begin;
  }

  bool load() {
    for (int64_t a = 0; a < call.entry.argument_count; ++a) {
      int64_t bytes = call.elements(a) * elementBytes(call.entry.arguments[a].element);
      const char *stored = take(bytes);
      if (!stored)
        return damaged();
      if (bytes > 0)
        std::memcpy(call.argument(a), stored, static_cast<size_t>(bytes));
      if (!call.checkIds(a, failure))
        return false;
    }
    return true;
  }

  bool compare(int64_t result, double &worst) {
    const heddle_value &value = call.entry.results[result];
    int64_t count = call.elements(call.entry.argument_count + result), bytes = count * elementBytes(value.element);
    const char *stored = take(bytes);
    if (!stored)
      return damaged();
    double error = value.element == HEDDLE_F32 ? distance(static_cast<const float *>(call.result(result)), stored, count)
                   : bytes == 0 || std::memcmp(call.result(result), stored, static_cast<size_t>(bytes)) == 0 ? 0
                                                                                                             : INFINITY;
    if (!(error <= mostError))
      return failure.contents("self-test: result '%s' of entry '%s' is off by %.2e (squared differences over squares), allowed %.0e", value.name,
                              call.entry.name, error, mostError);
    worst = error > worst ? error : worst;
    return true;
  }

  /// Squared differences over squares; infinite where a NaN or an infinity stands elsewhere than it should.
  static double distance(const float *got, const char *stored, int64_t count) {
    double differences = 0, squares = 0;
    for (int64_t i = 0; i < count; ++i) {
      float expected;
      std::memcpy(&expected, stored + i * 4, 4);
      bool isNumber = std::isfinite(expected);
      if (isNumber != std::isfinite(got[i]) || (!isNumber && std::isnan(expected) != std::isnan(got[i])))
        return INFINITY;
      if (!isNumber)
        continue;
      double difference = static_cast<double>(got[i]) - static_cast<double>(expected);
      differences += difference * difference;
      squares += static_cast<double>(expected) * static_cast<double>(expected);
    }
    return differences == 0 ? 0 : differences / squares;
  }

  heddle_context &context;
  const heddle_check &check;
  Call call;
  Failure &failure;
  int64_t used = 0;
};

} // namespace

bool heddle::runtime::selfTest(heddle_context &context, int threads, Output &out, Failure &failure) {
  if (!checkSection(context, out, failure) || !context.pool.start(threads ? threads : availableProcessors(), failure))
    return false;
  for (int64_t i = 0; i < context.model->check_count; ++i)
    if (!Check(context, context.model->checks[i], failure).run(out))
      return false;
  if (context.model->check_count == 0)
    out.write("entries: not checked, the model is too large to be interpreted when it is built\n");
  return true;
}
