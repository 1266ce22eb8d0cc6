// The masks and what they answer.
#include "dialect/Heddle.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;
using Answer = std::pair<Value, Value>;

static Value atMost(OpBuilder &b, Location loc, Value x, Value y) { return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, x, y); }
static Value truth(OpBuilder &b, Location loc, bool value) { return arith::ConstantIntOp::create(b, loc, value, 1); }
static MaskOpInterface maskOf(Value mask) { return mask.getDefiningOp<MaskOpInterface>(); }

Answer MaskCausalOp::classifyTile(OpBuilder &b, Location loc, const MaskSite &, Value q0, Value q1, Value k0, Value k1) {
  return {atMost(b, loc, k0, q1), atMost(b, loc, k1, q0)};
}
Answer MaskCausalOp::emitScore(OpBuilder &b, Location loc, const MaskSite &, Value query, Value key, Value score) {
  return {atMost(b, loc, key, query), score};
}
bool MaskCausalOp::readsTensor() { return false; }

LogicalResult MaskTensorOp::verify() {
  auto type = cast<RankedTensorType>(getValues().getType());
  if (!type.getElementType().isInteger(1)) return emitOpError("expected elements of i1, got ") << type.getElementType(); // (C1)
  if (type.getRank() < 2 || type.getRank() > 4) return emitOpError("expected 2 to 4 axes, got ") << type.getRank();        // (C2)
  return success();
}
Answer MaskTensorOp::classifyTile(OpBuilder &b, Location loc, const MaskSite &, Value, Value, Value, Value) {
  return {truth(b, loc, true), truth(b, loc, false)};
}
/// Indices are kept within the tensor: a tile may ask about keys beyond a row's end, whose answer nobody reads.
Answer MaskTensorOp::emitScore(OpBuilder &b, Location loc, const MaskSite &site, Value query, Value key, Value score) {
  Value values = site.tensor(getValues());
  int64_t rank = cast<RankedTensorType>(values.getType()).getRank();
  auto within = [&](Value position, Value start, int64_t axis) -> Value {
    Value index = arith::SubIOp::create(b, loc, position, start);
    Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
    Value last = arith::SubIOp::create(b, loc, tensor::DimOp::create(b, loc, values, axis), one);
    return arith::MaxSIOp::create(b, loc, zero, arith::MinSIOp::create(b, loc, index, last));
  };
  SmallVector<Value> indices;
  if (rank >= 3) indices.push_back(site.batch);
  if (rank == 4) indices.push_back(site.head);
  indices.push_back(within(query, site.queryStart, rank - 2));
  indices.push_back(within(key, site.keyStart, rank - 1));
  return {tensor::ExtractOp::create(b, loc, values, indices), score};
}
bool MaskTensorOp::readsTensor() { return true; }

static Answer both(OpBuilder &b, Location loc, Answer x, Answer y) {
  return {arith::AndIOp::create(b, loc, x.first, y.first), arith::AndIOp::create(b, loc, x.second, y.second)};
}
Answer MaskAndOp::classifyTile(OpBuilder &b, Location loc, const MaskSite &site, Value q0, Value q1, Value k0, Value k1) {
  Answer left = maskOf(getLhs()).classifyTile(b, loc, site, q0, q1, k0, k1);
  return both(b, loc, left, maskOf(getRhs()).classifyTile(b, loc, site, q0, q1, k0, k1));
}
Answer MaskAndOp::emitScore(OpBuilder &b, Location loc, const MaskSite &site, Value query, Value key, Value score) {
  Answer left = maskOf(getLhs()).emitScore(b, loc, site, query, key, score);
  Answer right = maskOf(getRhs()).emitScore(b, loc, site, query, key, left.second);
  return {arith::AndIOp::create(b, loc, left.first, right.first), right.second};
}
bool MaskAndOp::readsTensor() { return maskOf(getLhs()).readsTensor() || maskOf(getRhs()).readsTensor(); }

/// m and m -> m
OpFoldResult MaskAndOp::fold(FoldAdaptor) { return getLhs() == getRhs() ? getLhs() : Value(); }

LogicalResult MaskValuesOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (type.getRank() != 3 || !type.getElementType().isInteger(1) || !dimsOf(type))
    return emitOpError("expected [batch, query, key] of i1 with named extents, got ") << type; // (C1)
  if (static_cast<bool>(getQueryOffsets()) != static_cast<bool>(getQueryStarts()) || static_cast<bool>(getKeyOffsets()) != static_cast<bool>(getKeyStarts()))
    return emitOpError("offsets and starts come together"); // (C2)
  return success();
}
