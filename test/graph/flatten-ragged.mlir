// RUN: heddle-opt %s --heddle-flatten-ragged --split-input-file --verify-diagnostics | FileCheck %s

// Padding goes at the arguments and comes back at the results; between them a tensor over s has one axis of tokens. What is pointwise changes its types only.
// CHECK-LABEL: func.func @pointwise
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>, %[[BIAS:[a-z0-9]*]]: tensor<4xf32
// CHECK-SAME: %[[OFFSETS:[a-z0-9]*]]: tensor<?xi64, #heddle.dims<batch + 1>> {heddle.offsets = "s"}
// CHECK-SAME: {heddle.starts = "s"}
// CHECK: %[[ROWS:.*]] = heddle.flatten %[[X]] rows %[[OFFSETS]]
// CHECK: %[[VECTOR:.*]] = heddle.flatten %[[BIAS]] :
// CHECK: %[[B:.*]] = heddle.broadcast %[[VECTOR]] along [1] : {{.*}} -> tensor<?x4xf32, #heddle.dims<s.tokens, 4>>
// CHECK: %[[SUM:.*]] = arith.addf %[[ROWS]], %[[B]] : tensor<?x4xf32, #heddle.dims<s.tokens, 4>>
// CHECK: heddle.unflatten %[[SUM]] rows %[[OFFSETS]]
func.func @pointwise(%x: tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>, %bias: tensor<4xf32, #heddle.dims<4>>) -> tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>
    attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch">]} {
  %b = heddle.broadcast %bias along [2] : tensor<4xf32, #heddle.dims<4>> -> tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>
  %0 = arith.addf %x, %b : tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>
  return %0 : tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>
}

// -----
// Heads: the tokens are in front wherever they were, so the transpose that moved them keeps its other axes only.
// CHECK-LABEL: func.func @attention
// CHECK-SAME: %[[QO:[a-z0-9]*]]: tensor<?xi64, #heddle.dims<batch + 1>> {heddle.offsets = "s"}, %[[QS:[a-z0-9]*]]: {{[^{]*}} {heddle.starts = "s"}
// CHECK-SAME: %[[KO:[a-z0-9]*]]: tensor<?xi64, #heddle.dims<batch + 1>> {heddle.offsets = "t"}, %[[KS:[a-z0-9]*]]: {{[^{]*}} {heddle.starts = "t"}
// CHECK: heddle.reshape %{{.*}} -> tensor<?x2x4xf32, #heddle.dims<s.tokens, 2, 4>>
// CHECK: heddle.transpose %{{.*}} [0, 1, 2] : tensor<?x2x4xf32
// CHECK: heddle.attention %{{.*}} scale 5.000000e-01 queries %[[QO]], %[[QS]] : {{.*}} keys %[[KO]], %[[KS]]
// CHECK-SAME: -> tensor<?x2x4xf32, #heddle.dims<s.tokens, 2, 4>>
func.func @attention(%x: tensor<?x?x8xf32, #heddle.dims<batch, s, 8>>, %y: tensor<?x?x8xf32, #heddle.dims<batch, t, 8>>) -> tensor<?x?x8xf32, #heddle.dims<batch, s, 8>>
    attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch">, #heddle.dimension<"t" over "batch">]} {
  %r = heddle.reshape %x : tensor<?x?x8xf32, #heddle.dims<batch, s, 8>> -> tensor<?x?x2x4xf32, #heddle.dims<batch, s, 2, 4>>
  %q = heddle.transpose %r [0, 2, 1, 3] : tensor<?x?x2x4xf32, #heddle.dims<batch, s, 2, 4>> -> tensor<?x2x?x4xf32, #heddle.dims<batch, 2, s, 4>>
  %u = heddle.reshape %y : tensor<?x?x8xf32, #heddle.dims<batch, t, 8>> -> tensor<?x?x2x4xf32, #heddle.dims<batch, t, 2, 4>>
  %k = heddle.transpose %u [0, 2, 1, 3] : tensor<?x?x2x4xf32, #heddle.dims<batch, t, 2, 4>> -> tensor<?x2x?x4xf32, #heddle.dims<batch, 2, t, 4>>
  %a = heddle.attention %q, %k, %k scale 0.5 : tensor<?x2x?x4xf32, #heddle.dims<batch, 2, s, 4>>, tensor<?x2x?x4xf32, #heddle.dims<batch, 2, t, 4>>, tensor<?x2x?x4xf32, #heddle.dims<batch, 2, t, 4>> -> tensor<?x2x?x4xf32, #heddle.dims<batch, 2, s, 4>>
  %b = heddle.transpose %a [0, 2, 1, 3] : tensor<?x2x?x4xf32, #heddle.dims<batch, 2, s, 4>> -> tensor<?x?x2x4xf32, #heddle.dims<batch, s, 2, 4>>
  %j = heddle.reshape %b : tensor<?x?x2x4xf32, #heddle.dims<batch, s, 2, 4>> -> tensor<?x?x8xf32, #heddle.dims<batch, s, 8>>
  return %j : tensor<?x?x8xf32, #heddle.dims<batch, s, 8>>
}

// -----
!x = tensor<?x2x?x4xf32, #heddle.dims<batch, 2, s, 4>>
!k = tensor<?x2x7x4xf32, #heddle.dims<batch, 2, 7, 4>>
// Keys of which every batch row has as many stay as they are: only the queries are rows.
// CHECK-LABEL: func.func @attention_to_static_keys
// CHECK: heddle.attention %{{.*}} scale 1.000000e+00 queries %{{[a-z0-9]*}}, %{{[a-z0-9]*}} : tensor<?xi64, #heddle.dims<batch + 1>>, tensor<?xi64, #heddle.dims<batch>> :
// CHECK-SAME: tensor<?x2x4xf32, #heddle.dims<s.tokens, 2, 4>>, tensor<?x2x7x4xf32, #heddle.dims<batch, 2, 7, 4>>
func.func @attention_to_static_keys(%x: tensor<?x?x8xf32, #heddle.dims<batch, s, 8>>, %k: !k) -> tensor<?x?x8xf32, #heddle.dims<batch, s, 8>>
    attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch">]} {
  %r = heddle.reshape %x : tensor<?x?x8xf32, #heddle.dims<batch, s, 8>> -> tensor<?x?x2x4xf32, #heddle.dims<batch, s, 2, 4>>
  %q = heddle.transpose %r [0, 2, 1, 3] : tensor<?x?x2x4xf32, #heddle.dims<batch, s, 2, 4>> -> !x
  %a = heddle.attention %q, %k, %k scale 1.0 : !x, !k, !k -> !x
  %b = heddle.transpose %a [0, 2, 1, 3] : !x -> tensor<?x?x2x4xf32, #heddle.dims<batch, s, 2, 4>>
  %j = heddle.reshape %b : tensor<?x?x2x4xf32, #heddle.dims<batch, s, 2, 4>> -> tensor<?x?x8xf32, #heddle.dims<batch, s, 8>>
  return %j : tensor<?x?x8xf32, #heddle.dims<batch, s, 8>>
}

// -----
!s = tensor<?x2x?x7xf32, #heddle.dims<batch, 2, s, 7>>
// Scores of which one side is ragged stay padded for their mask: [batch, heads, query, key].
// CHECK-LABEL: func.func @scores_of_static_keys
// CHECK: %[[PADDED:.*]] = heddle.transpose {{.*}} -> tensor<?x2x?x7xf32, #heddle.dims<batch, 2, s, 7>>
// CHECK: heddle.mask_scores %[[PADDED]], %{{.*}} queries %{{[a-z0-9]*}}, %{{[a-z0-9]*}} : {{.*}} : tensor<?x2x?x7xf32, #heddle.dims<batch, 2, s, 7>>
// CHECK: heddle.mask_values {{.*}} : tensor<?x?x7xi1, #heddle.dims<batch, s, 7>>
func.func @scores_of_static_keys(%x: tensor<?x?x14xf32, #heddle.dims<batch, s, 14>>)
    -> (tensor<?x?x14xf32, #heddle.dims<batch, s, 14>>, tensor<?x?x7xi1, #heddle.dims<batch, s, 7>>)
    attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch">]} {
  %r = heddle.reshape %x : tensor<?x?x14xf32, #heddle.dims<batch, s, 14>> -> tensor<?x?x2x7xf32, #heddle.dims<batch, s, 2, 7>>
  %q = heddle.transpose %r [0, 2, 1, 3] : tensor<?x?x2x7xf32, #heddle.dims<batch, s, 2, 7>> -> !s
  %c = heddle.mask_causal
  %m = heddle.mask_scores %q, %c : !s
  %v = heddle.mask_values %c : tensor<?x?x7xi1, #heddle.dims<batch, s, 7>>
  %b = heddle.transpose %m [0, 2, 1, 3] : !s -> tensor<?x?x2x7xf32, #heddle.dims<batch, s, 2, 7>>
  %j = heddle.reshape %b : tensor<?x?x2x7xf32, #heddle.dims<batch, s, 2, 7>> -> tensor<?x?x14xf32, #heddle.dims<batch, s, 14>>
  return %j, %v : tensor<?x?x14xf32, #heddle.dims<batch, s, 14>>, tensor<?x?x7xi1, #heddle.dims<batch, s, 7>>
}

// -----
!x = tensor<?x3x2x?x4xf32, #heddle.dims<batch, 3, 2, s, 4>>
func.func @no_attention_of_five_axes(%x: tensor<?x?x24xf32, #heddle.dims<batch, s, 24>>) -> tensor<?x?x24xf32, #heddle.dims<batch, s, 24>>
    attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch">]} {
  %r = heddle.reshape %x : tensor<?x?x24xf32, #heddle.dims<batch, s, 24>> -> tensor<?x?x3x2x4xf32, #heddle.dims<batch, s, 3, 2, 4>>
  %q = heddle.transpose %r [0, 2, 3, 1, 4] : tensor<?x?x3x2x4xf32, #heddle.dims<batch, s, 3, 2, 4>> -> !x
  // expected-error @+1 {{expected [batch, heads, tokens, width] with ragged or static tokens, got #heddle.dims<batch, 3, 2, s, 4>; others are not built yet}}
  %a = heddle.attention %q, %q, %q scale 1.0 : !x, !x, !x -> !x
  return %x : tensor<?x?x24xf32, #heddle.dims<batch, s, 24>>
}

// -----
!k = tensor<?x2x?x4xf32, #heddle.dims<batch, 2, s, 4>>

// Where the ragged axis of an argument or result is not the second, it is turned there: padded, then rows; and back.
// CHECK-LABEL: func.func @late_ragged_axis
// CHECK-SAME: %[[K:[a-z0-9]*]]: tensor<?x2x?x4xf32
// CHECK: %[[INSIDE:.*]] = heddle.flatten %[[K]] : tensor<?x2x?x4xf32
// CHECK: %[[TURNED:.*]] = heddle.transpose %[[INSIDE]] [0, 2, 1, 3] : {{.*}} -> tensor<?x?x2x4xf32
// CHECK: %[[ROWS:.*]] = heddle.flatten %[[TURNED]] rows %{{.*}} -> tensor<?x2x4xf32, #heddle.dims<s.tokens, 2, 4>>
// CHECK: %[[Y:.*]] = arith.negf %[[ROWS]]
// CHECK: %[[WIDE:.*]] = heddle.unflatten %[[Y]] rows %{{.*}} -> tensor<?x?x2x4xf32
// CHECK: %[[BACK:.*]] = heddle.transpose %[[WIDE]] [0, 2, 1, 3]
// CHECK: heddle.unflatten %[[BACK]] : tensor<?x2x?x4xf32
func.func @late_ragged_axis(%k: !k) -> !k
    attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch">]} {
  %y = arith.negf %k : !k
  return %y : !k
}

// -----
// Positions and masks as tensors look at rows; a tensor with two ragged axes stays padded.
// CHECK-LABEL: func.func @rows
// CHECK: heddle.positions rows
// CHECK: heddle.mask_values {{.*}}queries {{.*}} keys {{.*}} : tensor<?x?x?xi1, #heddle.dims<batch, s, s>>
func.func @rows() -> (tensor<?x?xi32, #heddle.dims<batch, s>>, tensor<?x?x?xi1, #heddle.dims<batch, s, s>>)
    attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch">]} {
  %p = heddle.positions : tensor<?x?xi32, #heddle.dims<batch, s>>
  %m = heddle.mask_causal
  %v = heddle.mask_values %m : tensor<?x?x?xi1, #heddle.dims<batch, s, s>>
  return %p, %v : tensor<?x?xi32, #heddle.dims<batch, s>>, tensor<?x?x?xi1, #heddle.dims<batch, s, s>>
}

// -----
// A reduction over all tokens of a row takes their offsets; a value of each batch row is spread over its tokens.
// CHECK-LABEL: func.func @pooling
// CHECK-SAME: %[[O:[a-z0-9]*]]: tensor<?xi64, #heddle.dims<batch + 1>> {heddle.offsets = "s"}
// CHECK: %[[M:.*]] = heddle.mean %{{.*}} over [0] rows %[[O]] : {{.*}} -> tensor<?x4xf32, #heddle.dims<batch, 4>>
// CHECK: %[[S:.*]] = heddle.spread %[[M]] rows %[[O]]
// CHECK: %[[B:.*]] = heddle.broadcast %[[S]] along [0, 1]
// CHECK: arith.subf %{{.*}}, %[[B]] : tensor<?x4xf32, #heddle.dims<s.tokens, 4>>
// CHECK: heddle.pick %{{.*}} last rows %[[O]]
func.func @pooling(%x: tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>) -> tensor<?x4xf32, #heddle.dims<batch, 4>>
    attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch">]} {
  %m = heddle.mean %x over [1] : tensor<?x?x4xf32, #heddle.dims<batch, s, 4>> -> tensor<?x4xf32, #heddle.dims<batch, 4>>
  %b = heddle.broadcast %m along [0, 2] : tensor<?x4xf32, #heddle.dims<batch, 4>> -> tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>
  %c = arith.subf %x, %b : tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>
  %p = heddle.pick %c last : tensor<?x?x4xf32, #heddle.dims<batch, s, 4>> -> tensor<?x4xf32, #heddle.dims<batch, 4>>
  return %p : tensor<?x4xf32, #heddle.dims<batch, 4>>
}

// -----
// Written-out scores: rows become padded for the products, and the contraction along keys knows their lengths.
// CHECK-LABEL: func.func @scores
// CHECK: heddle.unflatten
// CHECK: %[[S:.*]] = heddle.matmul %{{.*}} : {{.*}} -> tensor<?x?x?xf32, #heddle.dims<batch, s, s>>
// CHECK: %[[M:.*]] = heddle.mask_scores %[[S]], %{{.*}} queries {{.*}} keys
// CHECK: %[[P:.*]] = heddle.softmax %[[M]] axis 2 rows
// CHECK: %[[Y:.*]] = heddle.matmul %[[P]], %{{.*}} rows
// CHECK: heddle.flatten %[[Y]] rows
func.func @scores(%x: tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>) -> tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>
    attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch">]} {
  %t = heddle.transpose %x [0, 2, 1] : tensor<?x?x4xf32, #heddle.dims<batch, s, 4>> -> tensor<?x4x?xf32, #heddle.dims<batch, 4, s>>
  %s = heddle.matmul %x, %t : tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>, tensor<?x4x?xf32, #heddle.dims<batch, 4, s>> -> tensor<?x?x?xf32, #heddle.dims<batch, s, s>>
  %c = heddle.mask_causal
  %m = heddle.mask_scores %s, %c : tensor<?x?x?xf32, #heddle.dims<batch, s, s>>
  %p = heddle.softmax %m axis 2 : tensor<?x?x?xf32, #heddle.dims<batch, s, s>>
  %y = heddle.matmul %p, %x : tensor<?x?x?xf32, #heddle.dims<batch, s, s>>, tensor<?x?x4xf32, #heddle.dims<batch, s, 4>> -> tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>
  %z = arith.addf %y, %x : tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>
  return %z : tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>
}

// -----
func.func @no_reshape_across_tokens(%x: tensor<?x?x8xf32, #heddle.dims<batch, s, 8>>) -> tensor<?x?x8xf32, #heddle.dims<batch, s, 8>>
    attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch">]} {
  %r = heddle.reshape %x : tensor<?x?x8xf32, #heddle.dims<batch, s, 8>> -> tensor<?x?x2x4xf32, #heddle.dims<batch, s, 2, 4>>
  %q = heddle.transpose %r [0, 2, 1, 3] : tensor<?x?x2x4xf32, #heddle.dims<batch, s, 2, 4>> -> tensor<?x2x?x4xf32, #heddle.dims<batch, 2, s, 4>>
  // expected-error @+1 {{moves elements across the ragged axis of}}
  %0 = heddle.reshape %q : tensor<?x2x?x4xf32, #heddle.dims<batch, 2, s, 4>> -> tensor<?x?x8xf32, #heddle.dims<batch, s, 8>>
  return %0 : tensor<?x?x8xf32, #heddle.dims<batch, s, 8>>
}
