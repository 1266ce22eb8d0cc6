// The lexer: longest match, line breaks are blanks, strings carry their holes as tokens of their own.
#include "compiler/frontend/Lexer.h"
#include "compiler/support/Utf8.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace heddle::syntax {
namespace {

/// Longest first, so that the first that fits is the right one.
constexpr std::string_view symbols[] = {"...", "..", "==", "!=", "<=", ">=", "->", "=>", "(", ")", "[", "]", "{", "}", ",",
                                        ":",   "=",  "<",  ">",  "+",  "-",  "*",  "/",  "%", "@", "^", ".", "|", "?"};

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// The bytes of a character, none where the number is none of a character.
std::string utf8(uint32_t c) {
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
    return {};
  auto tail = [&](unsigned shift) { return char(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80)
    return {char(c)};
  if (c < 0x800)
    return {char(0xC0 | c >> 6), tail(0)};
  if (c < 0x10000)
    return {char(0xE0 | c >> 12), tail(6), tail(0)};
  return {char(0xF0 | c >> 18), tail(12), tail(6), tail(0)};
}

class Lexer {
public:
  Lexer(std::string_view text, const std::string &file, Words &words, Diagnostics &diagnostics)
      : text(text), file(file), words(words), diagnostics(diagnostics) {}

  bool run() {
    if (!checkBytes())
      return false;
    return readUntilClosed(words.tokens, /*inHole=*/false);
  }

private:
  bool fail(Position at, std::string message) {
    diagnostics.error({file, at.line, at.column}, std::move(message));
    return false;
  }

  /// The whole text at once: size, encoding and zero bytes. Everything after may rely on it.
  bool checkBytes() {
    if (text.size() > maxTextBytes)
      return fail({}, fmt::format("the text has {} bytes, expected at most {}", text.size(), maxTextBytes));
    Position at{1, 1};
    if (text.starts_with("\xEF\xBB\xBF"))
      return fail(at, "the text begins with a byte order mark");
    for (std::string_view rest = text; !rest.empty();) {
      CodePoint next = decodeUtf8(rest);
      if (!next.valid)
        return fail(at, fmt::format("the text is not UTF-8: byte 0x{:02x}", unsigned(next.value)));
      if (next.value == 0)
        return fail(at, "the text holds a zero byte");
      at = next.value == '\n' ? Position{at.line + 1, 1} : Position{at.line, at.column + 1};
      rest.remove_prefix(next.bytes);
    }
    return true;
  }

  char peek(size_t ahead = 0) const { return offset + ahead < text.size() ? text[offset + ahead] : '\0'; }

  /// Moves over `bytes`, keeping line and column (a column is a code point).
  void advance(size_t bytes = 1) {
    for (; bytes && offset < text.size(); --bytes, ++offset) {
      char c = text[offset];
      if (c == '\n')
        at = {at.line + 1, 1}, lineHasWord = false;
      else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80)
        ++at.column;
    }
  }

  void skipBlanksAndComments() {
    while (offset < text.size()) {
      char c = peek();
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        advance();
      } else if (c == '#') {
        size_t end = std::min(text.find('\n', offset), text.size());
        std::string_view comment = text.substr(offset, end - offset);
        comment = comment.substr(0, comment.find_last_not_of(" \t\r") + 1);
        words.comments.push_back({at, comment, !lineHasWord});
        advance(end - offset);
      } else {
        return;
      }
    }
  }

  /// Tokens up to the end of the text, or to the brace that closes the hole of a string.
  bool readUntilClosed(std::vector<Token> &tokens, bool inHole) {
    unsigned open = 0;
    for (;;) {
      if (!inHole) {
        skipBlanksAndComments();
      } else {
        while (peek() == ' ' || peek() == '\t')
          advance();
      }
      Token token;
      token.at = at;
      token.commentsBefore = words.comments.size();
      token.startsLine = !lineHasWord;
      if (inHole && (offset >= text.size() || peek() == '\n' || peek() == '#'))
        return fail(at, "expected '}' of a hole in a string, got the end of the line");
      if (offset >= text.size() || (inHole && peek() == '}' && open == 0)) {
        tokens.push_back(std::move(token));
        return true;
      }
      if (!readToken(token))
        return false;
      if (token.is("{"))
        ++open;
      else if (token.is("}") && open)
        --open;
      tokens.push_back(std::move(token));
    }
  }

  bool readToken(Token &token) {
    size_t begin = offset;
    lineHasWord = true;
    char c = peek();
    if (isLetter(c)) {
      while (isLetter(peek()) || isDigit(peek()))
        advance();
      token.text = text.substr(begin, offset - begin);
      token.kind = std::ranges::find(reservedWords, token.text) != std::end(reservedWords) ? TokenKind::Word : TokenKind::Name;
      return true;
    }
    if (isDigit(c))
      return readNumber(token);
    if (c == '"')
      return readString(token);
    if (text.substr(offset).starts_with("@fused") && !isLetter(peek(6)) && !isDigit(peek(6)))
      return takeSymbol(token, 6);
    for (std::string_view symbol : symbols)
      if (text.substr(offset).starts_with(symbol))
        return takeSymbol(token, symbol.size());
    return fail(at, fmt::format("unknown character '{}'", text.substr(offset, decodeUtf8(text.substr(offset)).bytes)));
  }

  bool takeSymbol(Token &token, size_t bytes) {
    token.kind = TokenKind::Symbol;
    token.text = text.substr(offset, bytes);
    advance(bytes);
    return true;
  }

  std::string readDigits() {
    std::string digits;
    while (isDigit(peek()) || (peek() == '_' && isDigit(peek(1)) && !digits.empty())) {
      if (peek() != '_')
        digits += peek();
      advance();
    }
    return digits;
  }

  /// A fraction needs a digit behind its point, so `0..n` is a range.
  bool readNumber(Token &token) {
    size_t begin = offset;
    std::string digits = readDigits();
    token.kind = TokenKind::Integer;
    if (peek() == '.' && isDigit(peek(1))) {
      token.kind = TokenKind::Float;
      advance();
      digits += "." + readDigits();
    }
    bool sign = peek(1) == '+' || peek(1) == '-';
    if ((peek() == 'e' || peek() == 'E') && isDigit(peek(sign ? 2 : 1))) {
      token.kind = TokenKind::Float;
      digits += sign ? std::string{'e', peek(1)} : "e";
      advance(sign ? 2 : 1);
      digits += readDigits();
    }
    token.text = text.substr(begin, offset - begin);
    if (isLetter(peek()))
      return fail(at, fmt::format("a letter right behind the number {}", token.text));
    const char *first = digits.data(), *last = first + digits.size();
    std::errc status =
        token.kind == TokenKind::Integer ? std::from_chars(first, last, token.integer).ec : std::from_chars(first, last, token.real).ec;
    if (status != std::errc())
      return fail(token.at, fmt::format("the number {} does not fit into 64 bits", token.text));
    return true;
  }

  bool readString(Token &token) {
    size_t begin = offset, bytes = 0;
    token.kind = TokenKind::String;
    std::string literal;
    auto endLiteral = [&] {
      if (!literal.empty())
        token.parts.push_back({std::exchange(literal, {}), {}});
    };
    for (advance(); peek() != '"';) {
      if (offset >= text.size() || peek() == '\n')
        return fail(token.at, "the string has no end on its line");
      if (peek() == '\\') {
        if (!readEscape(literal))
          return false;
      } else if ((peek() == '{' || peek() == '}') && peek(1) == peek()) {
        literal += peek();
        advance(2);
      } else if (peek() == '{') {
        endLiteral();
        if (!readHole(token))
          return false;
      } else if (peek() == '}') {
        return fail(at, "a single '}' in a string; write '}}' for the character");
      } else {
        literal += peek();
        advance();
      }
      if (++bytes > maxStringBytes)
        return fail(token.at, fmt::format("the string has more than {} bytes", maxStringBytes));
    }
    endLiteral();
    advance();
    token.text = text.substr(begin, offset - begin);
    return true;
  }

  bool readHole(Token &token) {
    if (++nesting > maxNesting)
      return fail(at, fmt::format("more than {} levels of nesting", maxNesting));
    Position open = at;
    advance();
    StringPart part;
    if (!readUntilClosed(part.hole, /*inHole=*/true))
      return false;
    if (part.hole.size() == 1)
      return fail(open, "an empty hole in a string; write '{{' for the character");
    advance();
    token.parts.push_back(std::move(part));
    --nesting;
    return true;
  }

  bool readEscape(std::string &into) {
    Position start = at;
    advance();
    char c = peek();
    advance();
    switch (c) {
    case '"':
      into += '"';
      return true;
    case '\\':
      into += '\\';
      return true;
    case 'n':
      into += '\n';
      return true;
    case 't':
      into += '\t';
      return true;
    case 'u':
      return readCodePoint(start, into);
    default:
      return fail(start, "unknown escape in a string; known are \\\" \\\\ \\n \\t \\u{hex}");
    }
  }

  bool readCodePoint(Position start, std::string &into) {
    size_t close = text.find('}', offset);
    uint32_t codePoint = 0;
    if (peek() == '{' && close != text.npos && close - offset >= 2 && close - offset <= 7) {
      const char *first = text.data() + offset + 1, *last = text.data() + close;
      auto [end, status] = std::from_chars(first, last, codePoint, 16);
      std::string bytes = end == last && status == std::errc() && codePoint != 0 ? utf8(codePoint) : "";
      if (!bytes.empty()) {
        into += bytes;
        advance(close + 1 - offset);
        return true;
      }
    }
    return fail(start, "expected \\u{hex} with the number of a character");
  }

  std::string_view text;
  const std::string &file;
  Words &words;
  Diagnostics &diagnostics;
  size_t offset = 0;
  Position at{1, 1};
  bool lineHasWord = false;
  unsigned nesting = 0;
};

} // namespace

bool readWords(std::string_view text, const std::string &file, Words &words, Diagnostics &diagnostics) {
  return Lexer(text, file, words, diagnostics).run();
}

} // namespace heddle::syntax
