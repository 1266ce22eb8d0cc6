// The command `run`: arrays (or text) in, a call of an entry (more where they are timed), arrays (or print) out.
#pragma once
#include "runtime/Options.h"
#include "runtime/Output.h"

struct heddle_context;

namespace heddle::runtime {

/// Results go to files or `out`, times to `notes`.
bool run(heddle_context &context, const Options &options, Output &out, Output &notes, Failure &failure);

} // namespace heddle::runtime
