// Messages and locations from the stack of calls.
#include "compiler/frontend/Trace.h"
#include <fmt/format.h>

namespace heddle::frontend {

void Trace::enter(std::string function, Position at, bool inPrelude, std::vector<std::pair<std::string, Value>> arguments) {
  mlir::Location where = location(at);
  calls.push_back({std::move(function), at, inPrelude, std::move(arguments), where});
}

mlir::Location Trace::location(Position at) const {
  if (!calls.empty() && calls.back().inPrelude)
    return calls.back().location;
  mlir::Location here = mlir::FileLineColLoc::get(context, file, at.line, at.column);
  return calls.empty() ? here : mlir::CallSiteLoc::get(here, calls.back().location);
}

static std::string describeArguments(const Trace::Call &call) {
  std::string text;
  for (const auto &[name, value] : call.arguments)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, value.describe());
  return text.empty() ? "no arguments" : text;
}

bool Trace::spend(Position at, int64_t amount) {
  if (spent > budget)
    return false;
  if ((spent += amount) <= budget)
    return true;
  error(at, fmt::format("the text takes more than {} steps to expand", budget));
  return false;
}

size_t Trace::outsidePrelude() const {
  size_t innermost = calls.size();
  while (innermost > 0 && calls[innermost - 1].inPrelude)
    --innermost;
  return innermost;
}

std::vector<Position> Trace::way(Position at) const {
  size_t innermost = outsidePrelude();
  std::vector<Position> result{innermost < calls.size() ? calls[innermost].at : at};
  for (size_t i = innermost; i > 0; --i)
    result.push_back(calls[i - 1].at);
  return result;
}

void Trace::error(Position at, std::string message, const std::vector<std::string> &remedies) {
  std::vector<Position> places = way(at);
  at = places.front();
  if (!reported.insert(std::move(places)).second)
    return;
  Diagnostic &record = diagnostics.error(place(at), std::move(message));
  for (const std::string &remedy : remedies)
    record.note(remedy);
  for (size_t i = outsidePrelude(); i > 0; --i)
    record.note(place(calls[i - 1].at), fmt::format("in '{}', called with {}", calls[i - 1].function, describeArguments(calls[i - 1])));
}

} // namespace heddle::frontend
