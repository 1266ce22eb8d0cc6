// layer_norm and rms_norm in whatever spelling become their ops: two passes over a row, whatever the text wrote. Runs after FoldRecipes, so that a
// gain is one weight (1 + w is a recipe).
#include "compiler/graph/Formula.h"
#include "compiler/graph/Fusion.h"
#include "compiler/graph/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <fmt/format.h>

namespace heddle {
#define GEN_PASS_DEF_FUSENORMS
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

class NormFuser {
public:
  NormFuser(Operation *root) : root(root), formula(root->getResult(0)) {}

  LogicalResult run() {
    if (isa<arith::AddFOp>(root))
      return bias();
    if (succeeded(gain()))
      return success();
    for (const Term &divisor : formula.product(formula.root).divisors)
      if (succeeded(norm(divisor)) || told)
        return success(!told);
    return failure();
  }

private:
  Operation *root;
  Formula formula;
  bool told = false; // why there is no norm here

  LogicalResult missed(StringRef what, const std::string &reason, const std::string &remedy) {
    told = true;
    return reportMissed(root, what, reason, remedy);
  }

  /// coefficient * term as the mean of a row: what is averaged, in the root's space.
  std::optional<Term> meanOf(double coefficient, const Term &term, double &factor) {
    int64_t width = formula.shape().back();
    if (auto mean = term.op<MeanOp>()) {
      factor = coefficient;
      return mean.getOffsets() ? std::nullopt : formula.reduced(term, mean.getSource());
    }
    if (auto sum = term.op<SumOp>(); sum && !ShapedType::isDynamic(width)) {
      factor = coefficient * static_cast<double>(width);
      return sum.getOffsets() ? std::nullopt : formula.reduced(term, sum.getSource());
    }
    return std::nullopt;
  }

  /// x, where `term` is x - mean(x).
  std::optional<Term> centredOf(const Term &term) {
    for (auto &[coefficient, part] : formula.sum(term).terms) {
      double factor = 0;
      auto x = meanOf(coefficient, part, factor);
      if (!x || !isClose(factor, -1))
        continue;
      Sum sum = formula.sum(term, {*x});
      bool both = sum.number == 0 && sum.terms.size() == 2 && llvm::is_contained(sum.terms, std::pair(1.0, *x));
      if (both)
        return x;
    }
    return std::nullopt;
  }

  struct Square {
    Term x;        // the row that is normalised
    Term normal;   // what is divided: x - mean(x), or x
    bool centred;  // a variance, not a mean of squares
    double factor; // 1, or n / (n - 1) of an unbiased one
  };
  /// A variance or a mean of squares.
  std::optional<Square> squareOf(double coefficient, const Term &term) {
    if (auto var = term.op<VarOp>()) {
      auto x = var.getOffsets() ? std::nullopt : formula.reduced(term, var.getSource());
      return x ? std::optional(Square{*x, {}, true, coefficient}) : std::nullopt;
    }
    double factor = 0;
    auto square = meanOf(coefficient, term, factor);
    auto times = square ? square->op<arith::MulFOp>() : arith::MulFOp();
    if (!times)
      return std::nullopt;
    Term left = formula.operand(*square, times.getLhs()), right = formula.operand(*square, times.getRhs());
    if (!(left == right))
      return std::nullopt;
    if (auto x = centredOf(left))
      return Square{*x, left, true, factor};
    return Square{left, left, false, factor};
  }

  LogicalResult norm(const Term &divisor) {
    auto sqrt = divisor.op<math::SqrtOp>();
    if (!sqrt)
      return outside(divisor);
    Sum sum = formula.sum(formula.operand(divisor, sqrt.getOperand()));
    if (sum.terms.size() == 2)
      return differenceOfSquares(sum);
    auto square = sum.terms.size() == 1 ? squareOf(sum.terms[0].first, sum.terms[0].second) : std::nullopt;
    if (!square)
      return otherAxis(sum);
    if (!isClose(square->factor, 1) && sum.number == 0)
      return failure(); // a length
    StringRef what = square->centred ? "layer_norm" : "rms_norm";
    Product whole = square->centred ? formula.product(formula.root) : formula.product(formula.root, {square->x});
    if (whole.divisors.size() != 1 || whole.number != 1)
      return failure();
    int64_t width = formula.shape().back();
    if (ShapedType::isDynamic(width))
      return failure();
    if (!isClose(square->factor, 1))
      return missed(
          what, fmt::format("the variance is divided by {:.6g}, not by the row's {} elements", static_cast<double>(width) / square->factor, width),
          "norms are biased: write var(x)");
    if (!(sum.number >= 0))
      return missed(what, fmt::format("epsilon is {}", sum.number), "epsilon is at least 0");
    Value gain;
    std::optional<Term> normal;
    for (const Term &factor : whole.factors) {
      auto x = square->centred ? centredOf(factor) : std::optional(factor);
      if (x && *x == square->x && !normal)
        normal = factor;
      else if (Value vector = formula.vector(factor); vector && !gain && vector.getDefiningOp<UseOp>())
        gain = vector;
      else
        return otherRow(*square);
    }
    if (!normal || !square->x.whole)
      return otherRow(*square);
    return make(square->x.whole, gain, square->centred, sum.number);
  }

  /// The factors are not the row of the variance.
  LogicalResult otherRow(const Square &square) {
    if (isPartOfProduct(root))
      return failure();
    return square.centred
               ? missed("layer_norm", "what is divided is not the row of the variance, less its mean", "write (x - mean(x)) / sqrt(var(x) + epsilon)")
               : missed("rms_norm", "what is divided is not the row of the mean square", "write x / sqrt(mean(x * x) + epsilon)");
  }

  /// A variance, plus epsilon, that is not the last axis's.
  LogicalResult otherAxis(const Sum &sum) {
    if (sum.terms.size() != 1 || sum.number == 0)
      return failure();
    auto along = [&](Operation *op) {
      auto over = op->getAttrOfType<DenseI64ArrayAttr>("over");
      return over.size() == 1 && over[0] == dimsOf(op->getOperand(0)).getRank() - 1;
    };
    const Term &term = sum.terms[0].second;
    Operation *op = term.view.base.getDefiningOp();
    bool square = isa_and_nonnull<MeanOp>(op) && op->getOperand(0).getDefiningOp<arith::MulFOp>();
    if (!(isa_and_nonnull<VarOp>(op) || square) || along(op))
      return failure();
    return missed(square ? "rms_norm" : "layer_norm", "the variance is not taken along the last axis alone",
                  "rearrange, so that the row is the last axis");
  }

  /// 1 / (sqrt(var) + epsilon) is another function.
  LogicalResult outside(const Term &divisor) {
    Sum sum = formula.sum(divisor);
    if (auto largest = divisor.op<arith::MaximumFOp>())
      for (Value operand : largest->getOperands())
        if (Term part = formula.operand(divisor, operand); part.op<math::SqrtOp>())
          sum.terms = {{1, part}}, sum.number = 1;
    if (sum.terms.size() != 1 || sum.number == 0 || !sum.terms[0].second.op<math::SqrtOp>())
      return failure();
    const Term &deviation = sum.terms[0].second;
    Sum inside = formula.sum(formula.operand(deviation, deviation.op<math::SqrtOp>().getOperand()));
    auto square = inside.terms.size() == 1 ? squareOf(inside.terms[0].first, inside.terms[0].second) : std::nullopt;
    if (!square)
      return failure();
    return missed(square->centred ? "layer_norm" : "rms_norm",
                  divisor.op<arith::MaximumFOp>() ? "the root is kept above epsilon, which is not inside of it"
                                                  : "epsilon is added to the root, not inside of it",
                  "write sqrt(var(x) + epsilon)");
  }

  /// mean(x * x) - mean(x) * mean(x)
  LogicalResult differenceOfSquares(const Sum &sum) {
    for (auto &[coefficient, term] : sum.terms) {
      auto square = squareOf(coefficient, term);
      if (coefficient > 0 && square && !square->centred)
        return missed("layer_norm", "the variance is a difference of squares, which cancels where the mean is large", "write var(x)");
    }
    return failure();
  }

  LogicalResult make(Value x, Value gain, bool centred, double epsilon) {
    OpBuilder b(root);
    auto number = b.getF64FloatAttr(epsilon);
    Operation *made = centred ? LayerNormOp::create(b, root->getLoc(), x.getType(), x, gain, Value(), number).getOperation()
                              : RmsNormOp::create(b, root->getLoc(), x.getType(), x, gain, number).getOperation();
    return replaceFused(root, made);
  }

  /// `op`'s other operand than `norm`: a weight along the last axis, or null.
  static Value weightBeside(Operation *op, Operation *norm) {
    Formula formula(op->getResult(0));
    unsigned other = op->getOperand(0).getDefiningOp() == norm;
    Value vector = formula.vector(formula.operand(formula.root, op->getOperand(other)));
    return vector && vector.getDefiningOp<UseOp>() ? vector : Value();
  }

  /// The other operand of the root, where one is a norm and the other a weight along the last axis. Whoever else reads the norm (two branches of one
  /// row) does the same, each with a norm of its own in the end.
  template <typename Op> std::pair<Op, Value> besides() {
    for (unsigned i : {0, 1}) {
      auto norm = root->getOperand(i).getDefiningOp<Op>();
      if (norm && llvm::all_of(norm->getUsers(), [&](Operation *user) { return user->getName() == root->getName() && weightBeside(user, norm); }))
        return {norm, weightBeside(root, norm)};
    }
    return {};
  }

  LogicalResult gain() {
    if (!isa<arith::MulFOp>(root))
      return failure();
    OpBuilder b(root);
    Location place = b.getFusedLoc({root->getLoc()});
    if (auto [norm, vector] = besides<LayerNormOp>(); norm && !norm.getGain())
      return replaceFormula(root, LayerNormOp::create(b, place, norm.getType(), norm.getSource(), vector, Value(), norm.getEpsilonAttr()));
    if (auto [norm, vector] = besides<RmsNormOp>(); norm && !norm.getGain())
      return replaceFormula(root, RmsNormOp::create(b, place, norm.getType(), norm.getSource(), vector, norm.getEpsilonAttr()));
    return failure();
  }

  LogicalResult bias() {
    OpBuilder b(root);
    if (auto [norm, vector] = besides<LayerNormOp>(); norm && norm.getGain() && !norm.getBias())
      return replaceFormula(root,
                            LayerNormOp::create(b, root->getLoc(), norm.getType(), norm.getSource(), norm.getGain(), vector, norm.getEpsilonAttr()));
    return failure();
  }
};

struct FuseNorms : heddle::impl::FuseNormsBase<FuseNorms> {
  void runOnOperation() override {
    SmallVector<Operation *> roots;
    getOperation().walk([&](Operation *op) {
      if (isa<arith::MulFOp, arith::DivFOp, arith::AddFOp>(op) && isa<RankedTensorType>(op->getResult(0).getType()))
        roots.push_back(op);
    });
    for (Operation *root : roots) // from the inside out: the row, then its gain, then its bias
      if (succeeded(NormFuser(root).run()))
        ++fused;
    if (failed(finishFusion(getOperation())))
      signalPassFailure();
  }
};
} // namespace
