// Verifiers of what works on rows.
#include "dialect/Heddle.h"
#include <cmath>

using namespace mlir;
using namespace heddle;

static LogicalResult verifyReduce(Operation *op, ArrayRef<int64_t> over, Value offsets) {
  DimsAttr source = dimsOf(op->getOperand(0)), result = dimsOf(op->getResult(0));
  if (!source || !result)
    return op->emitOpError("expected named extents");
  SmallVector<int64_t> kept;
  for (auto [i, axis] : llvm::enumerate(over))
    if (axis < 0 || axis >= source.getRank() || (i && axis <= over[i - 1]))
      return op->emitOpError("expected ascending axes of the source"); // (C1)
  if (over.empty())
    return op->emitOpError("expected at least one axis"); // (C1)
  for (int64_t i = 0; i < source.getRank(); ++i)
    if (!llvm::is_contained(over, i))
      kept.push_back(i);
  DimsAttr expected = source.select(kept);
  bool tokens = offsets && over.front() == 0;                                                                     // [s.tokens, ..] -> [batch, ..]
  if (tokens ? result.getRank() != expected.getRank() + 1 || result.dropFront() != expected : result != expected) // (C2)
    return op->emitOpError("expected result extents ") << expected << ", got " << result;
  if (elementOf(op->getOperand(0)) != elementOf(op->getResult(0)))
    return op->emitOpError("expected elements of ") << elementOf(op->getOperand(0)); // (C2)
  return success();
}
LogicalResult SumOp::verify() { return verifyReduce(*this, getOver(), getOffsets()); }
LogicalResult MaxOp::verify() { return verifyReduce(*this, getOver(), getOffsets()); }
LogicalResult MinOp::verify() { return verifyReduce(*this, getOver(), getOffsets()); }
LogicalResult MeanOp::verify() { return verifyReduce(*this, getOver(), getOffsets()); }
LogicalResult VarOp::verify() { return verifyReduce(*this, getOver(), getOffsets()); }

LogicalResult SoftmaxOp::verify() {
  DimsAttr dims = dimsOf(getSource());
  if (!dims || getAxis() >= static_cast<uint64_t>(dims.getRank()))
    return emitOpError("expected an axis of the source, got ") << getAxis(); // (C1)
  return success();
}

LogicalResult LayerNormOp::verify() {
  DimsAttr source = dimsOf(getSource());
  if (!source || source.getRank() < 1 || !source.isStatic(source.getRank() - 1))
    return emitOpError("expected a static last extent"); // (C1)
  DimsAttr last = source.extent(source.getRank() - 1);
  if (getGain() && dimsOf(getGain()) != last)
    return emitOpError("expected a gain of ") << last << ", got " << getGain().getType(); // (C1)
  if (getBias() && !getGain())
    return emitOpError("has a bias without a gain"); // (C1)
  if (getBias() && dimsOf(getBias()) != last)
    return emitOpError("expected a bias of ") << last << ", got " << getBias().getType(); // (C1)
  for (Value v : getOperands())
    if (elementOf(v) != elementOf(getResult()))
      return emitOpError("expected elements of ") << elementOf(getResult()) << ", got " << elementOf(v); // (C2)
  if (!(getEpsilon().convertToDouble() >= 0))
    return emitOpError("expected an epsilon of 0 or more"); // (C3)
  return success();
}

LogicalResult PositionsOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (!type.getElementType().isInteger(32) || type.getRank() < 1 || type.getRank() > 2 || !dimsOf(type)) // (C1)
    return emitOpError("expected one or two named axes of i32, got ") << type;
  if (static_cast<bool>(getOffsets()) != static_cast<bool>(getStarts()))
    return emitOpError("offsets and starts come together"); // (C2)
  return success();
}

LogicalResult SinusoidalPositionsOp::verify() {
  DimsAttr positions = dimsOf(getPositions()), result = dimsOf(getType());
  if (!positions || !result || !elementOf(getPositions()).isInteger(32))
    return emitOpError("expected positions of i32"); // (C1)
  int64_t rank = result.getRank();
  if (rank != positions.getRank() + 1 || result.dropBack() != positions || !result.isStatic(rank - 1)) // (C2)
    return emitOpError("expected result extents ") << positions << " and a static width, got " << result;
  int64_t width = result.shape().back(), most = 2 * getFrequencies().size();
  if (width < 1 || width > most)
    return emitOpError("expected a width of 1 to ") << most << ", got " << width; // (C2)
  if (getShift() > static_cast<uint64_t>(INT64_MAX))
    return emitOpError("expected a shift of 0 or more"); // (C3)
  return success();
}

LogicalResult RmsNormOp::verify() {
  DimsAttr source = dimsOf(getSource());
  if (!source || source.getRank() < 1 || !source.isStatic(source.getRank() - 1))
    return emitOpError("expected a static last extent"); // (C1)
  DimsAttr last = source.extent(source.getRank() - 1);
  if (getGain() && dimsOf(getGain()) != last)
    return emitOpError("expected a gain of ") << last << ", got " << getGain().getType(); // (C1)
  if (getGain() && elementOf(getGain()) != elementOf(getResult()))
    return emitOpError("expected elements of ") << elementOf(getResult()); // (C2)
  if (!(getEpsilon().convertToDouble() >= 0))
    return emitOpError("expected an epsilon of 0 or more"); // (C3)
  return success();
}

LogicalResult RotaryEmbeddingOp::verify() {
  DimsAttr source = dimsOf(getSource()), angles = dimsOf(getAngles());
  if (!source || !angles)
    return emitOpError("expected named extents");
  int64_t rank = source.getRank(), last = angles.getRank() - 1;
  if (rank < 2 || !source.isStatic(rank - 1))
    return emitOpError("expected two axes at least, the last one static, got ") << source;                                           // (C1)
  if (last < 1 || last > 2 || !angles.isStatic(last) || angles.shape()[last] % 2 || angles.shape()[last] > source.shape()[rank - 1]) // (C1), (C2)
    return emitOpError("expected angles [.., tokens, 2n] with 2n at most ") << source.extent(rank - 1) << ", got " << angles;
  DimsAttr tokens = angles.extent(last - 1);
  bool rows = source.extent(0) == tokens && last == 1; // after the graph stage tokens are in front
  if (!rows && (source.extent(rank - 2) != tokens || (last == 2 && source.extent(0) != angles.extent(0)))) // (C2)
    return emitOpError("expected angles for the tokens of ") << source << ", got " << angles;
  if (elementOf(getAngles()) != elementOf(getResult()))
    return emitOpError("expected elements of ") << elementOf(getResult()); // (C3)
  return success();
}
