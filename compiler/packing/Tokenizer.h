// Tokenizers of a model's folder: read, checked and packed into the bytes that an executable carries (runtime/tokenizer_format.h). After the frontend
// has named them, before the executable is written; runtime/Tokenizer.h is the one reader of the bytes.
#pragma once
#include "compiler/support/Diagnostics.h"
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace heddle {

struct TokenizerSource {
  enum class Kind {
    Json,      // a Hugging Face tokenizer.json
    Words,     // a list of words, place = id; text is cut at white space
    Characters // a list of characters, place = id
  };
  Kind kind = Kind::Json;
  std::string path;
  std::optional<int64_t> unknown; // of lists: the id of what has none; without it such text is refused. A tokenizer.json says it itself.
};

/// The bytes, aligned for nothing (the executable places them at a multiple of 64). Nothing where the file is wrong (errors), is missing, or is a
/// well-formed tokenizer of a kind that is not built yet (one note; the model then works with ids).
std::optional<std::vector<char>> packTokenizer(const TokenizerSource &source, Diagnostics &diagnostics);

/// One more than the largest id that packed bytes know.
int64_t idsOfTokenizer(std::span<const char> bytes);

} // namespace heddle
