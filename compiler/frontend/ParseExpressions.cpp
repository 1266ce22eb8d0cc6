// The rules of expressions, weakest binding first: @fused, or, and, not, comparison, + -, * / % @, unary -, ^, index.
#include "compiler/frontend/Parser.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>

namespace heddle::syntax {

namespace {
struct Spelled {
  std::string_view text;
  Operator op;
};
constexpr Spelled orWords[] = {{"or", Operator::Or}}, andWords[] = {{"and", Operator::And}};
constexpr Spelled comparisons[] = {{"==", Operator::Equal},        {"!=", Operator::NotEqual}, {"<=", Operator::LessEqual},
                                   {">=", Operator::GreaterEqual}, {"<", Operator::Less},      {">", Operator::Greater}};
constexpr Spelled sums[] = {{"+", Operator::Add}, {"-", Operator::Subtract}};
constexpr Spelled products[] = {{"*", Operator::Multiply}, {"/", Operator::Divide}, {"%", Operator::Remainder}, {"@", Operator::Product}};
/// Binary operators by strength; level 1 is followed by `not`, level 2 is not chained.
enum : unsigned { OrLevel, AndLevel, CompareLevel, SumLevel, ProductLevel };
constexpr std::array<std::span<const Spelled>, 5> levels = {orWords, andWords, comparisons, sums, products};
} // namespace

ExprPtr Parser::parseExpr() {
  Level level(*this);
  if (level.tooDeep())
    return nullptr;
  Position at = token().at;
  if (!skip("@fused"))
    return parseLevel(OrLevel);
  ExprPtr operand = parseLevel(OrLevel);
  if (!operand)
    return nullptr;
  const Expr *child = operand.get();
  return make(at, Fused{std::move(operand)}, {child});
}

ExprPtr Parser::parseSum() { return parseLevel(SumLevel); }

ExprPtr Parser::parseLevel(unsigned level) {
  auto parseOperand = [&] { return level == AndLevel ? parseNot() : level == ProductLevel ? parseUnary() : parseLevel(level + 1); };
  ExprPtr left = parseOperand();
  while (left) {
    auto found = std::ranges::find_if(levels[level], [&](const Spelled &spelled) { return token().is(spelled.text); });
    if (found == levels[level].end())
      break;
    Position opAt = token().at, at = left->at;
    take();
    ExprPtr right = parseOperand();
    if (!right)
      return nullptr;
    const Expr *l = left.get(), *r = right.get();
    left = make(at, Binary{found->op, opAt, std::move(left), std::move(right)}, {l, r});
    if (level == CompareLevel)
      break; // a < b < c is no comparison
  }
  return left;
}

ExprPtr Parser::parseNot() {
  Position at = token().at;
  if (!skip("not"))
    return parseLevel(CompareLevel);
  Level level(*this);
  if (level.tooDeep())
    return nullptr;
  ExprPtr operand = parseNot();
  const Expr *child = operand.get();
  return operand ? make(at, Not{std::move(operand)}, {child}) : nullptr;
}

ExprPtr Parser::parseUnary() {
  Position at = token().at;
  if (!token().is("-"))
    return parsePower();
  mark(Role::Sign);
  take();
  Level level(*this);
  if (level.tooDeep())
    return nullptr;
  ExprPtr operand = parseUnary();
  const Expr *child = operand.get();
  return operand ? make(at, Negate{std::move(operand)}, {child}) : nullptr;
}

ExprPtr Parser::parsePower() {
  ExprPtr base = parsePostfix();
  if (!base || !token().is("^"))
    return base;
  Position at = base->at, opAt = token().at;
  take();
  Level level(*this);
  if (level.tooDeep())
    return nullptr;
  ExprPtr exponent = parseUnary();
  if (!exponent)
    return nullptr;
  const Expr *l = base.get(), *r = exponent.get();
  return make(at, Binary{Operator::Power, opAt, std::move(base), std::move(exponent)}, {l, r});
}

ExprPtr Parser::parsePostfix() {
  ExprPtr base = parsePrimary();
  while (base && token().is("[")) {
    open("[", Role::Attached);
    Position at = base->at;
    const Expr *child = base.get();
    if (token().isName() && ahead(1).is("=")) {
      Cut cut{std::move(base), std::string(token().text), token().at, nullptr, nullptr};
      take(), take();
      if (token().isName("last") && ahead(1).is("]")) {
        take();
      } else {
        if (!(cut.first = parseSum()) || (skip("..") && !(cut.end = parseSum())))
          return nullptr;
      }
      const Expr *first = cut.first.get(), *end = cut.end.get();
      base = make(at, std::move(cut), {child, first, end});
    } else {
      ExprPtr index = parseExpr();
      if (!index)
        return nullptr;
      const Expr *second = index.get();
      base = make(at, Index{std::move(base), std::move(index)}, {child, second});
    }
    if (!base || !close("]"))
      return nullptr;
  }
  return base;
}

ExprPtr Parser::parsePrimary() {
  const Token &word = token();
  Position at = word.at;
  switch (word.kind) {
  case TokenKind::Integer:
    take();
    return make(at, IntLiteral{word.integer});
  case TokenKind::Float:
    take();
    return make(at, FloatLiteral{word.real});
  case TokenKind::String:
    return parseString();
  case TokenKind::Name:
    return parseNamed();
  default:
    break;
  }
  if (word.is("true") || word.is("false")) {
    take();
    return make(at, BoolLiteral{word.is("true")});
  }
  if (skip("none"))
    return make(at, NoneLiteral{});
  if (word.is("["))
    return parseList();
  if (word.is("if"))
    return parseChoice();
  if (word.is("match"))
    return parseMatch();
  if (word.is("(")) {
    open("(");
    ExprPtr inner = parseExpr();
    return inner && close(")") ? std::move(inner) : nullptr;
  }
  failExpected("an expression");
  return nullptr;
}

ExprPtr Parser::parseString() {
  const Token &word = token();
  StringLiteral literal;
  unsigned depth = 0;
  for (const StringPart &part : word.parts) {
    if (part.hole.empty()) {
      literal.parts.push_back({part.text, nullptr});
      continue;
    }
    Parser inner(part.hole, *comments, file, diagnostics);
    inner.nesting = nesting;
    ExprPtr hole = inner.parseExpr();
    if (!hole)
      return nullptr;
    if (inner.token().kind != TokenKind::End) {
      inner.failExpected("'}'");
      return nullptr;
    }
    depth = std::max(depth, hole->depth);
    literal.parts.push_back({"", std::move(hole)});
  }
  take();
  auto expr = std::make_unique<Expr>();
  expr->at = word.at;
  expr->node = std::move(literal);
  return finish(std::move(expr), depth);
}

ExprPtr Parser::parseList() {
  Position at = token().at;
  open("[");
  ListExpr list;
  unsigned depth = 0;
  while (!token().is("]")) {
    ExprPtr item = parseExpr();
    if (!item)
      return nullptr;
    depth = std::max(depth, item->depth);
    list.items.push_back(std::move(item));
    if (!skip(","))
      break;
  }
  if (!close("]"))
    return nullptr;
  auto expr = std::make_unique<Expr>();
  expr->at = at;
  expr->node = std::move(list);
  return finish(std::move(expr), depth);
}

ExprPtr Parser::parseChoice() {
  Level level(*this);
  if (level.tooDeep())
    return nullptr;
  Position at = token().at;
  Choice choice;
  auto parseBraced = [&](ExprPtr &into) { return open("{", Role::Braces) && (into = parseExpr()) && close("}"); };
  if (!expect("if") || !(choice.condition = parseExpr()) || !parseBraced(choice.yes) || !expect("else"))
    return nullptr;
  if (token().is("if") ? !(choice.no = parseChoice()) : !parseBraced(choice.no))
    return nullptr;
  const Expr *a = choice.condition.get(), *b = choice.yes.get(), *c = choice.no.get();
  return make(at, std::move(choice), {a, b, c});
}

ExprPtr Parser::parseMatch() {
  Position at = token().at;
  Match match;
  if (!expect("match") || !(match.subject = parseExpr()) || !open("{", Role::Braces))
    return nullptr;
  unsigned depth = match.subject->depth;
  do {
    if (!parseArm(match))
      return nullptr;
    depth = std::max(depth, match.arms.back().result->depth);
  } while (skip(",") && !token().is("}"));
  if (!close("}"))
    return nullptr;
  auto expr = std::make_unique<Expr>();
  expr->at = at;
  expr->node = std::move(match);
  return finish(std::move(expr), depth);
}

bool Parser::parseArm(Match &match) {
  Level level(*this); // the values of an arm nest without being expressions
  if (level.tooDeep())
    return false;
  Match::Arm arm;
  mark(Role::Arm);
  if (!skip("else")) {
    do {
      ExprPtr value = parsePrimary();
      if (!value)
        return false;
      arm.values.push_back(std::move(value));
    } while (skip("|"));
  }
  if (!expect("=>") || !(arm.result = parseExpr()))
    return false;
  match.arms.push_back(std::move(arm));
  return true;
}

bool Parser::parsePath(std::string &path) {
  if (!takeName("a name", path))
    return false;
  while (token().is(".") && ahead(1).isName()) {
    take();
    path += fmt::format(".{}", token().text);
    take();
  }
  return true;
}

ExprPtr Parser::parseNamed() {
  Position at = token().at;
  if (!ahead(1).is("(")) {
    Path path;
    return parsePath(path.name) ? make(at, std::move(path)) : nullptr;
  }
  if (token().isName("rearrange"))
    return parseRearrange(at);
  Call call{std::string(token().text), {}};
  take();
  if (!open("(", Role::Attached) || !parseArguments(call.arguments) || !close(")"))
    return nullptr;
  unsigned depth = 0;
  for (const Argument &argument : call.arguments)
    depth = std::max(depth, argument.value->depth);
  auto expr = std::make_unique<Expr>();
  expr->at = at;
  expr->node = std::move(call);
  return finish(std::move(expr), depth);
}

bool Parser::parseArguments(std::vector<Argument> &arguments) {
  while (!token().is(")")) {
    Argument argument{token().at, "", nullptr};
    if (token().isName() && ahead(1).is("=")) {
      argument.name = token().text;
      take();
      mark(Role::Attached);
      take();
    }
    if (!(argument.value = parseExpr()))
      return false;
    arguments.push_back(std::move(argument));
    if (!skip(","))
      break;
  }
  return true;
}

ExprPtr Parser::parseRearrange(Position at) {
  Rearrange node;
  take();
  if (!open("(", Role::Attached) || !(node.source = parseExpr()) || !expect(",") || !parseAxes(node.left) || !expect("->") ||
      !parseAxes(node.right) || !close(")"))
    return nullptr;
  unsigned depth = node.source->depth;
  for (const std::vector<AxisExpr> *side : {&node.left, &node.right})
    for (const AxisExpr &axis : *side)
      depth = std::max(depth, axis.extent ? axis.extent->depth : 0);
  auto expr = std::make_unique<Expr>();
  expr->at = at;
  expr->node = std::move(node);
  return finish(std::move(expr), depth);
}

} // namespace heddle::syntax
