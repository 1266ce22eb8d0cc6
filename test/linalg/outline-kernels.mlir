// RUN: heddle-opt %s --heddle-outline-kernels --split-input-file | FileCheck %s

!x = tensor<?x8xf32, #heddle.dims<s.tokens, 8>>
!w = tensor<8x8xf32, #heddle.dims<8, 8>>
!v = tensor<8xf32, #heddle.dims<8>>
heddle.weight @w : !w = #heddle.tensor<"w", tensor<8x8xf32>>
heddle.weight @g : !v = #heddle.tensor<"g", tensor<8xf32>>

// A product takes the elementwise ops that consume it, constants included; a norm is a kernel of rows. Weights are arguments.
// CHECK-LABEL: func.func private @block.linear.0
// CHECK-SAME: (%{{.*}}: tensor<?x8xf32{{.*}}, %{{.*}}: tensor<8x8xf32{{.*}}) -> tensor<?x8xf32
// CHECK: heddle.linear
// CHECK: arith.constant
// CHECK: arith.maximumf
// CHECK: arith.addf
// CHECK-LABEL: func.func private @block.layer_norm.1
// CHECK-NEXT: heddle.layer_norm
// CHECK-LABEL: func.func @block
// CHECK: %[[W:.*]] = heddle.use @w
// CHECK: %[[Y:.*]] = call @block.linear.0(%{{.*}}, %[[W]])
// CHECK: %[[N:.*]] = call @block.layer_norm.1(%[[Y]], %{{.*}})
// CHECK-NEXT: return %[[Y]], %[[N]]
func.func @block(%x: !x) -> (!x, !x) attributes {heddle.entry} {
  %w = heddle.use @w : !w
  %y = heddle.linear %x, %w : !x, !w -> !x
  %zero = arith.constant 0.0 : f32
  %zeros = heddle.broadcast %zero along [] : f32 -> !x
  %r = arith.maximumf %y, %zeros : !x
  %s = arith.addf %r, %x : !x
  %g = heddle.use @g : !v
  %n = heddle.layer_norm %s, %g epsilon 1.0e-5 : !x, !v
  return %s, %n : !x, !x
}

// -----
!x = tensor<?x8xf32, #heddle.dims<s.tokens, 8>>
!m = tensor<?xf32, #heddle.dims<s.tokens>>

// A chain of row ops is one kernel.
// CHECK-LABEL: func.func private @rows.mean.0
// CHECK: heddle.mean
// CHECK: arith.subf
// CHECK: heddle.var
// CHECK: arith.divf
// CHECK-NOT: private
func.func @rows(%x: !x) -> !x attributes {heddle.entry} {
  %m = heddle.mean %x over [1] : !x -> !m
  %b = heddle.broadcast %m along [0] : !m -> !x
  %c = arith.subf %x, %b : !x
  %v = heddle.var %x over [1] : !x -> !m
  %d = heddle.broadcast %v along [0] : !m -> !x
  %y = arith.divf %c, %d : !x
  return %y : !x
}

// -----
!x = tensor<?x8xf32, #heddle.dims<s.tokens, 8>>

// A kernel has one result: a value that is used again outside ends it.
// CHECK-LABEL: func.func private @no_second_result.mulf.0
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @no_second_result.addf.1
// CHECK-NEXT: arith.addf
// CHECK-NEXT: return
func.func @no_second_result(%x: !x) -> (!x, !x) attributes {heddle.entry} {
  %a = arith.mulf %x, %x : !x
  %b = arith.addf %a, %x : !x
  return %a, %b : !x, !x
}

// -----
!q = tensor<?x2x4xf32, #heddle.dims<s.tokens, 2, 4>>
!x = tensor<?x8xf32, #heddle.dims<s.tokens, 8>>
!o = tensor<?xi64, #heddle.dims<batch + 1>>
!s = tensor<?xi64, #heddle.dims<batch>>

// Attention reads heads in place, and writes them side by side; its mask is in the kernel, so no mask crosses a call.
// CHECK-LABEL: func.func private @heads.attention.0
// CHECK-COUNT-1: heddle.reshape
// CHECK: %[[M:.*]] = heddle.mask_causal
// CHECK: heddle.attention {{.*}} mask %[[M]]
// CHECK: heddle.reshape
// CHECK-LABEL: func.func @heads
func.func @heads(%x: !x, %o: !o, %s: !s) -> !x attributes {heddle.entry} {
  %q = heddle.reshape %x : !x -> !q
  %m = heddle.mask_causal
  %a = heddle.attention %q, %q, %q mask %m scale 0.5 queries %o, %s : !o, !s keys %o, %s : !o, !s : !q, !q, !q -> !q
  %y = heddle.reshape %a : !q -> !x
  return %y : !x
}

// -----
!q = tensor<?x2x4xf32, #heddle.dims<s.tokens, 2, 4>>
!x = tensor<?x8xf32, #heddle.dims<s.tokens, 8>>
!p = tensor<?x?x8xf32, #heddle.dims<batch, s, 8>>
!o = tensor<?xi64, #heddle.dims<batch + 1>>
!s = tensor<?xi64, #heddle.dims<batch>>

// Where nothing else reads its rows, attention writes them into the caller's array, with its padding.
// CHECK-LABEL: func.func private @padded.attention.0
// CHECK: heddle.attention
// CHECK: heddle.reshape
// CHECK: heddle.unflatten
// CHECK-LABEL: func.func @padded
// CHECK-COUNT-1: call
// CHECK-NOT: call
func.func @padded(%x: !x, %o: !o, %s: !s) -> !p attributes {heddle.entry} {
  %q = heddle.reshape %x : !x -> !q
  %a = heddle.attention %q, %q, %q scale 0.5 queries %o, %s : !o, !s keys %o, %s : !o, !s : !q, !q, !q -> !q
  %y = heddle.reshape %a : !q -> !x
  %p = heddle.unflatten %y rows %o : !x, !o -> !p
  return %p : !p
}

// Rows that a second op reads are copied afterwards.
// CHECK-LABEL: func.func private @no_padding.attention.0
// CHECK-NOT: heddle.unflatten
// CHECK-LABEL: func.func private @no_padding.unflatten
// CHECK-LABEL: func.func @no_padding
func.func @no_padding(%x: !x, %o: !o, %s: !s) -> (!p, !p) attributes {heddle.entry} {
  %q = heddle.reshape %x : !x -> !q
  %a = heddle.attention %q, %q, %q scale 0.5 queries %o, %s : !o, !s keys %o, %s : !o, !s : !q, !q, !q -> !q
  %y = heddle.reshape %a : !q -> !x
  %p = heddle.unflatten %y rows %o : !x, !o -> !p
  %z = arith.addf %y, %y : !x
  %r = heddle.unflatten %z rows %o : !x, !o -> !p
  return %p, %r : !p, !p
}

// -----
!x = tensor<?x2x4xf32, #heddle.dims<s.tokens, 2, 4>>
!t = tensor<?x4x2xf32, #heddle.dims<s.tokens, 4, 2>>
!y = tensor<?x8xf32, #heddle.dims<s.tokens, 8>>
!w = tensor<8x8xf32, #heddle.dims<8, 8>>
heddle.weight @w : !w = #heddle.tensor<"w", tensor<8x8xf32>>

// A view that a product cannot read through is copied first.
// CHECK-LABEL: func.func private @no_view.reshape.0
// CHECK: heddle.transpose
// CHECK: heddle.reshape
// CHECK-LABEL: func.func private @no_view.linear.1
func.func @no_view(%x: !x) -> !y attributes {heddle.entry} {
  %t = heddle.transpose %x [0, 2, 1] : !x -> !t
  %r = heddle.reshape %t : !t -> !y
  %w = heddle.use @w : !w
  %y = heddle.linear %r, %w : !y, !w -> !y
  return %y : !y
}

// -----
!p = tensor<?x8x8xf32, #heddle.dims<batch, 8, 8>>

// Masking takes one score a row, softmax a row of scores: two kernels.
// CHECK-LABEL: func.func private @scores.mask_scores.0
// CHECK-LABEL: func.func private @scores.softmax.1
func.func @scores(%x: !p) -> !p attributes {heddle.entry} {
  %c = heddle.mask_causal
  %m = heddle.mask_scores %x, %c : !p
  %p = heddle.softmax %m axis 2 : !p
  return %p : !p
}

// -----
!v = tensor<?x8x8xi1, #heddle.dims<batch, 8, 8>>

// A mask's tensor is read anywhere, not only in the row that is masked: it is made by a kernel of its own.
// CHECK-LABEL: func.func private @no_mask_of_the_same_kernel.xori.0
// CHECK-LABEL: func.func private @no_mask_of_the_same_kernel.mask_values.1
// CHECK: heddle.mask_tensor %arg0
func.func @no_mask_of_the_same_kernel(%x: !v, %y: !v) -> !v attributes {heddle.entry} {
  %n = arith.xori %x, %y : !v
  %m = heddle.mask_tensor %n : !v
  %c = heddle.mask_causal
  %b = heddle.mask_and %c, %m
  %r = heddle.mask_values %b : !v
  return %r : !v
}

// -----
!x = tensor<?x8xf32, #heddle.dims<s.tokens, 8>>

// Equal entries stay two.
// CHECK-LABEL: func.func @named
// CHECK-SAME: heddle.name = "named"
func.func @named(%x: !x) -> !x attributes {heddle.entry} {
  return %x : !x
}

// -----
// A gated unit of two products is two kernels: the activation runs on the tiles of the gate's, the product of both, a bias before and a residual behind it
// on those of the other.
!x = tensor<?x8xf32, #heddle.dims<s.tokens, 8>>
!w = tensor<8x8xf32, #heddle.dims<8, 8>>
!v = tensor<8xf32, #heddle.dims<8>>
heddle.weight @gate : !w = #heddle.tensor<"gate", tensor<8x8xf32>>
heddle.weight @up : !w = #heddle.tensor<"up", tensor<8x8xf32>>
heddle.weight @b : !v = #heddle.tensor<"b", tensor<8xf32>>
// CHECK-LABEL: func.func private @gated.linear.0
// CHECK: heddle.linear
// CHECK: heddle.silu
// CHECK-LABEL: func.func private @gated.linear.1
// CHECK: heddle.linear {{.*}} bias
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @gated
func.func @gated(%x: !x) -> !x attributes {heddle.entry} {
  %w = heddle.use @gate : !w
  %v = heddle.use @up : !w
  %b = heddle.use @b : !v
  %g = heddle.linear %x, %w : !x, !w -> !x
  %u = heddle.linear %x, %v bias %b : !x, !w, !v -> !x
  %s = heddle.silu %g : !x
  %m = arith.mulf %s, %u : !x
  %r = arith.addf %m, %x : !x
  return %r : !x
}

// -----
!x = tensor<?x64xf32, #heddle.dims<rows, 64>>
!y = tensor<?x40xf32, #heddle.dims<rows, 40>>
!w = tensor<64x64xf32, #heddle.dims<64, 64>>
!u = tensor<64x40xf32, #heddle.dims<64, 40>>
heddle.weight @w : !w = #heddle.tensor<"w", tensor<64x64xf32>>
heddle.weight @u : !u = #heddle.tensor<"u", tensor<64x40xf32>>

// Rows of whole panels lie in the caller's arrays as they lie inside: no copies.
// CHECK-LABEL: func.func private @in_place.linear.0
// CHECK-SAME: heddle.exact
// CHECK-SAME: attributes {heddle.exact}
// CHECK-LABEL: func.func @in_place
// CHECK-COUNT-1: call
// CHECK-NOT: call
func.func @in_place(%a: !x) -> !x attributes {heddle.entry} {
  %x = heddle.flatten %a : !x -> !x
  %w = heddle.use @w : !w
  %y = heddle.linear %x, %w : !x, !w -> !x
  %r = heddle.unflatten %y : !x -> !x
  return %r : !x
}

// Rows of 40 columns do not, an argument that is a result has to be copied, and so has a result that is returned twice.
// CHECK-LABEL: func.func @copied
// CHECK: %[[PADDED:.*]] = call @copied.linear.0
// CHECK: %[[TWICE:.*]] = call @copied.linear.1
// CHECK: %[[FIRST:.*]] = call @copied.unflatten.2(%[[PADDED]])
// CHECK: %[[ARGUMENT:.*]] = call @copied.unflatten.3(%arg0)
// CHECK: %[[AGAIN:.*]] = call @copied.unflatten.4(%[[TWICE]])
// CHECK: return %[[FIRST]], %[[ARGUMENT]], %[[TWICE]], %[[AGAIN]]
func.func @copied(%a: !x) -> (!y, !x, !x, !x) attributes {heddle.entry} {
  %x = heddle.flatten %a : !x -> !x
  %u = heddle.use @u : !u
  %y = heddle.linear %x, %u : !x, !u -> !y
  %w = heddle.use @w : !w
  %z = heddle.linear %x, %w : !x, !w -> !x
  %r = heddle.unflatten %y : !y -> !y
  %s = heddle.unflatten %x : !x -> !x
  %t = heddle.unflatten %z : !x -> !x
  return %r, %s, %t, %t : !y, !x, !x, !x
}
