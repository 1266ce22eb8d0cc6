// No command may replace what it reads.
#pragma once
#include "compiler/frontend/Frontend.h"
#include "compiler/support/Diagnostics.h"
#include <string>

namespace heddle {

/// False with a message where `output` is a file the model is made of: its text, or a .json, .heddle or .safetensors file of its folders.
bool isNoInput(const std::string &output, const ModelSource &source, Diagnostics &diagnostics);

/// False with a message where `output` is a folder: that of the model itself, where nobody said -o.
bool isNoFolder(const std::string &output, Diagnostics &diagnostics);

} // namespace heddle
