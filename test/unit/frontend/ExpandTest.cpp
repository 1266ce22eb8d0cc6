// What expansion makes: entries, ops, constants, locations.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "test/unit/frontend/Import.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::test;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace {
std::string ops(const std::string &body, const std::string &functions = "", const std::string &result = "f32[batch, sequence..., n_embd]") {
  return accepted({entryText(body, functions, result), "", {}});
}
size_t count(const std::string &text, const std::string &part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
    ++n;
  return n;
}
} // namespace

TEST(Expand, entriesCarryTheirSignature) {
  Imported imported = import(
      {"heddle 1\n## Doc of the model.\nmodel m, other {\n  config n: int = 8\n  ## Doc of the entry.\n"
       "  entry e(x: f32[batch, s... <= 2 * n, n], scale: f32[] = 2, flag: bool[] = true) -> (y: f32[batch, s..., n], z: f32[batch, s..., n]) {\n"
       "    y = x * scale\n    z = where(flag, x, y)\n  }\n}\n",
       "",
       {}});
  ASSERT_TRUE(imported.module) << imported.messages;
  const std::string &ir = imported.ir;
  EXPECT_THAT(ir, HasSubstr("heddle.name = \"m\""));
  EXPECT_THAT(ir, HasSubstr("heddle.documentation = \"Doc of the model.\""));
  EXPECT_THAT(ir, HasSubstr("heddle.dimensions = [#heddle.dimension<\"batch\">, #heddle.dimension<\"s\" over \"batch\" bound 16>]"));
  EXPECT_THAT(ir, HasSubstr("heddle.documentation = \"Doc of the entry.\", heddle.entry"));
  EXPECT_THAT(ir, HasSubstr("%arg1: tensor<f32, #heddle.dims<>> {heddle.default = 2 : i64, heddle.name = \"scale\"}"));
  EXPECT_THAT(ir, HasSubstr("{heddle.default = true, heddle.name = \"flag\"}"));
  EXPECT_THAT(ir, HasSubstr("{heddle.name = \"z\"})"));
  EXPECT_THAT(ir, HasSubstr("heddle.broadcast %arg1 along [] : tensor<f32, #heddle.dims<>> -> tensor<?x?x8xf32, #heddle.dims<batch, s, 8>>"));
}

TEST(Expand, functionsLoopsAndChoicesDisappear) {
  std::string ir = ops("    for i in 0..n_layer { x = f(x, i) }\n    return x",
                       "  fn f(x, i) {\n    if i == 0 { return_ = x + 1.0 } else { return_ = x * 2.0 }\n    return return_\n  }");
  EXPECT_EQ(count(ir, "arith.addf"), 1u);
  EXPECT_EQ(count(ir, "arith.mulf"), 1u);
  EXPECT_EQ(count(ir, "func.func"), 1u);
}

TEST(Expand, entriesCanBeCalled) {
  std::string ir = accepted({"heddle 1\nmodel m {\n  entry a(x: f32[batch, s..., 8], y: f32[batch, s..., 8] = 0) -> f32[batch, s..., 8] = x + y\n"
                             "  entry b(z: f32[rows, t..., 8]) -> f32[rows, t..., 8] = a(a(z, z))\n}\n",
                             "",
                             {}});
  EXPECT_THAT(ir, HasSubstr("arith.addf %arg0, %arg0 : tensor<?x?x8xf32, #heddle.dims<rows, t, 8>>"));
}

TEST(Expand, entriesThatAreLeftOut) {
  std::string ir = accepted(
      {"heddle 1\nmodel m {\n  entry a(x: f32[batch]) -> f32[batch] = x\n  entry b(x: f32[batch]) -> f32[batch] when has_weight(\"w\") = x\n}\n",
       "",
       {}});
  EXPECT_THAT(ir, AllOf(HasSubstr("@a"), Not(HasSubstr("@b"))));
}

TEST(Expand, numbersTakeTheElementOfTheTensorTheyMeet) {
  EXPECT_THAT(ops("    return x * 2"), HasSubstr("arith.constant 2.000000e+00 : f64"));
  std::string ir = ops("    p = positions(tokens) + 1\n    return x * rearrange(f32(p), [b, s] -> [b, s, 1])");
  EXPECT_THAT(ir, AllOf(HasSubstr("arith.constant 1 : i32"), HasSubstr("arith.addi"), HasSubstr("arith.sitofp")));
  EXPECT_THAT(ir, HasSubstr("along [0, 1] : tensor<?x?xf32, #heddle.dims<batch, sequence>> -> tensor<?x?x64xf32"));
}

TEST(Expand, constantsAreComputedInDoubleAndRoundedOnce) {
  // 1/3 in double, times 3e7 in double: rounding the third to f32 first would give 10000000.4
  std::string ir = ops("    return x + iota(n_embd) / 3 * 30000000");
  EXPECT_THAT(ir, HasSubstr("heddle.weight @heddle.constant.0 : tensor<64xf32, #heddle.dims<64>> = #heddle.cast<#heddle.constant<dense<"));
  EXPECT_THAT(ir, HasSubstr("[0.000000e+00, 1.000000e+07, 2.000000e+07"));
  EXPECT_THAT(ir, HasSubstr("heddle.use @heddle.constant.0"));
  EXPECT_EQ(count(ops("    return x + iota(n_embd) + iota(n_embd)"), "heddle.weight"), 1u); // equal constants are one weight
}

TEST(Expand, reductionsLeaveAUnitAxisThatTheValueDoesNotHave) {
  std::string ir = ops("    return x - mean(x)");
  EXPECT_THAT(
      ir,
      HasSubstr(
          "heddle.mean %arg1 over [2] : tensor<?x?x64xf32, #heddle.dims<batch, sequence, 64>> -> tensor<?x?xf32, #heddle.dims<batch, sequence>>"));
  EXPECT_THAT(ir, HasSubstr("along [0, 1]"));
  EXPECT_THAT(ops("    return mean(x)", "", "f32[batch, sequence...]"), HasSubstr("heddle.mean")); // results may leave it out
}

TEST(Expand, anAxisThatHappensToBeOneLongIsNoUnitAxis) {
  Model model{"heddle 1\nmodel m {\n  config k: int = 1\n  entry e(x: f32[batch, 1, 8], y: f32[batch, 1, 8]) -> f32[batch, 1, 8] =\n"
              "    x + weight(\"w\", [k, 8]) + weight(\"v\", [1, k, 8])\n}\n",
              "",
              {}};
  EXPECT_THAT(accepted(model), HasSubstr("arith.addf %2, %4 : tensor<?x1x8xf32, #heddle.dims<batch, 1, 8>>"));
}

TEST(Expand, productsAndTransposes) {
  std::string ir = ops("    return linear(x, \"w\", n_embd, bias=false)");
  EXPECT_THAT(ir, HasSubstr("heddle.transpose %0 [1, 0]"));
  EXPECT_THAT(ir, HasSubstr("heddle.matmul %arg1, %1"));
  EXPECT_THAT(ir, Not(HasSubstr("arith.addf")));
}

TEST(Expand, attentionWithAndWithoutHeads) {
  std::string ir = ops("    q = heads(x, n_head)\n    return join(attention(q, q, q, mask=causal))");
  EXPECT_THAT(ir, HasSubstr("mask %2 scale 2.500000e-01"));
  ir = ops("    return attention(x, x, x, scale=1.0)");
  EXPECT_THAT(ir, HasSubstr("tensor<?x1x?x64xf32, #heddle.dims<batch, 1, sequence, 64>>"));
  ir = ops("    m = causal and mask_values(causal, x, x)\n    q = heads(x, n_head)\n    return join(attention(q, q, q, "
           "mask=rearrange(mask_values(none, x, x), [b, s, t] -> [b, 1, s, t])))");
  EXPECT_THAT(ir, HasSubstr("heddle.mask_tensor %"));
}

TEST(Expand, groupedHeads) {
  std::string ir = ops("    q = heads(x, 4)\n    k = heads(linear(x, \"k\", 32, bias=false), 2)\n    return join(attention(q, k, k))");
  EXPECT_THAT(ir, HasSubstr("#heddle.dims<batch, 2, sequence, 16>"));
  EXPECT_THAT(
      refusal({entryText("    q = heads(x, 4)\n    k = heads(linear(x, \"k\", 48, bias=false), 3)\n    return join(attention(q, k, k))"), "", {}}),
      HasSubstr("are no multiple of those of the keys"));
}

TEST(Expand, tablesBoundIdsAndPositions) {
  std::string ir = accepted({"heddle 1\nmodel m {\n  entry e(tokens: i32[batch, s...]) -> f32[batch, s..., 8] =\n"
                             "    weight(\"w\", [24, 8])[tokens] + weight(\"p\", [10, 8])[positions(tokens) + 2]\n}\n",
                             "",
                             {}});
  EXPECT_THAT(ir, HasSubstr("heddle.id_bound = 24 : i64"));
  EXPECT_THAT(ir, HasSubstr("#heddle.dimension<\"s\" over \"batch\" bound 8>"));
  EXPECT_THAT(
      refusal(
          {"heddle 1\nmodel m {\n  entry e(tokens: i32[batch, s...]) -> f32[batch, s..., 8] =\n    weight(\"p\", [2, 8])[positions(tokens) + 2]\n}\n",
           "",
           {}}),
      HasSubstr("a table of 2 rows has none for positions 2 to 2"));
}

TEST(Expand, cutsSplitsAndJoins) {
  std::string ir = ops("    a, b = split(x, [16, 48])\n    return concat(b, a)");
  EXPECT_THAT(ir, HasSubstr("heddle.slice %arg1 axis 2 from 16"));
  EXPECT_THAT(ir, HasSubstr("heddle.concat"));
  EXPECT_THAT(ops("    return x[n_embd = 3]", "", "f32[batch, sequence...]"), HasSubstr("heddle.reshape"));
  EXPECT_THAT(ops("    return x[n_embd = 0..2]", "", "f32[batch, sequence..., 2]"), HasSubstr("axis 2 from 0"));
  EXPECT_THAT(refusal({entryText("    return concat(x, x, over=sequence)"), "", {}}),
              HasSubstr("concat: 'sequence' is ragged and cannot be cut or merged"));
}

TEST(Expand, letsHoldWeightsAndMasks) {
  std::string ir = ops("    return attention(x * w, x, x, mask=visible)", "  let w = weight(\"w\", [n_embd])\n  let visible = causal and causal");
  EXPECT_THAT(ir, AllOf(HasSubstr("heddle.use @w"), HasSubstr("heddle.mask_and")));
  EXPECT_THAT(refusal({entryText("    return x", "  let w = weight(\"w\", [n_embd]) + 1"), "", {}}),
              HasSubstr("tensors are computed in an entry or function"));
}

TEST(Expand, aTensorIsNeverNone) {
  const std::string f = "  fn f(x, w) = if w != none { x * w } else { x }";
  EXPECT_THAT(ops("    return f(x, weight(\"w\", [n_embd]))", f), HasSubstr("arith.mulf"));
  EXPECT_THAT(ops("    return f(x, none)", f), Not(HasSubstr("arith.mulf")));
  EXPECT_THAT(ops("    return if iota(3) == none { -x } else { x }"), Not(HasSubstr("arith.negf")));
}

TEST(Expand, remaindersOfInts) {
  std::string ir = ops("    return x * rearrange(f32(tokens % positions(tokens)), [b, s] -> [b, s, 1])");
  EXPECT_THAT(ir, AllOf(HasSubstr("arith.select"), HasSubstr("arith.remsi"))); // by 0 and -1 the machine may fault
  EXPECT_THAT(refusal({entryText("    return x % 2"), "", {}}), HasSubstr("9:14: error: '%' on f32 tensors of a run is not built yet"));
}

TEST(Expand, boolsThatDecideNothing) {
  for (const char *seen : {"true and x > 0", "x > 0 and true", "false or x > 0", "x > 0 or false"})
    EXPECT_EQ(count(ops(std::string("    return where(") + seen + ", x, 0)"), "arith.select"), 1u) << seen;
  EXPECT_EQ(count(ops("    return where(x > 0 and false, x, -x)"), "arith.select"), 0u);
  EXPECT_THAT(ops("    return attention(x, x, x, mask=causal and true)"), Not(HasSubstr("heddle.mask_and")));
  EXPECT_THAT(ops("    return attention(x, x, x, mask=true and causal)"), HasSubstr("heddle.mask_causal"));
  EXPECT_THAT(refusal({entryText("    return where(true and x, x, x)"), "", {}}), HasSubstr("expected two bools"));
  EXPECT_THAT(ops("    return where(not (iota(n_embd) < 3), x, 0)"), HasSubstr("[0.000000e+00, 0.000000e+00, 0.000000e+00, 1.000000e+00"));
}

TEST(Expand, elementwiseFunctions) {
  EXPECT_THAT(ops("    return relu(x)"), HasSubstr("arith.maximumf"));
  EXPECT_THAT(ops("    return gelu(x)"), AllOf(HasSubstr("heddle.gelu %arg1"), HasSubstr(" erf :")));
  EXPECT_THAT(ops("    return gelu_tanh(x)"), AllOf(HasSubstr("heddle.gelu %arg1"), HasSubstr(" tanh :")));
  EXPECT_THAT(ops("    return silu(x)"), HasSubstr("heddle.silu %arg1"));
  EXPECT_THAT(ops("    return sigmoid(x)"), HasSubstr("math.exp"));
  for (const char *name : {"log", "sin", "cos", "tanh", "erf", "exp"})
    EXPECT_THAT(ops(std::string("    return ") + name + "(x)"), HasSubstr(std::string("math.") + name + " %arg1"));
  EXPECT_THAT(ops("    return activation(x, \"quick_gelu\")"), HasSubstr("1.702"));
  EXPECT_EQ(count(ops("    return x ^ 4"), "arith.mulf"), 2u);
  EXPECT_THAT(ops("    return x ^ -0.5"), AllOf(HasSubstr("math.sqrt"), HasSubstr("arith.divf")));
  EXPECT_THAT(ops("    return where(x > 0, x, 0.0)"), AllOf(HasSubstr("arith.cmpf ogt"), HasSubstr("arith.select")));
}

TEST(Expand, locationsNameThePlaceInTheText) {
  Imported imported = import({entryText("    return f(x)", "  fn f(x) = relu(linear(x, \"w\", n_embd))"), "", {}});
  ASSERT_TRUE(imported.module) << imported.messages;
  mlir::Location where = mlir::UnknownLoc::get(imported.context.get());
  imported.module->walk([&](MatmulOp op) { where = op.getLoc(); });
  std::string text;
  llvm::raw_string_ostream(text) << where;
  EXPECT_THAT(text, HasSubstr("x.heddle\":7:18 at")); // the call of linear: inside the prelude the place is that of the call
  EXPECT_THAT(text, HasSubstr("x.heddle\":9:12"));
}
