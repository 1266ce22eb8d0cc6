// What calls of kernels cannot do without, for the dimensions and rows of one call of an entry.
#pragma once
#include "runtime/Call.h"

namespace heddle::runtime {

struct Work {
  double flops = 0, bytes = 0;
};

/// Pairs of a query and a key that attention sees are counted one by one row of the batch.
Work workOf(const heddle_work &work, Call &call);
/// 0 where the form is more than 2^63.
double valueOf(const heddle_form &form, const Call &call);

} // namespace heddle::runtime
