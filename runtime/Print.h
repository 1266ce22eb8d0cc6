// Arrays for people: name, shape, lengths and values; of long axes the first and last few.
#pragma once
#include "runtime/Call.h"
#include "runtime/Output.h"

namespace heddle::runtime {

/// Prints result `index` of a call that has run.
void printResult(Call &call, int64_t index, Output &out);

} // namespace heddle::runtime
