// The judge of rewrites: what it lets pass, what it does not, and the semantics that are decided otherwise than formulas compute them.
#include "compiler/reference/Disprove.h"
#include "ReferenceTest.h"

using namespace heddle;

namespace {
class DisproveTest : public ReferenceTest {
protected:
  /// What is said of two functions of rows [n, 4].
  std::string judge(const std::string &formula, const std::string &replacement) {
    std::string type = "tensor<?x4xf32, #heddle.dims<n, 4>>";
    auto function = [&](const std::string &name, const std::string &body) {
      return "func.func @" + name + "(%x: !x, %y: !x) -> !x {\n" + body + "}\n";
    };
    std::string text =
        "!x = " + type + "\n!r = tensor<?xf32, #heddle.dims<n>>\n" + function("formula", formula) + function("replacement", replacement);
    module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context));
    EXPECT_TRUE(module) << text;
    auto disproof = disprove(module->lookupSymbol<mlir::func::FuncOp>("formula"), module->lookupSymbol<mlir::func::FuncOp>("replacement"));
    return disproof ? disproof->what + "; " + disproof->inputs : "";
  }
};

const std::string layerNorm = "%n = heddle.layer_norm %x epsilon 1.0e-12 : !x\nreturn %n : !x\n";
/// (x - mean) / sqrt(variance + epsilon), where `variance` has made %v.
std::string normOf(const std::string &variance) {
  return "%m = heddle.mean %x over [1] : !x -> !r\n%mean = heddle.broadcast %m along [0] : !r -> !x\n%c = arith.subf %x, %mean : !x\n" + variance +
         "%e = arith.constant 1.0e-12 : f64\n%epsilon = heddle.broadcast %e along [] : f64 -> !r\n%s = arith.addf %v, %epsilon : !r\n"
         "%root = math.sqrt %s : !r\n%d = heddle.broadcast %root along [0] : !r -> !x\n%n = arith.divf %c, %d : !x\nreturn %n : !x\n";
}
} // namespace

TEST_F(DisproveTest, roundingIsNoDifference) {
  EXPECT_EQ(judge("%a = arith.mulf %x, %y : !x\n%b = arith.addf %a, %x : !x\nreturn %b : !x\n",
                  "%o = arith.constant 1.0 : f64\n%one = heddle.broadcast %o along [] : f64 -> !x\n%a = arith.addf %one, %y : !x\n"
                  "%b = arith.mulf %a, %x : !x\nreturn %b : !x\n"),
            "");
}

TEST_F(DisproveTest, aSmallErrorIsADifference) {
  std::string said = judge("return %x : !x\n", "%o = arith.constant 1.00000000001 : f64\n%one = heddle.broadcast %o along [] : f64 -> !x\n"
                                               "%a = arith.mulf %one, %x : !x\nreturn %a : !x\n");
  EXPECT_THAT(said, testing::HasSubstr("beyond"));
  EXPECT_THAT(said, testing::HasSubstr("ordinary values, with n = 3"));
}

TEST_F(DisproveTest, aVarianceInTwoPassesHasACondition) {
  EXPECT_EQ(judge(normOf("%q = arith.mulf %c, %c : !x\n%v = heddle.mean %q over [1] : !x -> !r\n"), layerNorm), "");
}

/// E[x^2] - E[x]^2 loses everything for a large mean: no difference says that a fusion of it is right.
TEST_F(DisproveTest, aDifferenceOfSquaresHasNone) {
  std::string said = judge(normOf("%q = arith.mulf %x, %x : !x\n%p = heddle.mean %q over [1] : !x -> !r\n%t = arith.mulf %m, %m : !r\n"
                                  "%v = arith.subf %p, %t : !r\n"),
                           layerNorm);
  EXPECT_THAT(said, testing::HasSubstr("the formula has no bounded condition there"));
  EXPECT_THAT(said, testing::HasSubstr("large mean"));
}

/// A zero that no rounding moves must stay one; what is nothing but rounding proves nothing.
TEST_F(DisproveTest, maskedZerosAreExact) {
  std::string zero = "%z = arith.constant 0.0 : f64\n%zero = heddle.broadcast %z along [] : f64 -> !x\n";
  std::string tiny = "%t = arith.constant 1.0e-30 : f64\n%tiny = heddle.broadcast %t along [] : f64 -> !x\n";
  std::string choose = "%seen = arith.cmpf ogt, %y, %zero : !x\n";
  EXPECT_THAT(judge(zero + choose + "%s = arith.select %seen, %x, %zero : tensor<?x4xi1, #heddle.dims<n, 4>>, !x\nreturn %s : !x\n",
                    zero + tiny + choose + "%s = arith.select %seen, %x, %tiny : tensor<?x4xi1, #heddle.dims<n, 4>>, !x\nreturn %s : !x\n"),
              testing::HasSubstr("which is exactly 0 whatever the rounding"));
  EXPECT_THAT(judge("%a = arith.addf %x, %y : !x\n%b = arith.subf %a, %y : !x\n%c = arith.subf %b, %x : !x\nreturn %c : !x\n",
                    zero + "%c = arith.mulf %x, %zero : !x\nreturn %c : !x\n"),
              testing::HasSubstr("the formula has no bounded condition there"));
}

TEST_F(DisproveTest, nanAgainstANumberIsADifference) {
  EXPECT_THAT(judge("%z = arith.constant 0.0 : f64\n%zero = heddle.broadcast %z along [] : f64 -> !x\n%a = arith.mulf %y, %zero : !x\n"
                    "%b = arith.addf %a, %x : !x\nreturn %b : !x\n",
                    "return %x : !x\n"),
              testing::HasSubstr("expected NaN"));
}

TEST_F(DisproveTest, whatCannotRunIsNoProof) {
  EXPECT_THAT(judge("%n = math.atan %x : !x\nreturn %n : !x\n", "return %x : !x\n"),
              testing::HasSubstr("the formula cannot be run: 'math.atan' cannot"));
}
