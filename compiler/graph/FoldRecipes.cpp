// Movement of a whole weight is done once, when packing, not at run time: it becomes part of the weight's recipe. Runs first in the graph stage.
#include "compiler/graph/Fusion.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/WeightTable.h"
#include "llvm/ADT/TypeSwitch.h"

namespace heddle {
#define GEN_PASS_DEF_FOLDRECIPES
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

/// The recipe of `op` applied to a weight made by `source`, or null where op is no movement; `suffix` names it.
Attribute movedRecipe(Operation *op, Attribute source, StringRef &suffix) {
  MLIRContext *context = op->getContext();
  return llvm::TypeSwitch<Operation *, Attribute>(op)
      .Case([&](TransposeOp t) -> Attribute {
        suffix = ".transposed";
        return transposedRecipe(source, t.getPermutation());
      })
      .Case([&](ReshapeOp r) -> Attribute {
        suffix = ".reshaped";
        return reshapedRecipe(source, cast<RankedTensorType>(r.getType()).getShape());
      })
      .Case([&](SliceOp s) -> Attribute {
        suffix = ".slice";
        int64_t axis = s.getAxis(), size = cast<RankedTensorType>(s.getType()).getDimSize(axis);
        return SliceRecipeAttr::get(context, source, axis, s.getFirst(), size);
      })
      .Default([](Operation *) { return Attribute(); });
}

/// The one number that a value repeats, or null.
FloatAttr numberOf(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  FloatAttr number;
  if (!broadcast || !matchPattern(broadcast.getSource(), m_Constant(&number)))
    return {};
  return FloatAttr::get(Float64Type::get(value.getContext()), number.getValueAsDouble());
}

/// weight + number, weight * number, in either order; `use` is the weight's.
Attribute numberRecipe(Operation *op, function_ref<WeightOp(UseOp)> weightOf, UseOp &use, StringRef &suffix) {
  if (!isa<arith::AddFOp, arith::MulFOp>(op))
    return {};
  for (auto [left, right] : {std::pair(op->getOperand(0), op->getOperand(1)), std::pair(op->getOperand(1), op->getOperand(0))}) {
    use = left.getDefiningOp<UseOp>();
    FloatAttr number = use ? numberOf(right) : FloatAttr();
    if (!number)
      continue;
    Attribute source = weightOf(use).getRecipe();
    suffix = isa<arith::AddFOp>(op) ? ".plus" : ".times";
    if (isa<arith::AddFOp>(op))
      return AddRecipeAttr::get(op->getContext(), source, number);
    return ScaleRecipeAttr::get(op->getContext(), source, number);
  }
  return {};
}

/// concat of weights alone; `use` is the first one's.
Attribute concatRecipe(ConcatOp op, function_ref<WeightOp(UseOp)> weightOf, UseOp &use, StringRef &suffix) {
  SmallVector<Attribute> sources;
  for (Value source : op.getSources()) {
    auto part = source.getDefiningOp<UseOp>();
    if (!part || weightOf(part).getStorage() != weightOf(op.getSources().front().getDefiningOp<UseOp>()).getStorage())
      return {};
    sources.push_back(weightOf(part).getRecipe());
  }
  use = op.getSources().front().getDefiningOp<UseOp>();
  suffix = ".joined";
  return ConcatRecipeAttr::get(op.getContext(), op.getAxis(), sources);
}

struct FoldRecipes : heddle::impl::FoldRecipesBase<FoldRecipes> {
  void runOnOperation() override {
    WeightTable weights(getOperation());
    SmallVector<Operation *> moved;
    auto weightOf = [&](UseOp use) { return weights.lookup(use.getWeightAttr()); };
    getOperation().walk([&](Operation *op) { // in program order, so a chain folds from its start
      auto use = op->getNumOperands() == 1 ? op->getOperand(0).getDefiningOp<UseOp>() : UseOp();
      StringRef suffix;
      auto concat = dyn_cast<ConcatOp>(op);
      Attribute recipe = concat ? concatRecipe(concat, weightOf, use, suffix)
                         : use  ? movedRecipe(op, weightOf(use).getRecipe(), suffix)
                                : numberRecipe(op, weightOf, use, suffix);
      if (!recipe)
        return;
      WeightOp weight = weightOf(use);
      WeightOp made = weights.get(weight.getLoc(), (weight.getSymName() + suffix).str(), recipe, weight);
      OpBuilder b(op);
      (void)replaceFormula(op, WeightTable::use(b, op->getLoc(), made));
      moved.push_back(op);
      ++folded;
    });
    for (Operation *op : llvm::reverse(moved))
      op->erase();
    getOperation().walk([](UseOp use) {
      if (use->use_empty())
        use->erase();
    });
    weights.eraseUnused();
  }
};
} // namespace
