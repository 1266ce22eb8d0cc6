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

/// Sorts each run of marks by combining class, keeping the order of equal ones. Counting, because a hostile text may pile up a million marks.
bool orderMarks(Array<int32_t> &points) {
  Array<int32_t> sorted;
  for (int64_t begin = 0; begin < points.size(); ++begin) {
    if (points[begin] < plainBelow || combiningClass(points[begin]) == 0)
      continue;
    int64_t end = begin, place[257] = {};
    bool ordered = true;
    for (int last = 0; end < points.size(); ++end) {
      int here = combiningClass(points[end]);
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
        sorted[place[combiningClass(points[i])]++] = points[i];
      std::memcpy(points.data() + begin, sorted.data(), static_cast<size_t>(end - begin) * sizeof(int32_t));
    }
    begin = end;
  }
  return true;
}

/// NFC of one grapheme cluster: canonical composition never reaches across the boundary of two.
bool composeCluster(const Character *cluster, int64_t count, Array<int32_t> &points, Array<Character> &result) {
  points.clear();
  for (int64_t i = 0; i < count; ++i) {
    utf8proc_int32_t parts[8];
    int boundClass = 0;
    utf8proc_ssize_t made = utf8proc_decompose_char(cluster[i].value, parts, 8, UTF8PROC_DECOMPOSE, &boundClass);
    if (made < 1 || made > 8) // not assigned: stays as it is
      parts[0] = cluster[i].value, made = 1;
    for (utf8proc_ssize_t p = 0; p < made; ++p)
      if (!points.push(parts[p]))
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

bool heddle::runtime::normalizeNfc(Array<Character> &characters, Failure &failure) {
  Array<Character> source;
  Array<int32_t> points;
  if (!source.resize(characters.size()))
    return failure.outOfMemory();
  if (source.empty())
    return true;
  std::memcpy(static_cast<void *>(source.data()), characters.data(), static_cast<size_t>(source.size()) * sizeof(Character));
  characters.clear();
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
