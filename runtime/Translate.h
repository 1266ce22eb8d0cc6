// The tasks of an executable. So far one: translate(encode, decode).
#pragma once
#include "runtime/Options.h"
#include "runtime/Output.h"

struct heddle_context;

namespace heddle::runtime {

/// Runs the executable's task on the inputs of the command line, else on the lines of standard input: one line out for each.
bool runTask(heddle_context &context, const Options &options, Output &out, Failure &failure);

} // namespace heddle::runtime
