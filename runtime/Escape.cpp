#include "runtime/Escape.h"
#include <cstdio>
#include <cstring>
#include <utf8proc.h>

using namespace heddle::runtime;

CodePoint heddle::runtime::decodeFirst(std::string_view text) {
  utf8proc_int32_t value = 0;
  utf8proc_ssize_t length =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t *>(text.data()), static_cast<utf8proc_ssize_t>(text.size()), &value);
  if (length <= 0)
    return {0, 0};
  return {value, static_cast<int>(length)};
}

static bool isInvisible(int32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0x061c || c == 0x200e || c == 0x200f ||
         (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

Escaped heddle::runtime::escapeFirst(std::string_view text) {
  Escaped result = {};
  CodePoint first = decodeFirst(text);
  if (first.length == 0) {
    result.consumed = 1;
    result.length = static_cast<size_t>(std::snprintf(result.text, sizeof result.text, "\\x%02x", static_cast<unsigned char>(text[0])));
  } else if (isInvisible(first.value)) {
    result.consumed = static_cast<size_t>(first.length);
    const char *format = first.value < 0x80 ? "\\x%02x" : "\\u{%x}";
    result.length = static_cast<size_t>(std::snprintf(result.text, sizeof result.text, format, static_cast<unsigned>(first.value)));
  } else {
    result.consumed = result.length = static_cast<size_t>(first.length);
    std::memcpy(result.text, text.data(), result.length);
  }
  return result;
}
