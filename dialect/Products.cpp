// Verifiers of the matrix products.
#include "dialect/Heddle.h"

using namespace mlir;
using namespace heddle;

static LogicalResult needDims(Operation *op) {
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (!dimsOf(type))
      return op->emitOpError("expected named extents on ") << type;
  return success();
}

LogicalResult MatmulOp::verify() {
  if (failed(needDims(*this)))
    return failure();
  DimsAttr lhs = dimsOf(getLhs()), rhs = dimsOf(getRhs());
  if (lhs.getRank() < 2 || (rhs.getRank() != 2 && rhs.getRank() != lhs.getRank())) // (C1)
    return emitOpError("expected two axes on the right, or as many as on the left (at least two), got ") << rhs << " and " << lhs;
  DimsAttr inner = lhs.extent(lhs.getRank() - 1), other = rhs.extent(rhs.getRank() - 2);
  if (inner != other)
    return emitOpError("expected inner extent ") << inner << " on the right, got " << other; // (C2)
  if (rhs.getRank() > 2 && rhs.dropBack(2) != lhs.dropBack(2))                               // (C3)
    return emitOpError("expected leading extents ") << lhs.dropBack(2) << " on the right, got " << rhs.dropBack(2);
  DimsAttr expected = lhs.dropBack().concat(rhs.extent(rhs.getRank() - 1));
  if (dimsOf(getType()) != expected)
    return emitOpError("expected result extents ") << expected << ", got " << dimsOf(getType());   // (C4)
  if (elementOf(getLhs()) != elementOf(getRhs()) || elementOf(getLhs()) != elementOf(getResult())) // (C5)
    return emitOpError("expected elements of ") << elementOf(getLhs()) << " everywhere";
  return success();
}

LogicalResult LinearOp::verify() {
  if (failed(needDims(*this)))
    return failure();
  DimsAttr x = dimsOf(getX()), weight = dimsOf(getWeight());
  if (weight.getRank() != 2 || !weight.isStatic(0) || !weight.isStatic(1) || x.getRank() < 1 || x.extent(x.getRank() - 1) != weight.extent(0)) // (C1)
    return emitOpError("expected a static weight [k, n] for the last extent of ") << x << ", got " << weight;
  if (getBias() && dimsOf(getBias()) != weight.extent(1))
    return emitOpError("expected a bias of ") << weight.extent(1) << ", got " << dimsOf(getBias()); // (C2)
  DimsAttr expected = x.dropBack().concat(weight.extent(1));
  if (dimsOf(getType()) != expected)
    return emitOpError("expected result extents ") << expected << ", got " << dimsOf(getType()); // (C3)
  for (Value v : getOperands())
    if (elementOf(v) != elementOf(getResult()))
      return emitOpError("expected elements of ") << elementOf(getResult()) << ", got " << elementOf(v); // (C4)
  return success();
}
