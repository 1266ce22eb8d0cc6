// Where a rewrite is cut out of its graph: at what the replacement reads, at products beyond it, and not at views.
#include "compiler/graph/Rewrite.h"
#include "ReferenceTest.h"

using namespace heddle;

namespace {
const std::string layer = R"(
  !x = tensor<?x4xf32, #heddle.dims<n, 4>>
  !h = tensor<?x2x2xf32, #heddle.dims<n, 2, 2>>
  !w = tensor<4x4xf32, #heddle.dims<4, 4>>
  heddle.weight @w : !w = #heddle.tensor<"w", tensor<4x4xf32>>
  heddle.weight @v : !w = #heddle.transpose<#heddle.tensor<"w", tensor<4x4xf32>>, [1, 0]>
  func.func @f(%x: !x) -> !x {
    %w = heddle.use @w : !w
    %y = heddle.matmul %x, %w : !x, !w -> !x
    %z = arith.addf %x, %y : !x
    %s = math.exp %z : !x
    %t = heddle.reshape %s : !x -> !h
    %r = arith.addf %t, %t : !h
    %u = heddle.reshape %r : !h -> !x
    %e = arith.addf %u, %y : !x
    return %e : !x
  })";

class RewriteTest : public ReferenceTest {
protected:
  RewriteTest() : graph(mlir::parseSourceString<mlir::ModuleOp>(layer, mlir::ParserConfig(&context))), b(&context) {
    for (mlir::Operation &op : graph->lookupSymbol<mlir::func::FuncOp>("f").getBody().front())
      ops.push_back(&op);
  }
  mlir::Value value(size_t number) { return ops[number]->getResult(0); } // %w is 0
  /// The two functions of the rewrite of op `root` by what `make` builds before it.
  std::string cut(size_t root, llvm::function_ref<mlir::Value(mlir::OpBuilder &)> make) {
    b.setInsertionPoint(ops[root]);
    std::string text;
    llvm::raw_string_ostream stream(text);
    functionsOf(recordRewrite(ops[root], make(b)))->print(stream);
    return text;
  }
  mlir::Location nowhere() { return b.getUnknownLoc(); }

  mlir::OwningOpRef<mlir::ModuleOp> graph;
  mlir::OpBuilder b;
  std::vector<mlir::Operation *> ops;
};
} // namespace

using testing::HasSubstr;
using testing::Not;

/// e = u + y becomes u + u: y is beyond the boundary, a product, and so an argument of the formula.
TEST_F(RewriteTest, aProductBeyondTheBoundaryIsAnArgument) {
  std::string text = cut(7, [&](mlir::OpBuilder &b) { return mlir::arith::AddFOp::create(b, nowhere(), value(6), value(6)); });
  EXPECT_THAT(text, Not(HasSubstr("heddle.matmul")));
  EXPECT_THAT(text, HasSubstr("arith.addf %0, %arg1"));
}

/// The replacement reads a view of s; the formula has others of it.
TEST_F(RewriteTest, theBoundaryIsNoView) {
  std::string text = cut(5, [&](mlir::OpBuilder &b) { return mlir::arith::MulFOp::create(b, nowhere(), value(4), value(4)); });
  EXPECT_THAT(text, HasSubstr("@formula(%arg0: tensor<?x4xf32"));
  EXPECT_THAT(text, Not(HasSubstr("math.exp")));
}

/// Weights are any values where both sides read the same ones, and what their recipes make where they do not.
TEST_F(RewriteTest, weightsCarryTheirRecipesWhereTheyDiffer) {
  auto linear = [&](llvm::StringRef name) {
    return cut(1, [&](mlir::OpBuilder &b) -> mlir::Value {
      mlir::Value weight = UseOp::create(b, nowhere(), value(0).getType(), mlir::FlatSymbolRefAttr::get(&context, name));
      return LinearOp::create(b, nowhere(), value(1).getType(), ops[1]->getOperand(0), weight, mlir::Value());
    });
  };
  EXPECT_THAT(linear("w"), Not(HasSubstr("heddle.recipe")));
  EXPECT_THAT(linear("v"), HasSubstr("heddle.recipe = #heddle.transpose<#heddle.tensor<\"t0\""));
}

TEST_F(RewriteTest, longAxesThatNothingLooksAlongAreShort) {
  auto wide = mlir::parseSourceString<mlir::ModuleOp>(R"(
    !x = tensor<?x768xf32, #heddle.dims<n, 768>>
    !y = tensor<?x30522xf32, #heddle.dims<n, 30522>>
    !w = tensor<768x30522xf32, #heddle.dims<768, 30522>>
    func.func @formula(%x: !x, %w: !w) -> !y {
      %n = heddle.layer_norm %x epsilon 1.0e-5 : !x
      %y = heddle.matmul %n, %w : !x, !w -> !y
      return %y : !y
    }
    func.func @replacement(%x: !x, %w: !w) -> !y {
      %n = heddle.layer_norm %x epsilon 1.0e-5 : !x
      %y = heddle.linear %n, %w : !x, !w -> !y
      return %y : !y
    })",
                                                      mlir::ParserConfig(&context));
  shrinkRewrite(*wide);
  std::string text;
  llvm::raw_string_ostream stream(text);
  wide->print(stream);
  EXPECT_THAT(text, Not(HasSubstr("30522")));
  EXPECT_THAT(text, HasSubstr("768x17xf32")); // the norm looks along its 768
}
