// The table of built-in functions.
#include "compiler/frontend/Builtins.h"
#include <algorithm>
#include <cmath>

namespace heddle::frontend {

/// A friend of Expander, so that the table may name its members.
struct BuiltinTable {
  static const std::vector<Builtin> &all() {
    using E = Expander;
    constexpr auto Optional = BuiltinParameter::Rule::Optional, Axis = BuiltinParameter::Rule::Axis;
    static const std::vector<Builtin> table = [] {
      std::vector<Builtin> t = {
          {"weight", {{"name"}, {"extents"}, {"fixed", Optional}}, &E::builtinWeight},
          {"has_weight", {{"name"}}, &E::builtinHasWeight},
          {"iota", {{"n"}}, &E::builtinIota},
          {"tensor", {{"list"}}, &E::builtinTensor},
          {"len", {{"list"}}, &E::builtinLen},
          {"floor", {{"x"}}, &E::builtinRound},
          {"ceil", {{"x"}}, &E::builtinRound},
          {"maximum", {{"a"}, {"b"}}, &E::builtinMaximum},
          {"minimum", {{"a"}, {"b"}}, &E::builtinMaximum},
          {"where", {{"condition"}, {"a"}, {"b"}}, &E::builtinWhere},
          {"f32", {{"x"}}, &E::builtinConvert},
          {"i32", {{"x"}}, &E::builtinConvert},
          {"softmax", {{"x"}, {"over", Axis}}, &E::builtinSoftmax},
          {"layer_norm", {{"x"}, {"gain"}, {"bias", Optional}, {"epsilon"}}, &E::builtinLayerNorm},
          {"rms_norm", {{"x"}, {"gain"}, {"epsilon"}}, &E::builtinRmsNorm},
          {"split", {{"x"}, {"n"}, {"over", Axis}}, &E::builtinSplit},
          {"concat", {{"a"}, {"over", Axis}}, &E::builtinConcat, true},
          {"positions", {{"x"}, {"over", Axis}}, &E::builtinPositions},
          {"sinusoidal", {{"p"}, {"frequencies"}, {"width", Optional}, {"layout", Optional}}, &E::builtinSinusoidal},
          {"attention",
           {{"q"}, {"k"}, {"v"}, {"mask", Optional}, {"scale", Optional}, {"softcap", Optional}, {"bias", Optional}},
           &E::builtinAttention},
          {"mask", {{"scores"}, {"m"}}, &E::builtinMask},
          {"mask_values", {{"m", Optional}, {"x"}, {"y"}}, &E::builtinMaskValues},
          {"windows", {{"x"}, {"size"}, {"stride", Optional}, {"padding", Optional}, {"over", Axis}}, &E::builtinWindows},
          {"rotary", {{"x"}, {"frequencies"}, {"layout", Optional}, {"gain", Optional}}, &E::builtinRotary},
          {"window", {{"left"}, {"right", Optional}}, &E::builtinWindow},
          {"prefix", {{"lengths"}}, &E::builtinPrefix},
          {"segments", {{"queries"}, {"keys"}}, &E::builtinSegments},
          {"alibi", {{"slopes"}}, &E::builtinAlibi},
          {"relative", {{"table"}, {"bidirectional"}, {"max_distance"}}, &E::builtinRelative},
          {"keep_top", {{"x"}, {"n"}}, &E::builtinNotBuilt},
          {"dropout", {{"x"}, {"rate"}}, &E::builtinNotBuilt},
          {"cross_entropy", {{"logits"}, {"labels"}, {"smoothing", Optional}}, &E::builtinNotBuilt},
      };
      for (std::string_view name : {"relu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh", "erf", "exp", "log", "sin", "cos", "sqrt", "abs"})
        t.push_back({name, {{"x"}}, &E::builtinElementwise});
      for (std::string_view name : {"mean", "var", "sum", "max", "min"})
        t.push_back({name, {{"x"}, {"over", Axis}}, &E::builtinReduce});
      return t;
    }();
    return table;
  }
};

const Builtin *findBuiltin(std::string_view name) {
  const std::vector<Builtin> &table = BuiltinTable::all();
  auto found = std::ranges::find(table, name, &Builtin::name);
  return found == table.end() ? nullptr : &*found;
}

std::vector<std::string> builtinNames() {
  std::vector<std::string> names{"rearrange"};
  for (const Builtin &builtin : BuiltinTable::all())
    names.emplace_back(builtin.name);
  return names;
}

std::optional<Value> builtinValue(std::string_view name) {
  if (name == "causal")
    return Value(std::make_shared<const Mask>());
  if (name == "pi")
    return Value(M_PI);
  if (name == "infinity")
    return Value(HUGE_VAL);
  return std::nullopt;
}

bool Arguments::failed() const {
  auto isFailed = [](const Value &value) { return value.failed(); };
  return std::ranges::any_of(values, isFailed) || std::ranges::any_of(parts, isFailed);
}

} // namespace heddle::frontend
