// Pieces of JSON on output.
#pragma once
#include "runtime/Output.h"

namespace heddle::runtime {

/// A string in quotes; broken UTF-8 becomes U+FFFD.
void writeJson(std::string_view text, Output &out);

/// A number that reads back as the same bits; where `json` says so, null for one that JSON has no word for.
void writeNumber(float number, bool json, Output &out);
void writeNumber(double number, bool json, Output &out);

} // namespace heddle::runtime
