#include "compiler/graph/WeightTable.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace heddle;

WeightTable::WeightTable(ModuleOp module) : module(module), symbols(module) {
  for (auto weight : module.getOps<WeightOp>())
    byRecipe.try_emplace({weight.getRecipe(), static_cast<int>(weight.getStorage())}, weight);
}

WeightOp WeightTable::get(Location loc, StringRef name, Attribute recipe, WeightOp like) {
  Storage storage = like ? like.getStorage() : Storage::constant;
  WeightOp &weight = byRecipe[{recipe, static_cast<int>(storage)}];
  if (weight)
    return weight;
  RankedTensorType made = recipeType(recipe);
  assert(made && "a pass made an inconsistent recipe");
  OpBuilder b(module.getContext());
  if (like)
    b.setInsertionPointAfter(like);
  else
    b.setInsertionPointToStart(module.getBody());
  auto type = DimsAttr::fixed(b.getContext(), made.getShape()).tensorOf(made.getElementType());
  weight = WeightOp::create(b, loc, name, type, recipe, storage);
  symbols.insert(weight); // makes the name unique
  return weight;
}

Value WeightTable::use(OpBuilder &builder, Location loc, WeightOp weight) {
  return UseOp::create(builder, loc, weight.getTensorType(), FlatSymbolRefAttr::get(weight.getSymNameAttr()));
}

void WeightTable::eraseUnused() {
  llvm::DenseSet<StringAttr> used;
  module.walk([&](UseOp use) { used.insert(use.getWeightAttr().getAttr()); });
  for (auto weight : llvm::make_early_inc_range(module.getOps<WeightOp>()))
    if (!used.contains(weight.getSymNameAttr()))
      symbols.erase(weight);
}
