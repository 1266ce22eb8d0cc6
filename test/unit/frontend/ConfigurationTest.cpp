// Configuration keys: where they are read, what they may be, and what is said otherwise (language.md, section 5).
#include "test/unit/frontend/Import.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle::test;
using testing::HasSubstr;
using testing::Not;

namespace {
/// A model whose one result has the value of an expression of its configuration, as an extent.
Model withConfig(const std::string &items, const std::string &extent, const std::string &config, std::vector<std::string> settings = {}) {
  return {"heddle 1\nmodel x {\n" + items + "\n  entry e(x: f32[batch, " + extent + "]) -> f32[batch, " + extent + "] = x\n}\n",
          config,
          {},
          std::move(settings)};
}
} // namespace

TEST(Configuration, keysComeFromTheFileDefaultsAndSettings) {
  EXPECT_THAT(accepted(withConfig("  config a: int", "a", R"({"a": 5, "unread": [1]})")), HasSubstr("dims<batch, 5>"));
  EXPECT_THAT(accepted(withConfig("  config a: int = 7", "a", R"({"a": null})")), HasSubstr("dims<batch, 7>")); // null counts as absent
  EXPECT_THAT(accepted(withConfig("  config b: int\n  config a: int = 2 * b", "a", R"({"b": 3})")), HasSubstr("dims<batch, 6>"));
  EXPECT_THAT(accepted(withConfig("  config a: int", "a", R"({"a": 5})", {"a=6"})), HasSubstr("dims<batch, 6>"));
  EXPECT_THAT(accepted(withConfig("  config a: int = 7", "a", R"({"a": 5})", {"a=null"})), HasSubstr("dims<batch, 7>"));
}

TEST(Configuration, alternativesAndObjects) {
  const std::string items = "  config r | s: object\n  config r.a | r.b: int = 9";
  EXPECT_THAT(accepted(withConfig(items, "r.a", R"({"r": {"a": 5}})")), HasSubstr("dims<batch, 5>"));
  EXPECT_THAT(accepted(withConfig(items, "r.a", R"({"s": {"b": 6}})")), HasSubstr("dims<batch, 6>"));
  EXPECT_THAT(accepted(withConfig(items, "r.a", R"({"r": null})")), HasSubstr("dims<batch, 9>"));
  EXPECT_THAT(accepted(withConfig(items, "r.a", R"({"r": {"a": 5}})", {"r.a=4"})), HasSubstr("dims<batch, 4>"));
  EXPECT_THAT(accepted(withConfig("  config a | b.c: int", "a", R"({"b": {"c": 8}})")), HasSubstr("dims<batch, 8>"));
}

TEST(Configuration, listsAndNumberedObjects) {
  EXPECT_THAT(accepted(withConfig("  config l: [string]\n  let n = len(l)", "n", R"({"l": {"1": "b", "0": "a"}})")), HasSubstr("dims<batch, 2>"));
  EXPECT_THAT(accepted(withConfig("  config l: [int]\n  let n = l[1]", "n", R"({"l": [3, 4]})")), HasSubstr("dims<batch, 4>"));
  EXPECT_THAT(refusal(withConfig("  config l: [int]\n  let n = l[2]", "n", R"({"l": [3, 4]})")), HasSubstr("4:13: error: place 2 of a list of 2"));
  EXPECT_THAT(refusal(withConfig("  config l: [int]", "1", R"({"l": {"0": 1, "2": 2}})")), HasSubstr("'l': expected [int], got an object"));
}

TEST(Configuration, missingKeys) {
  std::string message = refusal(withConfig("  config a, n_embd: int", "a", R"({"a": 1})"));
  EXPECT_THAT(message, HasSubstr("x.heddle:3:13: error: configuration key 'n_embd' has no value and no default"));
  EXPECT_THAT(message, HasSubstr("config.json'; give --set n_embd=N"));
  EXPECT_THAT(refusal(withConfig("  config a: int", "a", "")), HasSubstr("there is no config.json; give --set a=N"));
  EXPECT_THAT(accepted(withConfig("  config a: int?\n  let n = if a == none { 3 } else { a }", "n", "")), HasSubstr("dims<batch, 3>"));
}

TEST(Configuration, wrongTypes) {
  EXPECT_THAT(refusal(withConfig("  config n_layer: int", "1", "{\n  \"n_layer\": \"twelve\"\n}")),
              HasSubstr("config.json:2:14: error: 'n_layer': expected int, got \"twelve\""));
  EXPECT_THAT(refusal(withConfig("  config a: int", "1", R"({"a": 2.0})")), HasSubstr("'a': expected int, got 2"));
  EXPECT_THAT(refusal(withConfig("  config a: bool", "1", R"({"a": 1})")), HasSubstr("'a': expected bool, got 1"));
  EXPECT_THAT(refusal(withConfig("  config a: [float]", "1", R"({"a": [1, "b"]})")), HasSubstr("'a': expected float, got \"b\""));
  EXPECT_THAT(accepted(withConfig("  config a: float", "1", R"({"a": 2})")), HasSubstr("@e")); // an int is accepted for a float
  EXPECT_THAT(refusal(withConfig("  config a: int", "a", "", {"a=many"})), HasSubstr("--set a=many: error: 'a': expected int, got \"many\""));
  EXPECT_THAT(refusal(withConfig("  config a: int = 1.5", "a", "")), HasSubstr("3:19: error: 'a': expected int, got 1.5"));
  EXPECT_THAT(refusal(withConfig("  config a: int", "a", "[1]")), HasSubstr("expected an object with configuration keys"));
}

TEST(Configuration, settingsOfNoKeyAreRefused) {
  std::string message = refusal(withConfig("  config n_layer: int = 1", "n_layer", "", {"n_layr=2"}));
  EXPECT_THAT(message, HasSubstr("--set n_layr: the text has no configuration key of this name"));
  EXPECT_THAT(message, HasSubstr("did you mean 'n_layer'?"));
  EXPECT_THAT(refusal(withConfig("  config a: int = 1", "a", "", {"a"})), HasSubstr("expected KEY=VALUE"));
}

TEST(Configuration, requirementsAndMatches) {
  EXPECT_THAT(refusal(withConfig("  config s: bool = true\n  require not s, \"windows are not in this text\"", "1", "")),
              HasSubstr("x.heddle:4:3: error: windows are not in this text (require)"));
  const std::string match = "  config kind: string = \"b\"\n  let n = match kind { \"a\" | \"b\" => 2, \"c\" => 3 }";
  EXPECT_THAT(accepted(withConfig(match, "n", "")), HasSubstr("dims<batch, 2>"));
  EXPECT_THAT(refusal(withConfig(match, "n", "", {"kind=dynamic"})),
              HasSubstr("x.heddle:4:11: error: kind is \"dynamic\"; this text knows \"a\", \"b\", \"c\""));
}

TEST(Configuration, divisionComesOutEven) {
  const std::string items = "  config hidden_size, num_attention_heads: int\n  config head_dim: int = hidden_size / num_attention_heads";
  std::string message = refusal(withConfig(items, "head_dim", R"({"hidden_size": 770, "num_attention_heads": 12})"));
  EXPECT_THAT(message, HasSubstr("x.heddle:4:26: error: hidden_size 770 is not divisible by num_attention_heads 12"));
  EXPECT_THAT(message, HasSubstr("x.heddle:4:26: note: choose a multiple of 12, or set head_dim"));
  EXPECT_THAT(refusal(withConfig("  let a = 1 / 0", "1", "")), HasSubstr("division of 1 by 0"));
  EXPECT_THAT(refusal(withConfig("  let a = 5 % 0", "1", "")), HasSubstr("remainder of 5 by 0"));
}

TEST(Configuration, numbersKnownWhenCompiling) {
  auto value = [](const std::string &expression) { return accepted(withConfig("  let a = " + expression, "a", "")); };
  EXPECT_THAT(value("2 ^ 3 ^ 2 / 128"), HasSubstr("dims<batch, 4>"));
  EXPECT_THAT(value("floor(7 / 2.0) + ceil(0.2) + len([1, 2])"), HasSubstr("dims<batch, 6>"));
  EXPECT_THAT(value("maximum(3, minimum(9, 5))"), HasSubstr("dims<batch, 5>"));
  EXPECT_THAT(value("if [1, [\"a\"]] == [1, [\"a\"]] and [1] != [1, 2] { 4 } else { 5 }"), HasSubstr("dims<batch, 4>"));
  EXPECT_THAT(refusal(withConfig("  let a = [1] == [\"a\"]", "1", "")), HasSubstr("cannot compare 1 == \"a\""));
  EXPECT_THAT(value("if 1 < 2 and not (3 == 4) or unknown { 4 } else { 5 }"), HasSubstr("dims<batch, 4>")); // `or` stops early
  EXPECT_THAT(value("floor(sqrt(17))"), HasSubstr("dims<batch, 4>"));
  EXPECT_THAT(value("i32(3) + 7 % 4"), HasSubstr("dims<batch, 6>"));
  auto refused = [](const std::string &expression) { return refusal(withConfig("  let a = " + expression, "1", "")); };
  EXPECT_THAT(refused("9223372036854775807 + 1"), HasSubstr("3:11: error: the number does not fit into 64 bits"));
  EXPECT_THAT(refused("2 ^ 64"), HasSubstr("does not fit into 64 bits"));
  EXPECT_THAT(refused("sqrt(-1)"), HasSubstr("sqrt(-1) is not a number"));
  EXPECT_THAT(refused("iota(100000000)"), HasSubstr("'iota' makes 1 to 1048576 elements"));
  EXPECT_THAT(refused("\"a\" < \"b\""), HasSubstr("cannot compare \"a\" < \"b\""));
  EXPECT_THAT(refused("\"{1.5}\""), HasSubstr("a string takes ints and strings, got 1.5"));
  EXPECT_THAT(refused("1 @ 2"), HasSubstr("cannot multiply 1 @ 2: both sides need two axes at least"));
}
