// See Utf8.h.
#include "compiler/support/Utf8.h"
#include <algorithm>

namespace heddle {

CodePoint decodeUtf8(std::string_view text) {
  auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  auto tail = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  unsigned first = byte(0);
  CodePoint broken{first, 1, false};
  if (first < 0x80)
    return {first, 1, true};
  if (first >= 0xC2 && first <= 0xDF && tail(1))
    return {(first & 0x1F) << 6 | (byte(1) & 0x3F), 2, true};
  if (first >= 0xE0 && first <= 0xEF && tail(1) && tail(2)) {
    char32_t value = (first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    return value < 0x800 || surrogate ? broken : CodePoint{value, 3, true};
  }
  if (first >= 0xF0 && first <= 0xF4 && tail(1) && tail(2) && tail(3)) {
    char32_t value = (first & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    return value < 0x10000 || value > 0x10FFFF ? broken : CodePoint{value, 4, true};
  }
  return broken;
}

size_t findBrokenUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    CodePoint next = decodeUtf8(text.substr(at));
    if (!next.valid)
      return at;
    at += next.bytes;
  }
  return std::string_view::npos;
}

namespace {
struct Range {
  char32_t first, last;
};

template <size_t N> bool within(const Range (&ranges)[N], char32_t c) {
  return std::any_of(ranges, ranges + N, [&](Range range) { return c >= range.first && c <= range.last; });
}

// Coarse on purpose: enough to put a caret below Chinese, Japanese, Korean or an emoji.
constexpr Range wide[] = {{0x1100, 0x115F}, {0x2E80, 0xA4CF}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},  {0xFE30, 0xFE6F},
                          {0xFF00, 0xFF60}, {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};
constexpr Range combining[] = {{0x0300, 0x036F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
constexpr Range hidden[] = {{0x00, 0x1F},     {0x7F, 0xA0},     {0xAD, 0xAD},     {0x061C, 0x061C}, {0x200B, 0x200F},
                            {0x2028, 0x202F}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
} // namespace

unsigned displayWidth(char32_t c) {
  if (within(combining, c))
    return 0;
  return within(wide, c) ? 2 : 1;
}

bool isHidden(char32_t c) { return within(hidden, c); }

} // namespace heddle
