// Whether an executable can be written at all, asked before any weight is read or allocated: sizes come from the user's configuration.
#pragma once
#include "compiler/support/Diagnostics.h"
#include "compiler/support/ModelInfo.h"
#include <string>

namespace heddle {

/// False with a message where the disk of `path` has no room for the section, or a single weight exceeds the machine's memory.
bool hasRoom(const ModelInfo &info, const std::string &path, Diagnostics &diagnostics);

} // namespace heddle
