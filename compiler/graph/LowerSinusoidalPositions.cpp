// Sines and cosines of positions are a table: computed once, in double, when packing. Comes before ragged tensors are flattened.
#include "compiler/graph/Fusion.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/WeightTable.h"
#include "mlir/IR/Builders.h"

namespace heddle {
#define GEN_PASS_DEF_LOWERSINUSOIDALPOSITIONS
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {
struct LowerSinusoidalPositions : heddle::impl::LowerSinusoidalPositionsBase<LowerSinusoidalPositions> {
  void runOnOperation() override {
    WeightTable weights(getOperation());
    SmallVector<SinusoidalPositionsOp> ops;
    getOperation().walk([&](SinusoidalPositionsOp op) { ops.push_back(op); });
    for (SinusoidalPositionsOp op : ops) {
      int64_t bound = positionBound(op);
      if (!bound)
        return signalPassFailure();
      OpBuilder b(op);
      Value table = WeightTable::use(b, op.getLoc(), tableOf(weights, op, bound));
      (void)replaceFormula(op, GatherOp::create(b, op.getLoc(), op.getType(), table, op.getPositions()));
      op.erase();
      ++lowered;
    }
  }
  WeightOp tableOf(WeightTable &weights, SinusoidalPositionsOp op, int64_t bound) {
    int64_t width = cast<RankedTensorType>(op.getType()).getShape().back(), shift = op.getShift();
    MLIRContext *context = &getContext();
    Attribute recipe = AnglesRecipeAttr::get(context, op.getFrequenciesAttr(), bound + shift, width, op.getLayout());
    if (shift)
      recipe = SliceRecipeAttr::get(context, recipe, 0, shift, bound);
    recipe = CastRecipeAttr::get(context, recipe, elementOf(op.getResult()));
    return weights.get(op.getLoc(), "sinusoidal_positions", recipe);
  }
  /// How many positions there can be; 0 after an error.
  int64_t positionBound(SinusoidalPositionsOp op) {
    if (!op.getPositions().getDefiningOp<PositionsOp>()) {
      op.emitOpError("expected the positions of an axis; other positions are not built yet");
      return 0;
    }
    DimsAttr dims = dimsOf(op.getPositions());
    int64_t last = dims.getRank() - 1;
    if (dims.isStatic(last))
      return dims.shape()[last];
    auto dimensions = op->getParentOfType<func::FuncOp>()->getAttrOfType<ArrayAttr>(dimensionsAttr);
    StringAttr name = dims.nameOf(last);
    for (Attribute attribute : dimensions ? dimensions.getValue() : ArrayRef<Attribute>())
      if (auto dimension = cast<DimensionAttr>(attribute); dimension.getName() == name && dimension.getBound())
        return dimension.getBound();
    op.emitOpError("needs a bound on ") << dims.extent(last) << ": the table has as many rows as there can be positions";
    return 0;
  }
};
} // namespace
