// A walk over every expression of a function.
#include "compiler/frontend/Calls.h"

namespace heddle::syntax {
namespace {

struct CallWalk {
  std::set<std::string> names;

  void visit(const ExprPtr &expr) {
    if (expr)
      std::visit(*this, expr->node);
  }
  void visit(const std::vector<AxisExpr> &axes) {
    for (const AxisExpr &axis : axes)
      visit(axis.extent), visit(axis.bound);
  }
  void visit(const std::optional<TypeExpr> &type) {
    if (type)
      visit(type->axes);
  }
  void visit(const Block &block) {
    for (const Statement &statement : block) {
      if (auto *assign = std::get_if<Assign>(&statement.node)) {
        for (const Target &target : assign->targets)
          visit(target.type);
        visit(assign->value);
      } else if (auto *result = std::get_if<Return>(&statement.node)) {
        for (const ExprPtr &value : result->values)
          visit(value);
      } else if (auto *loop = std::get_if<For>(&statement.node)) {
        visit(loop->first), visit(loop->end), visit(loop->body);
      } else if (auto *choice = std::get_if<If>(&statement.node)) {
        visit(choice->condition), visit(choice->yes), visit(choice->no);
      }
    }
  }

  void operator()(const IntLiteral &) {}
  void operator()(const FloatLiteral &) {}
  void operator()(const BoolLiteral &) {}
  void operator()(const NoneLiteral &) {}
  void operator()(const Path &) {}
  void operator()(const StringLiteral &node) {
    for (const StringLiteral::Part &part : node.parts)
      visit(part.hole);
  }
  void operator()(const ListExpr &node) {
    for (const ExprPtr &item : node.items)
      visit(item);
  }
  void operator()(const Choice &node) { visit(node.condition), visit(node.yes), visit(node.no); }
  void operator()(const Match &node) {
    visit(node.subject);
    for (const Match::Arm &arm : node.arms) {
      for (const ExprPtr &value : arm.values)
        visit(value);
      visit(arm.result);
    }
  }
  void operator()(const Call &node) {
    names.insert(node.name);
    for (const Argument &argument : node.arguments)
      visit(argument.value);
  }
  void operator()(const Rearrange &node) { visit(node.source), visit(node.left), visit(node.right); }
  void operator()(const Index &node) { visit(node.base), visit(node.index); }
  void operator()(const Cut &node) { visit(node.base), visit(node.first), visit(node.end); }
  void operator()(const Binary &node) { visit(node.left), visit(node.right); }
  void operator()(const Negate &node) { visit(node.operand); }
  void operator()(const Not &node) { visit(node.operand); }
  void operator()(const Fused &node) { visit(node.operand); }
};

} // namespace

std::set<std::string> calledFunctions(const Function &function) {
  CallWalk walk;
  for (const Parameter &parameter : function.parameters)
    walk.visit(parameter.type), walk.visit(parameter.fallback);
  walk.visit(function.result);
  walk.visit(function.expression);
  walk.visit(function.block);
  return std::move(walk.names);
}

} // namespace heddle::syntax
