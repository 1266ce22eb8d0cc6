// The command `run`: arrays (or text) in, one call of an entry, arrays (or print) out.
#pragma once
#include "runtime/Options.h"
#include "runtime/Output.h"

struct heddle_context;

namespace heddle::runtime {

bool run(heddle_context &context, const Options &options, Output &out, Failure &failure);

} // namespace heddle::runtime
