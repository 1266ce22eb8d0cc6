// The built-in functions: their names, their parameters, and what runs them. What is not built yet is in the table too, so that texts get one clear
// message.
#pragma once
#include "compiler/frontend/Expander.h"

namespace heddle::frontend {

struct BuiltinParameter {
  std::string_view name;
  enum class Rule { Needed, Optional, Axis } rule = Rule::Needed; // Axis: names axes, may be left out
};

struct Builtin {
  std::string_view name;
  std::vector<BuiltinParameter> parameters;
  std::vector<Value> (Expander::*run)(Arguments &);
  bool variadic = false; // the first parameter may be repeated
};

/// What a built-in is called with.
struct Arguments {
  const Builtin *builtin;
  Position at;                  // of the call
  std::vector<Value> values;    // by parameter; None for one that was left out
  std::vector<Position> places; // by parameter
  std::vector<Extent> over;     // of the Axis parameter, empty if it was left out
  std::vector<std::string> overNames;
  Position overAt{};
  std::vector<Value> parts; // of a variadic one
  std::string name() const { return std::string(builtin->name); }
  bool failed() const;
};

const Builtin *findBuiltin(std::string_view name);
std::vector<std::string> builtinNames();
/// `causal`, `pi`, `infinity`
std::optional<Value> builtinValue(std::string_view name);

} // namespace heddle::frontend
