// Movement of a whole weight is done once, when packing, not at run time: it becomes part of the weight's recipe. Runs first in the graph stage.
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
        return TransposeRecipeAttr::get(context, source, t.getPermutation());
      })
      .Case([&](ReshapeOp r) -> Attribute {
        suffix = ".reshaped";
        return ReshapeRecipeAttr::get(context, source, cast<RankedTensorType>(r.getType()).getShape());
      })
      .Case([&](SliceOp s) -> Attribute {
        suffix = ".slice";
        int64_t axis = s.getAxis(), size = cast<RankedTensorType>(s.getType()).getDimSize(axis);
        return SliceRecipeAttr::get(context, source, axis, s.getFirst(), size);
      })
      .Default([](Operation *) { return Attribute(); });
}

struct FoldRecipes : heddle::impl::FoldRecipesBase<FoldRecipes> {
  void runOnOperation() override {
    WeightTable weights(getOperation());
    SmallVector<Operation *> moved;
    getOperation().walk([&](Operation *op) { // in program order, so a chain folds from its start
      auto use = op->getNumOperands() == 1 ? op->getOperand(0).getDefiningOp<UseOp>() : UseOp();
      if (!use)
        return;
      WeightOp weight = weights.lookup(use.getWeightAttr());
      StringRef suffix;
      Attribute recipe = movedRecipe(op, weight.getRecipe(), suffix);
      if (!recipe)
        return;
      WeightOp made = weights.get(weight.getLoc(), (weight.getSymName() + suffix).str(), recipe, weight);
      OpBuilder b(op);
      op->replaceAllUsesWith(ValueRange{WeightTable::use(b, op->getLoc(), made)});
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
