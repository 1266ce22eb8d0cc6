// A tokenizer taken apart, between the readers of its file formats (Tokenizer.cpp) and the bytes of an executable.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

struct TokenizerParts {
  struct Added {
    std::string text;
    int32_t id, flags;
  };
  std::vector<std::pair<std::string, int32_t>> symbols; // any order; no symbol and no id twice
  std::vector<Added> added;                             // any order; no text twice, none empty
  std::vector<std::pair<int32_t, int32_t>> steps;       // kind, argument: as in runtime/tokenizer_format.h
  std::vector<int32_t> around;                          // the template: ids, and one -1 for those of the text; empty: nothing around it
  std::string prefix;                                   // of symbols that continue a word
  int32_t model = 0, join = 0, unknown = -1, most = 0;
  bool mergeUnknown = false;
};

/// Lays the parts out as runtime/tokenizer_format.h says.
std::vector<char> tokenizerBytes(TokenizerParts parts);

} // namespace heddle
