// RUN: heddle-opt %s --heddle-fuse-norms --validate-rewrites --remarks-filter=fusion --split-input-file --verify-diagnostics | FileCheck %s

!x = tensor<?x8xf32, #heddle.dims<n, 8>>
!r = tensor<?xf32, #heddle.dims<n>>
!w = tensor<8xf32, #heddle.dims<8>>
heddle.weight @g : !w = #heddle.tensor<"g", tensor<8xf32>>
heddle.weight @b : !w = #heddle.tensor<"b", tensor<8xf32>>
// The row, then its gain, then its bias.
// CHECK-LABEL: func.func @layer_norm
// CHECK-DAG: %[[G:.*]] = heddle.use @g
// CHECK-DAG: %[[B:.*]] = heddle.use @b
// CHECK: %[[Y:.*]] = heddle.layer_norm %arg0, %[[G]] bias %[[B]] epsilon 1.000000e-05
// CHECK: return %[[Y]]
func.func @layer_norm(%x: !x) -> !x {
  %e = arith.constant 1.0e-5 : f64
  %epsilon = heddle.broadcast %e along [] : f64 -> !r
  %m = heddle.mean %x over [1] : !x -> !r
  %mean = heddle.broadcast %m along [0] : !r -> !x
  %c = arith.subf %x, %mean : !x
  %v = heddle.var %x over [1] : !x -> !r
  %ve = arith.addf %v, %epsilon : !r
  %s = math.sqrt %ve : !r
  %root = heddle.broadcast %s along [0] : !r -> !x
  // expected-remark @+1 {{layer_norm}}
  %normal = arith.divf %c, %root : !x
  %g = heddle.use @g : !w
  %gain = heddle.broadcast %g along [1] : !w -> !x
  %scaled = arith.mulf %gain, %normal : !x
  %b = heddle.use @b : !w
  %bias = heddle.broadcast %b along [1] : !w -> !x
  %y = arith.addf %scaled, %bias : !x
  return %y : !x
}

// -----
!x = tensor<?x8xf32, #heddle.dims<n, 8>>
!r = tensor<?xf32, #heddle.dims<n>>
// The mean of squares in its own words: a sum, divided by 8.
// CHECK-LABEL: func.func @rms_norm
// CHECK: heddle.rms_norm %arg0 epsilon 1.000000e-03
func.func @rms_norm(%x: !x) -> !x {
  %e = arith.constant 1.0e-3 : f64
  %n = arith.constant 8.0 : f64
  %o = arith.constant 1.0 : f64
  %epsilon = heddle.broadcast %e along [] : f64 -> !r
  %eight = heddle.broadcast %n along [] : f64 -> !r
  %one = heddle.broadcast %o along [] : f64 -> !r
  %squares = arith.mulf %x, %x : !x
  %sum = heddle.sum %squares over [1] : !x -> !r
  %mean = arith.divf %sum, %eight : !r
  %me = arith.addf %epsilon, %mean : !r
  %s = math.sqrt %me : !r
  %inverse = arith.divf %one, %s : !r
  %factor = heddle.broadcast %inverse along [0] : !r -> !x
  // expected-remark @+1 {{rms_norm}}
  %y = arith.mulf %factor, %x : !x
  return %y : !x
}

// -----
!x = tensor<?x8xf32, #heddle.dims<n, 8>>
!r = tensor<?xf32, #heddle.dims<n>>
// CHECK-LABEL: func.func @no_norm_of_a_difference_of_squares
// CHECK-NOT: heddle.layer_norm
func.func @no_norm_of_a_difference_of_squares(%x: !x) -> !x {
  %m = heddle.mean %x over [1] : !x -> !r
  %mean = heddle.broadcast %m along [0] : !r -> !x
  %c = arith.subf %x, %mean : !x
  %squares = arith.mulf %x, %x : !x
  %ms = heddle.mean %squares over [1] : !x -> !r
  %mm = arith.mulf %m, %m : !r
  %v = arith.subf %ms, %mm : !r
  %s = math.sqrt %v : !r
  %root = heddle.broadcast %s along [0] : !r -> !x
  // expected-remark @+1 {{the variance is a difference of squares, which cancels where the mean is large}}
  %y = arith.divf %c, %root : !x
  return %y : !x
}

// -----
!x = tensor<?x8xf32, #heddle.dims<n, 8>>
!r = tensor<?xf32, #heddle.dims<n>>
// CHECK-LABEL: func.func @no_norm_with_epsilon_outside
// CHECK-NOT: heddle.layer_norm
func.func @no_norm_with_epsilon_outside(%x: !x) -> !x {
  %e = arith.constant 1.0e-5 : f64
  %epsilon = heddle.broadcast %e along [] : f64 -> !r
  %m = heddle.mean %x over [1] : !x -> !r
  %mean = heddle.broadcast %m along [0] : !r -> !x
  %c = arith.subf %x, %mean : !x
  %v = heddle.var %x over [1] : !x -> !r
  %s = math.sqrt %v : !r
  %se = arith.addf %s, %epsilon : !r
  %root = heddle.broadcast %se along [0] : !r -> !x
  // expected-remark @+1 {{epsilon is added to the root, not inside of it}}
  %y = arith.divf %c, %root : !x
  return %y : !x
}

// -----
!y = tensor<?x16xf32, #heddle.dims<n, 16>>
!x = tensor<?x8xf32, #heddle.dims<n, 8>>
!r = tensor<?xf32, #heddle.dims<n>>
// The first columns of a wider row are a value of their own.
// CHECK-LABEL: func.func @rms_norm_of_a_part
// CHECK: %[[X:.*]] = heddle.slice
// CHECK: heddle.rms_norm %[[X]] epsilon 1.000000e-03 : tensor<?x8xf32
func.func @rms_norm_of_a_part(%y: !y) -> !x {
  %e = arith.constant 1.0e-3 : f64
  %epsilon = heddle.broadcast %e along [] : f64 -> !r
  %x = heddle.slice %y axis 1 from 0 : !y -> !x
  %squares = arith.mulf %x, %x : !x
  %mean = heddle.mean %squares over [1] : !x -> !r
  %me = arith.addf %mean, %epsilon : !r
  %s = math.sqrt %me : !r
  %root = heddle.broadcast %s along [0] : !r -> !x
  // expected-remark @+1 {{rms_norm}}
  %o = arith.divf %x, %root : !x
  return %o : !x
}

// -----
!x = tensor<?x8xf32, #heddle.dims<n, 8>>
!r = tensor<?xf32, #heddle.dims<n>>
!w = tensor<8xf32, #heddle.dims<8>>
heddle.weight @g : !w = #heddle.tensor<"g", tensor<8xf32>>
heddle.weight @h : !w = #heddle.tensor<"h", tensor<8xf32>>
// Two branches of one row: each has a norm of its own.
// CHECK-LABEL: func.func @two_gains
// CHECK-DAG: heddle.rms_norm %arg0, %[[G:.*]] epsilon
// CHECK-DAG: heddle.rms_norm %arg0, %[[H:.*]] epsilon
// CHECK-NOT: arith.mulf
func.func @two_gains(%x: !x) -> (!x, !x) {
  %e = arith.constant 1.0e-3 : f64
  %epsilon = heddle.broadcast %e along [] : f64 -> !r
  %xx = arith.mulf %x, %x : !x
  %m = heddle.mean %xx over [1] : !x -> !r
  %me = arith.addf %m, %epsilon : !r
  %s = math.sqrt %me : !r
  %root = heddle.broadcast %s along [0] : !r -> !x
  // expected-remark @+1 {{rms_norm}}
  %normal = arith.divf %x, %root : !x
  %g = heddle.use @g : !w
  %gain = heddle.broadcast %g along [1] : !w -> !x
  %a = arith.mulf %gain, %normal : !x
  %h = heddle.use @h : !w
  %other = heddle.broadcast %h along [1] : !w -> !x
  %b = arith.mulf %normal, %other : !x
  return %a, %b : !x, !x
}
