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

std::optional<SmallVector<double>> heddle::numbersOfText(Attribute recipe) {
  if (auto constant = dyn_cast<ConstantRecipeAttr>(recipe)) {
    if (!isa<FloatType>(constant.getValue().getElementType()))
      return std::nullopt;
    return llvm::map_to_vector(constant.getValue().getValues<APFloat>(), [](const APFloat &n) { return n.convertToDouble(); });
  }
  auto each = [](Attribute source, auto change) {
    auto numbers = numbersOfText(source);
    for (double &n : numbers ? *numbers : SmallVector<double>())
      n = change(n);
    return numbers;
  };
  if (auto cast = dyn_cast<CastRecipeAttr>(recipe)) // the one rounding, which a table makes later
    return isa<FloatType>(cast.getElement()) ? numbersOfText(cast.getSource()) : std::nullopt;
  if (auto reshape = dyn_cast<ReshapeRecipeAttr>(recipe))
    return numbersOfText(reshape.getSource());
  if (auto add = dyn_cast<AddRecipeAttr>(recipe))
    return each(add.getSource(), [by = add.getNumber().getValueAsDouble()](double n) { return n + by; });
  if (auto scale = dyn_cast<ScaleRecipeAttr>(recipe))
    return each(scale.getSource(), [by = scale.getNumber().getValueAsDouble()](double n) { return n * by; });
  return std::nullopt;
}

Attribute heddle::reshapedRecipe(Attribute source, ArrayRef<int64_t> shape) {
  if (auto reshape = dyn_cast<ReshapeRecipeAttr>(source))
    return reshapedRecipe(reshape.getSource(), shape);
  return recipeType(source).getShape() == shape ? source : ReshapeRecipeAttr::get(source.getContext(), source, shape);
}

Attribute heddle::transposedRecipe(Attribute source, ArrayRef<int64_t> permutation) {
  auto inner = dyn_cast<TransposeRecipeAttr>(source);
  if (!inner)
    return llvm::is_sorted(permutation) ? source : TransposeRecipeAttr::get(source.getContext(), source, permutation);
  auto both = llvm::map_to_vector(permutation, [&](int64_t axis) { return inner.getPermutation()[axis]; });
  return transposedRecipe(inner.getSource(), both);
}
