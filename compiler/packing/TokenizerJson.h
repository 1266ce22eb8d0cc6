// Hugging Face's tokenizer.json. Well-formed files whose kind is not built yet are told apart from wrong ones.
#pragma once
#include "compiler/packing/TokenizerBytes.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/support/Json.h"
#include <optional>

namespace heddle {

/// The parts of the tokenizer in `root`, the contents of `file`. Nothing: errors were reported, or one note that says what is not built yet.
std::optional<TokenizerParts> readTokenizerJson(const Json &root, const std::string &file, Diagnostics &diagnostics);

} // namespace heddle
