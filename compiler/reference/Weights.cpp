// See Weights.h.
#include "compiler/reference/Weights.h"
#include "compiler/support/Checkpoint.h"
#include "compiler/support/Diagnostics.h"
#include "dialect/Heddle.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <fmt/format.h>

using namespace mlir;

namespace heddle {

namespace {
class RecipeEvaluator {
public:
  RecipeEvaluator(const Checkpoint *checkpoint, Diagnostics &diagnostics, bool exact)
      : checkpoint(checkpoint), diagnostics(diagnostics), exact(exact) {}

  std::optional<Tensor> run(Attribute recipe) {
    return llvm::TypeSwitch<Attribute, std::optional<Tensor>>(recipe)
        .Case([&](TensorRecipeAttr r) { return tensor(r); })
        .Case([&](ConstantRecipeAttr r) { return constant(r.getValue()); })
        .Case([&](AnglesRecipeAttr r) { return angles(r); })
        .Case([&](ConcatRecipeAttr r) { return concat(r); })
        .Case([&](SliceRecipeAttr r) {
          return from(r.getSource(), [&](const Tensor &source) {
            Places places = placesOf(source);
            places[r.getAxis()] = ArrayRef<int64_t>(places[r.getAxis()]).slice(r.getFirst(), r.getSize()).vec();
            return moved(source, places);
          });
        })
        .Case([&](TransposeRecipeAttr r) {
          return from(r.getSource(), [&](const Tensor &source) {
            Places places = placesOf(source), permuted;
            for (int64_t axis : r.getPermutation())
              permuted.push_back(places[axis]);
            return moved(source, permuted);
          });
        })
        .Case([&](ReshapeRecipeAttr r) { return from(r.getSource(), [&](Tensor &source) { return Tensor(r.getShape(), std::move(source.data)); }); })
        .Case([&](CastRecipeAttr r) { return from(r.getSource(), [&](Tensor &source) { return cast(std::move(source), r.getElement()); }); })
        .Case([&](AddRecipeAttr r) { return each(r, [by = r.getNumber().getValueAsDouble()](double x) { return x + by; }); })
        .Case([&](ScaleRecipeAttr r) { return each(r, [by = r.getNumber().getValueAsDouble()](double x) { return x * by; }); })
        .Case([&](SelectRecipeAttr r) {
          return from(r.getSource(), [&](const Tensor &source) {
            Places places = placesOf(source);
            std::vector<int64_t> chosen;
            for (int64_t place : r.getPlaces().asArrayRef())
              chosen.push_back(places[r.getAxis()][place]);
            places[r.getAxis()] = chosen;
            return moved(source, places);
          });
        })
        .Case<PackRecipeAttr, PadRecipeAttr>([&](auto r) { return run(r.getSource()); })
        .Default([&](Attribute) { return fail("not a recipe"); });
  }

private:
  std::optional<Tensor> fail(std::string message) {
    diagnostics.error({checkpoint ? checkpoint->source() : "", 0, 0}, std::move(message));
    return std::nullopt;
  }

  template <class F> std::optional<Tensor> from(Attribute recipe, F f) {
    auto source = run(recipe);
    return source ? std::optional<Tensor>(f(*source)) : std::nullopt;
  }

  /// Each element changed, then rounded to the element type that it keeps.
  template <class RecipeT, class F> std::optional<Tensor> each(RecipeT recipe, F f) {
    return from(recipe.getSource(), [&](Tensor &source) {
      for (double &value : source.data)
        value = f(value);
      return cast(std::move(source), recipeType(recipe).getElementType());
    });
  }

  /// For each axis what each of its indices adds to an element's place in a tensor.
  using Places = SmallVector<std::vector<int64_t>>;

  static Places placesOf(const Tensor &source) {
    Places places(source.rank());
    int64_t stride = 1;
    for (int64_t axis = source.rank(); axis-- > 0; stride *= source.shape[axis])
      for (int64_t i = 0; i < source.shape[axis]; ++i)
        places[axis].push_back(i * stride);
    return places;
  }

  /// The elements of `source` at these places.
  static Tensor moved(const Tensor &source, const Places &places) {
    if (places.empty())
      return source;
    Tensor result(llvm::map_to_vector(places, [](const std::vector<int64_t> &axis) { return static_cast<int64_t>(axis.size()); }));
    double *to = result.data.data();
    forEachIndex(ArrayRef<int64_t>(result.shape).drop_back(), [&](ArrayRef<int64_t> row) {
      const double *from = source.data.data();
      for (auto [axis, index] : llvm::enumerate(row))
        from += places[axis][index];
      for (int64_t place : places.back())
        *to++ = from[place];
    });
    return result;
  }

  std::optional<Tensor> tensor(TensorRecipeAttr recipe) {
    if (!checkpoint)
      return fail(fmt::format("tensor '{}' is needed, and no weights are given", recipe.getName().str()));
    Type type = recipe.getType().getElementType();
    ElementType element = type.isF16() ? ElementType::F16 : type.isBF16() ? ElementType::BF16 : ElementType::F32;
    if (!checkpoint->holds(recipe.getName().getValue(), recipe.getType().getShape(), element, diagnostics))
      return std::nullopt; // before anything is allocated
    std::vector<float> floats(static_cast<size_t>(recipe.getType().getNumElements()));
    if (!checkpoint->read(recipe.getName().getValue(), recipe.getType().getShape(), 0, floats, diagnostics))
      return std::nullopt;
    Tensor tensor(recipe.getType().getShape(), std::vector<double>(floats.begin(), floats.end()));
    return checkpoint->isSeeded() ? cast(std::move(tensor), type) : tensor;
  }

  static Tensor constant(DenseElementsAttr value) {
    Tensor result(value.getType().getShape());
    for (auto [element, number] : llvm::zip(result.data, value.getValues<Attribute>())) {
      auto real = dyn_cast<FloatAttr>(number);
      element = real ? real.getValueAsDouble() : static_cast<double>(mlir::cast<IntegerAttr>(number).getValue().getSExtValue());
      if (value.getElementType().isInteger(1))
        element = std::fabs(element);
    }
    return result;
  }

  static Tensor angles(AnglesRecipeAttr recipe) {
    int64_t width = recipe.getWidth(), half = (width + 1) / 2;
    Tensor result({recipe.getRows(), width});
    for (int64_t row = 0; row < recipe.getRows(); ++row)
      for (int64_t column = 0; column < width; ++column) {
        bool halves = recipe.getLayout() == PairLayout::halves;
        double angle = static_cast<double>(row) * recipe.getFrequencies()[halves ? column % half : column / 2];
        result[{row, column}] = (halves ? column < half : column % 2 == 0) ? std::sin(angle) : std::cos(angle);
      }
    return result;
  }

  std::optional<Tensor> concat(ConcatRecipeAttr recipe) {
    std::vector<Tensor> parts;
    int64_t axis = recipe.getAxis(), extent = 0;
    for (Attribute source : recipe.getSources()) {
      auto part = run(source);
      if (!part)
        return std::nullopt;
      extent += part->shape[axis];
      parts.push_back(std::move(*part));
    }
    SmallVector<int64_t> shape(parts.front().shape);
    shape[axis] = extent;
    Tensor result(shape);
    int64_t first = 0;
    for (const Tensor &part : parts) {
      size_t at = 0;
      forEachIndex(part.shape, [&](ArrayRef<int64_t> index) {
        SmallVector<int64_t> to(index);
        to[axis] += first;
        result[to] = part.data[at++];
      });
      first += part.shape[axis];
    }
    return result;
  }

  static double rounded(double value, const llvm::fltSemantics &semantics) {
    llvm::APFloat number(value);
    bool loses;
    number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &loses);
    number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
    return number.convertToDouble();
  }

  /// Rounds as the packed bytes are rounded: the one place where float64 gives way, since these are the numbers the model has.
  Tensor cast(Tensor source, Type element) const {
    if (exact && isa<FloatType>(element))
      return source;
    for (double &value : source.data) {
      if (element.isF32())
        value = static_cast<double>(static_cast<float>(value));
      else if (element.isF16() || element.isBF16())
        value = rounded(value, mlir::cast<FloatType>(element).getFloatSemantics());
      else if (element.isInteger(32))
        value = std::isnan(value) ? 0 : std::clamp<double>(std::trunc(value), INT32_MIN, INT32_MAX);
      else if (element.isInteger(1))
        value = value != 0;
    }
    return source;
  }

  const Checkpoint *checkpoint;
  Diagnostics &diagnostics;
  bool exact;
};
} // namespace

std::optional<Tensor> evaluateRecipe(Attribute recipe, const Checkpoint *checkpoint, Diagnostics &diagnostics, bool exact) {
  return RecipeEvaluator(checkpoint, diagnostics, exact).run(recipe);
}

} // namespace heddle
