// Masks are values: what a query may see, built by pure ops, asked through one interface.
#ifndef HEDDLE_MASKS
#define HEDDLE_MASKS
include "dialect/Attributes.td"

def Heddle_MaskType : TypeDef<Heddle_Dialect, "Mask"> {
  let mnemonic = "mask";
  let summary = "which key positions a query position may see, and how scores change";
  let description = [{
    A value of this type has no bytes: the ops that make it are cloned into each kernel that asks it, so none crosses a function or is left after the
    linalg stage. `attention` takes one, `mask_values` shows one, `mask_scores` applies one to scores.

    ```mlir
    !heddle.mask
    ```
  }];
}

def MaskOpInterface : OpInterface<"MaskOpInterface"> {
  let cppNamespace = "::heddle";
  let description = [{
    The questions a kernel asks of a mask. Positions are absolute (start + index), never array indices, so a cache changes nothing; `MaskSite`
    tells batch row, head and the starts to those masks that are tensors. Code is emitted on scalars, in the body of a linalg op.
  }];
  let methods = [
    InterfaceMethod<"(some pair visible, every pair visible), two i1, for queries [q0, q1] and keys [k0, k1], bounds included",
      "std::pair<mlir::Value, mlir::Value>", "classifyTile",
      (ins "mlir::OpBuilder &":$builder, "mlir::Location":$loc, "const ::heddle::MaskSite &":$site, "mlir::Value":$q0, "mlir::Value":$q1,
           "mlir::Value":$k0, "mlir::Value":$k1)>,
    InterfaceMethod<"[first, end) of the keys that queries [q0, q1] may see, null where there is no bound: what lies outside is hidden from all of them",
      "std::pair<mlir::Value, mlir::Value>", "keyRange",
      (ins "mlir::OpBuilder &":$builder, "mlir::Location":$loc, "const ::heddle::MaskSite &":$site, "mlir::Value":$q0, "mlir::Value":$q1), "",
      "return {};">,
    InterfaceMethod<"(visible, new score) of one query and one key position",
      "std::pair<mlir::Value, mlir::Value>", "emitScore",
      (ins "mlir::OpBuilder &":$builder, "mlir::Location":$loc, "const ::heddle::MaskSite &":$site, "mlir::Value":$query, "mlir::Value":$key,
           "mlir::Value":$score)>,
    InterfaceMethod<"whether emitScore reads a tensor at each pair (such code is not vectorised in place)", "bool", "readsPairs", (ins), "", "return false;">,
    InterfaceMethod<"whether scores change; else the mask only hides", "bool", "changesScores", (ins), "", "return false;">];
}

/// `answers`: the questions that it does not answer as most do.
class Heddle_MaskOp<string mnemonic, list<string> answers = [], list<Trait> traits = []>
    : Heddle_Op<mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<MaskOpInterface, answers>], traits)> {
  let results = (outs Heddle_MaskType:$result);
}

def Heddle_MaskCausalOp : Heddle_MaskOp<"mask_causal", ["keyRange"]> {
  let summary = "key j is visible to query i when j <= i";
  let description = [{
    visible(i, j) = j <= i, in positions.

    ```mlir
    %m = heddle.mask_causal
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Heddle_MaskWindowOp : Heddle_MaskOp<"mask_window", ["keyRange"]> {
  let summary = "key j is visible to query i when i - j < left and j - i < right";
  let description = [{
    visible(i, j) = i - j < left and j - i < right, in positions. A window counts the query itself: left 3 shows positions i - 2, i - 1, i. A side without a limit is absent.

    - (C1) limits are at least 0

    ```mlir
    %m = heddle.mask_window left 3
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$left, OptionalAttr<I64Attr>:$right);
  let assemblyFormat = "(`left` $left^)? (`right` $right^)? attr-dict";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Heddle_MaskPrefixOp : Heddle_MaskOp<"mask_prefix", ["keyRange"]> {
  let summary = "key j is visible to query i when j <= i, or when j lies in the row's prefix";
  let description = [{
    visible(i, j) = j <= i or j < lengths[batch], in positions: a prompt is read both ways, what follows from left to right (Raffel et al. 2020, section
    3.2.1).

    - (C1) lengths are i32 [batch]

    ```mlir
    %m = heddle.mask_prefix %n : tensor<?xi32, #heddle.dims<batch>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$lengths);
  let assemblyFormat = "$lengths attr-dict `:` type($lengths)";
  let hasVerifier = 1;
}

def Heddle_MaskSegmentsOp : Heddle_MaskOp<"mask_segments", ["readsPairs"]> {
  let summary = "tokens see those of their own segment";
  let description = [{
    visible(i, j) = queries[batch, i - query start] == keys[batch, j - key start]: several texts in one row do not see each other. After the graph stage a
    side with rows is [tokens].

    - (C1) both are i32, [batch, tokens] or [tokens] of rows

    ```mlir
    %m = heddle.mask_segments %a, %b : tensor<?x?xi32, #heddle.dims<batch, target>>, tensor<?x?xi32, #heddle.dims<batch, source>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$queries, AnyRankedTensor:$keys);
  let assemblyFormat = "$queries `,` $keys attr-dict `:` type($queries) `,` type($keys)";
  let hasVerifier = 1;
}

def Heddle_MaskTokensOp : Heddle_MaskOp<"mask_tokens", ["readsPairs"], [AttrSizedOperandSegments]> {
  let summary = "visibility given for each token";
  let description = [{
    visible(i, j) = queries[batch, i - query start] and keys[batch, j - key start]; a side that is not given hides nothing. A vector a row, where
    `mask_tensor` needs a number for each pair: padding ids. After the graph stage a side with rows is [tokens].

    - (C1) there is a side, of i1, [batch, tokens] or [tokens] of rows

    ```mlir
    %m = heddle.mask_tokens keys %v : tensor<?x?xi1, #heddle.dims<batch, source>>
    ```
  }];
  let arguments = (ins Optional<AnyRankedTensor>:$queries, Optional<AnyRankedTensor>:$keys);
  let assemblyFormat = "(`queries` $queries^ `:` type($queries))? (`keys` $keys^ `:` type($keys))? attr-dict";
  let hasVerifier = 1;
}

def Heddle_SoftcapOp : Heddle_MaskOp<"softcap", ["changesScores"]> {
  let summary = "scores become cap * tanh(score / cap)";
  let description = [{
    score(i, j) becomes cap * tanh(score(i, j) / cap); nothing is hidden (Bello et al. 2016; Gemma 2, 2024).

    - (C1) the cap is above 0

    ```mlir
    %m = heddle.softcap 50.0
    ```
  }];
  let arguments = (ins F64Attr:$cap);
  let assemblyFormat = "$cap attr-dict";
  let hasVerifier = 1;
}

def Heddle_BiasTensorOp : Heddle_MaskOp<"bias_tensor", ["readsPairs", "changesScores"]> {
  let summary = "a number added to each score, given as a tensor";
  let description = [{
    score(i, j) becomes score(i, j) + values[.., i - query start, j - key start]; where that is -infinity, j is hidden from i.

    - (C1) the element type is a float
    - (C2) values is [query, key], [batch, query, key] or [batch, heads, query, key]

    ```mlir
    %m = heddle.bias_tensor %v : tensor<?x?x?xf32, #heddle.dims<batch, target, source>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
  let hasVerifier = 1;
}

def Heddle_BiasTokensOp : Heddle_MaskOp<"bias_tokens", ["readsPairs", "changesScores"]> {
  let summary = "a number for each key added to its scores";
  let description = [{
    score(i, j) becomes score(i, j) + keys[batch, j - key start]; where that is -infinity, j is hidden. A vector a row, where `bias_tensor` needs a number
    for each pair. After the graph stage keys with rows are [tokens].

    - (C1) keys are floats, [batch, tokens] or [tokens] of rows

    ```mlir
    %m = heddle.bias_tokens %v : tensor<?x?xf32, #heddle.dims<batch, source>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$keys);
  let assemblyFormat = "$keys attr-dict `:` type($keys)";
  let hasVerifier = 1;
}

def Heddle_BiasRelativeOp : Heddle_MaskOp<"bias_relative", ["readsPairs", "changesScores"]> {
  let summary = "a number for each head and distance added to the score";
  let description = [{
    score(i, j) becomes score(i, j) + table[head, clamp(j - i, -reach, reach) + reach]. The frontend lays out the buckets of a checkpoint's table by distance (recipe `select`), so
    every bucketing is data (T5: Raffel et al. 2020).

    - (C1) table is [heads, 2 reach + 1] of floats, static

    ```mlir
    %m = heddle.bias_relative %t : tensor<4x257xf32, #heddle.dims<4, 257>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$table);
  let assemblyFormat = "$table attr-dict `:` type($table)";
  let hasVerifier = 1;
}

def Heddle_BiasAlibiOp : Heddle_MaskOp<"bias_alibi", ["changesScores"]> {
  let summary = "a number for each head times the distance added to the score";
  let description = [{
    score(i, j) becomes score(i, j) + slopes[head] * (j - i) (ALiBi: Press et al. 2022).

    - (C1) slopes are [heads] of floats, static

    ```mlir
    %m = heddle.bias_alibi %s : tensor<4xf32, #heddle.dims<4>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$slopes);
  let assemblyFormat = "$slopes attr-dict `:` type($slopes)";
  let hasVerifier = 1;
}

def Heddle_MaskTensorOp : Heddle_MaskOp<"mask_tensor", ["readsPairs"]> {
  let summary = "visibility given as a tensor";
  let description = [{
    visible(i, j) = values[.., i - query start, j - key start]; true is visible.

    - (C1) the element type is i1
    - (C2) values is [query, key], [batch, query, key] or [batch, heads, query, key]

    ```mlir
    %m = heddle.mask_tensor %v : tensor<?x?x?xi1, #heddle.dims<batch, target, source>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
  let hasVerifier = 1;
}

def Heddle_MaskAndOp : Heddle_MaskOp<"mask_and", ["keyRange", "readsPairs", "changesScores"]> {
  let summary = "visible where both masks say so";
  let description = [{
    visible(i, j) = lhs(i, j) and rhs(i, j); score changes of lhs come first. In the normal form score changes stand in their order, then what hides:
    causal, window, prefix, segments, tokens, tensor.

    ```mlir
    %m = heddle.mask_and %a, %b
    ```
  }];
  let arguments = (ins Heddle_MaskType:$lhs, Heddle_MaskType:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Heddle_MaskScoresOp : Heddle_Op<"mask_scores", [Pure, AttrSizedOperandSegments, AllTypesMatch<["scores", "result"]>]> {
  let summary = "a mask applied to written-out scores";
  let description = [{
    result[.., i, j] = the score as the mask changes it, -infinity where j is hidden from i. The last two axes are query and key; keys beyond the length are
    hidden. Rows come as operands after the graph stage, as for mask_values.

    - (C1) scores are [query, key], [batch, query, key] or [batch, heads, query, key] of floats
    - (C2) offsets and starts come together
    - (C3) offsets have an element more than the batch, which is the first axis

    ```mlir
    %r = heddle.mask_scores %s, %m : tensor<?x?x?xf32, #heddle.dims<batch, target, source>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$scores, Heddle_MaskType:$mask, Optional<Heddle_Offsets>:$query_offsets, Optional<Heddle_Starts>:$query_starts,
    Optional<Heddle_Offsets>:$key_offsets, Optional<Heddle_Starts>:$key_starts);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $scores `,` $mask (`queries` $query_offsets^ `,` $query_starts `:` type($query_offsets) `,` type($query_starts))?
    (`keys` $key_offsets^ `,` $key_starts `:` type($key_offsets) `,` type($key_starts))? attr-dict `:` type($scores)
  }];
  let hasVerifier = 1;
}

def Heddle_MaskValuesOp : Heddle_Op<"mask_values", [Pure, AttrSizedOperandSegments]> {
  let summary = "a mask as a tensor, for those who want to see it";
  let description = [{
    result[b, i, j] = visible(start of the query row b + i, start of the key row b + j), and the key is a real token; false for rows of queries beyond the
    length. Without a mask everything real is visible. After the graph stage the rows come as operands; for an axis that is not ragged they are absent.

    - (C1) the result is [batch, query, key] of i1
    - (C2) offsets and starts come together
    - (C3) offsets have an element more than the batch

    ```mlir
    %t = heddle.mask_values %m : tensor<?x?x?xi1, #heddle.dims<batch, target, source>>
    ```
  }];
  let arguments = (ins Optional<Heddle_MaskType>:$mask, Optional<Heddle_Offsets>:$query_offsets, Optional<Heddle_Starts>:$query_starts,
    Optional<Heddle_Offsets>:$key_offsets, Optional<Heddle_Starts>:$key_starts);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    ($mask^)? (`queries` $query_offsets^ `,` $query_starts `:` type($query_offsets) `,` type($query_starts))?
    (`keys` $key_offsets^ `,` $key_starts `:` type($key_offsets) `,` type($key_starts))? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}
#endif
