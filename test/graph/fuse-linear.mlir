// RUN: heddle-opt %s --validate-rewrites --heddle-fuse-linear --remarks-filter=fusion --split-input-file --verify-diagnostics | FileCheck %s

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
  // expected-remark @+1 {{linear}}
  %y = heddle.matmul %x, %w : !x, !w -> !y
  return %y : !y
}
// CHECK-LABEL: @bias
// CHECK-DAG: %[[W:.*]] = heddle.use @w
// CHECK-DAG: %[[B:.*]] = heddle.use @b
// CHECK: %[[Y:.*]] = heddle.linear %{{.*}}, %[[W]] bias %[[B]]
// CHECK-NEXT: return %[[Y]]
func.func @bias(%x: !x) -> !y {
  %w = heddle.use @w : !w
  %b = heddle.use @b : !v
  %y = heddle.matmul %x, %w : !x, !w -> !y
  %r = heddle.broadcast %b along [1] : !v -> !y
  // expected-remark @+1 {{linear}}
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
  // expected-remark @+1 {{linear}}
  %z = arith.addf %r, %y : !y
  return %z : !y
}
// A second vector is no second bias: it is added on the product's tiles.
// CHECK-LABEL: @no_fuse_second_bias
// CHECK: heddle.linear %{{.*}} bias
// CHECK: arith.addf
func.func @no_fuse_second_bias(%x: !x) -> !y {
  %w = heddle.use @w : !w
  %b = heddle.use @b : !v
  %y = heddle.matmul %x, %w : !x, !w -> !y
  %r = heddle.broadcast %b along [1] : !v -> !y
  // expected-remark @+1 {{linear}}
  %z = arith.addf %y, %r : !y
  %u = arith.addf %z, %r : !y
  return %u : !y
}
// A residual is no bias.
// CHECK-LABEL: @no_fuse_residual
// CHECK: heddle.linear %{{.*}}, %{{.*}} :
// CHECK: arith.addf
func.func @no_fuse_residual(%x: !x, %r: !y) -> !y {
  %w = heddle.use @w : !w
  // expected-remark @+1 {{linear}}
  %y = heddle.matmul %x, %w : !x, !w -> !y
  %z = arith.addf %y, %r : !y
  return %z : !y
}
// The negative of a product is another matrix.
// CHECK-LABEL: @no_fuse_bias_minus_product
// CHECK: heddle.linear %{{.*}}, %{{.*}} :
// CHECK: arith.subf
func.func @no_fuse_bias_minus_product(%x: !x) -> !y {
  %w = heddle.use @w : !w
  %b = heddle.use @b : !v
  // expected-remark @+1 {{linear}}
  %y = heddle.matmul %x, %w : !x, !w -> !y
  %r = heddle.broadcast %b along [1] : !v -> !y
  %z = arith.subf %r, %y : !y
  return %z : !y
}

// -----
// y - b is y + (-b).
// CHECK: heddle.weight @b.times {{.*}} = #heddle.scale<#heddle.tensor<"b", tensor<2xf32>>, -1.000000e+00{{.*}}>
!x = tensor<?x4xf32, #heddle.dims<b, 4>>
!w = tensor<4x2xf32, #heddle.dims<4, 2>>
!v = tensor<2xf32, #heddle.dims<2>>
!y = tensor<?x2xf32, #heddle.dims<b, 2>>
heddle.weight @w : !w = #heddle.tensor<"w", tensor<4x2xf32>>
heddle.weight @b : !v = #heddle.tensor<"b", tensor<2xf32>>
// CHECK-LABEL: @bias_subtracted
// CHECK: %[[B:.*]] = heddle.use @b.times
// CHECK: %[[Y:.*]] = heddle.linear %arg0, %{{.*}} bias %[[B]]
// CHECK: return %[[Y]]
func.func @bias_subtracted(%x: !x) -> !y {
  %w = heddle.use @w : !w
  %b = heddle.use @b : !v
  %y = heddle.matmul %x, %w : !x, !w -> !y
  %r = heddle.broadcast %b along [1] : !v -> !y
  // expected-remark @+1 {{linear}}
  %z = arith.subf %y, %r : !y
  return %z : !y
}

// -----
// Heads first, then their bias [heads, 1, width].
// CHECK: heddle.weight @b.reshaped {{.*}} = #heddle.reshape<#heddle.tensor<"b", tensor<3x1x2xf32>>, [6]>
!x = tensor<?x5x4xf32, #heddle.dims<b, 5, 4>>
!w = tensor<4x6xf32, #heddle.dims<4, 6>>
!b = tensor<3x1x2xf32, #heddle.dims<3, 1, 2>>
!f = tensor<3x2xf32, #heddle.dims<3, 2>>
!y = tensor<?x5x6xf32, #heddle.dims<b, 5, 6>>
!c = tensor<?x5x3x2xf32, #heddle.dims<b, 5, 3, 2>>
!h = tensor<?x3x5x2xf32, #heddle.dims<b, 3, 5, 2>>
heddle.weight @w : !w = #heddle.tensor<"w", tensor<4x6xf32>>
heddle.weight @b : !b = #heddle.tensor<"b", tensor<3x1x2xf32>>
// CHECK-LABEL: @bias_of_heads
// CHECK: %[[B:.*]] = heddle.use @b.reshaped
// CHECK: %[[Y:.*]] = heddle.linear %arg0, %{{.*}} bias %[[B]]
// CHECK: %[[C:.*]] = heddle.reshape %[[Y]]
// CHECK: %[[H:.*]] = heddle.transpose %[[C]] [0, 2, 1, 3]
// CHECK: return %[[H]]
func.func @bias_of_heads(%x: !x) -> !h {
  %w = heddle.use @w : !w
  %b = heddle.use @b : !b
  %y = heddle.matmul %x, %w : !x, !w -> !y
  %c = heddle.reshape %y : !y -> !c
  %h = heddle.transpose %c [0, 2, 1, 3] : !c -> !h
  %f = heddle.reshape %b : !b -> !f
  %r = heddle.broadcast %f along [1, 3] : !f -> !h
  // expected-remark @+1 {{linear}}
  %z = arith.addf %h, %r : !h
  return %z : !h
}

// -----
// W x, as papers write it, with a column of biases.
// CHECK: heddle.weight @w.transposed {{.*}} = #heddle.transpose<#heddle.tensor<"w", tensor<2x4xf32>>, [1, 0]>
!x = tensor<?x5x4xf32, #heddle.dims<b, 5, 4>>
!t = tensor<?x4x5xf32, #heddle.dims<b, 4, 5>>
!w = tensor<2x4xf32, #heddle.dims<2, 4>>
!m = tensor<?x2x4xf32, #heddle.dims<b, 2, 4>>
!v = tensor<2xf32, #heddle.dims<2>>
!y = tensor<?x2x5xf32, #heddle.dims<b, 2, 5>>
heddle.weight @w : !w = #heddle.tensor<"w", tensor<2x4xf32>>
heddle.weight @b : !v = #heddle.tensor<"b", tensor<2xf32>>
// CHECK-LABEL: @weight_on_the_left
// CHECK: %[[Y:.*]] = heddle.linear %arg0, %{{.*}} bias %{{.*}} : {{.*}} -> tensor<?x5x2xf32
// CHECK: %[[T:.*]] = heddle.transpose %[[Y]] [0, 2, 1]
// CHECK: return %[[T]]
func.func @weight_on_the_left(%x: !x) -> !y {
  %w = heddle.use @w : !w
  %b = heddle.use @b : !v
  %t = heddle.transpose %x [0, 2, 1] : !x -> !t
  %m = heddle.broadcast %w along [1, 2] : !w -> !m
  %y = heddle.matmul %m, %t : !m, !t -> !y
  %r = heddle.broadcast %b along [1] : !v -> !y
  // expected-remark @+1 {{linear}}
  %z = arith.addf %y, %r : !y
  return %z : !y
}

// -----
!x = tensor<?x4xf32, #heddle.dims<b, 4>>
!w = tensor<4x2xf32, #heddle.dims<4, 2>>
!v = tensor<2xf32, #heddle.dims<2>>
!y = tensor<?x2xf32, #heddle.dims<b, 2>>
heddle.weight @w : !w = #heddle.tensor<"w", tensor<4x2xf32>>
heddle.weight @b : !v = #heddle.tensor<"b", tensor<2xf32>>
// CHECK-LABEL: @no_fuse_second_use
// CHECK: heddle.linear %{{.*}}, %{{.*}} :
// CHECK: arith.addf
func.func @no_fuse_second_use(%x: !x) -> (!y, !y) {
  %w = heddle.use @w : !w
  %b = heddle.use @b : !v
  // expected-remark @+1 {{linear}}
  %y = heddle.matmul %x, %w : !x, !w -> !y
  %r = heddle.broadcast %b along [1] : !v -> !y
  // expected-remark @+1 {{the product without its bias has a second use}}
  %z = arith.addf %y, %r : !y
  return %y, %z : !y, !y
}
// CHECK-LABEL: @no_fuse_computed_bias
// CHECK: heddle.linear %{{.*}}, %{{.*}} :
func.func @no_fuse_computed_bias(%x: !x) -> !y {
  %w = heddle.use @w : !w
  %b = heddle.use @b : !v
  // expected-remark @+1 {{linear}}
  %y = heddle.matmul %x, %w : !x, !w -> !y
  %bb = arith.mulf %b, %b : !v
  %r = heddle.broadcast %bb along [1] : !v -> !y
  // expected-remark @+1 {{the bias is computed from weights at every run}}
  %z = arith.addf %y, %r : !y
  return %z : !y
}
// CHECK-LABEL: @no_fuse_argument
// CHECK: heddle.matmul
func.func @no_fuse_argument(%x: !x, %w: !w) -> !y {
  // expected-remark @+1 {{the right side is an argument of the entry, not a weight}}
  %y = heddle.matmul %x, %w : !x, !w -> !y
  return %y : !y
}
// CHECK-LABEL: @no_fuse_computed_weight
// CHECK: heddle.matmul
func.func @no_fuse_computed_weight(%x: !x) -> !y {
  %w = heddle.use @w : !w
  %ww = arith.mulf %w, %w : !w
  // expected-remark @+1 {{the right side is computed from weights at every run}}
  %y = heddle.matmul %x, %ww : !x, !w -> !y
  return %y : !y
}

// -----
// Two activations: as it should be, nothing to tell.
!q = tensor<?x3x4xf32, #heddle.dims<b, 3, 4>>
!k = tensor<?x4x5xf32, #heddle.dims<b, 4, 5>>
!s = tensor<?x3x5xf32, #heddle.dims<b, 3, 5>>
// CHECK-LABEL: @no_fuse_activations
// CHECK: heddle.matmul
func.func @no_fuse_activations(%q: !q, %k: !k) -> !s {
  %s = heddle.matmul %q, %k : !q, !k -> !s
  return %s : !s
}
