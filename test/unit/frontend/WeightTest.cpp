// Weights against the header of a checkpoint: found under a prefix, missing, misshapen, unused.
#include "test/unit/frontend/Import.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle::test;
using testing::HasSubstr;
using testing::Not;

namespace {
std::string text(const std::string &expression, const std::string &items = "") {
  return "heddle 1\nmodel x {\n  prefix \"t.\", \"\"\n  config n: int = 8\n  config n_layer: int = 2\n" + items +
         "\n  entry e(x: f32[batch, n]) -> f32[batch, n] {\n" + expression + "\n    return x\n  }\n}\n";
}
} // namespace

TEST(Weights, prefixByTensor) {
  std::string ir = accepted({text("    x = x * weight(\"a\", [n]) + weight(\"head\", [n])"), "", {{"t.a", {8}}, {"head", {8}}}});
  EXPECT_THAT(ir, HasSubstr("heddle.weight @t.a : tensor<8xf32, #heddle.dims<8>> = #heddle.tensor<\"t.a\", tensor<8xf32>>"));
  EXPECT_THAT(ir, HasSubstr("heddle.weight @head"));
}

TEST(Weights, withoutACheckpointTheFirstPrefixHolds) {
  EXPECT_THAT(accepted({text("    x = x * weight(\"a\", [n])"), "", {}}), HasSubstr("@t.a"));
  EXPECT_THAT(accepted({text("    x = x * weight([\"a\", \"b\"], [n])"), "", {}, {}, "seed:1"}), HasSubstr("@t.a"));
}

TEST(Weights, namesInTurn) {
  EXPECT_THAT(accepted({text("    x = x * weight([\"a\", \"b\"], [n])"), "", {{"b", {8}}}}), HasSubstr("heddle.weight @b"));
}

TEST(Weights, unitAxesStayInTheFile) {
  std::string ir = accepted({text("    x = x * weight(\"a\", [1, n])"), "", {{"a", {1, 8}}}});
  EXPECT_THAT(ir, HasSubstr("tensor<8xf32, #heddle.dims<8>> = #heddle.reshape<#heddle.tensor<\"a\", tensor<1x8xf32>>, [8]>"));
}

TEST(Weights, halfElementsAreCast) {
  Model model{text("    x = x * weight(\"a\", [1, n])"), "", {{"a", {1, 8}}}, {}, "", "BF16"};
  EXPECT_THAT(accepted(model), HasSubstr("= #heddle.reshape<#heddle.cast<#heddle.tensor<\"a\", tensor<1x8xbf16>>, f32>, [8]>"));
  model.element = "F16";
  EXPECT_THAT(accepted(model), HasSubstr("#heddle.cast<#heddle.tensor<\"a\", tensor<1x8xf16>>, f32>"));
  model.element = "I16";
  EXPECT_THAT(refusal(model), HasSubstr("tensor 'a': expected elements of F32, F16 or BF16, got I16, which is not built yet"));
}

TEST(Weights, oneWeightByName) {
  std::string ir = accepted({text("    x = x * weight(\"a\", [n]) + weight(\"a\", [n])"), "", {{"a", {8}}}});
  EXPECT_EQ(ir.find("heddle.weight @a"), ir.rfind("heddle.weight @a"));
  EXPECT_THAT(refusal({text("    x = x * weight(\"a\", [n])\n    y = weight(\"a\", [n, n])"), "", {}}),
              HasSubstr("weight 't.a' has extents [n 8, n 8] here and [n 8] in line 8"));
}

TEST(Weights, missingOnes) {
  std::string message = refusal(
      {text("    for i in 0..n_layer { x = f(x, \"h.{i}\") }", "  fn f(x, w) = x * weight(\"{w}.weight\", [n])"), "", {{"t.h.0.weight", {8}}}});
  EXPECT_THAT(message,
              HasSubstr("x.heddle:6:20: error: tensor 'h.1.weight' is missing: neither 't.h.1.weight' nor 'h.1.weight' is in 'model.safetensors'"));
  EXPECT_THAT(message, HasSubstr("x.heddle:6:20: note: the file has 't.h.0.weight'; n_layer is 2"));
  EXPECT_THAT(message, HasSubstr("x.heddle:8:31: note: in 'f', called with x: f32[batch, n 8], w: \"h.1\""));
  message = refusal({text("    x = x * weight(\"wieght\", [n])"), "", {{"weight", {8}}}});
  EXPECT_THAT(message, HasSubstr("note: did you mean 'weight'?"));
}

TEST(Weights, theKeyThatAsksForAMissingOne) { // B106: no silent tie either
  std::string asks = text("    x = if tied { x } else { x * weight(\"head\", [n]) }", "  config tied: bool = true"), keys = "{\"tied\": false}";
  EXPECT_THAT(refusal({asks, keys, {{"a", {8}}}}), HasSubstr("tensor 'head' is missing: neither 't.head' nor 'head' is in 'model.safetensors'"));
  EXPECT_THAT(refusal({asks, keys, {{"a", {8}}}}), HasSubstr("config.json:1:10"));
  EXPECT_THAT(refusal({asks, "", {{"a", {8}}}, {"tied=false"}}), HasSubstr("note: tied is false: --set tied=false"));
  asks = text("    if plain { x = x * weight(\"head\", [n]) }", "  config plain: bool = true");
  EXPECT_THAT(refusal({asks, "", {{"a", {8}}}}), HasSubstr("note: plain is true: by default"));
}

TEST(Weights, rangesOfLayers) {
  std::string message = refusal({text("    for i in 0..n_layer { x = x * weight(\"h.{i}.w\", [n]) }"),
                                 "",
                                 {{"t.h.0.w", {8}}, {"t.h.1.w", {8}}, {"t.h.10.w", {8}}, {"t.h.2.w", {8}}},
                                 {"n_layer=12"}});
  EXPECT_THAT(message, HasSubstr("the file has 't.h.0.w' to 't.h.10.w'; n_layer is 12"));
}

TEST(Weights, misshapenOnes) {
  EXPECT_THAT(refusal({text("    x = x * weight(\"wpe\", [n])"), "", {{"t.wpe", {4, 2}}}}),
              HasSubstr("x.heddle:8:13: error: tensor 't.wpe': expected [n 8], got [4, 2]"));
}

TEST(Weights, everyProblemInOneRun) {
  std::string message = refusal({text("    x = x * weight(\"a\", [n])\n    x = x + weight(\"b\", [n])"), "", {{"a", {7}}}});
  EXPECT_THAT(message, HasSubstr("tensor 'a': expected [n 8], got [7]"));
  EXPECT_THAT(message, HasSubstr("tensor 'b' is missing"));
}

TEST(Weights, unusedOnesAreOneNote) {
  Imported imported = import({text("    x = x * weight(\"a\", [n])"), "", {{"a", {8}}, {"b", {1}}, {"c", {1}}}});
  EXPECT_TRUE(imported.module);
  EXPECT_THAT(imported.messages, HasSubstr("note: 2 tensors are not used: 'b' and 'c'"));
  EXPECT_THAT(imported.messages, Not(HasSubstr("error")));
}

TEST(Weights, onesThatNoEntryUsesDoNotAppear) {
  EXPECT_THAT(accepted({text("    y = weight(\"a\", [n])"), "", {}}), Not(HasSubstr("heddle.weight")));
}

TEST(Weights, hasWeight) {
  const std::string body = "    if has_weight(\"a\") { x = x * weight(\"a\", [n]) }";
  EXPECT_THAT(accepted({text(body), "", {{"a", {8}}}}), HasSubstr("@a"));
  EXPECT_THAT(accepted({text(body), "", {}}), Not(HasSubstr("heddle.weight"))); // false without a checkpoint
}
