// RUN: not heddle-opt %s --heddle-fuse-softmax --heddle-fuse-attention --heddle-verify-fused --split-input-file 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERROR < %t

!q = tensor<?x2x?x4xf32, #heddle.dims<batch, 2, s, 4>>
!kt = tensor<?x2x4x?xf32, #heddle.dims<batch, 2, 4, s>>
!p = tensor<?x2x?x?xf32, #heddle.dims<batch, 2, s, s>>
// A promise that was kept leaves no mark.
// CHECK-LABEL: func.func @kept
// CHECK-NOT: heddle.fused
// CHECK: heddle.attention
// CHECK-NOT: heddle.fused
func.func @kept(%q: !q, %kt: !kt) -> !q {
  %product = heddle.matmul %q, %kt : !q, !kt -> !p
  %weights = heddle.softmax %product axis 3 {heddle.fused = loc("x.heddle":3:7)} : !p
  %o = heddle.matmul %weights, %q {heddle.fused = loc("x.heddle":4:7)} : !p, !q -> !q
  return %o : !q
}

// -----
!q = tensor<?x2x?x4xf32, #heddle.dims<batch, 2, s, 4>>
!kt = tensor<?x2x4x?xf32, #heddle.dims<batch, 2, 4, s>>
!p = tensor<?x2x?x?xf32, #heddle.dims<batch, 2, s, s>>
// One that was not is an error at the place of the text, with the reason and the remedy.
// ERROR: x.heddle:28:3: error: @fused: no attention was made: the weights have a second use
// ERROR: x.heddle:28:3: note: leave them out, or compute them apart
func.func @broken(%q: !q, %kt: !kt) -> (!q, !p) {
  %product = heddle.matmul %q, %kt : !q, !kt -> !p
  %weights = heddle.softmax %product axis 3 : !p
  %o = heddle.matmul %weights, %q {heddle.fused = loc("x.heddle":28:3)} : !p, !q -> !q
  return %o, %weights : !q, !p
}

// -----
!x = tensor<?x4xf32, #heddle.dims<batch, 4>>
// ERROR: x.heddle:9:1: error: @fused: no model op ends here
func.func @nothing_to_fuse(%x: !x) -> !x {
  %y = arith.addf %x, %x {heddle.fused = loc("x.heddle":9:1)} : !x
  return %y : !x
}

// -----
!x = tensor<?x4xf32, #heddle.dims<batch, 4>>
!w = tensor<4x4xf32, #heddle.dims<4, 4>>
heddle.weight @w : !w = #heddle.tensor<"w", tensor<4x4xf32>>
// An activation and a residual run on the product's tiles.
// CHECK-LABEL: func.func @on_a_product
func.func @on_a_product(%x: !x) -> !x {
  %w = heddle.use @w : !w
  %y = heddle.linear %x, %w : !x, !w -> !x
  %a = heddle.silu %y : !x
  %r = arith.addf %a, %x {heddle.fused = loc("x.heddle":5:1)} : !x
  return %r : !x
}

// -----
!x = tensor<?x4xf32, #heddle.dims<batch, 4>>
!w = tensor<4x4xf32, #heddle.dims<4, 4>>
heddle.weight @w : !w = #heddle.tensor<"w", tensor<4x4xf32>>
// ERROR: x.heddle:6:1: error: @fused: it runs in a kernel of its own: the product before it has a second use
func.func @not_on_a_product(%x: !x) -> (!x, !x) {
  %w = heddle.use @w : !w
  %y = heddle.linear %x, %w : !x, !w -> !x
  %r = arith.addf %y, %x {heddle.fused = loc("x.heddle":6:1)} : !x
  return %y, %r : !x, !x
}
