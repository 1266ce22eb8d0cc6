// The type each recipe yields: one function serves the verifier of heddle.weight, the packer and the interpreter.
#include "dialect/Heddle.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

namespace {
struct RecipeTyper {
  std::string *why;

  RankedTensorType refuse(const Twine &reason) {
    if (why && why->empty())
      *why = reason.str();
    return {};
  }
  static RankedTensorType shaped(RankedTensorType like, ArrayRef<int64_t> shape) { return RankedTensorType::get(shape, like.getElementType()); }

  RankedTensorType slice(SliceRecipeAttr recipe) {
    auto source = type(recipe.getSource());
    if (!source)
      return {};
    if (recipe.getAxis() < 0 || recipe.getAxis() >= source.getRank())
      return refuse("slice: no axis " + Twine(recipe.getAxis()));
    int64_t extent = source.getDimSize(recipe.getAxis());
    if (recipe.getFirst() < 0 || recipe.getSize() < 1 || recipe.getFirst() > extent - recipe.getSize())
      return refuse("slice: " + Twine(recipe.getSize()) + " places from " + Twine(recipe.getFirst()) + " are not within " + Twine(extent));
    SmallVector<int64_t> shape(source.getShape());
    shape[recipe.getAxis()] = recipe.getSize();
    return shaped(source, shape);
  }
  RankedTensorType transpose(TransposeRecipeAttr recipe) {
    auto source = type(recipe.getSource());
    if (!source)
      return {};
    SmallVector<int64_t> sorted(recipe.getPermutation());
    llvm::sort(sorted);
    if (!llvm::equal(sorted, llvm::seq<int64_t>(0, source.getRank())))
      return refuse("transpose: not a permutation of the axes");
    SmallVector<int64_t> shape;
    for (int64_t axis : recipe.getPermutation())
      shape.push_back(source.getDimSize(axis));
    return shaped(source, shape);
  }
  RankedTensorType concat(ConcatRecipeAttr recipe) {
    RankedTensorType all;
    for (Attribute part : recipe.getSources()) {
      auto source = type(part);
      if (!source)
        return {};
      if (recipe.getAxis() < 0 || recipe.getAxis() >= source.getRank())
        return refuse("concat: no axis " + Twine(recipe.getAxis()));
      if (!all) {
        all = source;
        continue;
      }
      SmallVector<int64_t> expected(all.getShape()), got(source.getShape());
      if (expected.size() != got.size() || all.getElementType() != source.getElementType())
        return refuse("concat: sources differ");
      int64_t sum = expected[recipe.getAxis()] + got[recipe.getAxis()];
      expected[recipe.getAxis()] = got[recipe.getAxis()] = 0;
      if (expected != got)
        return refuse("concat: sources differ in another axis");
      expected[recipe.getAxis()] = sum;
      all = shaped(all, expected);
    }
    return all ? all : refuse("concat: no sources");
  }
  RankedTensorType reshape(ReshapeRecipeAttr recipe) {
    auto source = type(recipe.getSource());
    if (!source)
      return {};
    int64_t count = 1;
    for (int64_t extent : recipe.getShape())
      if (extent < 1 || llvm::MulOverflow(count, extent, count))
        return refuse("reshape: an extent below 1 or too large");
    if (count != source.getNumElements())
      return refuse("reshape: " + Twine(source.getNumElements()) + " elements become " + Twine(count));
    return shaped(source, recipe.getShape());
  }
  RankedTensorType select(SelectRecipeAttr recipe) {
    auto source = type(recipe.getSource());
    if (!source)
      return {};
    if (recipe.getAxis() < 0 || recipe.getAxis() >= source.getRank())
      return refuse("select: no axis " + Twine(recipe.getAxis()));
    int64_t extent = source.getDimSize(recipe.getAxis());
    for (int64_t place : recipe.getPlaces().asArrayRef())
      if (place < 0 || place >= extent)
        return refuse("select: place " + Twine(place) + " is not within " + Twine(extent));
    if (recipe.getPlaces().empty())
      return refuse("select: no places");
    SmallVector<int64_t> shape(source.getShape());
    shape[recipe.getAxis()] = recipe.getPlaces().size();
    return shaped(source, shape);
  }
  RankedTensorType pack(PackRecipeAttr recipe) {
    auto source = type(recipe.getSource());
    if (!source)
      return {};
    if (source.getRank() != 2 || recipe.getWidth() < 1)
      return refuse("pack: expected a matrix and a width of 1 or more");
    return shaped(source, {llvm::divideCeilSigned(source.getDimSize(1), recipe.getWidth()), source.getDimSize(0), recipe.getWidth()});
  }
  RankedTensorType pad(PadRecipeAttr recipe) {
    auto source = type(recipe.getSource());
    if (!source)
      return {};
    if (source.getRank() < 1 || recipe.getWidth() < 1)
      return refuse("pad: expected an axis and a width of 1 or more");
    SmallVector<int64_t> shape(source.getShape());
    shape.back() = llvm::divideCeilSigned(shape.back(), recipe.getWidth()) * recipe.getWidth();
    return shaped(source, shape);
  }
  RankedTensorType angles(AnglesRecipeAttr recipe) {
    int64_t count = recipe.getFrequencies().size();
    if (recipe.getRows() < 1 || recipe.getWidth() < 1 || recipe.getWidth() > 2 * count)
      return refuse("angles: expected at least one row and a width of 1 to " + Twine(2 * count));
    return RankedTensorType::get({recipe.getRows(), recipe.getWidth()}, Float64Type::get(recipe.getContext()));
  }

  RankedTensorType type(Attribute recipe) {
    return llvm::TypeSwitch<Attribute, RankedTensorType>(recipe)
        .Case([&](TensorRecipeAttr r) {
          return r.getType().hasStaticShape() && !r.getType().getEncoding() ? r.getType()
                                                                            : refuse("tensor: expected a static shape without encoding");
        })
        .Case([&](ConstantRecipeAttr r) { return RankedTensorType::get(r.getValue().getType().getShape(), r.getValue().getElementType()); })
        .Case([&](SliceRecipeAttr r) { return slice(r); })
        .Case([&](ReshapeRecipeAttr r) { return reshape(r); })
        .Case([&](TransposeRecipeAttr r) { return transpose(r); })
        .Case([&](ConcatRecipeAttr r) { return concat(r); })
        .Case([&](CastRecipeAttr r) {
          auto source = type(r.getSource());
          return source ? RankedTensorType::get(source.getShape(), r.getElement()) : source;
        })
        .Case([&](AnglesRecipeAttr r) { return angles(r); })
        .Case([&](AddRecipeAttr r) { return type(r.getSource()); })
        .Case([&](ScaleRecipeAttr r) { return type(r.getSource()); })
        .Case([&](SelectRecipeAttr r) { return select(r); })
        .Case([&](PackRecipeAttr r) { return pack(r); })
        .Case([&](PadRecipeAttr r) { return pad(r); })
        .Default([&](Attribute) { return refuse("not a recipe"); });
  }
};
} // namespace

RankedTensorType heddle::recipeType(Attribute recipe, std::string *why) { return RecipeTyper{why}.type(recipe); }
