// Data movement and products.
#include "ReferenceTest.h"

using namespace heddle;
using testing::ElementsAre;

using Movement = ReferenceTest;
using Products = ReferenceTest;

TEST_F(Movement, broadcast) {
  Tensor result = run(R"(func.func @f(%x: tensor<2xf32, #heddle.dims<2>>, %y: tensor<?x3xf32, #heddle.dims<n, 3>>) -> tensor<?x2x3xf32, #heddle.dims<n, 2, 3>> {
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
  std::string text = R"(func.func @f(%t: tensor<3x2xf32, #heddle.dims<3, 2>>, %i: tensor<?xi32, #heddle.dims<n>>) -> tensor<?x2xf32, #heddle.dims<n, 2>> {
    %r = heddle.gather %t[%i] : tensor<3x2xf32, #heddle.dims<3, 2>>, tensor<?xi32, #heddle.dims<n>> -> tensor<?x2xf32, #heddle.dims<n, 2>>
    return %r : tensor<?x2xf32, #heddle.dims<n, 2>>
  })";
  EXPECT_THAT(run(text, {counting({3, 2}), Tensor({4}, {2, 0, -7, 99})}).data, ElementsAre(4, 5, 0, 1, 0, 1, 4, 5));
}

TEST_F(Movement, flattenAndUnflatten) {
  std::string text = R"(func.func @f(%x: tensor<?x?x2xf32, #heddle.dims<batch, s, 2>>, %o: tensor<?xi64, #heddle.dims<batch + 1>> {heddle.offsets = "s"})
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
  std::string text = R"(func.func @f(%x: tensor<?x2xf32, #heddle.dims<n, 2>>, %w: tensor<2x3xf32, #heddle.dims<2, 3>>, %b: tensor<3xf32, #heddle.dims<3>>)
      -> tensor<?x3xf32, #heddle.dims<n, 3>> {
    %r = heddle.linear %x, %w bias %b : tensor<?x2xf32, #heddle.dims<n, 2>>, tensor<2x3xf32, #heddle.dims<2, 3>>, tensor<3xf32, #heddle.dims<3>>
        -> tensor<?x3xf32, #heddle.dims<n, 3>>
    return %r : tensor<?x3xf32, #heddle.dims<n, 3>>
  })";
  EXPECT_THAT(run(text, {counting({1, 2}), counting({2, 3}), Tensor({3}, {10, 20, 30})}).data, ElementsAre(13, 24, 35));
  EXPECT_EQ(run(text, {Tensor({0, 2}), counting({2, 3}), Tensor({3})}).count(), 0); // B115: no rows, no result
}
