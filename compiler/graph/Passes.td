// The graph stage: heddle -> heddle. Comes after the frontend, before linalg.
#ifndef HEDDLE_GRAPH_PASSES
#define HEDDLE_GRAPH_PASSES
include "mlir/Pass/PassBase.td"

def FoldRecipes : Pass<"heddle-fold-recipes", "mlir::ModuleOp"> {
  let summary = "fold movement of weights, and sums and products with a number, into their recipes";
  let description = [{
    `transpose(use @w)` becomes `use @w'` with a recipe that transposes; the same for reshape, slice and concatenation of weights, and for a number added to
    a weight or multiplied with it. Equal recipes share a weight, weights that nobody uses any more are erased.

    Takes what the frontend wrote. Leaves ops on anything but weights and numbers, and all data: a recipe says what to do with it when packing. Example:
    test/graph/fold-recipes.mlir.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let statistics = [Statistic<"folded", "folded", "ops folded into recipes">];
}

def FuseGather : Pass<"heddle-fuse-gather", "mlir::ModuleOp"> {
  let summary = "fuse one-hot rows times a table into a gather";
  let description = [{
    `f32(ids == iota(n)) @ table` becomes `table[ids]`, and 0 where an id is not in the table.

    Takes products that FuseAttention left, before FuseLinear. Leaves comparisons with other numbers than the places, and tables that are computed; both are
    told at their place. Example: test/graph/fuse-gather.mlir.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let statistics = [Statistic<"fused", "fused", "gathers made">];
}

def FuseLinear : Pass<"heddle-fuse-linear", "mlir::ModuleOp"> {
  let summary = "fuse products with weight matrices, and their biases, into linear";
  let description = [{
    `matmul(x, weight)` becomes `linear`, with the bias that is added to it, in whatever shape (heads before the bias or after), where nobody else reads the
    product without it. `matmul(weight, x)` is the same product transposed.

    Takes products with one weight matrix for all rows, after FoldRecipes. Leaves products of two activations; a matrix or a bias that is computed, and a
    product that is read without its bias too, are told at their place. Activations and residuals run on the product's tiles later (OutlineKernels).
    Example: test/graph/fuse-linear.mlir.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let statistics = [Statistic<"fused", "fused", "products and biases fused">];
}

def FuseHeads : Pass<"heddle-fuse-heads", "mlir::ModuleOp"> {
  let summary = "fuse repeated and separate heads into the heads of one attention";
  let description = [{
    Keys and values that a text repeats for groups of heads are read in place: `attention(q, repeat(k), repeat(v))` becomes `attention(q, k, v)` with fewer
    key heads. Heads that are an attention each, concatenated, become one attention of all heads.

    Takes the attentions of FuseAttention and the products of FuseLinear. Leaves heads of different masks, scales or widths, heads that are read alone too,
    and keys repeated without their values; each is told at its place. Example: test/graph/fuse-heads.mlir.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let statistics = [Statistic<"fused", "fused", "attentions made">];
}

def FuseProjections : Pass<"heddle-fuse-projections", "mlir::ModuleOp"> {
  let summary = "fuse products of the same rows into one, with their weights side by side";
  let description = [{
    `x @ v` and `x @ w` become slices of `x @ concat(v, w)`, and `concat(x @ v, x @ w)` that product itself; the weights are joined by a recipe. A product
    without bias gets one of -0 where others have theirs, which keeps every bit.

    Takes what FuseLinear made, for one reader: the queries, keys and values of an attention, a gate and what it opens. Leaves products with other elementwise
    work behind them, which runs on their own tiles; results that an entry returns, which would be copied; and weights that are read elsewhere in another company, whose bytes would be there
    twice. Example: test/graph/fuse-projections.mlir.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let statistics = [Statistic<"fused", "fused", "products made of several">];
}

def FuseRotaryEmbedding : Pass<"heddle-fuse-rotary-embedding", "mlir::ModuleOp"> {
  let summary = "fuse rotations by positions, in whatever spelling, into rotary_embedding";
  let description = [{
    `x * cos + concat(-x2, x1) * sin` and `concat(x1 * cos - x2 * sin, x2 * cos + x1 * sin)` become `rotary_embedding`, with halves or neighbours as pairs, for
    the first channels or all of them; sines and cosines are of positions times frequencies, computed or taken from sinusoidal positions. Frequencies go
    into the table in double, as `rotary` takes them.

    Takes what the frontend wrote. Leaves angles of anything else, pairs in other places and axes without a bound; each is told at its place. Example:
    test/graph/fuse-rotary-embedding.mlir.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let statistics = [Statistic<"fused", "fused", "rotations fused">];
}

def FuseSinusoidalPositions : Pass<"heddle-fuse-sinusoidal-positions", "mlir::ModuleOp"> {
  let summary = "fuse sines and cosines of positions, written out, into sinusoidal_positions";
  let description = [{
    `concat(sin(p * f), cos(p * f))`, or both in turn, becomes `sinusoidal_positions`, for positions p, plus an int or not, and constant frequencies f in whatever
    spelling (the text computes exp(-log) when compiling).

    Takes what FuseRotaryEmbedding left. Leaves cosines before sines, different angles of both and axes without a bound; each is told at its place. Example:
    test/graph/fuse-sinusoidal-positions.mlir.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let statistics = [Statistic<"fused", "fused", "tables of sinusoids made">];
}

def FuseActivations : Pass<"heddle-fuse-activations", "mlir::ModuleOp"> {
  let summary = "fuse gelu and silu, in whatever spelling, into their ops";
  let description = [{
    `x / 2 * (1 + erf(x / sqrt(2)))`, its approximation by tanh, and `x / (1 + exp(-x))` become `gelu` and `silu`: factors in any order, constants before or
    after, x itself any value.

    Takes what the frontend wrote. Leaves formulas whose constants are others, and says so at their place. Example: test/graph/fuse-activations.mlir.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let statistics = [Statistic<"fused", "fused", "activations fused">];
}

def FuseNorms : Pass<"heddle-fuse-norms", "mlir::ModuleOp"> {
  let summary = "fuse layer_norm and rms_norm, in whatever spelling, into their ops";
  let description = [{
    `(x - mean(x)) / sqrt(var(x) + epsilon)` along the last axis becomes `layer_norm`, `x / sqrt(mean(x * x) + epsilon)` becomes `rms_norm`; then a gain and a
    bias, where both are weights and nobody reads the row before them.

    Takes what the frontend wrote, after FuseActivations. Leaves norms along another axis, with an unbiased variance, with epsilon outside of the root, or
    whose variance is a difference of squares (which loses everything for a large mean); each is told at its place. Example: test/graph/fuse-norms.mlir.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let statistics = [Statistic<"fused", "fused", "norms, gains and biases fused">];
}

def FuseSoftmax : Pass<"heddle-fuse-softmax", "mlir::ModuleOp"> {
  let summary = "fuse softmax, written out, into its op";
  let description = [{
    `exp(s - max(s)) / sum(exp(s - max(s)))` along the last axis becomes `softmax`. A row of -infinity alone, NaN as written, becomes 0.

    Takes what the frontend wrote. Leaves exps of the scores themselves, which overflow above 88, and sums along another axis; both are told at their place.
    Example: test/graph/fuse-softmax.mlir.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let statistics = [Statistic<"fused", "fused", "softmax ops made">];
}

def FuseAttention : Pass<"heddle-fuse-attention", "mlir::ModuleOp"> {
  let summary = "fuse attention, in whatever spelling, into its op";
  let description = [{
    `softmax(scale * (q @ transpose(k)), changed and hidden) @ v` becomes `attention`: scales as factors and divisors, before or after the product; masks
    by mask(), where() and additions of -infinity; softcaps; biases as tensors. [batch, s, d] gets an axis of one head.

    Takes what FuseSoftmax left. Leaves scores and weights that others read, softmax along the queries, hidden scores that are finite numbers, and what it
    does not understand; each is told at its place. Example: test/graph/fuse-attention.mlir.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let statistics = [Statistic<"fused", "fused", "attentions made">];
}

def FuseMasks : Pass<"heddle-fuse-masks", "mlir::ModuleOp"> {
  let summary = "fuse tensors of what is seen into masks of positions";
  let description = [{
    `mask_tensor` of comparisons of positions becomes `mask_causal` and `mask_window`; of conditions on keys or queries alone, `mask_tokens`; of
    `j <= i or j < n`, `mask_prefix`; of equal ids, `mask_segments`. `bias_tensor` of 0 or -infinity becomes such a mask, of slopes times distances
    `bias_alibi`, of a number for each key `bias_tokens`. Conditions joined by `and` are read one by one.

    Takes attention, scores and values with their masks, after FuseAttention. Leaves what is a tensor of pairs by nature, and large finite numbers,
    which are told at their place. Example: test/graph/fuse-masks.mlir.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let statistics = [Statistic<"fused", "fused", "tensors of pairs that became masks">];
}

def VerifyFused : Pass<"heddle-verify-fused", "mlir::ModuleOp"> {
  let summary = "verify what @fused promises";
  let description = [{
    An op that `@fused` marks (`heddle.fused`, the place in the text) must have become a model op, or part of one; else an error at that place says why not.

    Takes what the fusions left. Leaves no marks. Example: test/graph/verify-fused.mlir.
  }];
}

def FoldTables : Pass<"heddle-fold-tables", "mlir::ModuleOp"> {
  let summary = "let gathers read a table from the panels of a product";
  let description = [{
    Where one product takes a table transposed (tied embeddings), a gather from the table becomes a gather from the product's own weight, so that the table
    is in the executable once.

    Takes the products that FuseLinear made. Leaves tables that no product reads, and gathers from anything but a weight. Example:
    test/graph/fold-tables.mlir.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let statistics = [Statistic<"shares", "shares", "gathers that read a product's weight">];
}

def InferBounds : Pass<"heddle-infer-bounds", "mlir::ModuleOp"> {
  let summary = "infer which ids and positions an entry accepts";
  let description = [{
    A table that an argument indexes bounds its ids (`heddle.id_bound`); a table that positions index bounds their ragged dimension. The smallest bound
    counts. The runtime checks both before a run.

    Takes gathers that read tables by rows. Leaves every op; a bound that the text states is kept where it is smaller, and computed ids bound nothing: a
    gather clamps them. Example: test/graph/infer-bounds.mlir.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let statistics = [Statistic<"inferred", "inferred", "bounds set">];
}

def LowerSinusoidalPositions : Pass<"heddle-lower-sinusoidal-positions", "mlir::ModuleOp"> {
  let summary = "lower sinusoidal positions to a gather from a table of angles";
  let description = [{
    The table is a weight with an `angles` recipe, computed in double when packing, with as many rows as the bound of the ragged dimension; the shift cuts
    its first rows.

    Takes entries whose bounds InferBounds has set; positions that are not `heddle.positions` of a bounded dimension are an error. Leaves no
    `sinusoidal_positions`; equal tables are one weight. Example: test/graph/lower-sinusoidal-positions.mlir.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let statistics = [Statistic<"lowered", "lowered", "ops lowered">];
}

def VerifyRewrites : Pass<"heddle-verify-rewrites", "mlir::ModuleOp"> {
  let summary = "verify that formulas and their replacements compute the same";
  let description = [{
    With `--validate-rewrites` each rewrite of the passes before is recorded: the formula, its replacement, the values at the boundary. Here each distinct
    pair runs through the float64 interpreter on small hostile inputs (compiler/reference/HostileInputs.h); a difference is an error at the formula's place.

    Takes the rewrites since it ran last; without `--validate-rewrites` none is recorded. Leaves the IR as it is. Example: test/graph/verify-rewrites.mlir.
  }];
}

def FlattenRagged : Pass<"heddle-flatten-ragged", "mlir::ModuleOp"> {
  let summary = "flatten ragged tensors to rows of real tokens";
  let description = [{
    A tensor [batch, .., s, ..] with one ragged axis s becomes [s.tokens, ..]: padding is gone. Entries get offsets and starts of each ragged dimension as
    arguments; the ops that look at rows (attention, positions, mask values) take them as operands; everything else only changes its types. Arguments pass
    through `flatten`, results through `unflatten`.

    Takes padded tensors with named extents. Leaves tensors with two ragged axes as they are, padded to the batch's longest row; what reads along a ragged
    axis in another way than the ops of the dialect is refused as not built yet. Example: test/graph/flatten-ragged.mlir.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let statistics = [Statistic<"flattened", "flattened", "tensors that lost their padding">];
}

def NormalizeViews : Pass<"heddle-normalize-views", "mlir::ModuleOp"> {
  let summary = "give views that mean the same one form";
  let description = [{
    A slice of a transposition becomes a transposition of a slice, a unit axis is dropped before axes move, and one that was added and joined again is gone:
    `rearrange(x, [b, s, 3 * n * d] -> [3, b, n, s, d])[3 = 0]` is the first third of x, in heads.

    Takes any graph. Leaves other views as they are. Example: test/graph/normalize-views.mlir.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
}

def OrderGraph : Pass<"heddle-order-graph", "mlir::ModuleOp"> {
  let summary = "put ops and weights into one order";
  let description = [{
    Ops stand depth first from what an entry returns, weights in the order of their first use. So one graph has one text, from whatever spelling it came:
    kernels are grouped alike, and results have equal bits.

    Takes any graph. Leaves its ops as they are; those that nobody reads come first. Example: test/graph/order-graph.mlir.
  }];
}

def VerifyGraph : Pass<"heddle-verify-graph", "mlir::ModuleOp"> {
  let summary = "verify what the graph stage promises";
  let description = [{
    Each entry is one block of ops whose tensors carry consistent named extents; no ragged axis is left outside of arguments, results and tensors with two;
    every op that looks at rows has its offsets; no sinusoidal positions are left.

    Takes what the graph stage made. Leaves it as it is; a promise that is not kept is an error. Example: test/graph/verify-graph.mlir.
  }];
}
#endif
