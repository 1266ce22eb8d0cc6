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
using heddle::Expression;

namespace {

struct Expansion {
  StringRef op;
  Expression (*expand)(Expression);
};

constexpr Expansion expansions[] = {
    {"math.cos", heddle::cosine<Expression>},      {"math.erf", heddle::errorFunction<Expression>},
    {"math.exp", heddle::exponential<Expression>}, {"math.log", heddle::logarithm<Expression>},
    {"math.sin", heddle::sine<Expression>},        {"math.tanh", heddle::hyperbolicTangent<Expression>},
};

bool isOneInstruction(Operation *op) { return isa<math::FmaOp, math::SqrtOp, math::AbsFOp>(op); }

/// The number that `value` is in every lane.
std::optional<double> constantOf(Value value) {
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    value = broadcast.getSource();
  APFloat constant(0.0f);
  return matchPattern(value, m_ConstantFloat(&constant)) ? std::optional(constant.convertToDouble()) : std::nullopt;
}

/// The value that stands for the result of `op`, null where it has no arithmetic of ours.
Value expand(Operation *op) {
  if (!getElementTypeOrSelf(op->getResult(0).getType()).isF32())
    return nullptr;
  OpBuilder builder(op);
  Expression x(builder, op->getOperand(0), op->getLoc());
  if (auto power = dyn_cast<math::PowFOp>(op)) {
    std::optional<double> exponent = constantOf(power.getRhs());
    return exponent && heddle::isExponent(*exponent) ? Value(heddle::power(x, *exponent)) : nullptr;
  }
  const Expansion *found = llvm::find_if(expansions, [&](const Expansion &each) { return each.op == op->getName().getStringRef(); });
  return found == std::end(expansions) ? nullptr : Value(found->expand(x));
}

struct LowerMath : heddle::impl::LowerMathBase<LowerMath> {
  void runOnOperation() override {
    bool broken = false;
    const Dialect *math = getContext().getLoadedDialect<math::MathDialect>();
    getOperation()->walk([&](Operation *op) {
      if (op->getDialect() != math || isOneInstruction(op))
        return;
      Value expanded = expand(op);
      if (!expanded) {
        InFlightDiagnostic diagnostic = op->emitOpError("has no arithmetic of ours yet on ");
        diagnostic << op->getResult(0).getType();
        if (isa<math::PowFOp>(op))
          diagnostic << "; expected a constant exponent: whole and at most 16, 0.5 or -0.5";
        broken = true;
        return;
      }
      op->getResult(0).replaceAllUsesWith(expanded);
      op->erase();
      ++lowered;
    });
    if (broken)
      signalPassFailure();
  }
};
} // namespace
