// The header of a .npy file: a Python dictionary with exactly the keys descr, fortran_order and shape.
#include "runtime/Npy.h"
#include <cstring>
#include <string_view>

using namespace heddle::runtime;

namespace {

/// Reads the few forms of Python literals that such a header has. After the first fault `wrong` is set and everything fails.
class Parser {
public:
  Parser(const char *text, int64_t length) : next(text), end(text + length) {}
  const char *wrong = nullptr;

  bool fail(const char *what) {
    if (!wrong)
      wrong = what;
    return false;
  }
  void blanks() {
    while (next < end && (*next == ' ' || *next == '\t' || *next == '\n' || *next == '\r'))
      ++next;
  }
  bool accept(char c) {
    blanks();
    if (next == end || *next != c)
      return false;
    ++next;
    return true;
  }
  bool expect(char c) { return accept(c) || fail("is no NumPy header"); }
  bool string(std::string_view &value) {
    blanks();
    if (next == end || (*next != '\'' && *next != '"'))
      return fail("is no NumPy header");
    char quote = *next++;
    const char *start = next;
    while (next < end && *next != quote && *next != '\\' && *next != '\n')
      ++next;
    if (next == end || *next != quote)
      return fail("is no NumPy header");
    value = {start, static_cast<size_t>(next - start)};
    ++next;
    return true;
  }
  bool boolean(bool &value) {
    blanks();
    std::string_view rest(next, static_cast<size_t>(end - next));
    if (rest.starts_with("True"))
      value = true, next += 4;
    else if (rest.starts_with("False"))
      value = false, next += 5;
    else
      return fail("has no True or False for fortran_order");
    return true;
  }
  bool number(int64_t &value) {
    blanks();
    if (next == end || *next < '0' || *next > '9')
      return fail("has a shape that is no tuple of whole numbers");
    value = 0;
    for (; next < end && *next >= '0' && *next <= '9'; ++next)
      if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *next - '0', &value))
        return fail("has an extent beyond 64 bits");
    return true;
  }
  bool tuple(NpyHeader &header) {
    if (!expect('('))
      return false;
    while (!accept(')')) {
      if (header.rank == maxRank)
        return fail("has more than 16 axes");
      if (!number(header.shape[header.rank++]))
        return false;
      if (!accept(',')) {
        if (header.rank == 1)
          return fail("has a shape that is no tuple of whole numbers"); // (3) is a number in Python
        return expect(')');
      }
    }
    return true;
  }
  bool atEnd() {
    blanks();
    return next == end;
  }

private:
  const char *next, *end;
};

bool parseItem(Parser &parser, NpyHeader &header, unsigned &seen) {
  std::string_view key, type;
  if (!parser.string(key) || !parser.expect(':'))
    return false;
  unsigned bit = key == "descr" ? 1 : key == "fortran_order" ? 2 : key == "shape" ? 4 : 0;
  if (bit == 0 || (seen & bit))
    return parser.fail("has another key than descr, fortran_order and shape, or one of them twice");
  seen |= bit;
  if (bit == 2)
    return parser.boolean(header.fortran);
  if (bit == 4)
    return parser.tuple(header);
  parser.blanks();
  if (!parser.string(type))
    return parser.wrong = "holds records, expected plain numbers", false;
  if (type.size() >= sizeof header.type)
    return parser.fail("holds values of a type that is not read");
  std::memcpy(header.type, type.data(), type.size());
  return true;
}

} // namespace

const char *heddle::runtime::parseNpyHeader(const char *text, int64_t length, NpyHeader &header) {
  Parser parser(text, length);
  unsigned seen = 0;
  if (!parser.expect('{'))
    return parser.wrong;
  while (!parser.accept('}')) {
    if (!parseItem(parser, header, seen))
      return parser.wrong;
    if (!parser.accept(',')) {
      if (!parser.expect('}'))
        return parser.wrong;
      break;
    }
  }
  if (!parser.atEnd())
    return "is no NumPy header";
  return seen == 7 ? nullptr : "lacks one of descr, fortran_order and shape";
}
