// The rules of bodies, statements and types.
#include "compiler/frontend/Parser.h"
#include <fmt/format.h>

namespace heddle::syntax {

bool Parser::parseBody(Function &function) {
  if (skip("="))
    return (function.expression = parseExpr()) != nullptr;
  if (!token().is("{"))
    return failExpected("'=' or '{'");
  return parseBlock(function.block);
}

bool Parser::parseBlock(Block &block) {
  Level level(*this);
  if (level.tooDeep() || !open("{", Role::Block))
    return false;
  while (!token().is("}"))
    if (!parseStatement(block))
      return false;
  return close("}");
}

bool Parser::parseStatement(Block &block) {
  mark(Role::Statement);
  Position at = token().at;
  if (token().is("for"))
    return parseFor(block);
  if (token().is("if"))
    return parseIf(block);
  if (skip("return")) {
    Return node;
    do {
      ExprPtr value = parseExpr();
      if (!value)
        return false;
      node.values.push_back(std::move(value));
    } while (skip(","));
    block.push_back({at, std::move(node)});
    return true;
  }
  if (!token().isName() || !(ahead(1).is("=") || ahead(1).is(",") || ahead(1).is(":")))
    return failExpected("a statement (name = ..., return, for or if)");
  return parseAssign(block);
}

bool Parser::parseAssign(Block &block) {
  Position at = token().at;
  Assign node;
  do {
    Target target;
    target.at = token().at;
    if (!takeName("a name", target.name))
      return false;
    if (skip(":") && !(target.type = parseType()))
      return false;
    node.targets.push_back(std::move(target));
  } while (skip(","));
  if (!expect("=") || !(node.value = parseExpr()))
    return false;
  block.push_back({at, std::move(node)});
  return true;
}

bool Parser::parseFor(Block &block) {
  Position at = token().at;
  For node;
  take();
  node.variableAt = token().at;
  if (!takeName("the name of the loop's variable", node.variable) || !expect("in") || !(node.first = parseSum()) || !expect("..") ||
      !(node.end = parseSum()) || !parseBlock(node.body))
    return false;
  block.push_back({at, std::move(node)});
  return true;
}

bool Parser::parseIf(Block &block) {
  Level level(*this);
  Position at = token().at;
  If node;
  if (level.tooDeep() || !expect("if") || !(node.condition = parseExpr()) || !parseBlock(node.yes))
    return false;
  if (skip("else") && !(token().is("if") ? parseIf(node.no) : parseBlock(node.no)))
    return false;
  block.push_back({at, std::move(node)});
  return true;
}

std::optional<TypeExpr> Parser::parseType() {
  static constexpr std::pair<std::string_view, TypeKind> kinds[] = {
      {"f32", TypeKind::F32},     {"i32", TypeKind::I32},       {"bool", TypeKind::Bool}, {"int", TypeKind::Int},
      {"float", TypeKind::Float}, {"string", TypeKind::String}, {"mask", TypeKind::Mask}, {"bias", TypeKind::Bias}};
  for (auto [name, kind] : kinds) {
    if (!token().isName(name))
      continue;
    TypeExpr type{token().at, kind, {}};
    take();
    if (kind == TypeKind::Bool && token().is("["))
      type.kind = TypeKind::BoolTensor;
    if (type.isTensor() && !parseAxes(type.axes, Role::Attached))
      return std::nullopt;
    return type;
  }
  failExpected("a type (f32[...], i32[...], bool[...], int, float, bool, string, mask or bias)");
  return std::nullopt;
}

bool Parser::parseAxes(std::vector<AxisExpr> &axes, Role role) {
  if (!open("[", role))
    return false;
  while (!token().is("]")) {
    AxisExpr axis;
    axis.at = token().at;
    if (token().is("..")) {
      if (!axes.empty())
        return fail(axis.at, "'..' stands first or not at all");
      take();
      axis.leading = true;
    } else {
      if (!(axis.extent = parseSum()))
        return false;
      axis.ragged = skip("...");
      if (skip("<=") && !(axis.bound = parseSum()))
        return false;
    }
    axes.push_back(std::move(axis));
    if (!skip(","))
      break;
  }
  return close("]");
}

} // namespace heddle::syntax
