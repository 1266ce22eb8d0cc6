// Data movement: the same elements at other places.
#ifndef HEDDLE_MOVEMENT
#define HEDDLE_MOVEMENT
include "dialect/Attributes.td"

def Heddle_BroadcastOp : Heddle_Op<"broadcast", [Pure]> {
  let summary = "a tensor or scalar repeated along new axes";
  let description = [{
    result[i_0, .., i_r] = source[i_axes[0], .., i_axes[s]]: source axis k becomes result axis axes[k], the other axes repeat. The frontend puts it in
    wherever shapes of elementwise mathematics differ; kernels pay nothing for it. A number of the model text is an f64 constant: the broadcast rounds it to
    the element type, once, so passes compute with what the text says.

    - (C1) one axis for each axis of the source, ascending, within the result
    - (C2) each source extent is the result extent at its axis
    - (C3) the element types agree, or a number of f64 becomes one of another float type

    ```mlir
    %b = heddle.broadcast %bias along [2] : tensor<64xf32, #heddle.dims<64>> -> tensor<?x?x64xf32, #heddle.dims<batch, sequence, 64>>
    %c = heddle.broadcast %two along [] : f64 -> tensor<?x64xf32, #heddle.dims<batch, 64>>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyRankedTensor, AnyFloat, AnySignlessInteger]>:$source, DenseI64ArrayAttr:$axes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `along` $axes attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Heddle_ReshapeOp : Heddle_Op<"reshape", [Pure]> {
  let summary = "the same elements, in row-major order, under other extents";
  let description = [{
    result, read in row-major order, = source, read in row-major order.

    - (C1) the products of the extents agree
    - (C2) the element types agree

    ```mlir
    %h = heddle.reshape %x : tensor<?x?x64xf32, #heddle.dims<batch, sequence, 64>> -> tensor<?x?x4x16xf32, #heddle.dims<batch, sequence, 4, 16>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Heddle_TransposeOp : Heddle_Op<"transpose", [Pure]> {
  let summary = "axes in another order";
  let description = [{
    result[i_0, .., i_r] = source[..] where axis k of the result is axis permutation[k] of the source.

    - (C1) permutation has each axis of the source once
    - (C2) result extent i is source extent permutation[i]
    - (C3) the element types agree

    ```mlir
    %t = heddle.transpose %x [1, 0] : tensor<24x64xf32, #heddle.dims<24, 64>> -> tensor<64x24xf32, #heddle.dims<64, 24>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, DenseI64ArrayAttr:$permutation);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source $permutation attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Heddle_SliceOp : Heddle_Op<"slice", [Pure]> {
  let summary = "consecutive places along one static axis";
  let description = [{
    result[.., i, ..] = source[.., first + i, ..] at `axis`; how many is the result's extent there. A split is several slices.

    - (C1) the axis exists and its extents are static
    - (C2) first and size lie within the source
    - (C3) the other extents and the element types agree

    ```mlir
    %q = heddle.slice %qkv axis 1 from 0 : tensor<?x192xf32, #heddle.dims<batch, 192>> -> tensor<?x64xf32, #heddle.dims<batch, 64>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, I64Attr:$axis, I64Attr:$first);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `axis` $axis `from` $first attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Heddle_ConcatOp : Heddle_Op<"concat", [Pure]> {
  let summary = "tensors one after the other along one axis";
  let description = [{
    result = the places of the first source along `axis`, then those of the second, and so on.

    - (C1) at least one source; the axis exists
    - (C2) the result's extent at the axis is the sum of the sources'
    - (C3) the other extents and the element types agree

    ```mlir
    %c = heddle.concat %a, %b axis 1 : tensor<?x8xf32, #heddle.dims<batch, 8>>, tensor<?x4xf32, #heddle.dims<batch, 4>>
        -> tensor<?x12xf32, #heddle.dims<batch, 12>>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$sources, I64Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$sources `axis` $axis attr-dict `:` type($sources) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Heddle_GatherOp : Heddle_Op<"gather", [Pure]> {
  let summary = "rows of a table by their ids";
  let description = [{
    result[i.., j..] = table[ids[i..], j..]; with `transposed` the table is [j, n] and result[i.., j] = table[j, ids[i..]], so that a table that a product
    reads too is one copy. Ids of an entry's argument are checked before a run; any other id is clamped to the table.

    - (C1) ids are i32
    - (C2) the result's extents are those of ids, then those of the table without its first
    - (C3) the element types of table and result agree

    ```mlir
    %x = heddle.gather %table[%ids] : tensor<24x64xf32, #heddle.dims<24, 64>>, tensor<?xi32, #heddle.dims<source.tokens>>
        -> tensor<?x64xf32, #heddle.dims<source.tokens, 64>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$table, AnyRankedTensor:$ids, UnitAttr:$transposed);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$table `[` $ids `]` (`transposed` $transposed^)? attr-dict `:` type($table) `,` type($ids) `->` type($result)";
  let hasVerifier = 1;
}

def Heddle_PickOp : Heddle_Op<"pick", [Pure]> {
  let summary = "the first or the last token of each row";
  let description = [{
    result[b, ..] = source[b, 0, ..] or source[b, length of row b - 1, ..]; 0 where the row is empty. After the graph stage source is [s.tokens, ..] and
    the offsets of s come as an operand.

    - (C1) source is [batch, s, ..], with rows [s.tokens, ..]; the result is [batch, ..]
    - (C2) the element types agree

    ```mlir
    %y = heddle.pick %x last : tensor<?x?x64xf32, #heddle.dims<batch, s, 64>> -> tensor<?x64xf32, #heddle.dims<batch, 64>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, UnitAttr:$last, Optional<Heddle_Offsets>:$offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source (`last` $last^)? (`rows` $offsets^ `:` type($offsets))? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Heddle_SpreadOp : Heddle_Op<"spread", [Pure]> {
  let summary = "a value of each batch row repeated for its tokens";
  let description = [{
    result[offsets[b] + i, ..] = source[b, ..]: what broadcast along a ragged axis is once tokens are rows. Made by the graph stage.

    - (C1) source is [batch, ..], the result [s.tokens, ..] with the same other extents
    - (C2) the element types agree

    ```mlir
    %y = heddle.spread %x rows %o : tensor<?x64xf32, #heddle.dims<batch, 64>>, tensor<?xi64, #heddle.dims<batch + 1>>
        -> tensor<?x64xf32, #heddle.dims<s.tokens, 64>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Heddle_Offsets:$offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `rows` $offsets attr-dict `:` type($source) `,` type($offsets) `->` type($result)";
  let hasVerifier = 1;
}

def Heddle_WindowsOp : Heddle_Op<"windows", [Pure]> {
  let summary = "overlapping pieces of one static axis, as a new last axis";
  let description = [{
    result[.., i, .., j] = source[.., i * stride + j - padding, ..] at `axis`, 0 outside of the source; n places become (n + 2 padding - size) / stride + 1,
    rounded down, and a last axis of `size` is added. A convolution is windows and a matrix product.

    - (C1) the axis exists and is static; stride and size are at least 1, padding at least 0
    - (C2) the result's extents are those of the source with the number of windows at the axis, then size
    - (C3) the element types agree

    ```mlir
    %w = heddle.windows %x axis 1 size 3 stride 2 padding 1 : tensor<?x8x4xf32, #heddle.dims<batch, 8, 4>> -> tensor<?x4x4x3xf32, #heddle.dims<batch, 4, 4, 3>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, I64Attr:$axis, I64Attr:$size, I64Attr:$stride, I64Attr:$padding);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `axis` $axis `size` $size `stride` $stride `padding` $padding attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Heddle_FlattenOp : Heddle_Op<"flatten", [Pure]> {
  let summary = "an argument without its padding, as rows";
  let description = [{
    result[offsets[b] + i, ..] = source[b, i, ..] for i below the length of row b. Without offsets (nothing ragged) it is the argument as it is. It stands
    between an entry's arguments, which lie as the caller gave them, and everything inside, whose rows are whole panels.

    - (C1) with offsets: source [batch, s, ..], result [s.tokens, ..]; else the extents agree
    - (C2) the element types agree

    ```mlir
    %t = heddle.flatten %x rows %offsets : tensor<?x?xi32, #heddle.dims<batch, s>>, tensor<?xi64, #heddle.dims<batch + 1>>
        -> tensor<?xi32, #heddle.dims<s.tokens>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Optional<Heddle_Offsets>:$offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source (`rows` $offsets^)? attr-dict `:` type($source) (`,` type($offsets)^)? `->` type($result)";
  let hasVerifier = 1;
}

def Heddle_UnflattenOp : Heddle_Op<"unflatten", [Pure]> {
  let summary = "rows as the caller's array, 0 beyond each length";
  let description = [{
    result[b, i, ..] = source[offsets[b] + i, ..] for i below the length of row b, else 0. A source that is padded already (two ragged axes) is taken in
    place: source[b, i, ..]. Without offsets the result is the value as it is.

    - (C1) with offsets: source [s.tokens, ..] or [batch, s, ..], result [batch, s, ..]; else the extents agree
    - (C2) the element types agree

    ```mlir
    %r = heddle.unflatten %x rows %offsets : tensor<?x64xf32, #heddle.dims<s.tokens, 64>>, tensor<?xi64, #heddle.dims<batch + 1>>
        -> tensor<?x?x64xf32, #heddle.dims<batch, s, 64>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Optional<Heddle_Offsets>:$offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source (`rows` $offsets^)? attr-dict `:` type($source) (`,` type($offsets)^)? `->` type($result)";
  let hasVerifier = 1;
}
#endif
