// Data movement and products.
#include "ReferenceTest.h"

using namespace heddle;
using testing::ElementsAre;

using Movement = ReferenceTest;
using Products = ReferenceTest;

TEST_F(Movement, broadcast) {
  Tensor result =
      run(R"(func.func @f(%x: tensor<2xf32, #heddle.dims<2>>, %y: tensor<?x3xf32, #heddle.dims<n, 3>>) -> tensor<?x2x3xf32, #heddle.dims<n, 2, 3>> {
    %r = heddle.broadcast %x along [1] : tensor<2xf32, #heddle.dims<2>> -> tensor<?x2x3xf32, #heddle.dims<n, 2, 3>>
    return %r : tensor<?x2x3xf32, #heddle.dims<n, 2, 3>>
  })",
          {counting({2}), counting({2, 3})});
  EXPECT_THAT(result.data, ElementsAre(0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1));
}

TEST_F(Movement, reshapeTransposeSliceConcat) {
  Tensor result = run(R"(func.func @f(%x: tensor<2x4xf32, #heddle.dims<2, 4>>) -> tensor<3x2xf32, #heddle.dims<3, 2>> {
    %h = heddle.reshape %x : tensor<2x4xf32, #heddle.dims<2, 4>> -> tensor<2x2x2xf32, #heddle.dims<2, 2, 2>>
    %t = heddle.transpose %h [1, 0, 2] : tensor<2x2x2xf32, #heddle.dims<2, 2, 2>> -> tensor<2x2x2xf32, #heddle.dims<2, 2, 2>>
    %b = heddle.reshape %t : tensor<2x2x2xf32, #heddle.dims<2, 2, 2>> -> tensor<4x2xf32, #heddle.dims<4, 2>>
    %s = heddle.slice %b axis 0 from 1 : tensor<4x2xf32, #heddle.dims<4, 2>> -> tensor<2x2xf32, #heddle.dims<2, 2>>
    %e = heddle.slice %b axis 0 from 0 : tensor<4x2xf32, #heddle.dims<4, 2>> -> tensor<1x2xf32, #heddle.dims<1, 2>>
    %c = heddle.concat %s, %e axis 0 : tensor<2x2xf32, #heddle.dims<2, 2>>, tensor<1x2xf32, #heddle.dims<1, 2>> -> tensor<3x2xf32, #heddle.dims<3, 2>>
    return %c : tensor<3x2xf32, #heddle.dims<3, 2>>
  })",
                      counting({2, 4}));
  EXPECT_THAT(result.data, ElementsAre(4, 5, 2, 3, 0, 1)); // the transposed heads are 0 1, 4 5, 2 3, 6 7
}

TEST_F(Movement, gatherClampsIds) {
  std::string text =
      R"(func.func @f(%t: tensor<3x2xf32, #heddle.dims<3, 2>>, %i: tensor<?xi32, #heddle.dims<n>>) -> tensor<?x2xf32, #heddle.dims<n, 2>> {
    %r = heddle.gather %t[%i] : tensor<3x2xf32, #heddle.dims<3, 2>>, tensor<?xi32, #heddle.dims<n>> -> tensor<?x2xf32, #heddle.dims<n, 2>>
    return %r : tensor<?x2xf32, #heddle.dims<n, 2>>
  })";
  EXPECT_THAT(run(text, {counting({3, 2}), Tensor({4}, {2, 0, -7, 99})}).data, ElementsAre(4, 5, 0, 1, 0, 1, 4, 5));
}

TEST_F(Movement, flattenAndUnflatten) {
  std::string text =
      R"(func.func @f(%x: tensor<?x?x2xf32, #heddle.dims<batch, s, 2>>, %o: tensor<?xi64, #heddle.dims<batch + 1>> {heddle.offsets = "s"})
      -> tensor<?x?x2xf32, #heddle.dims<batch, s, 2>> attributes {heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch">]} {
    %t = heddle.flatten %x rows %o : tensor<?x?x2xf32, #heddle.dims<batch, s, 2>>, tensor<?xi64, #heddle.dims<batch + 1>>
        -> tensor<?x2xf32, #heddle.dims<s.tokens, 2>>
    %d = arith.addf %t, %t : tensor<?x2xf32, #heddle.dims<s.tokens, 2>>
    %r = heddle.unflatten %d rows %o : tensor<?x2xf32, #heddle.dims<s.tokens, 2>>, tensor<?xi64, #heddle.dims<batch + 1>>
        -> tensor<?x?x2xf32, #heddle.dims<batch, s, 2>>
    return %r : tensor<?x?x2xf32, #heddle.dims<batch, s, 2>>
  })";
  Environment rows;
  rows.ragged["s"] = {"batch", {1, 0, 2}, {0, 0, 0}};
  Tensor padded = counting({3, 2, 2});
  padded[{0, 1, 0}] = padded[{1, 1, 1}] = nan; // behind the lengths
  EXPECT_THAT(run(text, padded, rows).data, ElementsAre(0, 2, 0, 0, 0, 0, 0, 0, 16, 18, 20, 22));
}

TEST_F(Products, matmulByAMatrixAndByBatches) {
  std::string text = R"(func.func @f(%x: tensor<?x2x2xf32, #heddle.dims<n, 2, 2>>, %w: tensor<2x3xf32, #heddle.dims<2, 3>>,
      %y: tensor<?x2x1xf32, #heddle.dims<n, 2, 1>>) -> (tensor<?x2x3xf32, #heddle.dims<n, 2, 3>>, tensor<?x2x1xf32, #heddle.dims<n, 2, 1>>) {
    %a = heddle.matmul %x, %w : tensor<?x2x2xf32, #heddle.dims<n, 2, 2>>, tensor<2x3xf32, #heddle.dims<2, 3>> -> tensor<?x2x3xf32, #heddle.dims<n, 2, 3>>
    %b = heddle.matmul %x, %y : tensor<?x2x2xf32, #heddle.dims<n, 2, 2>>, tensor<?x2x1xf32, #heddle.dims<n, 2, 1>> -> tensor<?x2x1xf32, #heddle.dims<n, 2, 1>>
    return %a, %b : tensor<?x2x3xf32, #heddle.dims<n, 2, 3>>, tensor<?x2x1xf32, #heddle.dims<n, 2, 1>>
  })";
  auto results = runAll(text, {counting({2, 2, 2}), counting({2, 3}), Tensor({2, 2, 1}, {1, 2, 3, 4})});
  ASSERT_EQ(results.size(), 2u) << diagnostics.render();
  EXPECT_THAT(results[0].data, ElementsAre(3, 4, 5, 9, 14, 19, 15, 24, 33, 21, 34, 47));
  EXPECT_THAT(results[1].data, ElementsAre(2, 8, 4 * 3 + 5 * 4, 6 * 3 + 7 * 4));
}

TEST_F(Products, aContractionAlongARaggedAxisReadsRealTokensOnly) {
  std::string text = R"(func.func @f(%p: tensor<?x1x?xf32, #heddle.dims<batch, 1, s>>, %v: tensor<?x?x2xf32, #heddle.dims<batch, s, 2>>)
      -> tensor<?x1x2xf32, #heddle.dims<batch, 1, 2>> attributes {heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch">]} {
    %r = heddle.matmul %p, %v : tensor<?x1x?xf32, #heddle.dims<batch, 1, s>>, tensor<?x?x2xf32, #heddle.dims<batch, s, 2>>
        -> tensor<?x1x2xf32, #heddle.dims<batch, 1, 2>>
    return %r : tensor<?x1x2xf32, #heddle.dims<batch, 1, 2>>
  })";
  Environment rows;
  rows.ragged["s"] = {"batch", {2, 0}, {0, 0}};
  Tensor values({2, 3, 2}, {1, 2, 3, 4, nan, infinity, nan, nan, nan, nan, nan, nan});
  EXPECT_THAT(run(text, {Tensor({2, 1, 3}, 1.0), values}, rows).data, ElementsAre(4, 6, 0, 0));
}

TEST_F(Products, linearAddsItsBias) {
  std::string text =
      R"(func.func @f(%x: tensor<?x2xf32, #heddle.dims<n, 2>>, %w: tensor<2x3xf32, #heddle.dims<2, 3>>, %b: tensor<3xf32, #heddle.dims<3>>)
      -> tensor<?x3xf32, #heddle.dims<n, 3>> {
    %r = heddle.linear %x, %w bias %b : tensor<?x2xf32, #heddle.dims<n, 2>>, tensor<2x3xf32, #heddle.dims<2, 3>>, tensor<3xf32, #heddle.dims<3>>
        -> tensor<?x3xf32, #heddle.dims<n, 3>>
    return %r : tensor<?x3xf32, #heddle.dims<n, 3>>
  })";
  EXPECT_THAT(run(text, {counting({1, 2}), counting({2, 3}), Tensor({3}, {10, 20, 30})}).data, ElementsAre(13, 24, 35));
  EXPECT_EQ(run(text, {Tensor({0, 2}), counting({2, 3}), Tensor({3})}).count(), 0); // B115: no rows, no result
}

TEST_F(Movement, gatherFromATransposedTable) {
  std::string text =
      R"(func.func @f(%t: tensor<2x3xf32, #heddle.dims<2, 3>>, %i: tensor<?xi32, #heddle.dims<n>>) -> tensor<?x2xf32, #heddle.dims<n, 2>> {
    %r = heddle.gather %t[%i] transposed : tensor<2x3xf32, #heddle.dims<2, 3>>, tensor<?xi32, #heddle.dims<n>> -> tensor<?x2xf32, #heddle.dims<n, 2>>
    return %r : tensor<?x2xf32, #heddle.dims<n, 2>>
  })";
  EXPECT_THAT(run(text, {counting({2, 3}), Tensor({4}, {2, 0, -7, 99})}).data, ElementsAre(2, 5, 0, 3, 0, 3, 2, 5));
}

TEST_F(Movement, pickOfPaddedRows) {
  for (std::string which : {"", "last"}) {
    std::string text =
        "func.func @f(%x: tensor<?x?x2xf32, #heddle.dims<batch, s, 2>>) -> tensor<?x2xf32, #heddle.dims<batch, 2>> attributes {heddle.dimensions = "
        "[#heddle.dimension<\"batch\">, #heddle.dimension<\"s\" over \"batch\">]} {\n %r = heddle.pick %x " +
        which +
        " : tensor<?x?x2xf32, #heddle.dims<batch, s, 2>> -> tensor<?x2xf32, #heddle.dims<batch, 2>>\n"
        " return %r : tensor<?x2xf32, #heddle.dims<batch, 2>>\n}";
    Environment rows;
    rows.ragged["s"] = {"batch", {2, 0, 3}, {4, 0, 0}};
    Tensor result = run(text, counting({3, 3, 2}), rows);
    if (which.empty())
      EXPECT_THAT(result.data, ElementsAre(0, 1, 0, 0, 12, 13));
    else
      EXPECT_THAT(result.data, ElementsAre(2, 3, 0, 0, 16, 17));
  }
}

namespace {
const std::string tokenRows =
    R"(func.func @f(%x: tensor<?x2xf32, #heddle.dims<s.tokens, 2>>, %o: tensor<?xi64, #heddle.dims<batch + 1>> {heddle.offsets = "s"})
      -> (tensor<?x2xf32, #heddle.dims<batch, 2>>, tensor<?x2xf32, #heddle.dims<batch, 2>>, tensor<?x2xf32, #heddle.dims<s.tokens, 2>>) {
    %a = heddle.pick %x rows %o : tensor<?xi64, #heddle.dims<batch + 1>> : tensor<?x2xf32, #heddle.dims<s.tokens, 2>> -> tensor<?x2xf32, #heddle.dims<batch, 2>>
    %z = heddle.pick %x last rows %o : tensor<?xi64, #heddle.dims<batch + 1>> : tensor<?x2xf32, #heddle.dims<s.tokens, 2>> -> tensor<?x2xf32, #heddle.dims<batch, 2>>
    %t = heddle.spread %z rows %o : tensor<?x2xf32, #heddle.dims<batch, 2>>, tensor<?xi64, #heddle.dims<batch + 1>> -> tensor<?x2xf32, #heddle.dims<s.tokens, 2>>
    return %a, %z, %t : tensor<?x2xf32, #heddle.dims<batch, 2>>, tensor<?x2xf32, #heddle.dims<batch, 2>>, tensor<?x2xf32, #heddle.dims<s.tokens, 2>>
  })";
}

TEST_F(Movement, pickAndSpreadOfTokens) {
  Environment rows;
  rows.sizes["batch"] = 3;
  rows.ragged["s"] = {"batch", {2, 0, 3}, {0, 0, 0}};
  auto results = runAll(tokenRows, counting({5, 2}), rows);
  ASSERT_EQ(results.size(), 3u) << diagnostics.render();
  EXPECT_THAT(results[0].data, ElementsAre(0, 1, 0, 0, 4, 5));
  EXPECT_THAT(results[1].data, ElementsAre(2, 3, 0, 0, 8, 9));
  EXPECT_THAT(results[2].data, ElementsAre(2, 3, 2, 3, 8, 9, 8, 9, 8, 9));
}

TEST_F(Movement, windowsOverlapAndPadWithZeros) {
  auto windows = [&](const std::string &rule, int64_t count, int64_t size) {
    std::string type = "tensor<?x" + std::to_string(count) + "x2x" + std::to_string(size) + "xf32, #heddle.dims<n, " + std::to_string(count) +
                       ", 2, " + std::to_string(size) + ">>";
    return run("func.func @f(%x: tensor<?x5x2xf32, #heddle.dims<n, 5, 2>>) -> " + type + " {\n %r = heddle.windows %x axis 1 " + rule +
                   " : tensor<?x5x2xf32, #heddle.dims<n, 5, 2>> -> " + type + "\n return %r : " + type + "\n}",
               Tensor({1, 5, 2}, {1, 10, 2, 20, 3, 30, 4, 40, 5, 50}))
        .data;
  };
  EXPECT_THAT(windows("size 3 stride 2 padding 1", 3, 3), ElementsAre(0, 1, 2, 0, 10, 20, 2, 3, 4, 20, 30, 40, 4, 5, 0, 40, 50, 0));
  EXPECT_THAT(windows("size 2 stride 2 padding 0", 2, 2), ElementsAre(1, 2, 10, 20, 3, 4, 30, 40)); // the fifth place is in no window
  EXPECT_THAT(windows("size 5 stride 1 padding 0", 1, 5), ElementsAre(1, 2, 3, 4, 5, 10, 20, 30, 40, 50));
}

TEST_F(Products, aContractionReadsUpToTheOffsets) { // after the graph stage: padded operands, rows as an operand
  std::string text = R"(func.func @f(%p: tensor<?x1x?xf32, #heddle.dims<batch, 1, s>>, %v: tensor<?x?x2xf32, #heddle.dims<batch, s, 2>>,
      %o: tensor<?xi64, #heddle.dims<batch + 1>>) -> tensor<?x1x2xf32, #heddle.dims<batch, 1, 2>> {
    %r = heddle.matmul %p, %v rows %o : tensor<?xi64, #heddle.dims<batch + 1>> : tensor<?x1x?xf32, #heddle.dims<batch, 1, s>>, tensor<?x?x2xf32, #heddle.dims<batch, s, 2>>
        -> tensor<?x1x2xf32, #heddle.dims<batch, 1, 2>>
    return %r : tensor<?x1x2xf32, #heddle.dims<batch, 1, 2>>
  })";
  Tensor values({2, 3, 2}, {1, 2, 3, 4, nan, infinity, nan, nan, nan, nan, nan, nan});
  EXPECT_THAT(run(text, {Tensor({2, 1, 3}, 1.0), values, Tensor({3}, {0, 2, 2})}).data, ElementsAre(4, 6, 0, 0));
  EXPECT_THAT(refusal(text, {Tensor({2, 1, 3}, 1.0), values, Tensor({3}, {0, 4, 2})}), testing::HasSubstr("offsets do not describe the rows"));
}
