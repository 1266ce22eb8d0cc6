// The few shapes of op that all mathematics needs: constants, broadcasts, reshapes, conversions.
#include "compiler/frontend/Emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>
#include <fmt/format.h>

namespace heddle::frontend {

static constexpr unsigned maxOperations = 1'000'000;

bool Emitter::ready() {
  if (!insideEntry) {
    trace.error(position, "tensors are computed in an entry or function; here only what is known when compiling, masks and weights can stand");
    return false;
  }
  if (++made <= maxOperations)
    return true;
  trace.error(position, fmt::format("the text expands to more than {} operations", maxOperations));
  return false;
}

mlir::Type Emitter::elementType(Element element) const {
  mlir::MLIRContext *context = builder.getContext();
  if (element == Element::F32)
    return mlir::Float32Type::get(context);
  return mlir::IntegerType::get(context, element == Element::I32 ? 32 : 1);
}

DimsAttr Emitter::dims(const Axes &axes) const {
  mlir::MLIRContext *context = builder.getContext();
  llvm::SmallVector<mlir::StringAttr> names;
  llvm::SmallVector<mlir::AffineExpr> extents;
  for (const Axis &axis : axes) {
    if (axis.unit)
      continue;
    if (axis.extent.isStatic()) {
      extents.push_back(mlir::getAffineConstantExpr(axis.extent.staticValue(), context));
      continue;
    }
    assert(axis.extent.name() && "run-time extents are plain dimensions");
    extents.push_back(mlir::getAffineSymbolExpr(names.size(), context));
    names.push_back(mlir::StringAttr::get(context, axis.extent.name()->name));
  }
  return DimsAttr::getCanonical(context, names, extents);
}

std::vector<int64_t> Emitter::places(const Axes &axes) {
  std::vector<int64_t> result;
  int64_t next = 0;
  for (const Axis &axis : axes)
    result.push_back(axis.unit ? -1 : next++);
  return result;
}

mlir::Value Emitter::read(const Tensor &tensor) {
  if (tensor.value)
    return tensor.value;
  return make<UseOp>(type(tensor.element, tensor.axes), weights.use(tensor.weight));
}

std::optional<Tensor> Emitter::materialise(const ConstantTensor &constant, Element element) {
  if (!ready())
    return std::nullopt;
  constexpr double exactInts = 16777216.0; // 2^24: constants are stored in f32
  if (element == Element::I32 && llvm::any_of(*constant.data, [](double x) { return std::fabs(x) > exactInts; })) {
    trace.error(position, "a constant tensor of i32 among tensors of a run has elements up to 2^24 so far; larger ones are not built yet");
    return std::nullopt;
  }
  if (element == Element::F32 && !llvm::all_of(*constant.data, [&](double x) { return checkFits(x, element); }))
    return std::nullopt;
  auto resultType = type(Element::F32, constant.axes);
  auto doubles =
      mlir::DenseElementsAttr::get(mlir::RankedTensorType::get(resultType.getShape(), builder.getF64Type()), llvm::ArrayRef(*constant.data));
  mlir::Attribute recipe = CastRecipeAttr::get(builder.getContext(), ConstantRecipeAttr::get(builder.getContext(), doubles), builder.getF32Type());
  mlir::Value value = make<UseOp>(resultType, weights.useConstant(recipe, resultType, location()));
  if (element == Element::Bool)
    value = make<mlir::arith::CmpFOp>(mlir::arith::CmpFPredicate::UNE, value, splat(0, Element::F32, constant.axes));
  return Tensor{element, constant.axes, element == Element::I32 ? convert(value, Element::F32, element) : value, ""};
}

bool Emitter::checkFits(double number, Element element) {
  bool isTooLarge =
      element == Element::I32 ? number < INT32_MIN || number > INT32_MAX : std::isfinite(number) && std::isinf(static_cast<float>(number));
  if (isTooLarge)
    trace.error(position, fmt::format("{} does not fit into {}", printNumber(number), nameOf(element)),
                element == Element::F32
                    ? std::vector<std::string>{"the largest number of f32 is 3.4e38; where an infinite one is meant, write 'infinity'"}
                    : std::vector<std::string>{});
  return !isTooLarge;
}

mlir::Value Emitter::splat(double number, Element element, const Axes &axes) {
  if (!checkFits(number, element))
    number = 0; // the error has been reported; what is made is thrown away
  mlir::Type scalar = elementType(element);
  mlir::TypedAttr value =
      element == Element::F32 ? mlir::TypedAttr(builder.getF64FloatAttr(number)) : builder.getIntegerAttr(scalar, static_cast<int64_t>(number));
  return make<BroadcastOp>(type(element, axes), make<mlir::arith::ConstantOp>(value), llvm::ArrayRef<int64_t>());
}

mlir::Value Emitter::widen(mlir::Value value, const Axes &from, const Axes &to) {
  auto target = dims(to).tensorOf(elementOf(value));
  if (value.getType() == target)
    return value;
  llvm::SmallVector<int64_t> axes;
  std::vector<int64_t> place = places(to);
  for (size_t i = 0; i < from.size(); ++i)
    if (!from[i].unit)
      axes.push_back(place[to.size() - from.size() + i]);
  return make<BroadcastOp>(target, value, axes);
}

mlir::Value Emitter::reshape(mlir::Value value, const Axes &to) {
  auto target = dims(to).tensorOf(elementOf(value));
  return value.getType() == target ? value : make<ReshapeOp>(target, value);
}

mlir::Value Emitter::convert(mlir::Value value, Element from, Element to) {
  if (from == to)
    return value;
  mlir::Type target = mlir::cast<mlir::RankedTensorType>(value.getType()).clone(elementType(to));
  if (from == Element::F32)
    return make<mlir::arith::FPToSIOp>(target, value);
  if (from == Element::Bool)
    return to == Element::F32 ? mlir::Value(make<mlir::arith::UIToFPOp>(target, value)) : make<mlir::arith::ExtUIOp>(target, value);
  return make<mlir::arith::SIToFPOp>(target, value);
}

} // namespace heddle::frontend
