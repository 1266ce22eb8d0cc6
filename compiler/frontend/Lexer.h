// Cuts a model text into words. The parser comes next; the formatter reads the comments, which are kept.
#pragma once
#include "compiler/frontend/Token.h"
#include "compiler/support/Diagnostics.h"

namespace heddle::syntax {

/// The words of a text. They view into it, so the text must outlive them.
struct Words {
  std::vector<Token> tokens; // the last one is End
  std::vector<Comment> comments;
};

/// Words that are no names anywhere.
inline constexpr std::string_view reservedWords[] = {"for", "in", "if", "else", "match", "return", "and", "or", "not", "true", "false", "none", "fn"};

/// Limits for hostile texts (language.md, section 2).
inline constexpr size_t maxTextBytes = 1 << 20, maxStringBytes = 65536;
inline constexpr unsigned maxNesting = 200;

/// Reads all words of `text`. False after an error, which stands in `diagnostics` under the name `file`.
bool readWords(std::string_view text, const std::string &file, Words &words, Diagnostics &diagnostics);

} // namespace heddle::syntax
