// gelu and silu in whatever spelling become their ops, which kernels compute by one function. Runs before the fusions of rows.
#include "compiler/graph/Formula.h"
#include "compiler/graph/Fusion.h"
#include "compiler/graph/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <fmt/format.h>

namespace heddle {
#define GEN_PASS_DEF_FUSEACTIVATIONS
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

/// The only term of a sum, and its coefficient.
std::optional<std::pair<double, Term>> onlyTerm(const Sum &sum) { return sum.terms.size() == 1 ? std::optional(sum.terms.front()) : std::nullopt; }

bool isLike(ArrayRef<double> polynomial, ArrayRef<double> expected) {
  return polynomial.size() == expected.size() &&
         llvm::all_of(llvm::zip(polynomial, expected), [](auto pair) { return isClose(std::get<0>(pair), std::get<1>(pair)); });
}

class ActivationFuser {
public:
  ActivationFuser(Operation *root) : root(root), formula(root->getResult(0)) {}
  LogicalResult run() { return success(succeeded(gelu()) || succeeded(silu())); }

private:
  Operation *root;
  Formula formula;
  bool told = false; // why there is none here

  LogicalResult missed(const std::string &reason, const std::string &remedy) {
    told = true;
    return reportMissed(root, "gelu", reason, remedy);
  }

  /// n * x * (a + c * bend(argument)), n a = n c = 1/2
  LogicalResult gelu() {
    Product whole = formula.product(formula.root);
    for (const Term &factor : whole.factors) {
      Sum sum = formula.sum(factor);
      auto bend = onlyTerm(sum);
      if (!bend || !(bend->second.op<math::ErfOp>() || bend->second.op<math::TanhOp>()))
        continue;
      Term argument = formula.operand(bend->second, bend->second.view.base.getDefiningOp()->getOperand(0));
      for (const Term &x : candidates(whole, argument))
        if (succeeded(gelu(factor, sum.number, bend->first, bend->second.op<math::ErfOp>() ? GeluForm::erf : GeluForm::tanh, argument, x)) || told)
          return success(!told);
      return failure();
    }
    return failure();
  }

  /// What x may be: a factor of the whole, or a term of the argument.
  SmallVector<Term> candidates(const Product &whole, const Term &argument) {
    SmallVector<Term> all(whole.factors);
    for (auto &[coefficient, term] : formula.sum(argument).terms)
      all.push_back(term);
    return all;
  }

  LogicalResult gelu(const Term &bent, double constant, double coefficient, GeluForm form, const Term &argument, const Term &x) {
    auto inside = formula.polynomial(argument, x);
    if (!x.whole || !inside || inside->size() < 2)
      return failure();
    Product whole = formula.product(formula.root, {x, bent});
    if (!whole.divisors.empty() || whole.factors.size() != 2 || !llvm::is_contained(whole.factors, x) || !llvm::is_contained(whole.factors, bent))
      return failure();
    Location place = root->getLoc();
    double slope = form == GeluForm::erf ? 0.70710678118654752440 : 0.79788456080286535588;
    SmallVector<double> expected = form == GeluForm::erf ? SmallVector<double>{0, slope} : SmallVector<double>{0, slope, 0, slope * 0.044715};
    if (!isLike(*inside, expected))
      return missed(form == GeluForm::erf ? fmt::format("erf is taken of {:.6g} x, not of x / sqrt(2)", (*inside)[1])
                                          : std::string("tanh is not taken of sqrt(2 / pi) * (x + 0.044715 x^3)"),
                    "compute the constants exactly, or write gelu(x) or gelu_tanh(x)");
    if (!isClose(whole.number * constant, 0.5) || !isClose(whole.number * coefficient, 0.5))
      return isPartOfProduct(root) ? failure() : missed(fmt::format("the factor is {:.6g}, not 1/2", whole.number * constant), "write gelu(x)");
    OpBuilder b(root);
    return replaceFused(root, GeluOp::create(b, place, x.whole.getType(), x.whole, form));
  }

  /// x / (1 + exp(-x))
  LogicalResult silu() {
    Product whole = formula.product(formula.root);
    for (const Term &divisor : whole.divisors) {
      Sum sum = formula.sum(divisor);
      auto power = onlyTerm(sum);
      if (!power || !power->second.op<math::ExpOp>() || sum.number != 1 || power->first != 1)
        continue;
      Term argument = formula.operand(power->second, power->second.op<math::ExpOp>().getOperand());
      for (const Term &x : candidates(whole, argument)) {
        auto inside = formula.polynomial(argument, x);
        Product all = formula.product(formula.root, {x});
        if (!x.whole || !inside || !isLike(*inside, {0, -1}) || all.number != 1 || all.divisors.size() != 1 || all.factors.size() != 1 ||
            !(all.factors[0] == x))
          continue;
        OpBuilder b(root);
        return replaceFused(root, SiluOp::create(b, root->getLoc(), x.whole.getType(), x.whole));
      }
    }
    return failure();
  }
};

struct FuseActivations : heddle::impl::FuseActivationsBase<FuseActivations> {
  void runOnOperation() override {
    SmallVector<Operation *> roots;
    getOperation().walk([&](Operation *op) {
      if (isa<arith::MulFOp, arith::DivFOp>(op) && isa<RankedTensorType>(op->getResult(0).getType()))
        roots.push_back(op);
    });
    for (Operation *root : roots) // from the inside out: the smallest formula that is whole
      if (succeeded(ActivationFuser(root).run()))
        ++fused;
    if (failed(finishFusion(getOperation())))
      signalPassFailure();
  }
};
} // namespace
