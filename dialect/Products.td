// Matrix products.
#ifndef HEDDLE_PRODUCTS
#define HEDDLE_PRODUCTS
include "dialect/Attributes.td"

def Heddle_MatmulOp : Heddle_Op<"matmul", [Pure]> {
  let summary = "the matrix product of the last two axes";
  let description = [{
    result[.., i, j] = sum over k of lhs[.., i, k] * rhs[.., k, j]. The right side is one matrix [k, n] for all, or has the leading axes of the left.
    Where k is a ragged axis only real tokens are read; after the graph stage (padded operands) its offsets come as an operand.

    - (C1) lhs has two axes at least; rhs has two or as many as lhs
    - (C2) the inner extents agree
    - (C3) the leading extents agree
    - (C4) the result's extents are those of lhs with the last one of rhs
    - (C5) the element types agree

    ```mlir
    %y = heddle.matmul %x, %w : tensor<?x64xf32, #heddle.dims<batch, 64>>, tensor<64x24xf32, #heddle.dims<64, 24>>
        -> tensor<?x24xf32, #heddle.dims<batch, 24>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs, Optional<Heddle_Offsets>:$offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs (`rows` $offsets^ `:` type($offsets))? attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let hasVerifier = 1;
}

def Heddle_LinearOp : Heddle_Op<"linear", [Pure]> {
  let summary = "rows times a weight matrix, plus a bias";
  let description = [{
    result[.., j] = sum over k of x[.., k] * weight[k, j] + bias[j]. Each sum is one chain of fused multiply-adds over each block of 512 consecutive k, the
    blocks' sums added in ascending order.

    - (C1) weight is [k, n] and static; k is the last extent of x
    - (C2) bias is [n]
    - (C3) the result's extents are those of x with n last
    - (C4) the element types agree

    ```mlir
    %y = heddle.linear %x, %w bias %b : tensor<?x64xf32, #heddle.dims<batch, 64>>, tensor<64x24xf32, #heddle.dims<64, 24>>,
        tensor<24xf32, #heddle.dims<24>> -> tensor<?x24xf32, #heddle.dims<batch, 24>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x, AnyRankedTensor:$weight, Optional<AnyRankedTensor>:$bias);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$x `,` $weight (`bias` $bias^)? attr-dict `:` type($x) `,` type($weight) (`,` type($bias)^)? `->` type($result)";
  let hasVerifier = 1;
}
#endif
