// Verifiers and folds of the ops that move data.
#include "dialect/Heddle.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace heddle;

/// Every op here needs named extents on its tensors.
static LogicalResult needDims(Operation *op) {
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (isa<RankedTensorType>(type) && !dimsOf(type))
      return op->emitOpError("expected named extents on ") << type;
  return success();
}
static LogicalResult sameElement(Operation *op, Value a, Value b) {
  if (elementOf(a) == elementOf(b))
    return success();
  return op->emitOpError("expected elements of ") << elementOf(a) << ", got " << elementOf(b);
}
static int64_t rankOf(Value v) { return cast<RankedTensorType>(v.getType()).getRank(); }

LogicalResult BroadcastOp::verify() {
  if (failed(needDims(*this)))
    return failure();
  DimsAttr result = dimsOf(getType()), source = dimsOf(getSource());
  int64_t rank = source ? source.getRank() : 0;
  if (static_cast<int64_t>(getAxes().size()) != rank) // (C1)
    return emitOpError("expected ") << rank << " axes, one for each of the source, got " << getAxes().size();
  for (auto [i, axis] : llvm::enumerate(getAxes())) {
    if (axis < 0 || axis >= result.getRank() || (i && axis <= getAxes()[i - 1]))
      return emitOpError("expected ascending axes within the result"); // (C1)
    if (source.extent(i) != result.extent(axis))                       // (C2)
      return emitOpError("expected extent ") << source.extent(i) << " at axis " << axis << " of the result, got " << result.extent(axis);
  }
  if (!source && getSource().getType().isF64() && isa<FloatType>(elementOf(getResult()))) // (C3)
    return success();
  return sameElement(*this, getSource(), getResult()); // (C3)
}
/// broadcast to the same type -> source
OpFoldResult BroadcastOp::fold(FoldAdaptor) { return getSource().getType() == getType() ? getSource() : Value(); }

LogicalResult ReshapeOp::verify() {
  if (failed(needDims(*this)))
    return failure();
  DimsAttr from = dimsOf(getSource()).product(), to = dimsOf(getType()).product();
  if (from != to)
    return emitOpError("expected ") << from << " elements, got " << to; // (C1)
  return sameElement(*this, getSource(), getResult());                  // (C2)
}
/// reshape(reshape(x)) -> reshape(x); a reshape to the same type -> source
OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<ReshapeOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return {};
}

LogicalResult TransposeOp::verify() {
  if (failed(needDims(*this)))
    return failure();
  SmallVector<int64_t> sorted(getPermutation());
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, rankOf(getSource()))))
    return emitOpError("expected each axis of the source once"); // (C1)
  DimsAttr expected = dimsOf(getSource()).select(getPermutation());
  if (dimsOf(getType()) != expected)
    return emitOpError("expected result extents ") << expected << ", got " << dimsOf(getType()); // (C2)
  return sameElement(*this, getSource(), getResult());                                           // (C3)
}
/// transpose(transpose(x)) -> one transpose; a transpose in order -> source
OpFoldResult TransposeOp::fold(FoldAdaptor) {
  if (llvm::equal(getPermutation(), llvm::seq<int64_t>(0, rankOf(getSource()))))
    return getSource();
  if (auto inner = getSource().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> composed;
    for (int64_t axis : getPermutation())
      composed.push_back(inner.getPermutation()[axis]);
    setPermutation(composed);
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return {};
}

LogicalResult SliceOp::verify() {
  if (failed(needDims(*this)))
    return failure();
  DimsAttr source = dimsOf(getSource()), result = dimsOf(getType());
  int64_t axis = getAxis();
  if (axis < 0 || axis >= source.getRank() || source.getRank() != result.getRank() || !source.isStatic(axis) || !result.isStatic(axis))
    return emitOpError("expected a static axis of the source, got axis ") << axis; // (C1)
  int64_t size = result.shape()[axis], whole = source.shape()[axis], first = getFirst();
  if (first < 0 || size < 1 || first > whole - size)
    return emitOpError("places ") << first << " to " << first + size << " are not within " << whole; // (C2)
  if (source.without(axis) != result.without(axis))                                                  // (C3)
    return emitOpError("expected other extents ") << source.without(axis) << ", got " << result.without(axis);
  return sameElement(*this, getSource(), getResult()); // (C3)
}
/// slice of everything -> source; slice(slice(x)) along one axis -> one slice
OpFoldResult SliceOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<SliceOp>(); inner && inner.getAxis() == getAxis()) {
    setFirst(getFirst() + inner.getFirst());
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return {};
}

LogicalResult ConcatOp::verify() {
  if (failed(needDims(*this)))
    return failure();
  DimsAttr result = dimsOf(getType());
  int64_t axis = getAxis();
  if (getSources().empty() || axis < 0 || axis >= result.getRank())
    return emitOpError("expected sources and an axis of theirs, got axis ") << axis; // (C1)
  AffineExpr sum = getAffineConstantExpr(0, getContext());
  SmallVector<StringAttr> names;
  for (Value source : getSources()) {
    DimsAttr dims = dimsOf(source);
    if (dims.getRank() != result.getRank() || dims.without(axis) != result.without(axis)) // (C3)
      return emitOpError("expected other extents ") << result.without(axis) << ", got " << dims;
    if (failed(sameElement(*this, source, getResult())))
      return failure(); // (C3)
    sum = sum + dims.getMap().getResult(axis).shiftSymbols(dims.getNames().size(), names.size());
    llvm::append_range(names, dims.getNames());
  }
  DimsAttr total = DimsAttr::getCanonical(getContext(), names, sum);
  if (total != result.extent(axis))
    return emitOpError("expected extent ") << total << " at axis " << axis << ", got " << result.extent(axis); // (C2)
  return success();
}
/// concat of one -> that one
OpFoldResult ConcatOp::fold(FoldAdaptor) { return getSources().size() == 1 ? getSources().front() : Value(); }

LogicalResult GatherOp::verify() {
  if (failed(needDims(*this)))
    return failure();
  if (!elementOf(getIds()).isInteger(32))
    return emitOpError("expected ids of i32, got ") << elementOf(getIds()); // (C1)
  DimsAttr table = dimsOf(getTable());
  if (table.getRank() < 1)
    return emitOpError("expected a table with an axis");
  if (getTransposed() && table.getRank() != 2)
    return emitOpError("expected a transposed table of two axes"); // (C2)
  DimsAttr expected = dimsOf(getIds()).concat(getTransposed() ? table.dropBack() : table.dropFront());
  if (dimsOf(getType()) != expected)
    return emitOpError("expected result extents ") << expected << ", got " << dimsOf(getType()); // (C2)
  return sameElement(*this, getTable(), getResult());                                            // (C3)
}

/// (C1), (C2) of flatten and unflatten: `padded` is [batch, s, ..], `rows` is [s.tokens, ..].
static LogicalResult verifyRows(Operation *op, Value padded, Value rows, Value offsets) {
  if (failed(needDims(op)) || failed(sameElement(op, padded, rows)))
    return failure();
  DimsAttr from = dimsOf(padded), expected = from;
  if (offsets) {
    StringAttr ragged = from.getRank() >= 2 ? from.nameOf(1) : StringAttr();
    if (!ragged)
      return op->emitOpError("expected [batch, s, ..], got ") << from;
    expected = DimsAttr::named(op->getContext(), tokensName(ragged)).concat(from.dropFront(2));
  }
  if (dimsOf(rows) != expected)
    return op->emitOpError("expected extents ") << expected << ", got " << dimsOf(rows);
  return success();
}
LogicalResult FlattenOp::verify() { return verifyRows(*this, getSource(), getResult(), getOffsets()); }
LogicalResult UnflattenOp::verify() {
  if (dimsOf(getSource()) && dimsOf(getSource()) == dimsOf(getResult()))
    return sameElement(*this, getSource(), getResult()); // (C1), (C2)
  return verifyRows(*this, getResult(), getSource(), getOffsets());
}

LogicalResult PickOp::verify() {
  if (failed(needDims(*this)))
    return failure();
  DimsAttr source = dimsOf(getSource()), result = dimsOf(getType());
  int64_t drop = getOffsets() ? 1 : 2; // tokens, or batch and tokens
  if (source.getRank() < drop || result.getRank() != source.getRank() - drop + 1 || result.dropFront() != source.dropFront(drop)) // (C1)
    return emitOpError("expected [batch, ..] of ") << source << ", got " << result;
  return sameElement(*this, getSource(), getResult()); // (C2)
}

LogicalResult SpreadOp::verify() {
  if (failed(needDims(*this)))
    return failure();
  DimsAttr source = dimsOf(getSource()), result = dimsOf(getType());
  if (source.getRank() < 1 || result.getRank() != source.getRank() || result.dropFront() != source.dropFront()) // (C1)
    return emitOpError("expected extents ") << source.dropFront() << " behind the tokens, got " << result;
  return sameElement(*this, getSource(), getResult()); // (C2)
}

LogicalResult WindowsOp::verify() {
  if (failed(needDims(*this)))
    return failure();
  DimsAttr source = dimsOf(getSource());
  int64_t axis = getAxis(), size = getSize(), stride = getStride(), padding = getPadding();
  if (axis < 0 || axis >= source.getRank() || !source.isStatic(axis) || size < 1 || stride < 1 || padding < 0) // (C1)
    return emitOpError("expected a static axis, size and stride of 1 or more, padding of 0 or more");
  int64_t count = (source.shape()[axis] + 2 * padding - size) / stride + 1;
  SmallVector<int64_t> before = llvm::to_vector(llvm::seq<int64_t>(0, axis)), after = llvm::to_vector(llvm::seq<int64_t>(axis + 1, source.getRank()));
  DimsAttr expected =
      source.select(before).concat(DimsAttr::fixed(getContext(), {count})).concat(source.select(after)).concat(DimsAttr::fixed(getContext(), {size}));
  if (source.shape()[axis] + 2 * padding < size || dimsOf(getType()) != expected) // (C2)
    return emitOpError("expected result extents ") << expected << ", got " << dimsOf(getType());
  return sameElement(*this, getSource(), getResult()); // (C3)
}
