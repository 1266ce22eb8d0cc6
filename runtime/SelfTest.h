// --selftest: whether the section is whole, and entries and kernels compute on this machine what the interpreter computed when the executable was
// built.
#pragma once
#include "runtime/Failure.h"
#include "runtime/Output.h"

struct heddle_context;

namespace heddle::runtime {

/// A line for each check. False with a message where one does not hold.
bool selfTest(heddle_context &context, int threads, Output &out, Failure &failure);

} // namespace heddle::runtime
