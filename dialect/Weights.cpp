// heddle.weight and heddle.use.
#include "dialect/Heddle.h"

using namespace mlir;
using namespace heddle;

LogicalResult WeightOp::verify() {
  std::string why;
  auto made = recipeType(getRecipe(), &why);
  if (!made)
    return emitOpError("has an inconsistent recipe: ") << why; // (C1)
  RankedTensorType type = getTensorType();
  if (made.getShape() != type.getShape() || made.getElementType() != type.getElementType()) // (C2)
    return emitOpError("expected a recipe for ") << RankedTensorType::get(type.getShape(), type.getElementType()) << ", got one for " << made;
  return success();
}

LogicalResult UseOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto weight = tables.lookupNearestSymbolFrom<WeightOp>(*this, getWeightAttr());
  if (!weight)
    return emitOpError("no weight named ") << getWeightAttr(); // (C1)
  if (weight.getType() != getType())
    return emitOpError("expected type ") << weight.getType() << " of the weight, got " << getType(); // (C2)
  return success();
}
