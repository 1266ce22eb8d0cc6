// Recipes in the interpreter: numbers added and multiplied, places selected, floats of 16 bits.
#include "compiler/reference/Weights.h"
#include "ReferenceTest.h"
#include "mlir/AsmParser/AsmParser.h"

using namespace heddle;

namespace {
class Recipes : public ReferenceTest {
protected:
  std::vector<double> make(const std::string &recipe, const Checkpoint *checkpoint = nullptr) {
    mlir::Attribute parsed = mlir::parseAttribute(recipe, &context);
    EXPECT_TRUE(parsed && recipeType(parsed)) << recipe;
    auto tensor = evaluateRecipe(parsed, checkpoint, diagnostics);
    return tensor ? tensor->data : std::vector<double>();
  }
  static std::string f64(std::string numbers, std::string shape) { return "#heddle.constant<dense<[" + numbers + "]> : tensor<" + shape + "xf64>>"; }
};
} // namespace

TEST_F(Recipes, addAndScale) {
  expectNear(make("#heddle.add<" + f64("1.0, 2.0", "2") + ", 0.1>"), {1.1, 2.1}, 0);
  expectNear(make("#heddle.scale<" + f64("1.0, 2.0", "2") + ", 0.1>"), {0.1, 0.2}, 0);
  std::string single = "#heddle.constant<dense<[1.0, 2.0]> : tensor<2xf32>>"; // rounded to the element type that the recipe has
  expectNear(make("#heddle.add<" + single + ", 0.1>"), {double(float(1.1)), double(float(2.1))}, 0);
  expectNear(make("#heddle.scale<#heddle.add<" + single + ", 1.0>, -2.0>"), {-4, -6}, 0);
}

TEST_F(Recipes, select) {
  std::string table = "#heddle.constant<dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64>>";
  expectNear(make("#heddle.select<" + table + ", 0, [2, 0, 0]>"), {5, 6, 1, 2, 1, 2}, 0);
  expectNear(make("#heddle.select<" + table + ", 1, [1, 1]>"), {2, 2, 4, 4, 6, 6}, 0);
}

TEST_F(Recipes, castsTo16Bits) {
  std::string numbers = f64("65519.0, 65520.0, 1.0e-8, 1.00048828125, 0x7FF8000000000000, -1.5", "6");
  expectNear(make("#heddle.cast<" + numbers + ", f16>"), {65504, infinity, 0, 1, nan, -1.5}, 0);
  expectNear(make("#heddle.cast<" + numbers + ", bf16>"), {65536, 65536, 0x1.58p-27, 1, nan, -1.5}, 0);
}

TEST_F(Recipes, madeUpNumbersAreWhatTheTypeHolds) {
  auto seeded = Checkpoint::open("seed:3", diagnostics);
  auto wide = make("#heddle.tensor<\"w\", tensor<2x8xf32>>", seeded.get()),
       half = make("#heddle.cast<#heddle.tensor<\"w\", tensor<2x8xf16>>, f32>", seeded.get());
  EXPECT_NE(wide, half);
  expectNear(half, wide, 1e-3);
  expectNear(half, make("#heddle.cast<#heddle.tensor<\"w\", tensor<2x8xf32>>, f16>", seeded.get()), 0);
}
