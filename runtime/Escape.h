// Text of the user is never printed raw: control characters, line separators, bidirectional marks and broken UTF-8 are written as escapes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle::runtime {

struct Escaped {
  char text[12];
  size_t length;   // of `text`
  size_t consumed; // bytes of the input that it stands for
};

/// How the first character of `text` (not empty) is printed.
Escaped escapeFirst(std::string_view text);

/// The first code point of `text` (not empty) and its length in bytes; length 0: the bytes are no UTF-8.
struct CodePoint {
  int32_t value;
  int length;
};
CodePoint decodeFirst(std::string_view text);

} // namespace heddle::runtime
