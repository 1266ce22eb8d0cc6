// An entry as people write it: `forward(tokens: i32[batch, sequence... <= 512]) -> f32[batch, sequence..., 384]`.
#pragma once
#include "compiler/support/ModelInfo.h"

namespace heddle {

/// With every extent that is known; what an executable's --help shows too.
std::string signatureOf(const EntryInfo &entry);

} // namespace heddle
