// Whether the tokenizers of a model fit the entries that its task gives their ids to. Known only when tokenizers are packed, before anything is
// written.
#pragma once
#include "compiler/support/Diagnostics.h"
#include "compiler/support/ModelInfo.h"
#include <string>
#include <vector>

namespace heddle {

/// `packed`: the bytes of each of info.tokenizers, empty where there are none. False with an error where a text could become ids that the model has
/// no row for; a note where the model may choose ids that have no text, as models with padded vocabularies may.
bool checkTokenizers(const ModelInfo &info, const std::vector<std::string> &packed, Diagnostics &diagnostics);

} // namespace heddle
