// What an executable says about itself: --help and --info, both from the table alone.
#pragma once
#include "runtime/Output.h"
#include "runtime/heddle_model.h"

namespace heddle::runtime {

void printHelp(const heddle_model_table &model, const char *program, Output &out);

/// `variant` may be null: `reason` then says why this CPU runs none.
void printInfo(const heddle_model_table &model, const heddle_variant *variant, const char *reason, Output &out);

} // namespace heddle::runtime
