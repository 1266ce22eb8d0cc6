// Whole entries, single ops, weights, and what is refused.
#include "ReferenceTest.h"
#include "compiler/reference/Weights.h"
#include "mlir/AsmParser/AsmParser.h"

using namespace heddle;
using testing::ElementsAre;
using testing::HasSubstr;

using Entries = ReferenceTest;

namespace {
const std::string ragged = "attributes {heddle.dimensions = [#heddle.dimension<\"batch\">, #heddle.dimension<\"s\" over \"batch\">]}";
}

TEST_F(Entries, rowsBeyondTheLengthAreZeroAndSpreadNothing) {
  std::string type = "tensor<?x?xf32, #heddle.dims<batch, s>>";
  std::string text = "func.func @f(%x: " + type + ") -> " + type + " " + ragged + " {\n%r = math.exp %x : " + type + "\nreturn %r : " + type + "\n}";
  Environment rows;
  rows.ragged["s"] = {"batch", {1, 0}, {0, 0}};
  EXPECT_THAT(run(text, Tensor({2, 2}, {0, nan, infinity, 7}), rows).data, ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(run(text, Tensor({2, 2}, 0.0)).data, ElementsAre(1, 1, 1, 1)); // without rows everything is real
}

TEST_F(Entries, withTwoRaggedAxesTheRuleIsForTheFirst) { // a row of the lesson's masks, hidden = 1
  std::string type = "tensor<?x?x?xi1, #heddle.dims<batch, s, s>>";
  std::string text = "func.func @f(%x: tensor<?x?xi32, #heddle.dims<batch, s>>) -> " + type + " " + ragged + " {\n%v = heddle.mask_values : " + type +
                     "\n%c = arith.constant true\n%t = heddle.broadcast %c along [] : i1 -> " + type + "\n%r = arith.xori %v, %t : " + type +
                     "\nreturn %r : " + type + "\n}";
  Environment rows;
  rows.ragged["s"] = {"batch", {2}, {0}};
  EXPECT_THAT(run(text, Tensor({1, 3}), rows).data, ElementsAre(0, 0, 1, 0, 0, 1, 0, 0, 0));
}

TEST_F(Entries, weightsComeFromTheirRecipes) {
  std::string text = R"(
    heddle.weight @w : tensor<2x1xf32, #heddle.dims<2, 1>> = #heddle.transpose<#heddle.tensor<"w", tensor<1x2xf32>>, [1, 0]>
    func.func @f(%x: tensor<?x2xf32, #heddle.dims<n, 2>>) -> tensor<?x1xf32, #heddle.dims<n, 1>> {
      %w = heddle.use @w : tensor<2x1xf32, #heddle.dims<2, 1>>
      %r = heddle.matmul %x, %w : tensor<?x2xf32, #heddle.dims<n, 2>>, tensor<2x1xf32, #heddle.dims<2, 1>> -> tensor<?x1xf32, #heddle.dims<n, 1>>
      return %r : tensor<?x1xf32, #heddle.dims<n, 1>>
    })";
  Diagnostics own;
  auto seeded = Checkpoint::open("seed:3", own);
  SeededTensor w(3, "w", std::vector<int64_t>{1, 2});
  auto results = runAll(text, Tensor({1, 2}, {1, 10}), {}, seeded.get());
  ASSERT_EQ(results.size(), 1u) << diagnostics.render();
  expectNear(results[0].data, {double(w.element(0)) + 10 * double(w.element(1))});
  EXPECT_THAT(refusal(text, Tensor({1, 2})), HasSubstr("error: tensor 'w' is needed, and no weights are given"));
}

TEST_F(Entries, everyRecipe) {
  auto value = [&](std::string text) {
    Diagnostics own;
    auto seeded = Checkpoint::open("seed:3", own);
    auto tensor = evaluateRecipe(mlir::parseAttribute(text, &context), seeded.get(), own);
    EXPECT_TRUE(tensor) << own.render();
    return *tensor;
  };
  std::string c = "#heddle.constant<dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>>";
  EXPECT_THAT(value(c).data, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(value("#heddle.constant<dense<[true, false]> : tensor<2xi1>>").data, ElementsAre(1, 0));
  EXPECT_THAT(value("#heddle.constant<dense<[-3, 4]> : tensor<2xi32>>").data, ElementsAre(-3, 4));
  EXPECT_THAT(value("#heddle.slice<" + c + ", 1, 1, 2>").data, ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(value("#heddle.transpose<" + c + ", [1, 0]>").data, ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(value("#heddle.reshape<" + c + ", [6]>").shape, ElementsAre(6));
  EXPECT_THAT(value("#heddle.concat<0, " + c + ", " + c + ">").shape, ElementsAre(4, 3));
  EXPECT_THAT(value("#heddle.concat<1, " + c + ", " + c + ">").data, ElementsAre(1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6));
  EXPECT_THAT(value("#heddle.cast<#heddle.constant<dense<0.1> : tensor<1xf64>>, f32>").data, ElementsAre(double(0.1f)));
  EXPECT_THAT(value("#heddle.pack<" + c + ", 4>").shape, ElementsAre(2, 3)); // layout alone
  EXPECT_THAT(value("#heddle.pad<" + c + ", 4>").data, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(value("#heddle.angles<[1.0, 0.5], 2, 3, halves>").data, ElementsAre(0, 0, 1, std::sin(1.0), std::sin(0.5), std::cos(1.0)));
}

TEST_F(Entries, singleOpsTakeAnyValues) {
  module = mlir::parseSourceString<mlir::ModuleOp>(R"(func.func @f(%x: tensor<?x2xf32, #heddle.dims<n, 2>>) {
    %r = heddle.sum %x over [1] : tensor<?x2xf32, #heddle.dims<n, 2>> -> tensor<?xf32, #heddle.dims<n>>
    return
  })",
                                                   mlir::ParserConfig(&context));
  mlir::Operation *sum = &module->lookupSymbol<mlir::func::FuncOp>("f").getBody().front().front();
  auto result = evaluate(sum, Datum(Tensor({2, 2}, {1, infinity, nan, 1})), {}, nullptr, diagnostics);
  ASSERT_TRUE(result) << diagnostics.render();
  expectNear(std::get<Tensor>(*result).data, {infinity, nan});
  EXPECT_FALSE(evaluate(sum, Datum(Tensor({2, 3})), {}, nullptr, diagnostics));
  EXPECT_FALSE(evaluate(sum, {}, {}, nullptr, diagnostics));
  EXPECT_FALSE(evaluate(sum, Datum(MaskFunction()), {}, nullptr, diagnostics));
  std::string text = diagnostics.render();
  EXPECT_THAT(text, HasSubstr("'heddle.sum' operand 0: axis 1: expected 2, got 3"));
  EXPECT_THAT(text, HasSubstr("'heddle.sum' expected 1 operands, got 0"));
  EXPECT_THAT(text, HasSubstr("'heddle.sum' operand 0: expected a tensor"));
}

TEST_F(Entries, mistakesAreMessages) {
  std::string type = "tensor<?x?xf32, #heddle.dims<batch, s>>";
  std::string text = "func.func @f(%x: " + type + " {heddle.name = \"x\"}, %y: " + type + " {heddle.name = \"y\"}) -> " + type + " " + ragged +
                     " {\n%r = arith.addf %x, %y : " + type + "\nreturn %r : " + type + "\n}";
  EXPECT_THAT(refusal(text, Tensor({2, 2})), HasSubstr("entry 'f': expected more than 1 arguments"));
  EXPECT_THAT(refusal(text, {Tensor({2, 2}), Tensor({2, 3})}), HasSubstr("entry 'f': argument 'y': axis 1: expected s 2, got 3"));
  EXPECT_THAT(refusal(text, {Tensor({2, 2}), Tensor({2})}), HasSubstr("entry 'f': argument 'y': expected 2 axes, got [2]"));
  Environment rows;
  rows.ragged["s"] = {"batch", {1, 3}, {0, 0}};
  EXPECT_THAT(refusal(text, {Tensor({2, 2}), Tensor({2, 2})}, rows),
              HasSubstr("the lengths and starts of 's' do not agree with its 2 rows of width 2"));
  rows.ragged["s"] = {"batch", {1}, {0}};
  EXPECT_THAT(refusal(text, {Tensor({2, 2}), Tensor({2, 2})}, rows), HasSubstr("do not agree"));
}

TEST_F(Entries, hugeResultsAreRefused) {
  std::string type = "tensor<1099511627776x4xf32, #heddle.dims<1099511627776, 4>>";
  std::string text = "func.func @f(%x: tensor<4xf32, #heddle.dims<4>>) -> " + type +
                     " {\n%r = heddle.broadcast %x along [1] : tensor<4xf32, #heddle.dims<4>> -> " + type + "\nreturn %r : " + type + "\n}";
  EXPECT_THAT(refusal(text, Tensor({4})), HasSubstr("'heddle.broadcast' a result of shape [1099511627776, 4] is too large for the interpreter"));
}

TEST_F(Entries, placesAreThoseOfTheModelText) {
  std::string text = R"(func.func @f(%x: tensor<2xf32, #heddle.dims<2>>) -> tensor<?xf32, #heddle.dims<m>> {
    %r = "heddle.broadcast"(%x) <{axes = array<i64: 0>}> : (tensor<2xf32, #heddle.dims<2>>) -> tensor<?xf32, #heddle.dims<m>> loc(#a)
    return %r : tensor<?xf32, #heddle.dims<m>>
  }
  #b = loc("x.heddle":7:3)
  #c = loc("x.heddle":9:9)
  #a = loc(callsite(#b at #c)))";
  mlir::ParserConfig unchecked(&context, /*verifyAfterParse=*/false);
  module = mlir::parseSourceString<mlir::ModuleOp>(text, unchecked);
  ASSERT_TRUE(module);
  EXPECT_FALSE(evaluateEntry(module->lookupSymbol<mlir::func::FuncOp>("f"), Tensor({2}), {}, nullptr, diagnostics));
  EXPECT_THAT(diagnostics.render(), HasSubstr("x.heddle:7:3: error: 'heddle.broadcast' the size of a dimension of the result is not known"));
}
