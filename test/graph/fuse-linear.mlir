// RUN: heddle-opt %s --heddle-fuse-linear | FileCheck %s

!x = tensor<?x4xf32, #heddle.dims<b, 4>>
!w = tensor<4x2xf32, #heddle.dims<4, 2>>
!v = tensor<2xf32, #heddle.dims<2>>
!y = tensor<?x2xf32, #heddle.dims<b, 2>>
heddle.weight @w : !w = #heddle.tensor<"w", tensor<4x2xf32>>
heddle.weight @b : !v = #heddle.tensor<"b", tensor<2xf32>>

// CHECK-LABEL: @product
// CHECK: heddle.linear %{{.*}}, %{{.*}} :
func.func @product(%x: !x) -> !y {
  %w = heddle.use @w : !w
  %y = heddle.matmul %x, %w : !x, !w -> !y
  return %y : !y
}
// CHECK-LABEL: @bias
// CHECK: %[[W:.*]] = heddle.use @w
// CHECK: %[[B:.*]] = heddle.use @b
// CHECK: %[[Y:.*]] = heddle.linear %{{.*}}, %[[W]] bias %[[B]]
// CHECK-NEXT: return %[[Y]]
func.func @bias(%x: !x) -> !y {
  %w = heddle.use @w : !w
  %b = heddle.use @b : !v
  %y = heddle.matmul %x, %w : !x, !w -> !y
  %r = heddle.broadcast %b along [1] : !v -> !y
  %z = arith.addf %y, %r : !y
  return %z : !y
}
// CHECK-LABEL: @bias_first
// CHECK: heddle.linear %{{.*}} bias
func.func @bias_first(%x: !x) -> !y {
  %w = heddle.use @w : !w
  %b = heddle.use @b : !v
  %y = heddle.matmul %x, %w : !x, !w -> !y
  %r = heddle.broadcast %b along [1] : !v -> !y
  %z = arith.addf %r, %y : !y
  return %z : !y
}
// The product without its bias has another use.
// CHECK-LABEL: @no_fuse_second_use
// CHECK: heddle.linear %{{.*}}, %{{.*}} :
// CHECK: arith.addf
func.func @no_fuse_second_use(%x: !x) -> (!y, !y) {
  %w = heddle.use @w : !w
  %b = heddle.use @b : !v
  %y = heddle.matmul %x, %w : !x, !w -> !y
  %r = heddle.broadcast %b along [1] : !v -> !y
  %z = arith.addf %y, %r : !y
  return %y, %z : !y, !y
}
// A second vector is no second bias.
// CHECK-LABEL: @no_fuse_second_bias
// CHECK: heddle.linear %{{.*}} bias
// CHECK: arith.addf
func.func @no_fuse_second_bias(%x: !x) -> !y {
  %w = heddle.use @w : !w
  %b = heddle.use @b : !v
  %y = heddle.matmul %x, %w : !x, !w -> !y
  %r = heddle.broadcast %b along [1] : !v -> !y
  %z = arith.addf %y, %r : !y
  %u = arith.addf %z, %r : !y
  return %u : !y
}
// CHECK-LABEL: @no_fuse_activations
// CHECK: heddle.matmul
func.func @no_fuse_activations(%x: !x, %w: !w) -> !y {
  %y = heddle.matmul %x, %w : !x, !w -> !y
  return %y : !y
}
