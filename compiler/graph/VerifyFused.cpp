// `@fused` in the model text is a promise that a fusion ends there; a broken one is an error, with the reason. Runs after the last fusion.
#include "compiler/graph/Fusion.h"
#include "compiler/graph/Passes.h"
#include "dialect/View.h"

namespace heddle {
#define GEN_PASS_DEF_VERIFYFUSED
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

bool isModelOp(Operation *op) {
  return isa<AttentionOp, LayerNormOp, RmsNormOp, LinearOp, GeluOp, SiluOp, SoftmaxOp, RotaryEmbeddingOp, SinusoidalPositionsOp>(op);
}

/// Elementwise work that runs on the tiles of a product which nobody else reads: an activation, a residual. `product` is where it begins.
bool runsOnProduct(Operation *op, LinearOp &product) {
  if (op->getNumResults() != 1 || !OpTrait::hasElementwiseMappableTraits(op))
    return false;
  for (Value operand : op->getOperands()) {
    Operation *before = operand.getDefiningOp();
    if (!before || operand.getType() != op->getResult(0).getType())
      continue;
    if (auto linear = dyn_cast<LinearOp>(before))
      product = linear;
    if (operand.hasOneUse() && (isa<LinearOp>(before) || runsOnProduct(before, product)))
      return true;
  }
  return false;
}

/// The nearest formula before `op`, and at it, that was not fused.
ArrayAttr reasonBefore(Operation *op) {
  SmallVector<Operation *> work{op};
  llvm::DenseSet<Operation *> seen;
  for (size_t i = 0; i < work.size(); ++i) {
    if (auto reason = work[i]->getAttrOfType<ArrayAttr>(missedAttr))
      return reason;
    for (Value operand : work[i]->getOperands())
      if (Operation *before = operand.getDefiningOp(); before && !isModelOp(before) && seen.insert(before).second)
        work.push_back(before);
  }
  return {};
}

struct VerifyFused : heddle::impl::VerifyFusedBase<VerifyFused> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      auto place = op->getAttrOfType<LocationAttr>(fusedAttr);
      LinearOp product;
      if (place && !isModelOp(op) && !getOperation()->hasAttr(noFuseAttr) && !runsOnProduct(op, product)) // who turns fusions off wants them not
        complain(op, place, product);
    });
    getOperation()->removeAttr(noFuseAttr);
    getOperation().walk([](Operation *op) {
      op->removeAttr(fusedAttr);
      op->removeAttr(missedAttr);
    });
  }
  void complain(Operation *op, Location place, LinearOp product) {
    ArrayAttr reason = reasonBefore(op);
    if (!reason && product)
      reason = Builder(op).getStrArrayAttr({"it runs in a kernel of its own: the product before it has a second use"});
    auto text = [&](unsigned i) { return cast<StringAttr>(reason[i]).getValue(); };
    InFlightDiagnostic error = emitError(place, "@fused: ") << (reason ? text(0) : "no model op ends here");
    if (reason && reason.size() > 1)
      error.attachNote(place) << text(1);
    signalPassFailure();
  }
};
} // namespace
