// A profile in words, or as JSON for programs: time by the model text's own lines.
#pragma once
#include "runtime/Options.h"
#include "runtime/Profile.h"
#include "runtime/Work.h"

namespace heddle::runtime {

/// `call` is the one that was profiled, `watch` has the times of the whole. False when there is no memory.
bool printProfile(const Profile &profile, Call &call, const heddle_context &context, Stopwatch &watch, ProfileForm form, Output &out);

} // namespace heddle::runtime
