// Reductions, softmax, norms, positions.
#include "ReferenceTest.h"

using namespace heddle;
using testing::ElementsAre;

namespace {
class RowOps : public ReferenceTest {
protected:
  Tensor reduce(const std::string &op, Tensor source, const Environment &environment = {}) {
    return run(
        "func.func @f(%x: tensor<?x?x2xf32, #heddle.dims<batch, s, 2>>) -> tensor<?x2xf32, #heddle.dims<batch, 2>> attributes {heddle.dimensions = "
        "[#heddle.dimension<\"batch\">, #heddle.dimension<\"s\" over \"batch\">]} {\n %r = heddle." +
            op +
            " %x over [1] : tensor<?x?x2xf32, #heddle.dims<batch, s, 2>> -> tensor<?x2xf32, #heddle.dims<batch, 2>>\n"
            " return %r : tensor<?x2xf32, #heddle.dims<batch, 2>>\n}",
        source, environment);
  }
  Tensor softmax(Tensor source, int64_t axis) {
    return run(
        "func.func @f(%x: tensor<?x?x?xf32, #heddle.dims<a, b, c>>) -> tensor<?x?x?xf32, #heddle.dims<a, b, c>> {\n %r = heddle.softmax %x axis " +
            std::to_string(axis) + " : tensor<?x?x?xf32, #heddle.dims<a, b, c>>\n return %r : tensor<?x?x?xf32, #heddle.dims<a, b, c>>\n}",
        source);
  }
  std::vector<double> layerNorm(std::vector<double> row, std::string epsilon, double gain = 1, double bias = 0) {
    std::string n = std::to_string(row.size()), vector = "tensor<" + n + "xf32, #heddle.dims<" + n + ">>";
    int64_t width = static_cast<int64_t>(row.size());
    return run("func.func @f(%x: " + vector + ", %g: " + vector + ", %b: " + vector + ") -> " + vector +
                   " {\n %r = heddle.layer_norm %x, %g bias %b epsilon " + epsilon + " : " + vector + ", " + vector + ", " + vector +
                   "\n return %r : " + vector + "\n}",
               {Tensor({width}, row), Tensor({width}, gain), Tensor({width}, bias)})
        .data;
  }
};
} // namespace

TEST_F(RowOps, reductionsReadRealTokensOnly) {
  Environment rows;
  rows.ragged["s"] = {"batch", {2, 0, 3}, {0, 0, 0}};
  Tensor x({3, 3, 2}, {1, -2, 5, 4, nan, nan, nan, nan, nan, nan, nan, nan, 1, 1, 2, 1, 6, 4});
  expectNear(reduce("sum", x, rows).data, {6, 2, 0, 0, 9, 6});
  expectNear(reduce("mean", x, rows).data, {3, 1, 0, 0, 3, 2});
  expectNear(reduce("var", x, rows).data, {4, 9, 0, 0, 14.0 / 3, 2});
  expectNear(reduce("max", x, rows).data, {5, 4, -infinity, -infinity, 6, 4});
  expectNear(reduce("min", x, rows).data, {1, -2, infinity, infinity, 1, 1});
}

TEST_F(RowOps, aNaNThatIsReadShows) {
  Tensor x({1, 3, 2}, {1, 1, nan, 1, 3, 1});
  expectNear(reduce("max", x).data, {nan, 1});
  expectNear(reduce("min", x).data, {nan, 1});
  expectNear(reduce("sum", x).data, {nan, 3});
}

TEST_F(RowOps, varianceOfLargeNumbers) { // two passes: the naive formula loses everything here
  Tensor x({1, 4, 2}, {1e9, 5, 1e9 + 1, 5, 1e9 + 2, 5, 1e9 + 3, 5});
  expectNear(reduce("var", x).data, {1.25, 0});
}

TEST_F(RowOps, softmaxOfTheLesson) {
  expectNear(softmax(Tensor({1, 1, 4}, {1, 2, 3, 4}), 2).data, {.03205860, .08714432, .23688282, .64391426}, 1e-8);
  expectNear(softmax(Tensor({1, 1, 4}, {8, 16, 24, 32}), 2).data, {0, 1.1e-7, 3.3535e-4, .99966454}, 1e-8);
  expectNear(softmax(Tensor({1, 1, 3}, {1e308, 1e308, -1e308}), 2).data, {0.5, 0.5, 0});
}

TEST_F(RowOps, softmaxAlongAnyAxis) { // B035, B037
  Tensor source = scattered({2, 3, 4});
  for (int64_t axis = 0; axis < 3; ++axis) {
    Tensor result = softmax(source, axis);
    llvm::SmallVector<int64_t> rows(source.shape);
    rows[axis] = 1;
    forEachIndex(rows, [&](llvm::ArrayRef<int64_t> row) {
      llvm::SmallVector<int64_t> index(row);
      double total = 0, exponents = 0;
      for (index[axis] = 0; index[axis] < source.shape[axis]; ++index[axis])
        exponents += std::exp(source[index]);
      for (index[axis] = 0; index[axis] < source.shape[axis]; ++index[axis]) {
        EXPECT_NEAR(result[index], std::exp(source[index]) / exponents, 1e-12);
        total += result[index];
      }
      EXPECT_NEAR(total, 1, 1e-12);
    });
  }
}

TEST_F(RowOps, softmaxOfInfinities) {
  expectNear(softmax(Tensor({1, 2, 3}, {-infinity, -infinity, -infinity, 0, -infinity, 0}), 2).data, {0, 0, 0, 0.5, 0, 0.5});
  expectNear(softmax(Tensor({1, 1, 2}, {infinity, 0}), 2).data, {nan, nan});
}

TEST_F(RowOps, softmaxAlongARaggedAxisGivesPaddingNothing) {
  Environment rows;
  rows.ragged["s"] = {"batch", {2, 0}, {0, 0}};
  Tensor result = run(R"(func.func @f(%x: tensor<?x?xf32, #heddle.dims<batch, s>>) -> tensor<?x?xf32, #heddle.dims<batch, s>>
      attributes {heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch">]} {
    %r = heddle.softmax %x axis 1 : tensor<?x?xf32, #heddle.dims<batch, s>>
    return %r : tensor<?x?xf32, #heddle.dims<batch, s>>
  })",
                      Tensor({2, 3}, {1, 1, 99, nan, nan, nan}), rows);
  expectNear(result.data, {0.5, 0.5, 0, 0, 0, 0});
}

TEST_F(RowOps, layerNormOfLargeMeans) { // B040, B044
  for (double base : {40000.0, 80000.0})
    expectNear(layerNorm({base, base + 1, base + 2, base + 3}, "1.0e-5"), {-1.341635, -0.447212, 0.447212, 1.341635}, 1e-6);
  expectNear(layerNorm({2000.125, 1999.25, 2001.5, 2000.75}, "1.0e-5"), {-0.340409, -1.399458, 1.323812, 0.416055}, 1e-6);
}

TEST_F(RowOps, layerNormOfConstantRows) { // B041, B046, B047
  expectNear(layerNorm(std::vector<double>(256, 1234.0), "1.0e-5"), std::vector<double>(256, 0.0), 0);
  expectNear(layerNorm({5, 5}, "1.0e-5", 2, 0.5), {0.5, 0.5}, 0);
  expectNear(layerNorm({7}, "1.0e-5", 2, 0.5), {0.5}, 0);
}

TEST_F(RowOps, epsilonStandsInsideTheRoot) { // B032
  expectNear(layerNorm({1e-6, 2e-6, 3e-6, 4e-6}, "1.0e-5"), {-0.000474, -0.000158, 0.000158, 0.000474}, 1e-6);
  double deviation = std::sqrt(1.25e-12 + 1e-12);
  expectNear(layerNorm({1e-6, 2e-6, 3e-6, 4e-6}, "1.0e-12"), {-1.5e-6 / deviation, -0.5e-6 / deviation, 0.5e-6 / deviation, 1.5e-6 / deviation},
             1e-9);
}

TEST_F(RowOps, positionsOfRaggedRowsAndOfPlainAxes) {
  Environment rows;
  rows.ragged["s"] = {"batch", {3, 1}, {0, 5}};
  std::string text =
      R"(func.func @f(%x: tensor<?x?xi32, #heddle.dims<batch, s>>) -> (tensor<?x?xi32, #heddle.dims<batch, s>>, tensor<4xi32, #heddle.dims<4>>)
      attributes {heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch">]} {
    %p = heddle.positions : tensor<?x?xi32, #heddle.dims<batch, s>>
    %q = heddle.positions : tensor<4xi32, #heddle.dims<4>>
    return %p, %q : tensor<?x?xi32, #heddle.dims<batch, s>>, tensor<4xi32, #heddle.dims<4>>
  })";
  auto results = runAll(text, Tensor({2, 3}), rows);
  ASSERT_EQ(results.size(), 2u) << diagnostics.render();
  EXPECT_THAT(results[0].data, ElementsAre(0, 1, 2, 5, 0, 0));
  EXPECT_THAT(results[1].data, ElementsAre(0, 1, 2, 3));
}

TEST_F(RowOps, positionsOfTokens) {
  Environment rows;
  rows.sizes["s"] = 3;
  rows.ragged["s"] = {"batch", {3, 0, 1}, {0, 9, 5}};
  std::string text = R"(func.func @f(%x: tensor<?xf32, #heddle.dims<batch>>, %o: tensor<?xi64, #heddle.dims<batch + 1>> {heddle.offsets = "s"},
      %s: tensor<?xi64, #heddle.dims<batch>> {heddle.starts = "s"}) -> tensor<?xi32, #heddle.dims<s.tokens>> {
    %q = heddle.positions rows %o, %s : tensor<?xi64, #heddle.dims<batch + 1>>, tensor<?xi64, #heddle.dims<batch>> : tensor<?xi32, #heddle.dims<s.tokens>>
    return %q : tensor<?xi32, #heddle.dims<s.tokens>>
  })";
  EXPECT_THAT(run(text, Tensor({3}), rows).data, ElementsAre(0, 1, 2, 5));
}

TEST_F(RowOps, sinusoidalPositions) { // first-examples.md, section 2
  std::string base = R"(func.func @f(%p: tensor<?xi32, #heddle.dims<n>>) -> tensor<?x4xf32, #heddle.dims<n, 4>> {
    %r = heddle.sinusoidal_positions %p frequencies [1.0, 0.9646616199] LAYOUT shift SHIFT : tensor<?xi32, #heddle.dims<n>> -> tensor<?x4xf32, #heddle.dims<n, 4>>
    return %r : tensor<?x4xf32, #heddle.dims<n, 4>>
  })";
  auto with = [&](std::string layout, std::string shift) {
    std::string text = base;
    text.replace(text.find("LAYOUT"), 6, layout).replace(text.find("SHIFT"), 5, shift);
    return text;
  };
  Tensor positions({2}, {0, 3});
  expectNear(run(with("interleaved", "0"), positions).data, {0, 1, 0, 1, 0.141120008, -0.989992497, 0.245085415, -0.969501490}, 4e-8);
  expectNear(run(with("halves", "0"), positions).data, {0, 0, 1, 1, 0.141120008, 0.245085415, -0.989992497, -0.969501490}, 4e-8);
  expectNear(run(with("interleaved", "1"), Tensor({1}, 2.0)).data, {0.141120008, -0.989992497, 0.245085415, -0.969501490}, 4e-8);
}

TEST_F(RowOps, rmsNorm) {
  std::string text =
      R"(func.func @f(%x: tensor<?x4xf32, #heddle.dims<n, 4>>, %g: tensor<4xf32, #heddle.dims<4>>) -> tensor<?x4xf32, #heddle.dims<n, 4>> {
    %r = heddle.rms_norm %x, %g epsilon 0.5 : tensor<?x4xf32, #heddle.dims<n, 4>>, tensor<4xf32, #heddle.dims<4>>
    return %r : tensor<?x4xf32, #heddle.dims<n, 4>>
  })";
  Tensor result = run(text, {Tensor({3, 4}, {1, 2, 3, 4, 0, 0, 0, 0, infinity, 1, 1, 1}), Tensor({4}, {1, 1, 2, 1})});
  double root = std::sqrt(7.5 + 0.5);
  // B050: an infinity in a row is an infinity over an infinity, never hidden
  expectNear(result.data, {1 / root, 2 / root, 6 / root, 4 / root, 0, 0, 0, 0, nan, 0, 0, 0});
}

TEST_F(RowOps, reductionsOfTokensByTheirOffsets) {
  Environment rows;
  rows.sizes["batch"] = 3;
  rows.ragged["s"] = {"batch", {2, 0, 3}, {0, 0, 0}};
  auto reduce = [&](const std::string &op) {
    return run("func.func @f(%x: tensor<?x2xf32, #heddle.dims<s.tokens, 2>>, %o: tensor<?xi64, #heddle.dims<batch + 1>> {heddle.offsets = \"s\"})"
               " -> tensor<?x2xf32, #heddle.dims<batch, 2>> {\n %r = heddle." +
                   op +
                   " %x over [0] rows %o : tensor<?xi64, #heddle.dims<batch + 1>> : tensor<?x2xf32, #heddle.dims<s.tokens, 2>>"
                   " -> tensor<?x2xf32, #heddle.dims<batch, 2>>\n return %r : tensor<?x2xf32, #heddle.dims<batch, 2>>\n}",
               Tensor({5, 2}, {1, -2, 5, 4, 1, 1, 2, 1, 6, 4}), rows)
        .data;
  };
  expectNear(reduce("sum"), {6, 2, 0, 0, 9, 6});
  expectNear(reduce("mean"), {3, 1, 0, 0, 3, 2});
  expectNear(reduce("var"), {4, 9, 0, 0, 14.0 / 3, 2});
  expectNear(reduce("max"), {5, 4, -infinity, -infinity, 6, 4});
  expectNear(reduce("min"), {1, -2, infinity, infinity, 1, 1});
}

TEST_F(RowOps, reductionsOfTokensAndChannelsTogether) {
  Environment rows;
  rows.sizes["batch"] = 2;
  rows.ragged["s"] = {"batch", {1, 2}, {0, 0}};
  std::string text =
      R"(func.func @f(%x: tensor<?x2xf32, #heddle.dims<s.tokens, 2>>, %o: tensor<?xi64, #heddle.dims<batch + 1>> {heddle.offsets = "s"})
      -> tensor<?xf32, #heddle.dims<batch>> {
    %r = heddle.mean %x over [0, 1] rows %o : tensor<?xi64, #heddle.dims<batch + 1>> : tensor<?x2xf32, #heddle.dims<s.tokens, 2>> -> tensor<?xf32, #heddle.dims<batch>>
    return %r : tensor<?xf32, #heddle.dims<batch>>
  })";
  expectNear(run(text, counting({3, 2}), rows).data, {0.5, 3.5});
}

namespace {
/// `op` on scores [batch, t, s] padded, whose last axis has the rows %o; no dimension is known to be ragged otherwise.
std::string onScores(const std::string &op, const std::string &result) {
  return "func.func @f(%x: tensor<?x?x?xf32, #heddle.dims<batch, t, s>>, %o: tensor<?xi64, #heddle.dims<batch + 1>>) -> " + result +
         " {\n %r = heddle." + op + " rows %o : tensor<?xi64, #heddle.dims<batch + 1>> : tensor<?x?x?xf32, #heddle.dims<batch, t, s>>" +
         (result == "tensor<?x?x?xf32, #heddle.dims<batch, t, s>>" ? "" : " -> " + result) + "\n return %r : " + result + "\n}";
}
} // namespace

TEST_F(RowOps, paddedScoresAreReadUpToTheirOffsets) {
  Tensor scores({2, 2, 3}, {1, 1, nan, 0, 0, nan, 7, nan, nan, 9, infinity, nan}), offsets({3}, {0, 2, 3});
  expectNear(run(onScores("softmax %x axis 2", "tensor<?x?x?xf32, #heddle.dims<batch, t, s>>"), {scores, offsets}).data,
             {0.5, 0.5, 0, 0.5, 0.5, 0, 1, 0, 0, 1, 0, 0});
  expectNear(run(onScores("sum %x over [2]", "tensor<?x?xf32, #heddle.dims<batch, t>>"), {scores, offsets}).data, {2, 0, 7, 9});
  EXPECT_THAT(refusal(onScores("sum %x over [2]", "tensor<?x?xf32, #heddle.dims<batch, t>>"), {scores, Tensor({3}, {0, 4, 5})}),
              testing::HasSubstr("'heddle.sum' offsets do not describe the rows"));
}

TEST_F(RowOps, softmaxAlongTokens) {
  std::string text =
      R"(func.func @f(%x: tensor<?x1xf32, #heddle.dims<s.tokens, 1>>, %o: tensor<?xi64, #heddle.dims<batch + 1>> {heddle.offsets = "s"})
      -> tensor<?x1xf32, #heddle.dims<s.tokens, 1>> {
    %r = heddle.softmax %x axis 0 rows %o : tensor<?xi64, #heddle.dims<batch + 1>> : tensor<?x1xf32, #heddle.dims<s.tokens, 1>>
    return %r : tensor<?x1xf32, #heddle.dims<s.tokens, 1>>
  })";
  Environment rows;
  rows.sizes["batch"] = 3;
  rows.ragged["s"] = {"batch", {2, 0, 3}, {0, 0, 0}};
  double third = std::log(2.0); // 1 : 2 : 1
  expectNear(run(text, Tensor({5, 1}, {4, 4, 0, third, 0}), rows).data, {0.5, 0.5, 0.25, 0.5, 0.25});
}

namespace {
/// Rotation of `source` by angles made from positions and frequencies.
std::string rotary(const std::string &source, const std::string &positions, const std::string &angles, const std::string &frequencies,
                   const std::string &layout, const std::string &gain = "1.0") {
  return "func.func @f(%x: " + source + ", %p: " + positions + ") -> " + source + " {\n %a = heddle.sinusoidal_positions %p frequencies [" +
         frequencies + "] halves shift 0 : " + positions + " -> " + angles + "\n %r = heddle.rotary_embedding %x, %a " + layout + " gain " + gain +
         " : " + source + ", " + angles + "\n return %r : " + source + "\n}";
}
const std::string onePosition = "tensor<1xi32, #heddle.dims<1>>";
} // namespace

TEST_F(RowOps, rotaryInBothLayouts) { // B130: x = 1 2 3 4, position 3, theta 10000, head size 4
  std::string source = "tensor<1x4xf32, #heddle.dims<1, 4>>", angles = "tensor<1x4xf32, #heddle.dims<1, 4>>";
  std::vector<Tensor> arguments{Tensor({1, 4}, {1, 2, 3, 4}), Tensor({1}, 3.0)};
  expectNear(run(rotary(source, onePosition, angles, "1.0, 0.01", "halves"), arguments).data, {-1.413353, 1.879118, -2.828857, 4.058191}, 1e-6);
  expectNear(run(rotary(source, onePosition, angles, "1.0, 0.01", "interleaved"), arguments).data, {-1.272233, -1.838865, 2.878668, 4.088187}, 1e-6);
}

TEST_F(RowOps, partialRotaryPassesTheRest) { // of 6 channels 4 are turned, the pairs lie within those; the gain scales them alone
  std::string source = "tensor<1x6xf32, #heddle.dims<1, 6>>", angles = "tensor<1x4xf32, #heddle.dims<1, 4>>";
  std::vector<Tensor> arguments{Tensor({1, 6}, {1, 2, 3, 4, 5, 6}), Tensor({1}, 3.0)};
  expectNear(run(rotary(source, onePosition, angles, "1.0, 0.01", "halves", "2.0"), arguments).data,
             {2 * -1.413353, 2 * 1.879118, 2 * -2.828857, 2 * 4.058191, 5, 6}, 2e-6);
}

TEST_F(RowOps, rotaryTurnsEveryHeadOfATokenAlike) { // [batch, heads, s, d] with angles of each row, and [s.tokens, heads, d]
  std::string padded = "tensor<?x2x?x2xf32, #heddle.dims<batch, 2, s, 2>>", flat = "tensor<?x2x2xf32, #heddle.dims<n.tokens, 2, 2>>";
  Tensor x = scattered({2, 2, 3, 2}), positions({2, 3}, {0, 1, 2, 5, 6, 7});
  Tensor result =
      run(rotary(padded, "tensor<?x?xi32, #heddle.dims<batch, s>>", "tensor<?x?x2xf32, #heddle.dims<batch, s, 2>>", "0.3", "halves"), {x, positions});
  Tensor tokens({6, 2, 2});
  auto each = [&](auto f) {
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t h = 0; h < 2; ++h)
        for (int64_t i = 0; i < 3; ++i)
          f(b, h, i);
  };
  each([&](int64_t b, int64_t h, int64_t i) {
    double angle = positions[{b, i}] * 0.3, first = x[{b, h, i, 0}], second = x[{b, h, i, 1}];
    EXPECT_NEAR((result[{b, h, i, 0}]), first * std::cos(angle) - second * std::sin(angle), 1e-6);
    EXPECT_NEAR((result[{b, h, i, 1}]), second * std::cos(angle) + first * std::sin(angle), 1e-6);
    tokens[{3 * b + i, h, 0}] = first, tokens[{3 * b + i, h, 1}] = second;
  });
  Tensor rows = run(rotary(flat, "tensor<?xi32, #heddle.dims<n.tokens>>", "tensor<?x2xf32, #heddle.dims<n.tokens, 2>>", "0.3", "halves"),
                    {tokens, Tensor({6}, positions.data)});
  each([&](int64_t b, int64_t h, int64_t i) { EXPECT_EQ((rows[{3 * b + i, h, 1}]), (result[{b, h, i, 1}])); });
}
