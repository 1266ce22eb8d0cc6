#include "runtime/Normalize.h"
#include "runtime/Escape.h"
#include <climits>
#include <utf8proc.h>

using namespace heddle::runtime;

bool heddle::runtime::decodeText(std::string_view text, const char *what, Array<Character> &characters, Failure &failure) {
  characters.clear();
  while (!text.empty()) {
    int64_t column = characters.size() + 1;
    CodePoint next = decodeFirst(text);
    if (next.length == 0)
      return failure.contents("%s, column %lld: the byte 0x%02x is no UTF-8", what, static_cast<long long>(column),
                              static_cast<unsigned char>(text[0]));
    if (column > INT32_MAX)
      return failure.contents("%s is too long", what);
    if (!characters.push({next.value, static_cast<int32_t>(column)}))
      return failure.outOfMemory();
    text.remove_prefix(static_cast<size_t>(next.length));
  }
  return true;
}

bool heddle::runtime::isWhitespace(int32_t c) {
  return (c >= 0x09 && c <= 0x0d) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 ||
         c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

bool heddle::runtime::isPunctuation(int32_t c) {
  if (c < 0x80)
    return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) || (c >= 123 && c <= 126);
  utf8proc_category_t category = utf8proc_category(c);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

std::string_view heddle::runtime::utf8Of(int32_t character, char (&bytes)[4]) {
  utf8proc_ssize_t length = utf8proc_encode_char(character, reinterpret_cast<utf8proc_uint8_t *>(bytes));
  return {bytes, static_cast<size_t>(length)};
}

/// Keeps the characters for which `isKept` holds; it may change them.
template <typename Predicate> static void keep(Array<Character> &characters, Predicate isKept) {
  int64_t kept = 0;
  for (Character &one : characters)
    if (isKept(one))
      characters[kept++] = one;
  while (characters.size() > kept)
    characters.pop();
}

void heddle::runtime::stripMarks(Array<Character> &characters, bool all) {
  keep(characters, [&](const Character &one) {
    utf8proc_category_t category = utf8proc_category(one.value);
    return category != UTF8PROC_CATEGORY_MN && !(all && (category == UTF8PROC_CATEGORY_MC || category == UTF8PROC_CATEGORY_ME));
  });
}

void heddle::runtime::clean(Array<Character> &characters) {
  keep(characters, [](Character &one) {
    if (isWhitespace(one.value) && (one.value >= 0x20 ? one.value != 0x85 : one.value != 0x0b && one.value != 0x0c)) {
      one.value = ' ';
      return true;
    }
    utf8proc_category_t category = utf8proc_category(one.value);
    bool isControl = category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF || category == UTF8PROC_CATEGORY_CO;
    return !isControl && one.value != 0xfffd;
  });
}

/// The blocks that BERT's own tokenizer names.
static bool isIdeograph(int32_t c) {
  return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x20000 && c <= 0x2a6df) || (c >= 0x2a700 && c <= 0x2b73f) ||
         (c >= 0x2b740 && c <= 0x2b81f) || (c >= 0x2b920 && c <= 0x2ceaf) || (c >= 0xf900 && c <= 0xfaff) || (c >= 0x2f800 && c <= 0x2fa1f);
}

bool heddle::runtime::spaceIdeographs(Array<Character> &characters, Failure &failure) {
  int64_t ideographs = 0;
  for (const Character &one : characters)
    ideographs += isIdeograph(one.value);
  int64_t from = characters.size(), to = from + 2 * ideographs;
  if (!characters.resize(to))
    return failure.outOfMemory();
  while (from-- > 0) {
    Character one = characters[from];
    bool spaced = isIdeograph(one.value);
    if (spaced)
      characters[--to] = {' ', one.column};
    characters[--to] = one;
    if (spaced)
      characters[--to] = {' ', one.column};
  }
  return true;
}

bool heddle::runtime::lowercase(Array<Character> &characters, Failure &failure) {
  constexpr int32_t dottedI = 0x130, dotAbove = 0x307; // the one character whose lower case is two
  int64_t longer = 0;
  for (const Character &one : characters)
    longer += one.value == dottedI;
  int64_t from = characters.size(), to = from + longer;
  if (!characters.resize(to))
    return failure.outOfMemory();
  while (from-- > 0) {
    Character one = characters[from];
    if (one.value == dottedI)
      characters[--to] = {dotAbove, one.column};
    characters[--to] = {one.value == dottedI ? 'i' : utf8proc_tolower(one.value), one.column};
  }
  return true;
}

namespace {

constexpr int32_t plainBelow = 0x300; // below: composed already, and no mark

int combiningClass(int32_t c) { return utf8proc_get_property(c)->combining_class; }

int32_t pointOf(int32_t c) { return c; }
int32_t pointOf(const Character &c) { return c.value; }

/// Sorts each run of marks by combining class, keeping the order of equal ones. Counting, because a hostile text may pile up a million marks.
template <typename T> bool orderMarks(Array<T> &points) {
  Array<T> sorted;
  for (int64_t begin = 0; begin < points.size(); ++begin) {
    if (pointOf(points[begin]) < plainBelow || combiningClass(pointOf(points[begin])) == 0)
      continue;
    int64_t end = begin, place[257] = {};
    bool ordered = true;
    for (int last = 0; end < points.size(); ++end) {
      int here = combiningClass(pointOf(points[end]));
      if (here == 0)
        break;
      ordered &= last <= here;
      last = here;
      ++place[here + 1];
    }
    if (!ordered) {
      for (int c = 1; c < 257; ++c)
        place[c] += place[c - 1];
      if (!sorted.resize(end - begin))
        return false;
      for (int64_t i = begin; i < end; ++i)
        sorted[place[combiningClass(pointOf(points[i]))]++] = points[i];
      std::memcpy(static_cast<void *>(points.data() + begin), sorted.data(), static_cast<size_t>(end - begin) * sizeof(T));
    }
    begin = end;
  }
  return true;
}

/// fn(part) for each part of the canonical decomposition of `c`; false where one of them is.
template <typename Take> bool decompose(int32_t c, Take take) {
  utf8proc_int32_t parts[8];
  int boundClass = 0;
  utf8proc_ssize_t made = utf8proc_decompose_char(c, parts, 8, UTF8PROC_DECOMPOSE, &boundClass);
  if (made < 1 || made > 8) // not assigned: stays as it is
    parts[0] = c, made = 1;
  for (utf8proc_ssize_t p = 0; p < made; ++p)
    if (!take(parts[p]))
      return false;
  return true;
}

/// NFC of one grapheme cluster: canonical composition never reaches across the boundary of two.
bool composeCluster(const Character *cluster, int64_t count, Array<int32_t> &points, Array<Character> &result) {
  points.clear();
  for (int64_t i = 0; i < count; ++i) {
    if (!decompose(cluster[i].value, [&](int32_t part) { return points.push(part); }))
      return false;
  }
  if (!orderMarks(points))
    return false;
  int64_t made = utf8proc_normalize_utf32(points.data(), points.size(), static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  for (int64_t i = 0; i < made; ++i)
    if (!result.push({points[i], cluster[made == count ? i : 0].column}))
      return false;
  return true;
}

} // namespace

bool heddle::runtime::normalizeNfd(Array<Character> &characters, Failure &failure) {
  Array<Character> source;
  source.swap(characters);
  for (const Character &one : source) {
    bool pushed = one.value < 0x80 ? characters.push(one) : decompose(one.value, [&](int32_t part) { return characters.push({part, one.column}); });
    if (!pushed)
      return failure.outOfMemory();
  }
  return orderMarks(characters) || failure.outOfMemory();
}

bool heddle::runtime::normalizeNfc(Array<Character> &characters, Failure &failure) {
  Array<Character> source;
  Array<int32_t> points;
  source.swap(characters);
  for (int64_t begin = 0, end; begin < source.size(); begin = end) {
    utf8proc_int32_t state = 0;
    for (end = begin + 1; end < source.size(); ++end) {
      if (source[end - 1].value < plainBelow && source[end].value < plainBelow)
        break;
      if (utf8proc_grapheme_break_stateful(source[end - 1].value, source[end].value, &state))
        break;
    }
    bool plain = end == begin + 1 && source[begin].value < plainBelow;
    if (plain ? !characters.push(source[begin]) : !composeCluster(source.data() + begin, end - begin, points, characters))
      return failure.outOfMemory();
  }
  return true;
}
