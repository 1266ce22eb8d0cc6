// The verifier of attention.
#include "dialect/Heddle.h"

using namespace mlir;
using namespace heddle;

/// (C1) and (C4): the axes of both sides, each with rows or without.
static LogicalResult verifySides(AttentionOp op, DimsAttr q, DimsAttr k) {
  bool queryRows = op.hasQueryRows(), keyRows = op.hasKeyRows();
  if (static_cast<bool>(op.getQueryStarts()) != queryRows || static_cast<bool>(op.getKeyStarts()) != keyRows)
    return op.emitOpError("offsets and starts come together");
  auto expected = [&](bool rows, bool otherRows, DimsAttr other) { return rows ? 3 : otherRows ? 4 : std::max<int64_t>(3, other.getRank()); };
  if (q.getRank() != expected(queryRows, keyRows, k) || k.getRank() != expected(keyRows, queryRows, q))
    return op.emitOpError("expected queries and keys of as many axes, three at least; three with rows, and four beside rows; got ")
           << q << " and " << k;
  if (!queryRows && !keyRows)
    return q.dropBack(3) == k.dropBack(3) ? success() : op.emitOpError("expected leading extents ") << q.dropBack(3) << " everywhere";
  auto ends = [&](DimsAttr dims, Value offsets) { return offsets ? dimsOf(offsets) : dims.extent(0).offsets(); };
  if (ends(q, op.getQueryOffsets()) != ends(k, op.getKeyOffsets()))
    return op.emitOpError("expected queries and keys of one batch, got ") << q << " and " << k;
  return success();
}

LogicalResult AttentionOp::verify() {
  DimsAttr q = dimsOf(getQuery()), k = dimsOf(getKey()), v = dimsOf(getValue()), r = dimsOf(getType());
  if (!q || !k || !v || !r)
    return emitOpError("expected named extents");
  if (failed(verifySides(*this, q, k)))
    return failure();
  if (v.getRank() != k.getRank() || r.getRank() != q.getRank()) // (C1)
    return emitOpError("expected values with the axes of the keys and a result with those of the queries, got ") << v << " and " << r;
  int64_t head = headAxis(false), keyHead = headAxis(true), token = tokenAxis(false), keyToken = tokenAxis(true);
  int64_t last = q.getRank() - 1, keyLast = k.getRank() - 1;
  auto agree = [&](DimsAttr a, int64_t i, DimsAttr b, int64_t j, StringRef what) -> LogicalResult {
    if (a.extent(i) == b.extent(j))
      return success();
    return emitOpError(what) << ": " << a.extent(i) << " and " << b.extent(j);
  };
  if (failed(agree(q, last, k, keyLast, "query and key differ in width")) ||
      failed(agree(k, keyToken, v, keyToken, "keys and values differ in number")) ||
      failed(agree(k, keyHead, v, keyHead, "keys and values differ in heads")) ||
      failed(agree(q, head, r, head, "query and result differ in heads")) || failed(agree(q, token, r, token, "query and result differ in tokens")) ||
      failed(agree(v, keyLast, r, last, "value and result differ in width")))
    return failure(); // (C2)
  if (!q.isStatic(head) || !k.isStatic(keyHead) || !q.isStatic(last) || !v.isStatic(keyLast))
    return emitOpError("expected static heads and widths"); // (C3)
  if (heads() % keyHeads())
    return emitOpError("expected heads to be a multiple of key heads, got ") << heads() << " and " << keyHeads(); // (C3)
  if ((!hasKeyRows() && v.dropBack(3) != k.dropBack(3)) || (!hasQueryRows() && r.dropBack(3) != q.dropBack(3)))   // (C4)
    return emitOpError("expected leading extents ") << q.dropBack(3) << " everywhere";
  for (Value x : {getKey(), getValue(), getResult()})
    if (elementOf(x) != elementOf(getQuery()))
      return emitOpError("expected elements of ") << elementOf(getQuery()) << ", got " << elementOf(x); // (C5)
  return success();
}
