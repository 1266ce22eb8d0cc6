// Statements: assignments, loops that are unrolled, choices that are decided.
#include "compiler/frontend/Expander.h"
#include <fmt/format.h>

namespace heddle::frontend {

using namespace syntax;

static constexpr int64_t maxTurns = 10000;

void Expander::run(const Block &block) {
  for (const Statement &statement : block)
    runStatement(statement);
}

void Expander::runStatement(const Statement &statement) {
  if (auto *node = std::get_if<Assign>(&statement.node))
    return runAssign(statement, *node);
  if (auto *node = std::get_if<For>(&statement.node))
    return runFor(*node);
  if (auto *node = std::get_if<If>(&statement.node)) {
    if (std::optional<bool> yes = decide(*node->condition)) {
      choices.push_back({node->condition.get(), *yes});
      run(*yes ? node->yes : node->no);
      choices.pop_back();
    }
    return;
  }
  const Return &node = std::get<Return>(statement.node);
  frame->hasReturned = true;
  if (node.values.size() == 1) {
    frame->returned = evaluateMany(*node.values.front()); // of a function of several values: all of them
    return;
  }
  for (const ExprPtr &value : node.values)
    frame->returned.push_back(evaluate(*value));
}

void Expander::runAssign(const Statement &statement, const Assign &node) {
  std::vector<Value> values = evaluateMany(*node.value);
  bool failed = values.size() == 1 && values.front().failed();
  if (values.size() != node.targets.size() && !failed)
    trace.error(statement.at, fmt::format("{} value{} for {} name{}", values.size(), values.size() == 1 ? "" : "s", node.targets.size(),
                                          node.targets.size() == 1 ? "" : "s"));
  bool fits = values.size() == node.targets.size();
  for (size_t i = 0; i < node.targets.size(); ++i)
    assign(node.targets[i], fits ? std::move(values[i]) : Value(Failed()));
}

void Expander::assign(const Target &target, Value value) {
  if (target.type && !value.failed() && !conform(value, *target.type, fmt::format("'{}'", target.name), target.at))
    value = Failed();
  if (target.name != "_")
    frame->values[target.name] = std::move(value);
}

void Expander::runFor(const For &node) {
  std::optional<Extent> first = evaluateInt(*node.first, "the start of a loop"), end = evaluateInt(*node.end, "the end of a loop");
  if (!first || !end)
    return;
  int64_t turns;
  if (__builtin_sub_overflow(end->staticValue(), first->staticValue(), &turns) || turns > maxTurns) {
    trace.error(node.end->at, fmt::format("a loop runs at most {} times, got {}..{}", maxTurns, first->print(), end->print()));
    return;
  }
  if (turns < 0) {
    trace.error(node.end->at, fmt::format("a loop counts up, got {}..{}", first->print(), end->print()));
    return;
  }
  auto shadowed = frame->values.find(node.variable);
  std::optional<Value> before = shadowed == frame->values.end() ? std::nullopt : std::optional(shadowed->second);
  loops.push_back({node.variable, *end});
  for (int64_t i = 0; i < turns && trace.spend(node.variableAt); ++i) {
    frame->values[node.variable] = Extent(first->staticValue() + i);
    run(node.body);
  }
  loops.pop_back();
  frame->values.erase(node.variable); // ends with its loop
  if (before)
    frame->values[node.variable] = *before;
}

/// What the innermost loop with a named end counts: `n_layer is 5`.
std::string Expander::loopNote() const {
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
    if (loop->end.name())
      return fmt::format("{} is {}", loop->end.name()->name, loop->end.staticValue());
  return "";
}

/// What chose the innermost branch, where it is a key of the configuration: `tie_word_embeddings is false: config.json:7:26`.
std::string Expander::choiceNote() const {
  auto *path = choices.empty() ? nullptr : std::get_if<Path>(&choices.back().first->node);
  for (const Config &config : names.model().configs)
    for (const ConfigKey &key : config.keys)
      if (path && path->name == key.name()) {
        std::optional<Configuration::Found> found = findKey(key);
        std::string place = !found              ? "by default"
                            : found->place.line ? fmt::format("{}:{}:{}", found->place.file, found->place.line, found->place.column)
                                                : found->place.file;
        return fmt::format("{} is {}: {}", key.name(), choices.back().second, place);
      }
  return "";
}

} // namespace heddle::frontend
