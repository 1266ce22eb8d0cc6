// Calls: arguments go to parameters, bodies are expanded where they are called.
#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/Expander.h"
#include <algorithm>
#include <fmt/format.h>

namespace heddle::frontend {

using namespace syntax;

static constexpr size_t maxCalls = 64;

std::vector<Value> Expander::evaluateCall(const Expr &expr, const Call &call) {
  if (const Builtin *builtin = findBuiltin(call.name))
    return callBuiltin(expr.at, *builtin, call);
  bool fromPrelude = false;
  if (const Function *function = names.function(call.name, frame->inPrelude, &fromPrelude))
    return callFunction(expr.at, *function, nullptr, call, fromPrelude);
  if (const Entry *entry = frame->inPrelude ? nullptr : names.entry(call.name))
    return callFunction(expr.at, entry->function, entry, call, false);
  std::string near = nearestName(call.name, names.callable());
  return {trace.fail(expr.at, fmt::format("unknown function '{}'", call.name),
                     near.empty() ? std::vector<std::string>{} : std::vector{fmt::format("did you mean '{}'?", near)})};
}

/// Which argument goes to which parameter: its place in `names`, or nothing with an error.
static std::optional<std::vector<const Argument *>> matchArguments(Position at, const std::string &function, const std::vector<std::string> &names,
                                                                   const std::vector<Argument> &arguments, Trace &trace) {
  std::vector<const Argument *> result(names.size(), nullptr);
  size_t next = 0;
  for (const Argument &argument : arguments) {
    size_t place = next++;
    if (!argument.name.empty()) {
      place = std::ranges::find(names, argument.name) - names.begin();
      if (place == names.size()) {
        std::string near = nearestName(argument.name, names);
        trace.error(argument.at, fmt::format("'{}' has no parameter '{}'", function, argument.name),
                    near.empty() ? std::vector<std::string>{} : std::vector{fmt::format("did you mean '{}'?", near)});
        return std::nullopt;
      }
    } else if (place >= names.size()) {
      trace.error(argument.at,
                  fmt::format("'{}' takes {} argument{}, got {}", function, names.size(), names.size() == 1 ? "" : "s", arguments.size()));
      return std::nullopt;
    }
    if (result[place]) {
      trace.error(argument.at, fmt::format("parameter '{}' of '{}' is given twice", names[place], function));
      return std::nullopt;
    }
    result[place] = &argument;
  }
  return result;
}

bool Expander::bindArguments(Position at, const Function &function, const Call &call, Frame &callee,
                             std::vector<std::pair<std::string, Value>> &shown) {
  std::vector<std::string> parameterNames;
  for (const Parameter &parameter : function.parameters)
    parameterNames.push_back(parameter.name);
  auto matched = matchArguments(at, function.name, parameterNames, call.arguments, trace);
  if (!matched)
    return false;
  bool ok = true;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const Parameter &parameter = function.parameters[i];
    if (!(*matched)[i]) {
      if (!parameter.fallback) {
        trace.error(at, fmt::format("'{}' needs '{}'", function.name, parameter.name));
        ok = false;
      }
      continue;
    }
    Value value = evaluate(*(*matched)[i]->value);
    if (value.failed())
      ok = false;
    if (value.isNone() && parameter.fallback)
      continue; // none equals leaving it out
    shown.push_back({parameter.name, value});
    callee.values[parameter.name] = std::move(value);
  }
  return ok;
}

std::vector<Value> Expander::callFunction(Position at, const Function &function, const Entry *entry, const Call &call, bool inPrelude) {
  Frame callee;
  callee.inPrelude = inPrelude;
  std::vector<std::pair<std::string, Value>> shown;
  if (!bindArguments(at, function, call, callee, shown))
    return {Failed()};
  if (trace.depth() >= maxCalls)
    return {trace.fail(at, fmt::format("calls are nested more than {} deep", maxCalls))};
  trace.enter(function.name, at, inPrelude, std::move(shown));
  Inside inside(*this, callee);
  bool ok = true;
  for (const Parameter &parameter : function.parameters) {
    if (!callee.values.contains(parameter.name))
      callee.values[parameter.name] = evaluate(*parameter.fallback);
    Value &value = callee.values[parameter.name];
    bool filled = entry && value.isNumber(); // the default of an entry's parameter is a number in every place
    ok = ok && !value.failed() && (filled || !parameter.type || conform(value, *parameter.type, fmt::format("'{}'", parameter.name), parameter.at));
  }
  std::vector<Value> results{Failed()};
  if (ok && function.expression) {
    results = evaluateMany(*function.expression);
  } else if (ok) {
    run(function.block);
    results = entry && entry->namedResults ? entryResults(*entry) : std::move(callee.returned);
    if (results.empty())
      results = {trace.fail(function.nameAt, fmt::format("'{}' returns nothing; end it with return", function.name))};
  }
  const TypeExpr *type = function.result ? &*function.result : nullptr;
  for (size_t i = 0; i < results.size() && ok; ++i) {
    if (entry && results.size() == entry->results.size())
      type = &entry->results[i].type;
    if (type && !results[i].failed() && !conform(results[i], *type, fmt::format("the result of '{}'", function.name), function.nameAt))
      results[i] = Failed();
  }
  trace.leave();
  return results;
}

/// The values that named results have at the end of an entry.
std::vector<Value> Expander::entryResults(const Entry &entry) {
  std::vector<Value> results;
  for (const NamedResult &expected : entry.results) {
    auto found = frame->values.find(expected.name);
    results.push_back(found != frame->values.end() ? found->second
                                                   : trace.fail(expected.at, fmt::format("result '{}' has no value at the end of entry '{}'",
                                                                                         expected.name, entry.function.name)));
  }
  return results;
}

std::vector<Value> Expander::callBuiltin(Position at, const Builtin &builtin, const Call &call) {
  Arguments arguments{&builtin, at, {}, {}, {}, {}, {}, {}};
  std::vector<Argument> const *given = &call.arguments;
  std::vector<std::string> parameterNames;
  for (const BuiltinParameter &parameter : builtin.parameters)
    parameterNames.emplace_back(parameter.name);
  std::vector<const Argument *> matched(parameterNames.size(), nullptr);
  if (builtin.variadic) {
    for (const Argument &argument : *given) {
      if (argument.name.empty())
        arguments.parts.push_back(evaluate(*argument.value));
      else if (argument.name == parameterNames.back())
        matched.back() = &argument;
      else
        return {trace.fail(argument.at, fmt::format("'{}' has no parameter '{}'", call.name, argument.name))};
    }
  } else {
    auto found = matchArguments(at, call.name, parameterNames, *given, trace);
    if (!found)
      return {Failed()};
    matched = std::move(*found);
  }
  for (size_t i = 0; i < matched.size(); ++i) {
    const BuiltinParameter &parameter = builtin.parameters[i];
    arguments.places.push_back(matched[i] ? matched[i]->value->at : at);
    arguments.values.push_back(None());
    if (!matched[i]) {
      if (parameter.rule == BuiltinParameter::Rule::Needed && !builtin.variadic)
        return {trace.fail(at, fmt::format("'{}' needs '{}'", call.name, parameter.name))};
      continue;
    }
    const Expr &expr = *matched[i]->value;
    if (parameter.rule != BuiltinParameter::Rule::Axis) {
      arguments.values.back() = evaluate(expr);
      continue;
    }
    arguments.overAt = expr.at;
    auto addAxis = [&](const Expr &axis) {
      std::optional<Extent> extent = evaluateExtent(axis);
      if (extent) {
        arguments.over.push_back(*extent);
        auto *path = std::get_if<Path>(&axis.node);
        arguments.overNames.push_back(path ? path->name : extent->form());
      }
      return extent.has_value();
    };
    if (auto *list = std::get_if<ListExpr>(&expr.node)) {
      for (const ExprPtr &item : list->items)
        if (!addAxis(*item))
          return {Failed()};
    } else if (!std::get_if<NoneLiteral>(&expr.node) && !addAxis(expr)) {
      return {Failed()};
    }
  }
  if (arguments.failed())
    return {Failed()};
  emitter.at(at);
  return (this->*builtin.run)(arguments);
}

} // namespace heddle::frontend
