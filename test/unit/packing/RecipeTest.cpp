// Each recipe against values written out by hand or against the plain formula of its description.
#include "compiler/packing/Recipe.h"
#include "compiler/support/Checkpoint.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/support/Shape.h"
#include "dialect/Heddle.h"
#include "mlir/AsmParser/AsmParser.h"
#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

using namespace heddle;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {
/// Tensor of any name: element i is i. Counts what is read.
class Counting : public Checkpoint {
public:
  bool isSeeded() const override { return true; }
  const std::string &source() const override { return text; }
  const std::vector<TensorInfo> &tensors() const override { return none; }
  bool read(std::string_view name, std::span<const int64_t>, int64_t first, std::span<float> to, Diagnostics &diagnostics) const override {
    if (name == "missing") {
      diagnostics.error({text, 0, 0}, "tensor 'missing' is missing");
      return false;
    }
    std::iota(to.begin(), to.end(), static_cast<float>(first));
    elements += static_cast<int64_t>(to.size());
    largest = std::max(largest, to.size());
    return true;
  }
  mutable int64_t elements = 0;
  mutable size_t largest = 0;

private:
  std::string text = "counting";
  std::vector<TensorInfo> none;
};

class RecipeTest : public testing::Test {
protected:
  RecipeTest() { context.loadDialect<HeddleDialect>(); }

  mlir::Attribute parse(const std::string &text) {
    mlir::Attribute recipe = mlir::parseAttribute(text, &context);
    EXPECT_TRUE(recipe && recipeType(recipe)) << text;
    return recipe;
  }

  /// The result as floats; empty after an error.
  template <class T = float> std::vector<T> run(const std::string &text) {
    mlir::Attribute recipe = parse(text);
    auto bytes = recipeBytes(recipe, diagnostics);
    EXPECT_TRUE(bytes) << diagnostics.render();
    std::vector<char> out(static_cast<size_t>(*bytes), 'x');
    if (!runRecipe(recipe, &checkpoint, out, diagnostics))
      return {};
    std::vector<T> values(out.size() / sizeof(T));
    std::memcpy(values.data(), out.data(), out.size());
    return values;
  }

  mlir::MLIRContext context;
  Counting checkpoint;
  Diagnostics diagnostics;
};

std::string tensor(std::string shape) { return "#heddle.tensor<\"t\", tensor<" + shape + "xf32>>"; }
} // namespace

TEST_F(RecipeTest, tensor) { EXPECT_THAT(run(tensor("2x3")), ElementsAre(0, 1, 2, 3, 4, 5)); }

TEST_F(RecipeTest, constant) {
  EXPECT_THAT(run<double>("#heddle.constant<dense<[0.1, 2.5]> : tensor<2xf64>>"), ElementsAre(0.1, 2.5));
  EXPECT_THAT(run<float>("#heddle.constant<dense<0.1> : tensor<2xf32>>"), ElementsAre(0.1f, 0.1f));
  EXPECT_THAT(run<int32_t>("#heddle.constant<dense<[-7, 2147483647]> : tensor<2xi32>>"), ElementsAre(-7, 2147483647));
  EXPECT_THAT(run<char>("#heddle.constant<dense<[true, false]> : tensor<2xi1>>"), ElementsAre(1, 0));
  EXPECT_THAT(run<double>("#heddle.constant<dense<3.0> : tensor<f64>>"), ElementsAre(3));
}

TEST_F(RecipeTest, sliceReadsItsPartAlone) {
  EXPECT_THAT(run("#heddle.slice<" + tensor("4x3") + ", 0, 1, 2>"), ElementsAre(3, 4, 5, 6, 7, 8));
  EXPECT_EQ(checkpoint.elements, 6);
  EXPECT_THAT(run("#heddle.slice<" + tensor("4x3") + ", 1, 2, 1>"), ElementsAre(2, 5, 8, 11));
  EXPECT_EQ(checkpoint.elements, 10);
}

TEST_F(RecipeTest, manySlicesOfOneTensorCostNoMoreThanTheTensor) { // 64 experts in one tensor, each a weight of its own
  for (int i = 0; i < 64; ++i)
    run("#heddle.transpose<#heddle.reshape<#heddle.slice<" + tensor("64x30x20") + ", 0, " + std::to_string(i) + ", 1>, [30, 20]>, [1, 0]>");
  EXPECT_EQ(checkpoint.elements, 64 * 30 * 20);
}

TEST_F(RecipeTest, reshape) {
  EXPECT_THAT(run("#heddle.reshape<" + tensor("2x3") + ", [3, 2]>"), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(run("#heddle.reshape<" + tensor("1x1x3") + ", [3]>"), ElementsAre(0, 1, 2));
  EXPECT_THAT(run("#heddle.reshape<" + tensor("3") + ", [1, 3, 1]>"), ElementsAre(0, 1, 2));
}

TEST_F(RecipeTest, transpose) {
  EXPECT_THAT(run("#heddle.transpose<" + tensor("2x3") + ", [1, 0]>"), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(run("#heddle.transpose<" + tensor("2x1x3") + ", [2, 0, 1]>"), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST_F(RecipeTest, reshapeOfTransposes) {
  std::string turned = "#heddle.transpose<" + tensor("2x3") + ", [1, 0]>";
  EXPECT_THAT(run("#heddle.reshape<" + turned + ", [6]>"), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(run("#heddle.transpose<#heddle.reshape<" + turned + ", [2, 3]>, [1, 0]>"), ElementsAre(0, 4, 3, 2, 1, 5)); // needs memory
  EXPECT_THAT(run("#heddle.transpose<#heddle.reshape<" + tensor("6") + ", [2, 3]>, [1, 0]>"), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(run("#heddle.transpose<#heddle.reshape<" + tensor("2x2x2") + ", [4, 2]>, [1, 0]>"), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
}

TEST_F(RecipeTest, concat) {
  EXPECT_THAT(run("#heddle.concat<1, " + tensor("2x1") + ", " + tensor("2x2") + ">"), ElementsAre(0, 0, 1, 1, 2, 3));
  EXPECT_THAT(run("#heddle.concat<0, " + tensor("1x2") + ", " + tensor("2x2") + ">"), ElementsAre(0, 1, 0, 1, 2, 3));
  EXPECT_THAT(run("#heddle.slice<#heddle.concat<0, " + tensor("2x2") + ", " + tensor("2x2") + ">, 0, 1, 2>"), ElementsAre(2, 3, 0, 1));
}

TEST_F(RecipeTest, castRoundsOnceAtEachStep) {
  EXPECT_THAT(run("#heddle.cast<#heddle.constant<dense<[0.1, 1.0e300]> : tensor<2xf64>>, f32>"), ElementsAre(0.1f, INFINITY));
  EXPECT_THAT(run<double>("#heddle.cast<#heddle.cast<#heddle.constant<dense<[0.1, 16777217.0]> : tensor<2xf64>>, f32>, f64>"),
              ElementsAre(double(0.1f), 16777216.0));
  EXPECT_THAT(run<int32_t>("#heddle.cast<#heddle.constant<dense<[2.9, -2.9, 1.0e10, 0x7FF8000000000000]> : tensor<4xf64>>, i32>"),
              ElementsAre(2, -2, INT32_MAX, 0));
}

TEST_F(RecipeTest, addAndScaleAreComputedInDoubleAndRoundedOnce) {
  EXPECT_THAT(run("#heddle.add<" + tensor("3") + ", 0.1>"), ElementsAre(float(0.1), float(1 + 0.1), float(2 + 0.1)));
  EXPECT_THAT(run("#heddle.scale<" + tensor("2x2") + ", 8.0>"), ElementsAre(0, 8, 16, 24));
  EXPECT_THAT(run("#heddle.add<#heddle.scale<" + tensor("3") + ", -2.0>, 1.0>"), ElementsAre(1, -1, -3));
  EXPECT_THAT(run("#heddle.scale<#heddle.add<" + tensor("3") + ", 1.0>, -2.0>"), ElementsAre(-2, -4, -6));
  EXPECT_THAT(run<double>("#heddle.cast<#heddle.add<" + tensor("1") + ", 0.1>, f64>"),
              ElementsAre(double(0.1f))); // its element type is f32 before the cast
  EXPECT_THAT(run("#heddle.pack<#heddle.add<#heddle.transpose<" + tensor("3x2") + ", [1, 0]>, 1.0>, 4>"),
              ElementsAre(1, 3, 5, 0, 2, 4, 6, 0)); // padding stays 0
  EXPECT_THAT(run<int32_t>("#heddle.scale<#heddle.constant<dense<[3, -3]> : tensor<2xi32>>, 0.5>"), ElementsAre(1, -1));
}

TEST_F(RecipeTest, selectNamesPlacesInAnyOrder) {
  EXPECT_THAT(run("#heddle.select<" + tensor("3x2") + ", 0, [2, 0]>"), ElementsAre(4, 5, 0, 1));
  EXPECT_THAT(run("#heddle.select<" + tensor("2x3") + ", 1, [1, 0]>"), ElementsAre(1, 0, 4, 3));
  EXPECT_THAT(run("#heddle.select<" + tensor("3x2") + ", 0, [0, 0, 2, 1, 2]>"), ElementsAre(0, 1, 0, 1, 4, 5, 2, 3, 4, 5));
  EXPECT_THAT(run("#heddle.select<" + tensor("2x3x2") + ", 1, [2, 2]>"), ElementsAre(4, 5, 4, 5, 10, 11, 10, 11));
}

TEST_F(RecipeTest, selectWithinOtherRecipes) { // buckets of a table [bucket, head] laid out by distance, heads first
  std::string table = "#heddle.select<" + tensor("3x2") + ", 0, [2, 2, 1, 0, 0]>";
  EXPECT_THAT(run("#heddle.transpose<" + table + ", [1, 0]>"), ElementsAre(4, 4, 2, 0, 0, 5, 5, 3, 1, 1));
  EXPECT_THAT(run("#heddle.scale<#heddle.slice<" + table + ", 0, 1, 2>, 10.0>"), ElementsAre(40, 50, 20, 30));
  EXPECT_THAT(run("#heddle.select<#heddle.add<" + tensor("2x2") + ", 1.0>, 0, [1, 1, 0]>"), ElementsAre(3, 4, 3, 4, 1, 2));
}

TEST_F(RecipeTest, tensorsOf16BitsUnderACast) {
  auto stored = [](std::string type) { return "#heddle.tensor<\"t\", tensor<3x2x" + type + ">>"; };
  for (std::string type : {"f16", "bf16"}) {
    EXPECT_THAT(run("#heddle.cast<" + stored(type) + ", f32>"), ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(run("#heddle.cast<#heddle.transpose<" + stored(type) + ", [1, 0]>, f32>"), ElementsAre(0, 2, 4, 1, 3, 5));
    EXPECT_THAT(run("#heddle.cast<#heddle.select<" + stored(type) + ", 0, [1, 1]>, f32>"), ElementsAre(2, 3, 2, 3)); // through memory
  }
  EXPECT_THAT(run("#heddle.cast<#heddle.add<" + stored("bf16") + ", 0.001>, f32>"), // the sum is a bf16 before the cast
              ElementsAre(testing::FloatNear(0.001f, 3e-6f), 1, 2, 3, 4, 5));
  EXPECT_THAT(run("#heddle.cast<#heddle.cast<#heddle.constant<dense<[65519.0, 65520.0, 1.0e-8, 0x7FF8000000000000]> : tensor<4xf64>>, f16>, f32>"),
              ElementsAre(65504, INFINITY, 0, testing::IsNan()));
}

TEST_F(RecipeTest, anglesAreComputedInDouble) {
  auto interleaved = run<double>("#heddle.angles<[1.0, 0.01], 3, 4, interleaved>");
  ASSERT_EQ(interleaved.size(), 12u);
  EXPECT_THAT(std::vector<double>(interleaved.begin() + 8, interleaved.end()),
              ElementsAre(std::sin(2), std::cos(2), std::sin(2 * 0.01), std::cos(2 * 0.01)));
  auto halves = run<double>("#heddle.angles<[1.0, 0.01], 3, 4, halves>");
  EXPECT_THAT(std::vector<double>(halves.begin() + 8, halves.end()), ElementsAre(std::sin(2), std::sin(2 * 0.01), std::cos(2), std::cos(2 * 0.01)));
}

TEST_F(RecipeTest, anglesOfOddWidthLeaveOutTheLastCosine) { // first-examples.md: two rows of width 3
  std::string frequencies = "[1.0, " + std::to_string(std::pow(10000.0, -2.0 / 3)) + "]";
  auto table = run<double>("#heddle.angles<" + frequencies + ", 2, 3, interleaved>");
  EXPECT_THAT(table, ElementsAre(0, 1, 0, testing::DoubleNear(0.84147098, 1e-8), testing::DoubleNear(0.54030231, 1e-8),
                                 testing::DoubleNear(0.00215443, 1e-6)));
}

TEST_F(RecipeTest, sinusoidalTableOfThePaper) { // first-examples.md, section 2
  std::string frequencies;
  for (int i = 0; i < 256; ++i) {
    char number[40];
    std::snprintf(number, sizeof number, "%s%.17e", i ? ", " : "", std::pow(10000.0, -2.0 * i / 512));
    frequencies += number;
  }
  auto table = run("#heddle.cast<#heddle.angles<[" + frequencies + "], 50, 512, interleaved>, f32>");
  ASSERT_EQ(table.size(), 50u * 512);
  EXPECT_NEAR(table[49 * 512], -0.953752653, 1e-7);
  EXPECT_NEAR(table[49 * 512 + 511], 0.999987099, 1e-7);
  EXPECT_NEAR(table[512 + 256], 0.009999833, 1e-9);
  EXPECT_NEAR(std::accumulate(table.begin(), table.end(), 0.0), 10115.775196, 1e-4);
}

TEST_F(RecipeTest, packMakesPanelsAndZeros) {
  EXPECT_THAT(run("#heddle.pack<" + tensor("2x3") + ", 2>"), ElementsAre(0, 1, 3, 4, 2, 0, 5, 0)); // [panel, k, lane]
  EXPECT_THAT(run("#heddle.pack<#heddle.transpose<" + tensor("3x2") + ", [1, 0]>, 4>"), ElementsAre(0, 2, 4, 0, 1, 3, 5, 0));
}

TEST_F(RecipeTest, padFillsTheLastAxis) {
  EXPECT_THAT(run("#heddle.pad<" + tensor("3") + ", 4>"), ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(run("#heddle.pad<" + tensor("2x3") + ", 2>"), ElementsAre(0, 1, 2, 0, 3, 4, 5, 0));
}

TEST_F(RecipeTest, qkvMergedAndPacked) { // what the graph stage makes of three projections stored [out, in]
  auto turned = [](std::string name) { return "#heddle.transpose<#heddle.tensor<\"" + name + "\", tensor<40x7xf32>>, [1, 0]>"; };
  auto packed = run("#heddle.pack<#heddle.concat<1, " + turned("q") + ", " + turned("k") + ", " + turned("v") + ">, 32>");
  ASSERT_EQ(packed.size(), 4u * 7 * 32);
  for (int64_t k = 0; k < 7; ++k)
    for (int64_t n = 0; n < 128; ++n)
      ASSERT_EQ(packed[static_cast<size_t>(n / 32 * 7 * 32 + k * 32 + n % 32)], n < 120 ? float(n % 40 * 7 + k) : 0.0f) << k << " " << n;
  EXPECT_EQ(checkpoint.elements, 3 * 40 * 7);
}

TEST_F(RecipeTest, largeTensorsComeInPieces) {
  auto values = run("#heddle.transpose<" + tensor("1000x1000") + ", [1, 0]>");
  ASSERT_EQ(values.size(), 1000'000u);
  EXPECT_EQ(values[1], 1000);
  EXPECT_EQ(values[999'999], 999'999);
  EXPECT_LE(checkpoint.elements, 1010'000); // a row that lies across two pieces is read twice
  EXPECT_LE(checkpoint.largest, size_t(1) << 17);
  auto vector = run(tensor("1000000"));
  EXPECT_EQ(vector[999'999], 999'999);
  EXPECT_LE(checkpoint.largest, size_t(1) << 17);
}

TEST_F(RecipeTest, failuresAreMessages) {
  EXPECT_TRUE(run("#heddle.concat<0, " + tensor("1") + ", #heddle.tensor<\"missing\", tensor<1xf32>>>").empty());
  EXPECT_THAT(diagnostics.render(), HasSubstr("counting: error: tensor 'missing' is missing\n"));
  EXPECT_TRUE(run("#heddle.cast<#heddle.tensor<\"h\", tensor<1xf64>>, f32>").empty());
  EXPECT_THAT(diagnostics.render(), HasSubstr("tensor 'h': weights of element type f64 are not built yet"));
  std::vector<char> out(4);
  EXPECT_FALSE(runRecipe(parse(tensor("1")), nullptr, out, diagnostics));
  EXPECT_THAT(diagnostics.render(), HasSubstr("error: tensor 't' is needed, and no weights are given\n"));
  Diagnostics own;
  EXPECT_FALSE(recipeBytes(parse("#heddle.tensor<\"h\", tensor<1xbf16>>"), own));
  EXPECT_FALSE(recipeBytes(parse("#heddle.tensor<\"h\", tensor<2305843009213693952xf32>>"), own));
  EXPECT_EQ(own.render(),
            "error: weights of element type bf16 are not built yet\nerror: a weight of shape [2305843009213693952] passes 2^63 bytes\n");
}
