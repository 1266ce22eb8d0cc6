// Each kind of wrong rewrite is caught, and named with its pass, at its place; the same IR passes where nothing is spoiled.
// DEFINE: %{fuse} = heddle-opt %s --split-input-file --validate-rewrites --heddle-fuse-activations --heddle-fuse-norms --heddle-fuse-softmax \
// DEFINE:   --heddle-fuse-attention --heddle-fuse-linear --heddle-fuse-projections -o /dev/null
// DEFINE: %{check} = FileCheck %s --implicit-check-not=error: --check-prefix
// RUN: %{fuse} 2>&1 | count 0
// RUN: not %{fuse} --heddle-inject-bad-rewrite=keys-permuted 2>&1 | %{check}=KEYS-PERMUTED
// RUN: not %{fuse} --heddle-inject-bad-rewrite=keys-for-values 2>&1 | %{check}=KEYS-FOR-VALUES
// RUN: not %{fuse} --heddle-inject-bad-rewrite=head-order 2>&1 | %{check}=HEAD-ORDER
// RUN: not %{fuse} --heddle-inject-bad-rewrite=mask-dropped 2>&1 | %{check}=MASK-DROPPED
// RUN: not %{fuse} --heddle-inject-bad-rewrite=masked-row 2>&1 | %{check}=MASKED-ROW
// RUN: not %{fuse} --heddle-inject-bad-rewrite=causal-off-by-one 2>&1 | %{check}=CAUSAL-OFF-BY-ONE
// RUN: not %{fuse} --heddle-inject-bad-rewrite=window-off-by-one 2>&1 | %{check}=WINDOW-OFF-BY-ONE
// RUN: not %{fuse} --heddle-inject-bad-rewrite=scale-twice 2>&1 | %{check}=SCALE-TWICE
// RUN: not %{fuse} --heddle-inject-bad-rewrite=softmax-axis 2>&1 | %{check}=SOFTMAX-AXIS
// RUN: not %{fuse} --heddle-inject-bad-rewrite=epsilon 2>&1 | %{check}=EPSILON
// RUN: not %{fuse} --heddle-inject-bad-rewrite=gain-dropped 2>&1 | %{check}=GAIN-DROPPED
// RUN: not %{fuse} --heddle-inject-bad-rewrite=bias-dropped 2>&1 | %{check}=BIAS-DROPPED
// RUN: not %{fuse} --heddle-inject-bad-rewrite=residual 2>&1 | %{check}=RESIDUAL
// RUN: not %{fuse} --heddle-inject-bad-rewrite=joined-order 2>&1 | %{check}=JOINED-ORDER
// RUN: not %{fuse} --heddle-inject-bad-rewrite=gelu-form 2>&1 | %{check}=GELU-FORM
// A kind that meets no rewrite says so, and so does one that does not exist.
// RUN: not heddle-opt %s --split-input-file --heddle-fuse-norms --heddle-inject-bad-rewrite=scale-twice -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNMET
// UNMET: heddle-opt: error: no rewrite was spoiled: 'scale-twice' needs an attention with a scale other than 1
// RUN: not heddle-opt %s --heddle-inject-bad-rewrite=scale-thrice 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: heddle-opt: error: no kind of rewrite 'scale-thrice'; the kinds and what they need:
// UNKNOWN-NEXT: keys-permuted: an attention whose keys have two channels at least

!q = tensor<?x3x?x4xf32, #heddle.dims<batch, 3, s, 4>>
!k = tensor<?x3x?x4xf32, #heddle.dims<batch, 3, t, 4>>
!kt = tensor<?x3x4x?xf32, #heddle.dims<batch, 3, 4, t>>
!p = tensor<?x3x?x?xf32, #heddle.dims<batch, 3, s, t>>
func.func @causal_scaled_three_heads(%q: !q, %k: !k, %v: !k) -> !q {
  %two = arith.constant 2.0 : f64
  %d = heddle.broadcast %two along [] : f64 -> !p
  %kt = heddle.transpose %k [0, 1, 3, 2] : !k -> !kt
  %product = heddle.matmul %q, %kt : !q, !kt -> !p
  %scaled = arith.divf %product, %d : !p
  %m = heddle.mask_causal
  %seen = heddle.mask_scores %scaled, %m : !p
  %weights = heddle.softmax %seen axis 3 : !p
  // KEYS-PERMUTED: :[[@LINE+11]]:8: error: heddle-fuse-attention: 'heddle.matmul' was replaced by 'heddle.attention', which computes something else: expected
  // KEYS-PERMUTED-NEXT: %o = heddle.matmul
  // KEYS-PERMUTED: note: for ordinary values, with batch = 3, s = 4, t = 5
  // KEYS-PERMUTED: note: the formula and its replacement:
  // KEYS-PERMUTED: func.func @formula
  // KEYS-PERMUTED: func.func @replacement
  // KEYS-FOR-VALUES: :[[@LINE+5]]:8: error: heddle-fuse-attention: 'heddle.matmul' was replaced by 'heddle.attention'
  // HEAD-ORDER: :[[@LINE+4]]:8: error: heddle-fuse-attention: 'heddle.matmul' was replaced by 'heddle.attention'
  // MASK-DROPPED: :[[@LINE+3]]:8: error: heddle-fuse-attention: 'heddle.matmul' was replaced by 'heddle.attention'
  // CAUSAL-OFF-BY-ONE: :[[@LINE+2]]:8: error: heddle-fuse-attention: 'heddle.matmul' was replaced by 'heddle.attention'
  // SCALE-TWICE: :[[@LINE+1]]:8: error: heddle-fuse-attention: 'heddle.matmul' was replaced by 'heddle.attention'
  %o = heddle.matmul %weights, %v : !p, !k -> !q
  return %o : !q
}

// -----
!x = tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>
!xt = tensor<?x4x?xf32, #heddle.dims<batch, 4, s>>
!p = tensor<?x?x?xf32, #heddle.dims<batch, s, s>>
!i = tensor<?x?xi1, #heddle.dims<batch, s>>
!b = tensor<?x?x?xi1, #heddle.dims<batch, s, s>>
func.func @padding(%x: !x, %real: !i) -> !x {
  %n = arith.constant 0xFFF0000000000000 : f64
  %none = heddle.broadcast %n along [] : f64 -> !p
  %xt = heddle.transpose %x [0, 2, 1] : !x -> !xt
  %product = heddle.matmul %x, %xt : !x, !xt -> !p
  %keys = heddle.broadcast %real along [0, 2] : !i -> !b
  %seen = arith.select %keys, %product, %none : !b, !p
  %weights = heddle.softmax %seen axis 2 : !p
  // KEYS-PERMUTED: :[[@LINE+6]]:8: error: heddle-fuse-attention: 'heddle.matmul' was replaced by 'heddle.attention'
  // HEAD-ORDER-NOT: error
  // MASK-DROPPED: :[[@LINE+4]]:8: error: heddle-fuse-attention: 'heddle.matmul' was replaced by 'heddle.attention'
  // MASKED-ROW: :[[@LINE+3]]:8: error: heddle-fuse-attention: 'heddle.matmul' was replaced by 'heddle.attention'
  // MASKED-ROW-SAME: expected 0, got {{.*}} of the result, which is exactly 0 whatever the rounding
  // MASKED-ROW: note: for hidden rows
  %o = heddle.matmul %weights, %x : !p, !x -> !x
  return %o : !x
}

// -----
!q = tensor<?x1x?x4xf32, #heddle.dims<batch, 1, s, 4>>
!qt = tensor<?x1x4x?xf32, #heddle.dims<batch, 1, 4, s>>
!p = tensor<?x1x?x?xf32, #heddle.dims<batch, 1, s, s>>
func.func @window(%q: !q, %v: !q) -> !q {
  %qt = heddle.transpose %q [0, 1, 3, 2] : !q -> !qt
  %product = heddle.matmul %q, %qt : !q, !qt -> !p
  %c = heddle.mask_causal
  %w = heddle.mask_window left 2
  %m = heddle.mask_and %c, %w
  %seen = heddle.mask_scores %product, %m : !p
  %weights = heddle.softmax %seen axis 3 : !p
  // KEYS-PERMUTED: :[[@LINE+5]]:8: error
  // KEYS-FOR-VALUES: :[[@LINE+4]]:8: error
  // MASK-DROPPED: :[[@LINE+3]]:8: error
  // CAUSAL-OFF-BY-ONE: :[[@LINE+2]]:8: error
  // WINDOW-OFF-BY-ONE: :[[@LINE+1]]:8: error: heddle-fuse-attention: 'heddle.matmul' was replaced by 'heddle.attention'
  %o = heddle.matmul %weights, %v : !p, !q -> !q
  return %o : !q
}

// -----
!s = tensor<?x8xf32, #heddle.dims<n, 8>>
!r = tensor<?xf32, #heddle.dims<n>>
// A row of -infinity alone is NaN as written; the op gives 0, and must.
func.func @softmax(%s: !s) -> !s {
  %m = heddle.max %s over [1] : !s -> !r
  %max = heddle.broadcast %m along [0] : !r -> !s
  %d = arith.subf %s, %max : !s
  %e = math.exp %d : !s
  %t = heddle.sum %e over [1] : !s -> !r
  %sum = heddle.broadcast %t along [0] : !r -> !s
  // MASKED-ROW: :[[@LINE+4]]:8: error: heddle-fuse-softmax: 'arith.divf' was replaced by 'heddle.softmax'
  // MASKED-ROW-SAME: expected 0, got 0.125 at [0, 0] of the result: a row that sees nothing gives exactly 0
  // MASKED-ROW: note: for rows of -infinity in argument 0
  // SOFTMAX-AXIS: :[[@LINE+1]]:8: error: heddle-fuse-softmax: 'arith.divf' was replaced by 'heddle.softmax'
  %p = arith.divf %e, %sum : !s
  return %p : !s
}

// -----
!x = tensor<?x8xf32, #heddle.dims<n, 8>>
!r = tensor<?xf32, #heddle.dims<n>>
!v = tensor<8xf32, #heddle.dims<8>>
heddle.weight @gain : !v = #heddle.tensor<"gain", tensor<8xf32>>
heddle.weight @bias : !v = #heddle.tensor<"bias", tensor<8xf32>>
func.func @layer_norm(%x: !x) -> !x {
  %small = arith.constant 1.0e-12 : f64
  %epsilon = heddle.broadcast %small along [] : f64 -> !r
  %m = heddle.mean %x over [1] : !x -> !r
  %mean = heddle.broadcast %m along [0] : !r -> !x
  %centred = arith.subf %x, %mean : !x
  %v = heddle.var %x over [1] : !x -> !r
  %sum = arith.addf %v, %epsilon : !r
  %s = math.sqrt %sum : !r
  %deviation = heddle.broadcast %s along [0] : !r -> !x
  // EPSILON: :[[@LINE+1]]:13: error: heddle-fuse-norms: 'arith.divf' was replaced by 'heddle.layer_norm'
  %normal = arith.divf %centred, %deviation : !x
  %g = heddle.use @gain : !v
  %gain = heddle.broadcast %g along [1] : !v -> !x
  // EPSILON: :[[@LINE+2]]:13: error: heddle-fuse-norms: 'arith.mulf' was replaced by 'heddle.layer_norm'
  // GAIN-DROPPED: :[[@LINE+1]]:13: error: heddle-fuse-norms: 'arith.mulf' was replaced by 'heddle.layer_norm'
  %scaled = arith.mulf %normal, %gain : !x
  %b = heddle.use @bias : !v
  %bias = heddle.broadcast %b along [1] : !v -> !x
  // EPSILON: :[[@LINE+2]]:8: error: heddle-fuse-norms: 'arith.addf' was replaced by 'heddle.layer_norm'
  // BIAS-DROPPED: :[[@LINE+1]]:8: error: heddle-fuse-norms: 'arith.addf' was replaced by 'heddle.layer_norm'
  %y = arith.addf %scaled, %bias : !x
  return %y : !x
}

// -----
!x = tensor<?x8xf32, #heddle.dims<n, 8>>
func.func @gelu(%x: !x) -> !x {
  %root = arith.constant 0.70710678118654752 : f64
  %one = arith.constant 1.0 : f64
  %half = arith.constant 0.5 : f64
  %r = heddle.broadcast %root along [] : f64 -> !x
  %o = heddle.broadcast %one along [] : f64 -> !x
  %h = heddle.broadcast %half along [] : f64 -> !x
  %a = arith.mulf %x, %r : !x
  %e = math.erf %a : !x
  %s = arith.addf %e, %o : !x
  %t = arith.mulf %x, %s : !x
  // GELU-FORM: :[[@LINE+1]]:8: error: heddle-fuse-activations: 'arith.mulf' was replaced by 'heddle.gelu'
  %y = arith.mulf %t, %h : !x
  return %y : !x
}

// -----
!x = tensor<?x?x6xf32, #heddle.dims<batch, s, 6>>
!h = tensor<?x1x?x6xf32, #heddle.dims<batch, 1, s, 6>>
!w = tensor<6x6xf32, #heddle.dims<6, 6>>
!v = tensor<6xf32, #heddle.dims<6>>
heddle.weight @q : !w = #heddle.tensor<"q", tensor<6x6xf32>>
heddle.weight @k : !w = #heddle.tensor<"k", tensor<6x6xf32>>
heddle.weight @v : !w = #heddle.tensor<"v", tensor<6x6xf32>>
heddle.weight @b : !v = #heddle.tensor<"b", tensor<6xf32>>
// Three products become slices of one, so one spoiled product is wrong in two of them.
func.func @projections(%x: !x) -> !h {
  %wq = heddle.use @q : !w
  // RESIDUAL: :[[@LINE+2]]:8: error: heddle-fuse-linear: 'heddle.matmul' was replaced by 'arith.addf'
  // JOINED-ORDER: :[[@LINE+1]]:8: error: heddle-fuse-projections: 'heddle.linear' was replaced by 'heddle.linear'
  %q = heddle.matmul %x, %wq : !x, !w -> !x
  %wk = heddle.use @k : !w
  // JOINED-ORDER: :[[@LINE+1]]:8: error: heddle-fuse-projections: 'heddle.linear' was replaced by 'heddle.linear'
  %k = heddle.matmul %x, %wk : !x, !w -> !x
  %wv = heddle.use @v : !w
  %n = heddle.matmul %x, %wv : !x, !w -> !x
  %b = heddle.use @b : !v
  %bs = heddle.broadcast %b along [2] : !v -> !x
  // RESIDUAL: :[[@LINE+2]]:8: error: heddle-fuse-linear: 'arith.addf' was replaced by 'arith.addf'
  // BIAS-DROPPED: :[[@LINE+1]]:8: error: heddle-fuse-linear: 'arith.addf' was replaced by 'heddle.linear'
  %v = arith.addf %n, %bs : !x
  %q4 = heddle.reshape %q : !x -> !h
  %k4 = heddle.reshape %k : !x -> !h
  %v4 = heddle.reshape %v : !x -> !h
  %o = heddle.attention %q4, %k4, %v4 scale 1.0 : !h, !h, !h -> !h
  return %o : !h
}
