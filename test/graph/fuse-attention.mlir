// RUN: heddle-opt %s --heddle-fuse-attention --validate-rewrites --remarks-filter=fusion --split-input-file --verify-diagnostics | FileCheck %s

!q = tensor<?x2x?x4xf32, #heddle.dims<batch, 2, s, 4>>
!k = tensor<?x2x?x4xf32, #heddle.dims<batch, 2, t, 4>>
!kt = tensor<?x2x4x?xf32, #heddle.dims<batch, 2, 4, t>>
!p = tensor<?x2x?x?xf32, #heddle.dims<batch, 2, s, t>>
// The mask as a value, the scale from a division, the keys as they were before their transpose.
// CHECK-LABEL: func.func @attention
// CHECK: %[[M:.*]] = heddle.mask_causal
// CHECK: %[[A:.*]] = heddle.attention %arg0, %arg1, %arg2 mask %[[M]] scale 5.000000e-01
// CHECK: return %[[A]]
func.func @attention(%q: !q, %k: !k, %v: !k) -> !q {
  %two = arith.constant 2.0 : f64
  %d = heddle.broadcast %two along [] : f64 -> !p
  %kt = heddle.transpose %k [0, 1, 3, 2] : !k -> !kt
  %product = heddle.matmul %q, %kt : !q, !kt -> !p
  %scaled = arith.divf %product, %d : !p
  %m = heddle.mask_causal
  %seen = heddle.mask_scores %scaled, %m : !p
  %weights = heddle.softmax %seen axis 3 : !p
  // expected-remark @+1 {{attention}}
  %o = heddle.matmul %weights, %v : !p, !k -> !q
  return %o : !q
}

// -----
!x = tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>
!xt = tensor<?x4x?xf32, #heddle.dims<batch, 4, s>>
!p = tensor<?x?x?xf32, #heddle.dims<batch, s, s>>
!i = tensor<?x?xi1, #heddle.dims<batch, s>>
!b = tensor<?x?x?xi1, #heddle.dims<batch, s, s>>
// One head has no axis yet; a choice of -infinity is a mask; scaled queries are the scale; a cap is a change of the scores.
// CHECK-LABEL: func.func @one_head
// CHECK: heddle.mask_tensor %{{.*}} : tensor<?x?x?xi1, #heddle.dims<batch, s, s>>
// CHECK: heddle.softcap
// CHECK: heddle.reshape %arg0 : {{.*}} -> tensor<?x1x?x4xf32, #heddle.dims<batch, 1, s, 4>>
// CHECK: heddle.attention {{.*}} mask {{.*}} scale 2.500000e-01
func.func @one_head(%x: !x, %real: !i) -> !x {
  %c = arith.constant 5.0 : f64
  %f = arith.constant 4.0 : f64
  %n = arith.constant 0xFFF0000000000000 : f64
  %five = heddle.broadcast %c along [] : f64 -> !p
  %four = heddle.broadcast %f along [] : f64 -> !x
  %none = heddle.broadcast %n along [] : f64 -> !p
  %kt = heddle.transpose %x [0, 2, 1] : !x -> !xt
  %q = arith.divf %x, %four : !x
  %product = heddle.matmul %q, %kt : !x, !xt -> !p
  %inside = arith.divf %product, %five : !p
  %t = math.tanh %inside : !p
  %capped = arith.mulf %five, %t : !p
  %keys = heddle.broadcast %real along [0, 2] : !i -> !b
  %seen = arith.select %keys, %capped, %none : !b, !p
  %weights = heddle.softmax %seen axis 2 : !p
  // expected-remark @+1 {{attention}}
  %o = heddle.matmul %weights, %x : !p, !x -> !x
  return %o : !x
}

// -----
!q = tensor<?x2x?x4xf32, #heddle.dims<batch, 2, s, 4>>
!kt = tensor<?x2x4x?xf32, #heddle.dims<batch, 2, 4, s>>
!p = tensor<?x2x?x?xf32, #heddle.dims<batch, 2, s, s>>
// CHECK-LABEL: func.func @no_attention_whose_weights_are_read
// CHECK-NOT: heddle.attention
func.func @no_attention_whose_weights_are_read(%q: !q, %kt: !kt) -> (!q, !p) {
  %product = heddle.matmul %q, %kt : !q, !kt -> !p
  %weights = heddle.softmax %product axis 3 : !p
  // expected-remark @+1 {{the weights have a second use}}
  %o = heddle.matmul %weights, %q : !p, !q -> !q
  return %o, %weights : !q, !p
}

// -----
!q = tensor<?x2x?x4xf32, #heddle.dims<batch, 2, s, 4>>
!kt = tensor<?x2x4x?xf32, #heddle.dims<batch, 2, 4, s>>
!p = tensor<?x2x?x?xf32, #heddle.dims<batch, 2, s, s>>
!b = tensor<?x2x?x?xi1, #heddle.dims<batch, 2, s, s>>
// A large finite number is a number: a row that sees nothing would get the mean of all values.
// CHECK-LABEL: func.func @no_attention_of_finite_masks
// CHECK-NOT: heddle.attention
func.func @no_attention_of_finite_masks(%q: !q, %kt: !kt, %seen: !b) -> !q {
  %n = arith.constant -1.0e9 : f64
  %none = heddle.broadcast %n along [] : f64 -> !p
  %product = heddle.matmul %q, %kt : !q, !kt -> !p
  %masked = arith.select %seen, %product, %none : !b, !p
  %weights = heddle.softmax %masked axis 3 : !p
  // expected-remark @+1 {{hidden scores are -1000000000, a number like any other}}
  %o = heddle.matmul %weights, %q : !p, !q -> !q
  return %o : !q
}
