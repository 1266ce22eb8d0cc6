// Code points of UTF-8 text, for columns and for escaping. Everything that reads text from outside goes through this one decoder.
#pragma once
#include <cstddef>
#include <string_view>

namespace heddle {

/// One step of decoding: `bytes` consumed; `valid` is false for a byte that begins no well-formed sequence (then bytes is 1 and value the byte).
struct CodePoint {
  char32_t value;
  unsigned bytes;
  bool valid;
};

/// Decodes the sequence at the start of `text`, which is not empty. Overlong forms, surrogates and values beyond U+10FFFF are not well-formed.
CodePoint decodeUtf8(std::string_view text);

/// Offset of the first byte that is not well-formed, or npos.
size_t findBrokenUtf8(std::string_view text);

/// Columns of a terminal that a character takes: 0, 1 or 2.
unsigned displayWidth(char32_t c);

/// Characters that must never reach a terminal or hide in a text: controls, line and paragraph separators, marks of direction, no-break blanks.
bool isHidden(char32_t c);

} // namespace heddle
