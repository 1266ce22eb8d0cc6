// What `heddle build --dry-run` says: what would be built, of what, and why of that.
#pragma once
#include "compiler/pipeline/Compile.h"
#include <string>

namespace heddle {

/// After Compilation::plan(). For people, or one JSON object for programs.
std::string describeBuild(const Compilation &compilation, const CompileOptions &options, const std::string &output, bool asJson);

} // namespace heddle
