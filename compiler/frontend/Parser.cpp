// What all rules of the parser share: the words ahead, brackets, messages, and the bound on depth.
#include "compiler/frontend/Parser.h"
#include <fmt/format.h>

namespace heddle::syntax {

/// Operators in a row make a tree as deep as the row is long; expansion and destruction walk it by recursion.
static constexpr unsigned maxTreeDepth = 500;

bool Parser::skip(std::string_view spelling) {
  if (!token().is(spelling))
    return false;
  take();
  return true;
}

bool Parser::expect(std::string_view spelling) { return skip(spelling) || failExpected(fmt::format("'{}'", spelling)); }

bool Parser::open(std::string_view bracket, Role role) {
  const Token *opened = &token();
  mark(role);
  if (!expect(bracket))
    return false;
  brackets.push_back(opened);
  return true;
}

bool Parser::close(std::string_view bracket) {
  if (!expect(bracket))
    return false;
  brackets.pop_back();
  return true;
}

bool Parser::takeName(std::string_view what, std::string &name) {
  if (!token().isName()) {
    if (token().kind == TokenKind::Word)
      return fail(token().at, fmt::format("expected {}, got the reserved word '{}'", what, token().text));
    return failExpected(what);
  }
  name = token().text;
  take();
  return true;
}

bool Parser::takeString(std::string &value) {
  if (token().kind != TokenKind::String)
    return failExpected("a string");
  value.clear();
  for (const StringPart &part : token().parts) {
    if (!part.hole.empty())
      return fail(part.hole.front().at, "a string at this place has no holes");
    value += part.text;
  }
  take();
  return true;
}

bool Parser::fail(Position at, std::string message) {
  diagnostics.error({file, at.line, at.column}, std::move(message));
  return false;
}

static std::string describe(const Token &token) {
  switch (token.kind) {
  case TokenKind::End:
    return "the end of the text";
  case TokenKind::String:
    return std::string(token.text);
  default:
    return fmt::format("'{}'", token.text);
  }
}

bool Parser::failExpected(std::string_view what) {
  bool ended = token().kind == TokenKind::End;
  if (!brackets.empty() && (ended || (token().startsLine && startsItem()))) {
    const Token &opened = *brackets.back();
    std::string found = ended ? "the text ends" : fmt::format("'{}' begins in line {}", token().text, token().at.line);
    return fail(opened.at, fmt::format("'{}' is never closed: {}", opened.text, found));
  }
  return fail(token().at, fmt::format("expected {}, got {}", what, describe(token())));
}

ExprPtr Parser::finish(ExprPtr expr, unsigned childDepth) {
  expr->depth = childDepth + 1;
  if (expr->depth <= maxTreeDepth)
    return expr;
  fail(expr->at, fmt::format("more than {} operators in a row", maxTreeDepth));
  return nullptr;
}

bool Parser::Level::tooDeep() {
  if (parser.nesting <= maxNesting)
    return false;
  parser.fail(parser.token().at, fmt::format("more than {} levels of nesting", maxNesting));
  return true;
}

std::unique_ptr<File> parseText(std::string_view text, const std::string &file, Diagnostics &diagnostics) {
  Words words;
  if (!readWords(text, file, words, diagnostics))
    return nullptr;
  return Parser(words.tokens, words.comments, file, diagnostics).parseFile();
}

std::string_view spelling(Operator op) {
  static constexpr std::string_view words[] = {"+", "-", "*", "/", "%", "@", "^", "==", "!=", "<", "<=", ">", ">=", "and", "or"};
  return words[static_cast<size_t>(op)];
}

} // namespace heddle::syntax
