// What the built-ins of sequences become: masks, biases, rotations, reading along ragged axes.
#include "test/unit/frontend/Import.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle::test;
using testing::AllOf;
using testing::HasSubstr;

namespace {
std::string ops(const std::string &body, const std::string &functions = "", const std::string &result = "f32[batch, sequence..., n_embd]") {
  return accepted({entryText(body, functions, result), "", {}});
}
/// attention of n_head heads with more arguments
std::string attending(const std::string &more, const std::string &functions = "") {
  return ops("    q = heads(x, n_head)\n    return join(attention(q, q, q" + more + "))", functions);
}
} // namespace

TEST(Builtins, rotaryTurnsByPositions) {
  std::string ir = ops("    return join(rotary(heads(x, n_head), frequencies(8)))");
  EXPECT_THAT(ir, HasSubstr("heddle.positions : tensor<?x?xi32, #heddle.dims<batch, sequence>>"));
  EXPECT_THAT(ir,
              HasSubstr("halves shift 0 : tensor<?x?xi32, #heddle.dims<batch, sequence>> -> tensor<?x?x8xf32, #heddle.dims<batch, sequence, 8>>"));
  EXPECT_THAT(ir, HasSubstr("halves gain 1.000000e+00 : tensor<?x4x?x16xf32, #heddle.dims<batch, 4, sequence, 16>>"));
  EXPECT_THAT(ops("    return rotary(x, frequencies(8), layout=\"interleaved\", gain=0.5)"), HasSubstr("interleaved gain 5.000000e-01"));
}

TEST(Builtins, rotaryOnAStaticAxisCountsIndices) {
  std::string ir = accepted({"heddle 1\nmodel m {\n  entry e(x: f32[batch, 5, 8]) -> f32[batch, 5, 8] = rotary(x, frequencies(8))\n}\n", "", {}});
  EXPECT_THAT(ir, HasSubstr("heddle.positions : tensor<5xi32, #heddle.dims<5>>"));
}

TEST(Builtins, windowsOfMasks) {
  EXPECT_THAT(attending(", mask=window(8)"), HasSubstr("heddle.mask_window left 8\n"));
  EXPECT_THAT(attending(", mask=window(8, 2)"), HasSubstr("heddle.mask_window left 8 right 2"));
  EXPECT_THAT(attending(", mask=window(infinity, right=1)"), HasSubstr("heddle.mask_window right 1"));
  EXPECT_THAT(attending(", mask=causal and window(8)"), HasSubstr("heddle.mask_and"));
}

TEST(Builtins, prefixesSegmentsAndAlibi) {
  EXPECT_THAT(attending(", mask=segments(i32(rearrange(max(x), [b, s, 1] -> [b, s])), i32(rearrange(max(x), [b, s, 1] -> [b, s])))"),
              HasSubstr("heddle.mask_segments"));
  std::string ir = attending(", bias=alibi(slopes)", "  let slopes = tensor([0.5, 0.25, 0.125, 0.0625])");
  EXPECT_THAT(ir, HasSubstr("heddle.bias_alibi %2 : tensor<4xf32, #heddle.dims<4>>"));
  EXPECT_THAT(
      accepted({"heddle 1\nmodel m {\n  entry e(x: f32[batch, s..., 8], n: i32[batch]) -> f32[batch, s..., 8] = attention(x, x, x, prefix(n))\n}\n",
                "",
                {}}),
      HasSubstr("heddle.mask_prefix %arg1"));
}

TEST(Builtins, softcapThenBiasThenMask) {
  std::string ir = attending(", softcap=50.0, bias=relative(t, false, 16), mask=causal", "  let t = weight(\"t\", [8, n_head])");
  EXPECT_THAT(ir, HasSubstr("%2 = heddle.mask_causal\n"));
  EXPECT_THAT(ir, HasSubstr("%4 = heddle.bias_relative %3 : tensor<4x33xf32, #heddle.dims<4, 33>>\n    %5 = heddle.mask_and %4, %2\n"));
  EXPECT_THAT(ir, HasSubstr("%6 = heddle.softcap 5.000000e+01\n    %7 = heddle.mask_and %6, %5\n"));
}

TEST(Builtins, bucketsByDistance) {
  const std::string table = "  let t = weight(\"t\", [32, n_head])";
  std::string ir = attending(", bias=relative(t, bidirectional=true, max_distance=128)", table);
  size_t at = ir.find("#heddle.select<#heddle.transpose<#heddle.tensor<\"t\", tensor<32x4xf32>>, [1, 0]>, 1, [");
  ASSERT_NE(at, ir.npos) << ir;
  auto numbers = [](const std::string &text, size_t from) {
    std::vector<int> list;
    for (size_t i = text.find(", 1, [", from) + 5; text[i] != ']'; i = text.find_first_of(",]", i + 1))
      list.push_back(std::stoi(text.substr(i + 1)));
    return list;
  };
  std::vector<int> places = numbers(ir, at);
  ASSERT_EQ(places.size(), 257u);
  // As Hugging Face's T5 computes them (key - query).
  for (auto [distance, bucket] :
       {std::pair(-128, 15), {-20, 10}, {-8, 8}, {-1, 1}, {0, 0}, {1, 17}, {8, 24}, {16, 26}, {20, 26}, {64, 30}, {128, 31}})
    EXPECT_EQ(places[distance + 128], bucket) << distance;
  ir = attending(", bias=relative(t, bidirectional=false, max_distance=128)", table);
  places = numbers(ir, ir.find("#heddle.select<"));
  for (auto [distance, bucket] : {std::pair(-128, 31), {-64, 26}, {-20, 17}, {-16, 16}, {-15, 15}, {0, 0}, {1, 0}, {128, 0}})
    EXPECT_EQ(places[distance + 128], bucket) << distance;
}

TEST(Builtins, bucketsOfOneHead) {
  std::string ir = ops("    return attention(x, x, x, bias=relative(t, true, 16))", "  let t = weight(\"t\", [8, 1])");
  EXPECT_THAT(ir, HasSubstr("#heddle.reshape<#heddle.reshape<#heddle.tensor<\"t\", tensor<8x1xf32>>, [8]>, [1, 8]>, 1, ["));
  EXPECT_THAT(ir, HasSubstr("heddle.bias_relative %3 : tensor<1x33xf32, #heddle.dims<1, 33>>"));
}

TEST(Builtins, tensorsAsMasksAndBiases) {
  const std::string pairs = "    v = mask_values(none, x, x)\n    q = heads(x, n_head)\n";
  std::string ir = ops(pairs + "    return join(attention(q, q, q, mask=rearrange(v, [b, s, t] -> [b, 1, s, t])))");
  EXPECT_THAT(ir, HasSubstr("heddle.mask_tensor %0 : tensor<?x?x?xi1, #heddle.dims<batch, sequence, sequence>>"));
  ir = ops(pairs +
           "    w = f32(rearrange(v, [b, s, t] -> [b, 1, s, t])) * weight(\"w\", [1, n_head, 1, 1])\n    return join(attention(q, q, q, bias=w))");
  EXPECT_THAT(ir, HasSubstr("heddle.bias_tensor"));
  EXPECT_THAT(ir, HasSubstr("tensor<?x4x?x?xf32, #heddle.dims<batch, 4, sequence, sequence>>"));
  ir = ops("    return attention(x, x, x, mask=rearrange(tokens != 0, [b, t] -> [b, 1, t]))");
  EXPECT_THAT(ir,
              HasSubstr("along [0, 2] : tensor<?x?xi1, #heddle.dims<batch, sequence>> -> tensor<?x?x?xi1, #heddle.dims<batch, sequence, sequence>>"));
}

TEST(Builtins, scoresWrittenOut) {
  std::string ir = ops("    q = heads(x, n_head)\n    p = softmax(mask(q @ transpose(q), causal and window(3)))\n    return join(p @ q)");
  EXPECT_THAT(ir, HasSubstr("heddle.mask_scores %3, %6 : tensor<?x4x?x?xf32, #heddle.dims<batch, 4, sequence, sequence>>"));
  EXPECT_THAT(ir, HasSubstr("heddle.softmax %7 axis 3"));
  EXPECT_THAT(ir, HasSubstr("heddle.matmul %8, %1 : tensor<?x4x?x?xf32, #heddle.dims<batch, 4, sequence, sequence>>"));
  ir = ops("    q = heads(x, n_head)\n    return join(softmax(mask(q @ transpose(q), none)) @ q)");
  EXPECT_THAT(ir, Not(HasSubstr("heddle.mask_scores")));
  ir = ops("    q = heads(x, n_head)\n    s = q @ transpose(q) + relative(weight(\"t\", [8, n_head]), true, 16)\n    return join(softmax(s) @ q)");
  EXPECT_THAT(ir, HasSubstr("heddle.bias_relative"));
  EXPECT_THAT(ir, HasSubstr("heddle.mask_scores"));
}

TEST(Builtins, productsOfPartlyDynamicShapes) { // B119
  std::string ir = accepted(
      {"heddle 1\nmodel x {\n  entry f(a: f32[batch, 16, 32], b: f32[batch, 16, 32]) -> f32[batch, 16, 16] = a @ transpose(b)\n}\n", "", {}});
  EXPECT_THAT(ir, HasSubstr("-> tensor<?x16x16xf32, #heddle.dims<batch, 16, 16>>"));
}

TEST(Builtins, readingAlongARaggedAxis) {
  EXPECT_THAT(
      ops("    return mean(x, over=sequence)", "", "f32[batch, n_embd]"),
      HasSubstr("heddle.mean %arg1 over [1] : tensor<?x?x64xf32, #heddle.dims<batch, sequence, 64>> -> tensor<?x64xf32, #heddle.dims<batch, 64>>"));
  EXPECT_THAT(ops("    return max(x, over=[n_embd, sequence])", "", "f32[batch]"), HasSubstr("heddle.max %arg1 over [1, 2]"));
  EXPECT_THAT(ops("    return softmax(x, over=sequence)"),
              AllOf(HasSubstr("heddle.transpose %arg1 [0, 2, 1]"), HasSubstr("heddle.softmax %0 axis 2")));
  EXPECT_THAT(ops("    return transpose(x) @ x", "", "f32[batch, n_embd, n_embd]"),
              HasSubstr("heddle.matmul %0, %arg1 : tensor<?x64x?xf32, #heddle.dims<batch, 64, sequence>>"));
  EXPECT_THAT(ops("    return x - mean(x, over=sequence)"),
              HasSubstr("along [0, 2] : tensor<?x64xf32, #heddle.dims<batch, 64>> -> tensor<?x?x64xf32"));
}

TEST(Builtins, tablesOfAnyShape) {
  std::string ir = ops("    return weight(\"t\", [10, 4, 16])[tokens]", "", "f32[batch, sequence..., 4, 16]");
  EXPECT_THAT(ir, AllOf(HasSubstr("heddle.reshape %0"), HasSubstr("heddle.gather %1[%arg0] : tensor<10x64xf32")));
  ir = ops("    return x * weight(\"t\", [10])[iota(n_embd)]");
  EXPECT_THAT(ir, HasSubstr("tensor<10x1xf32, #heddle.dims<10, 1>>, tensor<64xi32, #heddle.dims<64>> -> tensor<64x1xf32, #heddle.dims<64, 1>>"));
}

TEST(Builtins, tokensOfARow) {
  EXPECT_THAT(ops("    return x[sequence = 0]", "", "f32[batch, n_embd]"), HasSubstr("heddle.pick %arg1 : tensor<?x?x64xf32"));
  EXPECT_THAT(ops("    return x[sequence = last]", "", "f32[batch, n_embd]"), HasSubstr("heddle.pick %arg1 last"));
  std::string ir = ops("    return heads(x, n_head)[sequence = last]", "", "f32[batch, n_head, 16]");
  EXPECT_THAT(ir, HasSubstr("[0, 2, 1, 3]"));
  EXPECT_THAT(ir, HasSubstr("heddle.pick %2 last : tensor<?x?x4x16xf32, #heddle.dims<batch, sequence, 4, 16>> -> tensor<?x4x16xf32"));
}

TEST(Builtins, windowsAddAnAxis) {
  std::string ir = accepted({"heddle 1\nmodel m {\n  entry e(x: f32[batch, 8, 4]) -> f32[batch, 4, 4, 3] {\n    y: f32[batch, n, c] = x\n"
                             "    return windows(y, 3, stride=2, padding=1, over=n)\n  }\n}\n",
                             "",
                             {}});
  EXPECT_THAT(
      ir, HasSubstr("heddle.windows %arg0 axis 1 size 3 stride 2 padding 1 : tensor<?x8x4xf32, #heddle.dims<batch, 8, 4>> -> tensor<?x4x4x3xf32"));
}

TEST(Builtins, normsAreOps) {
  EXPECT_THAT(ops("    return rms_norm(x, 1 + weight(\"g\", [n_embd]), 1e-6)"), AllOf(HasSubstr("arith.addf"), HasSubstr("heddle.rms_norm %arg1")));
}

TEST(Builtins, constantsOfOtherElements) {
  std::string ir = ops("    return x @ weight(\"t\", [n_embd, n_embd])[iota(n_embd)]");
  EXPECT_THAT(ir, AllOf(HasSubstr("arith.fptosi"), HasSubstr("heddle.gather")));
  EXPECT_THAT(ops("    return where(iota(n_embd) < 3, x, 0.0)"), HasSubstr("arith.cmpf une"));
  EXPECT_THAT(refusal({entryText("    return x @ weight(\"t\", [n_embd, n_embd])[iota(n_embd) * 16777216]"), "", {}}),
              HasSubstr("has elements up to 2^24 so far"));
}
