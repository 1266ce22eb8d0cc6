// Scaled dot-product attention.
#ifndef HEDDLE_ATTENTION
#define HEDDLE_ATTENTION
include "dialect/Masks.td"

def Heddle_AttentionOp : Heddle_Op<"attention", [Pure, AttrSizedOperandSegments]> {
  let summary = "softmax(scale * query @ key^T, masked) @ value";
  let description = [{
    For each head h and query i: scores s_j = scale * query[h, i] . key[h / group, j], changed and hidden by the mask, result[h, i] = sum of softmax(s)_j *
    value[h / group, j] (Vaswani et al. 2017, section 3.2; grouped heads: Ainslie et al. 2023). Padding keys are hidden. A query that sees no key gives
    exactly 0, and NaN or infinity in hidden keys or values never reaches a result. Products, blocks of keys and their merging follow the arithmetic
    contract.

    query [.., heads, s, d], key [.., key heads, t, d], value [.., key heads, t, e], result [.., heads, s, e]. With rows (after the graph stage) of queries:
    query [s.tokens, heads, d], result [s.tokens, heads, e]; of keys: key [t.tokens, key heads, d], value [t.tokens, key heads, e]. Queries and keys have
    rows or not each for itself: tokens of a sentence may read the parts of a picture.

    - (C1) a side without rows has three axes at least, both sides as many; a side with rows has three, a side without then four; offsets come with starts
    - (C2) query and key agree in d, key and value in t and key heads, query and result in heads and s, value and result in e
    - (C3) heads, key heads, d and e are static; heads is a multiple of key heads
    - (C4) the leading extents agree; offsets have an element more than the batch
    - (C5) the element types agree

    ```mlir
    %o = heddle.attention %q, %k, %v mask %m scale 0.25 : tensor<?x4x?x16xf32, #heddle.dims<batch, 4, target, 16>>,
        tensor<?x4x?x16xf32, #heddle.dims<batch, 4, source, 16>>, tensor<?x4x?x16xf32, #heddle.dims<batch, 4, source, 16>>
        -> tensor<?x4x?x16xf32, #heddle.dims<batch, 4, target, 16>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$query, AnyRankedTensor:$key, AnyRankedTensor:$value, Optional<Heddle_MaskType>:$mask,
    Optional<Heddle_Offsets>:$query_offsets, Optional<Heddle_Starts>:$query_starts, Optional<Heddle_Offsets>:$key_offsets,
    Optional<Heddle_Starts>:$key_starts, F64Attr:$scale);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` $mask^)? `scale` $scale
    (`queries` $query_offsets^ `,` $query_starts `:` type($query_offsets) `,` type($query_starts))?
    (`keys` $key_offsets^ `,` $key_starts `:` type($key_offsets) `,` type($key_starts))?
    attr-dict `:` type($query) `,` type($key) `,` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    bool hasQueryRows() { return static_cast<bool>(getQueryOffsets()); }
    bool hasKeyRows() { return static_cast<bool>(getKeyOffsets()); }
    /// The axis of the heads of query or key: before the tokens, or behind them where tokens are rows.
    int64_t headAxis(bool ofKey) { return isRows(ofKey) ? 1 : rank(ofKey) - 3; }
    int64_t tokenAxis(bool ofKey) { return isRows(ofKey) ? 0 : rank(ofKey) - 2; }
    int64_t heads() { return llvm::cast<mlir::ShapedType>(getQuery().getType()).getDimSize(headAxis(false)); }
    int64_t keyHeads() { return llvm::cast<mlir::ShapedType>(getKey().getType()).getDimSize(headAxis(true)); }
    bool isRows(bool ofKey) { return ofKey ? hasKeyRows() : hasQueryRows(); }
    int64_t rank(bool ofKey) { return llvm::cast<mlir::ShapedType>((ofKey ? getKey() : getQuery()).getType()).getRank(); }
  }];
}
#endif
