#include "runtime/Work.h"
#include "runtime/Form.h"

using namespace heddle::runtime;

/// The keys of one row that its queries see. A query at position p sees the keys from p - left + 1 to p + right - 1.
static double pairsOf(const heddle_work &work, int64_t firstQuery, int64_t queries, int64_t firstKey, int64_t keys) {
  double pairs = 0;
  for (int64_t p = firstQuery; p < firstQuery + queries; ++p) {
    int64_t first = work.left > p - firstKey ? firstKey : p - work.left + 1; // nothing here overflows: limits may be 2^63 - 1
    int64_t end = work.right > firstKey + keys - p ? firstKey + keys : p + work.right;
    pairs += end > first ? static_cast<double>(end - first) : 0;
  }
  return pairs;
}

double heddle::runtime::valueOf(const heddle_form &form, const Call &call) {
  int64_t value = 0;
  return evaluate(form, call.dimensionValues(), value) ? static_cast<double>(value) : 0;
}

Work heddle::runtime::workOf(const heddle_work &work, Call &call) {
  Work sum{valueOf(work.flops, call), valueOf(work.bytes, call)};
  if (work.pair_flops == 0 || work.queries < 0 || work.keys < 0)
    return sum;
  RaggedRows &queries = call.rows(work.queries), &keys = call.rows(work.keys);
  for (int64_t row = 0; row < queries.lengths.size() && row < keys.lengths.size(); ++row)
    sum.flops += static_cast<double>(work.pair_flops) * pairsOf(work, queries.starts[row], queries.lengths[row], keys.starts[row], keys.lengths[row]);
  return sum;
}
