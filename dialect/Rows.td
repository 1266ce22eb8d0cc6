// What works on one row at a time: reductions, softmax, norms, positions.
#ifndef HEDDLE_ROWS
#define HEDDLE_ROWS
include "dialect/Attributes.td"

class Heddle_ReduceOp<string mnemonic, string what, string formula> : Heddle_Op<mnemonic, [Pure]> {
  let summary = what # " along some axes";
  let description = "    result = " # formula # [{

    The axes named by `over` are gone from the result. Along a ragged axis only real tokens are read.

    After the graph stage a reduction along a ragged axis s has the offsets of s: of a source [s.tokens, ..], over [0], the result is [batch, ..]; of a
    padded source (two ragged axes) the last axis of `over` is s.

    - (C1) `over` names axes of the source, ascending, at least one
    - (C2) the result has the other extents (with rows of tokens: [batch, ..]), and the source's element type

    ```mlir
    %y = heddle.}] # mnemonic # [{ %x over [1] : tensor<?x64xf32, #heddle.dims<batch, 64>> -> tensor<?xf32, #heddle.dims<batch>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, DenseI64ArrayAttr:$over, Optional<Heddle_Offsets>:$offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `over` $over (`rows` $offsets^ `:` type($offsets))? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}
def Heddle_SumOp : Heddle_ReduceOp<"sum", "the sum", "sum(x); 0 where nothing is read.">;
def Heddle_MaxOp : Heddle_ReduceOp<"max", "the largest element", "max(x); -infinity, or the least integer, where nothing is read; NaN where a NaN is read.">;
def Heddle_MinOp : Heddle_ReduceOp<"min", "the smallest element", "min(x); infinity, or the largest integer, where nothing is read; NaN where a NaN is read.">;
def Heddle_MeanOp : Heddle_ReduceOp<"mean", "the mean", "sum(x) / n; 0 where nothing is read.">;
def Heddle_VarOp : Heddle_ReduceOp<"var", "the biased variance", "sum((x - mean(x))^2) / n, in two passes; 0 where nothing is read.">;

def Heddle_SoftmaxOp : Heddle_Op<"softmax", [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "exp(x - max) / sum(exp(x - max)) along one axis";
  let description = [{
    result[.., i, ..] = exp(x_i - m) / sum over j of exp(x_j - m), m the largest x_j, for each row x along `axis`. A row of -infinity alone gives 0. Along a ragged axis only real tokens are read and the rest is 0; after the graph stage the offsets of that axis come
    as an operand.

    - (C1) the axis exists

    ```mlir
    %p = heddle.softmax %s axis 1 : tensor<?x10xf32, #heddle.dims<batch, 10>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, I64Attr:$axis, Optional<Heddle_Offsets>:$offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `axis` $axis (`rows` $offsets^ `:` type($offsets))? attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def Heddle_LayerNormOp : Heddle_Op<"layer_norm", [Pure, AttrSizedOperandSegments, AllTypesMatch<["source", "result"]>]> {
  let summary = "(x - mean) / sqrt(var + epsilon) * gain + bias along the last axis";
  let description = [{
    result[.., i] = (x_i - mean(x)) / sqrt(var(x) + epsilon) * gain[i] + bias[i] for each row x of source [.., d]: mean and biased variance, in two
    passes (Ba, Kiros, Hinton 2016). Without gain and bias the row is only centred and scaled.

    - (C1) the last extent is static; gain and bias, where given, are [that extent]; a bias comes with a gain
    - (C2) the element types agree
    - (C3) epsilon is at least 0

    ```mlir
    %y = heddle.layer_norm %x, %gain bias %bias epsilon 1.0e-5 : tensor<?x64xf32, #heddle.dims<batch, 64>>,
        tensor<64xf32, #heddle.dims<64>>, tensor<64xf32, #heddle.dims<64>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Optional<AnyRankedTensor>:$gain, Optional<AnyRankedTensor>:$bias, F64Attr:$epsilon);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source (`,` $gain^)? (`bias` $bias^)? `epsilon` $epsilon attr-dict `:` type($source) (`,` type($gain)^)? (`,` type($bias)^)?";
  let hasVerifier = 1;
}

def Heddle_RmsNormOp : Heddle_Op<"rms_norm", [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "x / sqrt(mean(x^2) + epsilon) * gain along the last axis";
  let description = [{
    result[.., i] = x_i / sqrt(mean(x^2) + epsilon) * gain[i] for each row x of source [.., d] (Zhang, Sennrich 2019). Without a gain the row is only
    scaled.

    - (C1) the last extent is static; gain, where given, is [that extent]
    - (C2) the element types agree
    - (C3) epsilon is at least 0

    ```mlir
    %y = heddle.rms_norm %x, %gain epsilon 1.0e-6 : tensor<?x64xf32, #heddle.dims<batch, 64>>, tensor<64xf32, #heddle.dims<64>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Optional<AnyRankedTensor>:$gain, F64Attr:$epsilon);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source (`,` $gain^)? `epsilon` $epsilon attr-dict `:` type($source) (`,` type($gain)^)?";
  let hasVerifier = 1;
}

def Heddle_GeluErf : I32EnumAttrCase<"erf", 0>;
def Heddle_GeluTanh : I32EnumAttrCase<"tanh", 1>;
def Heddle_GeluForm : I32EnumAttr<"GeluForm", "how gelu is computed", [Heddle_GeluErf, Heddle_GeluTanh]> {
  let cppNamespace = "::heddle";
  let genSpecializedAttr = 0;
}
def Heddle_GeluFormAttr : EnumAttr<Heddle_Dialect, Heddle_GeluForm, "gelu_form"> {
  let description = [{
    erf: the exact form; tanh: its approximation. In an op the word alone: `heddle.gelu %x tanh`.

    ```mlir
    #heddle<gelu_form tanh>
    ```
  }];
}

class Heddle_ElementwiseOp<string mnemonic> : Heddle_Op<mnemonic, !listconcat([Pure, SameOperandsAndResultType], ElementwiseMappable.traits)> {
  let results = (outs AnyTypeOf<[AnyFloat, RankedTensorOf<[AnyFloat]>]>:$result);
}
def Heddle_GeluOp : Heddle_ElementwiseOp<"gelu"> {
  let summary = "x times the normal distribution function of x";
  let description = [{
    result = x / 2 * (1 + erf(x / sqrt(2))) (erf), or its approximation by tanh, for each element of a tensor of any shape or a number. tanh: x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) (Hendrycks, Gimpel 2016).

    ```mlir
    %y = heddle.gelu %x erf : tensor<?x64xf32, #heddle.dims<batch, 64>>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyFloat, RankedTensorOf<[AnyFloat]>]>:$x, Heddle_GeluFormAttr:$form);
  let assemblyFormat = "$x `` $form attr-dict `:` type($x)";
}
def Heddle_SiluOp : Heddle_ElementwiseOp<"silu"> {
  let summary = "x / (1 + exp(-x))";
  let description = [{
    result = x / (1 + exp(-x)), for each element of a tensor of any shape or a number (Elfwing, Uchibe, Doya 2017).

    ```mlir
    %y = heddle.silu %x : tensor<?x64xf32, #heddle.dims<batch, 64>>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyFloat, RankedTensorOf<[AnyFloat]>]>:$x);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def Heddle_RotaryEmbeddingOp : Heddle_Op<"rotary_embedding", [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "pairs of channels turned by the angles of their position";
  let description = [{
    angles [.., s, 2n] are the sines, then the cosines, of n angles for each position (`sinusoidal_positions` in halves; so every frequency is a formula of
    the text, computed in double). The first 2n channels of source [.., s, d] are n pairs (i, n + i) (halves) or (2i, 2i + 1) (interleaved):
    (a, b) -> gain * (a cos - b sin, b cos + a sin); the rest passes (Su et al. 2021).

    - (C1) source has two axes at least, all its extents but the tokens' may be anything; the last is static and at least 2n
    - (C2) angles are [batch, s, 2n], [s, 2n], or after the graph stage [s.tokens, 2n], with the source's extents; 2n is static
    - (C3) the element types agree

    ```mlir
    %y = heddle.rotary_embedding %x, %a halves gain 1.0 : tensor<?x4x?x16xf32, #heddle.dims<batch, 4, s, 16>>, tensor<?x?x16xf32, #heddle.dims<batch, s, 16>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, AnyRankedTensor:$angles, Heddle_PairLayoutAttr:$layout, F64Attr:$gain);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `,` $angles `` $layout `gain` $gain attr-dict `:` type($source) `,` type($angles)";
  let hasVerifier = 1;
}

def Heddle_PositionsOp : Heddle_Op<"positions", [Pure, AttrSizedOperandSegments]> {
  let summary = "the position of each token: start + index";
  let description = [{
    Before the graph stage: i32 [batch, s], result[b, i] = start of row b + i, over the ragged dimension s. After it: i32 [s.tokens], with offsets and
    starts. On an axis that is not ragged ([n], or [batch, n]) a position is the index along the last axis.

    - (C1) the result is i32 with one or two axes
    - (C2) offsets and starts come together

    ```mlir
    %p = heddle.positions : tensor<?x?xi32, #heddle.dims<batch, s>>
    %q = heddle.positions rows %offsets, %starts : tensor<?xi64, #heddle.dims<batch + 1>>, tensor<?xi64, #heddle.dims<batch>>
        : tensor<?xi32, #heddle.dims<s.tokens>>
    ```
  }];
  let arguments = (ins Optional<Heddle_Offsets>:$offsets, Optional<Heddle_Starts>:$starts);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "(`rows` $offsets^ `,` $starts `:` type($offsets) `,` type($starts))? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Heddle_SinusoidalPositionsOp : Heddle_Op<"sinusoidal_positions", [Pure]> {
  let summary = "sines and cosines of positions";
  let description = [{
    result[.., 2i] = sin((p + shift) * f_i), result[.., 2i + 1] = cos((p + shift) * f_i) (interleaved), or all sines before all cosines (halves), for p =
    positions[..] (Vaswani et al. 2017, section 3.5). An odd width leaves out the last cosine. Computed in double, rounded once.

    - (C1) positions are i32
    - (C2) the result's extents are those of positions, then the width; it is static and at most twice the number of frequencies
    - (C3) shift is at least 0

    ```mlir
    %s = heddle.sinusoidal_positions %p frequencies [1.0, 0.01] interleaved shift 0 : tensor<?xi32, #heddle.dims<s.tokens>>
        -> tensor<?x4xf32, #heddle.dims<s.tokens, 4>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$positions, DenseF64ArrayAttr:$frequencies, Heddle_PairLayoutAttr:$layout, I64Attr:$shift);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$positions `frequencies` custom<Frequencies>($frequencies) `` $layout `shift` $shift attr-dict `:` type($positions) `->` type($result)";
  let hasVerifier = 1;
}
#endif
