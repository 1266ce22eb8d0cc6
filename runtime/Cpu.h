// Which of the compiled variants this machine runs.
#pragma once
#include "runtime/Failure.h"
#include "runtime/heddle_model.h"

namespace heddle::runtime {

/// The x86-64 level of this machine (2, 3 or 4): what the processor has and the operating system saves.
int64_t cpuLevel();

/// The highest variant of `model` up to `level`; with `wanted` (from HEDDLE_CPU, may be null) the one of that name. Null: `failure` says why.
const heddle_variant *chooseVariant(const heddle_model_table &model, int64_t level, const char *wanted, Failure &failure);

} // namespace heddle::runtime
