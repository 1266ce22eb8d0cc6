// The words of a model text: what the lexer makes of its bytes, and what the parser reads.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::syntax {

/// A place inside one text: line and column count from 1, columns in code points.
struct Position {
  unsigned line = 0, column = 0;
  friend bool operator==(Position, Position) = default;
  friend auto operator<=>(Position, Position) = default;
};

enum class TokenKind {
  End,  // behind the last word
  Name, // an identifier, words like 'config' or 'entry' included: they mean something only at their place
  Word, // a reserved word: for in if else match return and or not true false none fn
  Integer,
  Float,
  String,
  Symbol,
};

struct Token;

/// A string is a row of parts: literal text, or a hole `{expression}` whose words are kept as tokens.
struct StringPart {
  std::string text;
  std::vector<Token> hole; // not empty for a hole; ends with an End token at the closing brace
};

struct Token {
  TokenKind kind = TokenKind::End;
  Position at;
  std::string_view text; // as written
  int64_t integer = 0;
  double real = 0;
  std::vector<StringPart> parts;
  unsigned commentsBefore = 0; // how many comments of the text stand before this token
  bool startsLine = false;     // nothing but blanks before it on its line

  /// A symbol or reserved word of this spelling.
  bool is(std::string_view spelling) const { return (kind == TokenKind::Symbol || kind == TokenKind::Word) && text == spelling; }
  bool isName() const { return kind == TokenKind::Name; }
  /// A name that means something at this place only.
  bool isName(std::string_view spelling) const { return kind == TokenKind::Name && text == spelling; }
};

/// `# ...` to the end of the line; `##` makes it documentation of the item that follows.
struct Comment {
  Position at;
  std::string_view text; // from the # on, without blanks at its end
  bool startsLine = false;
  bool isDocumentation() const { return text.starts_with("##"); }
};

} // namespace heddle::syntax
