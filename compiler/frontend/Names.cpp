// The checks of names.
#include "compiler/frontend/Names.h"
#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/Calls.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace heddle::frontend {

using namespace syntax;

std::string printOrigin(const Names::ModelName &name) { return fmt::format("{}, line {}", name.isKey ? "configuration key" : "let", name.at.line); }

Names::Names(const Model &model, const File &prelude) : text(model) {
  for (const Function &function : prelude.functions)
    preludeFunctions.insert({function.name, &function});
  for (const Function &function : model.functions)
    functions.insert({function.name, &function});
  for (const Entry &entry : model.entries)
    entries.insert({entry.function.name, &entry});
  for (const Config &config : model.configs)
    if (config.type.kind != ConfigKind::Object)
      for (const ConfigKey &key : config.keys)
        values.insert({key.name(), {key.at, true}});
  for (const Let &let : model.lets)
    values.insert({let.name, {let.nameAt, false}});
}

const Function *Names::function(const std::string &name, bool inPrelude, bool *fromPrelude) const {
  if (!inPrelude)
    if (auto found = functions.find(name); found != functions.end()) {
      *fromPrelude = false;
      return found->second;
    }
  auto found = preludeFunctions.find(name);
  *fromPrelude = true;
  return found == preludeFunctions.end() ? nullptr : found->second;
}

const Entry *Names::entry(const std::string &name) const {
  auto found = entries.find(name);
  return found == entries.end() ? nullptr : found->second;
}

std::vector<std::string> Names::callable() const {
  std::vector<std::string> result = builtinNames();
  for (const auto &[name, _] : functions)
    result.push_back(name);
  for (const auto &[name, _] : preludeFunctions)
    result.push_back(name);
  for (const auto &[name, _] : entries)
    result.push_back(name);
  return result;
}

namespace {

/// `return` is the last statement of a body and of nothing else.
bool checkReturns(const Block &block, bool isBody, Trace &trace) {
  for (size_t i = 0; i < block.size(); ++i) {
    const Statement &statement = block[i];
    if (std::get_if<Return>(&statement.node) && !(isBody && i + 1 == block.size())) {
      trace.error(statement.at, "'return' stands last in a function", {"choose the value first: y = if condition { a } else { b }"});
      return false;
    }
    if (auto *loop = std::get_if<For>(&statement.node); loop && !checkReturns(loop->body, false, trace))
      return false;
    if (auto *choice = std::get_if<If>(&statement.node);
        choice && !(checkReturns(choice->yes, false, trace) && checkReturns(choice->no, false, trace)))
      return false;
  }
  return true;
}

void forEachTarget(const Block &block, const std::function<void(const std::string &, Position)> &visit) {
  for (const Statement &statement : block) {
    if (auto *assign = std::get_if<Assign>(&statement.node)) {
      for (const Target &target : assign->targets)
        visit(target.name, target.at);
    } else if (auto *loop = std::get_if<For>(&statement.node)) {
      visit(loop->variable, loop->variableAt);
      forEachTarget(loop->body, visit);
    } else if (auto *choice = std::get_if<If>(&statement.node)) {
      forEachTarget(choice->yes, visit);
      forEachTarget(choice->no, visit);
    }
  }
}

} // namespace

bool Names::checkFunction(const Function &function, bool inPrelude, Trace &trace) const {
  bool ok = checkReturns(function.block, true, trace);
  auto refuseHiding = [&](const std::string &name, Position at) {
    auto found = values.find(name);
    if (inPrelude || found == values.end())
      return;
    trace.error(at, fmt::format("'{}' is the name of a {}", name, printOrigin(found->second)), {"choose another name"});
    ok = false;
  };
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const Parameter &parameter = function.parameters[i];
    refuseHiding(parameter.name, parameter.at);
    for (size_t k = 0; k < i; ++k)
      if (function.parameters[k].name == parameter.name) {
        trace.error(parameter.at, fmt::format("parameter '{}' twice", parameter.name));
        ok = false;
      }
  }
  forEachTarget(function.block, refuseHiding);
  return ok;
}

bool Names::check(Trace &trace) const {
  bool ok = true;
  std::map<std::string, Position> seen;
  auto once = [&](const std::string &name, Position at, std::string_view what) {
    auto [place, isNew] = seen.insert({name, at});
    if (isNew)
      return;
    trace.error(at, fmt::format("{} '{}' has this name already in line {}", what, name, place->second.line));
    ok = false;
  };
  for (const Config &config : text.configs)
    for (const ConfigKey &key : config.keys)
      once(key.name(), key.at, "configuration key");
  for (const Let &let : text.lets)
    once(let.name, let.nameAt, "let");
  seen.clear();
  auto checkCallable = [&](const Function &function, std::string_view what) {
    if (findBuiltin(function.name) || function.name == "rearrange") {
      trace.error(function.nameAt, fmt::format("'{}' is a built-in; choose another name", function.name));
      ok = false;
    } else if (preludeFunctions.contains(function.name)) {
      trace.error(function.nameAt, fmt::format("'{}' is a function of the prelude; choose another name", function.name));
      ok = false;
    }
    once(function.name, function.nameAt, what);
    ok &= checkFunction(function, false, trace);
  };
  for (const Function &function : text.functions)
    checkCallable(function, "function");
  for (const Entry &entry : text.entries) {
    checkCallable(entry.function, "entry");
    std::set<std::string> results;
    for (const NamedResult &result : entry.results)
      if (!results.insert(result.name).second) {
        trace.error(result.at, fmt::format("result '{}' twice", result.name));
        ok = false;
      }
  }
  if (text.entries.empty()) {
    trace.error(text.at, "the model has no entry");
    ok = false;
  }
  return checkRecursion(trace) && ok;
}

/// Depth first over the calls; a function met again on its own way calls itself.
bool Names::checkRecursion(Trace &trace) const {
  std::map<const Function *, std::vector<std::string>> calls;
  std::map<const Function *, int> state; // 1 on the way, 2 done
  std::vector<const Function *> way;
  auto callee = [&](const std::string &name) -> const Function * {
    if (const Entry *found = entry(name))
      return &found->function;
    auto found = functions.find(name);
    return found == functions.end() ? nullptr : found->second;
  };
  std::function<bool(const Function *)> visit = [&](const Function *function) {
    state[function] = 1;
    way.push_back(function);
    for (const std::string &name : calledFunctions(*function)) {
      const Function *next = callee(name);
      if (!next || state[next] == 2)
        continue;
      if (state[next] == 1) {
        auto from = std::ranges::find(way, next);
        std::string path;
        for (; from != way.end(); ++from)
          path += fmt::format("{} (line {}) -> ", (*from)->name, (*from)->nameAt.line);
        trace.error(next->nameAt, fmt::format("function '{}' calls itself: {}{}", next->name, path, next->name));
        return false;
      }
      if (!visit(next))
        return false;
    }
    way.pop_back();
    state[function] = 2;
    return true;
  };
  auto visitAll = [&](const Function &function) { return state[&function] == 2 || visit(&function); };
  return std::ranges::all_of(text.functions, visitAll) &&
         std::ranges::all_of(text.entries, [&](const Entry &entry) { return visitAll(entry.function); });
}

} // namespace heddle::frontend
