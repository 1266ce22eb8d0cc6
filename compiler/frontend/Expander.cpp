// Expressions.
#include "compiler/frontend/Expander.h"
#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/ConstantTensors.h"
#include "compiler/frontend/Numbers.h"
#include <fmt/format.h>

namespace heddle::frontend {

using namespace syntax;

/// Expressions in functions in functions: evaluation is recursive, and the machine's stack is not endless.
static constexpr unsigned maxDepth = 2000;
static constexpr size_t maxStringBytesMade = 65536;

Value Expander::evaluate(const Expr &expr) {
  if (std::get_if<Call>(&expr.node) || std::get_if<Choice>(&expr.node) || std::get_if<Match>(&expr.node)) {
    std::vector<Value> values = evaluateMany(expr);
    if (values.size() == 1)
      return std::move(values.front());
    return trace.fail(expr.at, fmt::format("{} values where one is needed", values.size()));
  }
  if (!trace.spend(expr.at))
    return Failed();
  if (++depth > maxDepth) {
    --depth;
    return trace.fail(expr.at, fmt::format("expressions and calls are nested more than {} deep", maxDepth));
  }
  Value result = evaluateNode(expr);
  --depth;
  return result;
}

std::vector<Value> Expander::evaluateMany(const Expr &expr) {
  if (!trace.spend(expr.at))
    return {Failed()};
  if (++depth > maxDepth) {
    --depth;
    return {trace.fail(expr.at, fmt::format("expressions and calls are nested more than {} deep", maxDepth))};
  }
  std::vector<Value> result;
  if (auto *call = std::get_if<Call>(&expr.node)) {
    result = evaluateCall(expr, *call);
  } else if (auto *choice = std::get_if<Choice>(&expr.node)) {
    std::optional<bool> yes = decide(*choice->condition);
    choices.push_back({choice->condition.get(), yes && *yes});
    result = yes ? evaluateMany(*yes ? *choice->yes : *choice->no) : std::vector<Value>{Failed()};
    choices.pop_back();
  } else if (auto *match = std::get_if<Match>(&expr.node)) {
    result = evaluateMatch(expr, *match);
  } else {
    result = {evaluate(expr)};
  }
  --depth;
  return result;
}

Value Expander::evaluateNode(const Expr &expr) {
  if (auto *node = std::get_if<Path>(&expr.node))
    return evaluatePath(expr, node->name);
  if (auto *node = std::get_if<Binary>(&expr.node))
    return evaluateBinary(expr, *node);
  if (auto *node = std::get_if<IntLiteral>(&expr.node))
    return Extent(node->value);
  if (auto *node = std::get_if<FloatLiteral>(&expr.node))
    return node->value;
  if (auto *node = std::get_if<BoolLiteral>(&expr.node))
    return node->value;
  if (std::get_if<NoneLiteral>(&expr.node))
    return None();
  if (auto *node = std::get_if<StringLiteral>(&expr.node))
    return evaluateString(*node);
  if (auto *node = std::get_if<Negate>(&expr.node))
    return elementwise.negate(evaluate(*node->operand), expr.at);
  if (auto *node = std::get_if<Index>(&expr.node))
    return evaluateIndex(expr, *node);
  if (auto *node = std::get_if<Cut>(&expr.node))
    return evaluateCut(expr, *node);
  if (auto *node = std::get_if<Rearrange>(&expr.node))
    return evaluateRearrange(expr, *node);
  if (auto *node = std::get_if<Fused>(&expr.node))
    return evaluateFused(expr, *node);
  if (auto *node = std::get_if<Not>(&expr.node)) {
    Value operand = evaluate(*node->operand);
    return operand.as<bool>() ? Value(!*operand.as<bool>()) : elementwise.invert(operand, expr.at);
  }
  std::vector<Value> items;
  for (const ExprPtr &item : std::get<ListExpr>(expr.node).items)
    items.push_back(evaluate(*item));
  return std::make_shared<const std::vector<Value>>(std::move(items));
}

/// `@fused e`: the op at the root of e remembers the place; the graph stage checks that it became part of a model op.
Value Expander::evaluateFused(const Expr &expr, const Fused &node) {
  Value value = evaluate(*node.operand);
  auto *tensor = value.as<Tensor>();
  if (value.failed() || (tensor && !emitter.ready()))
    return value;
  mlir::Operation *root = tensor && tensor->weight.empty() && tensor->value ? tensor->value.getDefiningOp() : nullptr;
  while (root && mlir::isa<BroadcastOp, ReshapeOp, TransposeOp, SliceOp>(root))
    root = root->getOperand(0).getDefiningOp();
  if (!root)
    return trace.fail(expr.at, fmt::format("'@fused' marks a formula of tensors, got {}", value.describe()));
  emitter.at(expr.at);
  root->setAttr(fusedAttr, mlir::LocationAttr(emitter.location()));
  return value;
}

std::optional<bool> Expander::decide(const Expr &condition) {
  Value value = evaluate(condition);
  if (auto *known = value.as<bool>())
    return *known;
  if (!value.failed())
    trace.error(condition.at, fmt::format("a condition is decided when compiling, got {}", value.describe()),
                value.isTensor() ? std::vector<std::string>{"write where(condition, a, b)"} : std::vector<std::string>{});
  return std::nullopt;
}

std::optional<Extent> Expander::evaluateInt(const Expr &expr, const std::string &what) {
  Value value = evaluate(expr);
  if (auto *integer = value.integer())
    return *integer;
  if (!value.failed())
    trace.error(expr.at, fmt::format("{}: expected an int known when compiling, got {}", what, value.describe()));
  return std::nullopt;
}

Value Expander::evaluateString(const StringLiteral &literal) {
  std::string text;
  for (const StringLiteral::Part &part : literal.parts) {
    if (!part.hole) {
      text += part.text;
    } else {
      Value value = evaluate(*part.hole);
      if (value.failed())
        return Failed();
      if (!value.integer() && !value.as<std::string>())
        return trace.fail(part.hole->at, fmt::format("a string takes ints and strings, got {}", value.describe()));
      text += value.integer() ? std::to_string(value.integer()->staticValue()) : *value.as<std::string>();
    }
    if (text.size() > maxStringBytesMade)
      return trace.fail(part.hole ? part.hole->at : Position{}, fmt::format("a string of more than {} bytes", maxStringBytesMade));
  }
  return text;
}

Value Expander::evaluatePath(const Expr &expr, const std::string &name) {
  if (auto found = frame->values.find(name); found != frame->values.end())
    return found->second;
  if (auto found = frame->extents.find(name); found != frame->extents.end() && found->second.isStatic())
    return found->second;
  if (!frame->inPrelude)
    if (auto found = modelValues.find(name); found != modelValues.end()) {
      if (found->second.as<Object>())
        return trace.fail(expr.at, fmt::format("'{}' is an object of config.json, no value; declare the key in it: config {}.key: ...", name, name));
      return found->second;
    }
  if (std::optional<Value> known = builtinValue(name))
    return *known;
  return unknownName(expr.at, name);
}

Value Expander::unknownName(Position at, const std::string &name) {
  if (frame->extents.contains(name))
    return trace.fail(at, fmt::format("'{}' is a dimension; its size is known only when running", name));
  auto declared = names.modelNames().find(name);
  if (!frame->inPrelude && declared != names.modelNames().end())
    return trace.fail(at, fmt::format("'{}' is used before it has a value ({})", name, printOrigin(declared->second)));
  bool fromPrelude = false;
  if (names.function(name, frame->inPrelude, &fromPrelude) || findBuiltin(name) || names.entry(name))
    return trace.fail(at, fmt::format("'{}' is a function; call it: {}(...)", name, name));
  std::vector<std::string> candidates;
  for (const auto &[local, _] : frame->values)
    candidates.push_back(local);
  for (const auto &[bound, _] : frame->extents)
    candidates.push_back(bound);
  if (!frame->inPrelude)
    for (const auto &[known, _] : names.modelNames())
      candidates.push_back(known);
  std::vector<std::string> remedies;
  if (std::string near = nearestName(name, candidates); !near.empty()) {
    auto origin = names.modelNames().find(near);
    bool local = frame->values.contains(near) || frame->extents.contains(near);
    remedies.push_back(fmt::format("did you mean '{}'{}?", near,
                                   !local && origin != names.modelNames().end() ? fmt::format(" ({})", printOrigin(origin->second)) : ""));
  }
  return trace.fail(at, fmt::format("unknown name '{}'", name), remedies);
}

Value Expander::evaluateBinary(const Expr &expr, const Binary &node) {
  if (node.op == Operator::And || node.op == Operator::Or)
    return evaluateLogical(expr, node);
  Value left = evaluate(*node.left), right = evaluate(*node.right);
  if (left.failed() || right.failed())
    return Failed();
  if (node.op == Operator::Product)
    return product(left, right, node.opAt);
  if (node.op == Operator::Add && (left.as<std::shared_ptr<const Bias>>() || right.as<std::shared_ptr<const Bias>>()))
    return addBias(left, right, node.opAt);
  return elementwise.binary(node.op, left, right, expr.at, node.opAt, keyBeingDefaulted);
}

/// `and` and `or` stop early where the left side decides.
Value Expander::evaluateLogical(const Expr &expr, const Binary &node) {
  Value left = evaluate(*node.left);
  if (auto *known = left.as<bool>()) {
    if (*known == (node.op == Operator::Or))
      return *known;
    Value right = evaluate(*node.right);
    bool mask = right.as<std::shared_ptr<const Mask>>() && node.op == Operator::And;
    if (right.failed() || right.as<bool>() || elementOfValue(right) == Element::Bool || mask) // a bool that decides nothing
      return right;
    return trace.fail(node.opAt, fmt::format("cannot compute {} {} {}: expected two bools", left.describe(), spelling(node.op), right.describe()));
  }
  return elementwise.logical(node.op, left, evaluate(*node.right), node.opAt);
}

std::vector<Value> Expander::evaluateMatch(const Expr &expr, const Match &node) {
  Value subject = evaluate(*node.subject);
  if (subject.failed())
    return {Failed()};
  if (subject.isTensor())
    return {
        trace.fail(node.subject->at, fmt::format("a match is decided when compiling, got {}", subject.describe()), {"write where(condition, a, b)"})};
  std::string known;
  for (const Match::Arm &arm : node.arms) {
    if (arm.values.empty())
      return evaluateMany(*arm.result);
    for (const ExprPtr &expr : arm.values) {
      Value value = evaluate(*expr);
      if (value.failed())
        return {Failed()};
      bool comparable = value.isNone() || subject.isNone() || value.isNumber() == subject.isNumber();
      Value same = comparable ? compareKnown(Operator::Equal, subject, value, expr->at, trace) : Value(false);
      if (same.failed())
        return {Failed()};
      if (*same.as<bool>())
        return evaluateMany(*arm.result);
      known += (known.empty() ? "" : ", ") + value.describe();
    }
  }
  auto *path = std::get_if<Path>(&node.subject->node);
  std::string what = path ? path->name + " is " : "the value is ";
  return {trace.fail(expr.at, fmt::format("{}{}; this text knows {}", what, subject.describe(), known))};
}

} // namespace heddle::frontend
