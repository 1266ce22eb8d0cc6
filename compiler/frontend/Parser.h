// From the text of a model to its syntax tree, by descent, with one function per rule of the grammar. Comes after the lexer, before names are
// resolved.
#pragma once
#include "compiler/frontend/Lexer.h"
#include "compiler/frontend/Syntax.h"

namespace heddle::syntax {

/// What a word is at its place, as far as its spelling does not say it: all that the formatter wants of the parser.
enum class Role : uint8_t {
  Plain,
  Item,      // begins an item
  Statement, // begins a statement
  Arm,       // begins an arm of a match
  Clause,    // the `when` of an entry
  Block,     // the brace that opens a model or a block of statements
  Braces,    // the brace that opens a side of a choice, or the arms of a match
  Sign,      // a minus before its operand
  Attached,  // a bracket behind what it calls, indexes or gives axes, or the `=` of an argument: no blank before it
};

/// The tree of a text, or null with errors in `diagnostics`. After an error parsing goes on with the next item, so one run finds several.
std::unique_ptr<File> parseText(std::string_view text, const std::string &file, Diagnostics &diagnostics);

/// The parser itself. Every function that returns a pointer or bool returns null or false after it has reported an error.
class Parser {
public:
  Parser(const std::vector<Token> &tokens, const std::vector<Comment> &comments, const std::string &file, Diagnostics &diagnostics)
      : tokens(&tokens), comments(&comments), file(file), diagnostics(diagnostics) {}

  std::unique_ptr<File> parseFile();
  /// The same, with the role of each word.
  std::unique_ptr<File> parseFile(std::vector<Role> &into) {
    into.assign(tokens->size(), Role::Plain);
    roles = &into;
    return parseFile();
  }

private:
  // ParseItems.cpp
  bool parseModel(File &into);
  bool parseItem(Model &model);
  bool parsePrefix(Model &model);
  bool parseConfig(Model &model);
  std::unique_ptr<ConfigType> parseConfigType();
  bool parseLet(Model &model);
  bool parseRequire(Model &model);
  bool parseFunction(Function &function);
  bool parseEntry(Model &model);
  bool parseResults(Entry &entry);
  bool parseParameters(std::vector<Parameter> &parameters);
  bool parseTokenizer(Model &model);
  bool parseTask(Model &model);
  bool startsItem() const;
  void skipToItem();
  std::string documentationBefore() const;

  // ParseStatements.cpp
  bool parseBody(Function &function);
  bool parseBlock(Block &block);
  bool parseStatement(Block &block);
  bool parseFor(Block &block);
  bool parseIf(Block &block);
  bool parseAssign(Block &block);
  std::optional<TypeExpr> parseType();
  bool parseAxes(std::vector<AxisExpr> &axes, Role role = Role::Plain);

  // ParseExpressions.cpp
  ExprPtr parseExpr();
  ExprPtr parseLevel(unsigned level);
  ExprPtr parseNot();
  ExprPtr parseSum();
  ExprPtr parseUnary();
  ExprPtr parsePower();
  ExprPtr parsePostfix();
  ExprPtr parsePrimary();
  ExprPtr parseString();
  ExprPtr parseList();
  ExprPtr parseChoice();
  ExprPtr parseMatch();
  bool parseArm(Match &match);
  ExprPtr parseNamed();
  ExprPtr parseRearrange(Position at);
  bool parseArguments(std::vector<Argument> &arguments);
  bool parsePath(std::string &path);

  // Parser.cpp
  const Token &token() const { return (*tokens)[next]; }
  const Token &ahead(size_t n) const { return (*tokens)[std::min(next + n, tokens->size() - 1)]; }
  void take() {
    if (next + 1 < tokens->size())
      ++next;
  }
  /// Says what the word here is.
  void mark(Role role) {
    if (roles)
      (*roles)[next] = role;
  }
  /// Takes a symbol or reserved word if it stands here.
  bool skip(std::string_view spelling);
  bool expect(std::string_view spelling);
  /// Takes a bracket and remembers where, for the message about one that is never closed.
  bool open(std::string_view bracket, Role role = Role::Plain);
  bool close(std::string_view bracket);
  bool takeName(std::string_view what, std::string &name);
  bool takeString(std::string &value);
  bool fail(Position at, std::string message);
  /// "expected <what>, got <the word here>", or the bracket around it that was never closed.
  bool failExpected(std::string_view what);
  /// The node of an expression, with the depth of its children counted.
  template <typename Node> ExprPtr make(Position at, Node node, std::initializer_list<const Expr *> children = {});
  ExprPtr finish(ExprPtr expr, unsigned childDepth);

  /// Counts one level of recursion while it lives.
  struct Level {
    explicit Level(Parser &parser) : parser(parser) { ++parser.nesting; }
    ~Level() { --parser.nesting; }
    bool tooDeep();
    Parser &parser;
  };

  const std::vector<Token> *tokens;
  const std::vector<Comment> *comments;
  const std::string &file;
  Diagnostics &diagnostics;
  size_t next = 0;
  unsigned nesting = 0;
  std::vector<const Token *> brackets;
  std::vector<Role> *roles = nullptr; // none inside the hole of a string
};

template <typename Node> ExprPtr Parser::make(Position at, Node node, std::initializer_list<const Expr *> children) {
  auto expr = std::make_unique<Expr>();
  expr->at = at;
  expr->node = std::move(node);
  unsigned depth = 0;
  for (const Expr *child : children)
    if (child)
      depth = std::max(depth, child->depth);
  return finish(std::move(expr), depth);
}

} // namespace heddle::syntax
