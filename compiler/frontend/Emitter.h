// Writes heddle, arith and math ops while a text is expanded. Unit axes exist in the frontend's lists only: here they go, or come back where an op
// needs them.
#pragma once
#include "compiler/frontend/Trace.h"
#include "compiler/frontend/Value.h"
#include "compiler/frontend/Weights.h"
#include "dialect/Heddle.h"
#include "mlir/IR/Builders.h"

namespace heddle::frontend {

class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, Weights &weights, Trace &trace) : builder(builder), weights(weights), trace(trace) {}

  /// What follows is made for the words at this place.
  void at(Position place) { position = place; }
  Position here() const { return position; }
  mlir::Location location() const { return trace.location(position); }
  mlir::OpBuilder &build() { return builder; }

  /// Whether ops may be made here: inside an entry, and not more than a million of them. Reports if not.
  bool ready();
  void enterEntry(bool inside) { insideEntry = inside; }

  mlir::Type elementType(Element element) const;
  /// Named extents of the axes, without unit axes.
  DimsAttr dims(const Axes &axes) const;
  mlir::RankedTensorType type(Element element, const Axes &axes) const { return dims(axes).tensorOf(elementType(element)); }
  /// The places of axes in the IR value: -1 for a unit axis.
  static std::vector<int64_t> places(const Axes &axes);

  /// The IR value of a tensor; reads a weight.
  mlir::Value read(const Tensor &tensor);
  /// A constant tensor as a run-time one; none (reported) where that is not built yet.
  std::optional<Tensor> materialise(const ConstantTensor &constant, Element element);
  /// A number in every place.
  mlir::Value splat(double number, Element element, const Axes &axes);
  /// `value`, whose axes are `from`, widened to `to` (matched from the right).
  mlir::Value widen(mlir::Value value, const Axes &from, const Axes &to);
  /// The same elements under other axes; nothing if the IR value stays as it is.
  mlir::Value reshape(mlir::Value value, const Axes &to);
  /// f32, i32 and bool to another element.
  mlir::Value convert(mlir::Value value, Element from, Element to);

  template <typename Op, typename... Args> auto make(Args &&...args) { return Op::create(builder, location(), std::forward<Args>(args)...); }

private:
  /// Reports a number that its element would make infinite or cut off.
  bool checkFits(double number, Element element);

  mlir::OpBuilder &builder;
  Weights &weights;
  Trace &trace;
  Position position{};
  bool insideEntry = false;
  unsigned made = 0;
};

} // namespace heddle::frontend
