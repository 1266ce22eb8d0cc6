// A tokenizer taken apart, between the readers of its file formats (Tokenizer.cpp) and the bytes of an executable.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

struct TokenizerParts {
  std::vector<std::pair<std::string, int32_t>> symbols; // any order; no symbol and no id twice
  std::vector<std::pair<int32_t, int32_t>> steps;       // kind, character: as in runtime/tokenizer_format.h
  int32_t model = 0, join = 0, unknown = -1;
  bool mergeUnknown = false;
};

/// Lays the parts out as runtime/tokenizer_format.h says.
std::vector<char> tokenizerBytes(TokenizerParts parts);

} // namespace heddle
