// The verifier of attention.
#include "dialect/Heddle.h"

using namespace mlir;
using namespace heddle;

LogicalResult AttentionOp::verify() {
  DimsAttr q = dimsOf(getQuery()), k = dimsOf(getKey()), v = dimsOf(getValue()), r = dimsOf(getType());
  if (!q || !k || !v || !r)
    return emitOpError("expected named extents");
  int64_t rank = q.getRank();
  bool rows = hasRows();
  if (rank < 3 || k.getRank() != rank || v.getRank() != rank || r.getRank() != rank || (rows && rank != 3)) // (C1)
    return emitOpError("expected as many axes everywhere, ")
           << (rows ? "three with rows" : "three at least") << ", got " << q << ", " << k << ", " << v;
  if (static_cast<bool>(getKeyOffsets()) != rows || static_cast<bool>(getQueryStarts()) != rows || static_cast<bool>(getKeyStarts()) != rows)
    return emitOpError("rows of queries and keys come together"); // (C1)
  int64_t head = headAxis(), token = tokenAxis(), last = rank - 1;
  auto agree = [&](DimsAttr a, int64_t i, DimsAttr b, int64_t j, StringRef what) -> LogicalResult {
    if (a.extent(i) == b.extent(j))
      return success();
    return emitOpError(what) << ": " << a.extent(i) << " and " << b.extent(j);
  };
  if (failed(agree(q, last, k, last, "query and key differ in width")) || failed(agree(k, token, v, token, "keys and values differ in number")) ||
      failed(agree(k, head, v, head, "keys and values differ in heads")) || failed(agree(q, head, r, head, "query and result differ in heads")) ||
      failed(agree(q, token, r, token, "query and result differ in tokens")) || failed(agree(v, last, r, last, "value and result differ in width")))
    return failure(); // (C2)
  if (!q.isStatic(head) || !k.isStatic(head) || !q.isStatic(last) || !v.isStatic(last))
    return emitOpError("expected static heads and widths"); // (C3)
  if (heads() % keyHeads())
    return emitOpError("expected heads to be a multiple of key heads, got ") << heads() << " and " << keyHeads();    // (C3)
  if (!rows && (q.dropBack(3) != k.dropBack(3) || q.dropBack(3) != v.dropBack(3) || q.dropBack(3) != r.dropBack(3))) // (C4)
    return emitOpError("expected leading extents ") << q.dropBack(3) << " everywhere";
  for (Value x : {getKey(), getValue(), getResult()})
    if (elementOf(x) != elementOf(getQuery()))
      return emitOpError("expected elements of ") << elementOf(getQuery()) << ", got " << elementOf(x); // (C5)
  return success();
}
