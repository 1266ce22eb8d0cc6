// Functions of one number become the arithmetic they are, so that kernels call no libm, whose versions differ (arithmetic contract, rule 5). Comes
// after VectorizeTiles: scalars and vectors get the same operations, hence the same bits.
#include "compiler/loops/ElementaryFunctions.h"
#include "compiler/loops/Expression.h"
#include "compiler/loops/Passes.h"
#include "mlir/IR/Matchers.h"

namespace heddle {
#define GEN_PASS_DEF_LOWERMATH
#include "compiler/loops/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using heddle::Expression, heddle::ScaledExponential;

namespace heddle { // found before the templates of their names
static Expression scaleByPowerOfTwo(const ScaledExponential<Expression> &x) {
  return hasPowersOfTwo(x.mantissa) ? scale(x.mantissa, x.exponent) : scaleByPowerOfTwo<Expression>(x);
}
static Expression scaleWithinRange(const ScaledExponential<Expression> &x) {
  return hasPowersOfTwo(x.mantissa) ? scale(x.mantissa, x.exponent) : scaleWithinRange<Expression>(x);
}
static SplitNumber<Expression> splitAtWholeNumber(Expression x) { // where it is one instruction, nobody takes the whole number's bits
  return hasPowersOfTwo(x) ? SplitNumber<Expression>{nearest(x), fraction(x), x} : splitAtWholeNumber<Expression>(x);
}
static Expression withinPowersOfTwo(Expression x) { return hasPowersOfTwo(x) ? x : withinPowersOfTwo<Expression>(x); }
} // namespace heddle

namespace {

struct Expansion {
  StringRef op;
  Expression (*expand)(Expression);
};

constexpr Expansion expansions[] = {
    {"math.cos", heddle::cosine<Expression>},
    {"math.erf", heddle::errorFunction<Expression>},
    {"math.erfc", heddle::complementaryErrorFunction<Expression>},
    {"math.exp", heddle::exponential<Expression>},
    {"math.exp2", heddle::exponentialOfTwo<Expression>},
    {"math.log", heddle::logarithm<Expression>},
    {"math.sin", heddle::sine<Expression>},
    {"math.tanh", heddle::hyperbolicTangent<Expression>},
};

bool isOneInstruction(Operation *op) { return isa<math::FmaOp, math::SqrtOp, math::AbsFOp, math::RoundEvenOp>(op); }

/// The number that `value` is in every lane.
std::optional<double> constantOf(Value value) {
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    value = broadcast.getSource();
  APFloat constant(0.0f);
  return matchPattern(value, m_ConstantFloat(&constant)) ? std::optional(constant.convertToDouble()) : std::nullopt;
}

/// Ops of one function and type that become arithmetic together, at the place of the first. A function is a chain of some twenty operations that wait
/// for each other; a CPU looks ahead by few such chains, so they stand side by side.
class Bundle {
public:
  explicit Bundle(Operation *first) : ops{first} {}

  /// Whether `op` joined: what it takes can be had where the first op stands.
  bool add(Operation *op) {
    Operation *first = ops.front();
    if (op->getName() != first->getName() || op->getResult(0).getType() != first->getResult(0).getType() || isa<math::PowFOp>(op))
      return false;
    llvm::SetVector<Operation *> needed;
    if (!llvm::all_of(op->getOperands(), [&](Value operand) { return collect(operand, needed); }))
      return false;
    for (Operation *each : needed)
      each->moveBefore(first);
    ops.push_back(op);
    return true;
  }
  size_t size() const { return ops.size(); }

  /// False where it has no arithmetic of ours.
  bool expand(const heddle::Target &target) const {
    Operation *first = ops.front();
    if (!getElementTypeOrSelf(first->getResult(0).getType()).isF32())
      return false;
    OpBuilder builder(first);
    Expression x(builder, llvm::map_to_vector(ops, [](Operation *op) { return op->getOperand(0); }), first->getLoc(), target.hasScale);
    std::optional<Expression> expanded;
    if (auto power = dyn_cast<math::PowFOp>(first)) {
      std::optional<double> exponent = constantOf(power.getRhs());
      if (exponent && heddle::isExponent(*exponent))
        expanded = heddle::power(x, *exponent);
    } else if (const Expansion *found = llvm::find_if(expansions, [&](const Expansion &each) { return each.op == first->getName().getStringRef(); });
               found != std::end(expansions)) {
      expanded = found->expand(x);
    }
    if (!expanded)
      return false;
    for (auto [op, result] : llvm::zip_equal(ops, expanded->results())) {
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    }
    return true;
  }

private:
  static constexpr size_t mostNeeded = 16;
  SmallVector<Operation *> ops;

  /// What makes `value` and stands behind the first op, in order; false if something of it may not move before that.
  bool collect(Value value, llvm::SetVector<Operation *> &needed) const {
    Operation *maker = value.getDefiningOp(), *first = ops.front();
    if (!maker || maker->getBlock() != first->getBlock() || needed.contains(maker) || maker->isBeforeInBlock(first))
      return true;
    if (!isPure(maker) || maker->getNumRegions() || needed.size() >= mostNeeded || llvm::is_contained(ops, maker))
      return false;
    if (!llvm::all_of(maker->getOperands(), [&](Value operand) { return collect(operand, needed); }))
      return false;
    needed.insert(maker);
    return true;
  }
};

struct LowerMath : heddle::impl::LowerMathBase<LowerMath> {
  using LowerMathBase::LowerMathBase;

  LogicalResult initialize(MLIRContext *context) override {
    target = heddle::findTargetOrReport(cpu, context);
    return success(target);
  }

  void runOnOperation() override {
    SmallVector<SmallVector<Operation *>> blocks;
    getOperation()->walk([&](Block *block) {
      SmallVector<Operation *> &ops = blocks.emplace_back();
      for (Operation &op : *block)
        if (isa_and_present<math::MathDialect>(op.getDialect()) && !isOneInstruction(&op))
          ops.push_back(&op);
    });
    bool broken = false;
    for (ArrayRef<Operation *> ops : blocks)
      while (!ops.empty()) {
        Bundle bundle(ops.front());
        while (bundle.size() < std::min<size_t>(ops.size(), target->functionsAtOnce) && bundle.add(ops[bundle.size()])) {
        }
        lowered += bundle.size();
        Operation *first = ops.front();
        ops = ops.drop_front(bundle.size());
        if (!bundle.expand(*target)) {
          broken = true;
          report(first);
        }
      }
    if (broken)
      signalPassFailure();
  }

  static void report(Operation *op) {
    InFlightDiagnostic diagnostic = op->emitOpError("has no arithmetic of ours yet on ");
    diagnostic << op->getResult(0).getType();
    if (isa<math::PowFOp>(op))
      diagnostic << "; expected a constant exponent: whole and at most 16, 0.5 or -0.5";
  }

  const heddle::Target *target = nullptr;
};
} // namespace
