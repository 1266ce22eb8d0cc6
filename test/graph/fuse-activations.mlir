// RUN: heddle-opt %s --heddle-fuse-activations --validate-rewrites --remarks-filter=fusion --split-input-file --verify-diagnostics | FileCheck %s

!x = tensor<?x8xf32, #heddle.dims<n, 8>>
// CHECK-LABEL: func.func @gelu
// CHECK: %[[Y:.*]] = heddle.gelu %arg0 erf
// CHECK: return %[[Y]]
func.func @gelu(%x: !x) -> !x {
  %half = arith.constant 0.5 : f64
  %one = arith.constant 1.0 : f64
  %root = arith.constant 1.4142135623730951 : f64
  %h = heddle.broadcast %half along [] : f64 -> !x
  %o = heddle.broadcast %one along [] : f64 -> !x
  %r = heddle.broadcast %root along [] : f64 -> !x
  %hx = arith.mulf %h, %x : !x
  %a = arith.divf %x, %r : !x
  %e = math.erf %a : !x
  %s = arith.addf %o, %e : !x
  // expected-remark @+1 {{gelu}}
  %y = arith.mulf %hx, %s : !x
  return %y : !x
}

// -----
!x = tensor<?x8xf32, #heddle.dims<n, 8>>
// x itself is a product, the constants are spread over both sides: still one gelu, of that product.
// CHECK-LABEL: func.func @gelu_of_a_product
// CHECK: %[[X:.*]] = arith.mulf %arg0, %arg1
// CHECK: heddle.gelu %[[X]] erf
func.func @gelu_of_a_product(%u: !x, %v: !x) -> !x {
  %half = arith.constant 0.5 : f64
  %slope = arith.constant 0.70710678118654757 : f64
  %h = heddle.broadcast %half along [] : f64 -> !x
  %k = heddle.broadcast %slope along [] : f64 -> !x
  %x = arith.mulf %u, %v : !x
  %a = arith.mulf %k, %x : !x
  %e = math.erf %a : !x
  %he = arith.mulf %e, %h : !x
  %s = arith.addf %he, %h : !x
  // expected-remark @+1 {{gelu}}
  %y = arith.mulf %x, %s : !x
  return %y : !x
}

// -----
!x = tensor<?x8xf32, #heddle.dims<n, 8>>
// CHECK-LABEL: func.func @no_gelu_of_rounded_constants
// CHECK-NOT: heddle.gelu
func.func @no_gelu_of_rounded_constants(%x: !x) -> !x {
  %half = arith.constant 0.5 : f64
  %one = arith.constant 1.0 : f64
  %slope = arith.constant 0.7071 : f64
  %h = heddle.broadcast %half along [] : f64 -> !x
  %o = heddle.broadcast %one along [] : f64 -> !x
  %k = heddle.broadcast %slope along [] : f64 -> !x
  %hx = arith.mulf %h, %x : !x
  %a = arith.mulf %x, %k : !x
  %e = math.erf %a : !x
  %s = arith.addf %o, %e : !x
  // expected-remark @+1 {{erf is taken of 0.7071 x, not of x / sqrt(2)}}
  %y = arith.mulf %hx, %s : !x
  return %y : !x
}

// -----
!x = tensor<?x8xf32, #heddle.dims<n, 8>>
// CHECK-LABEL: func.func @silu
// CHECK: heddle.silu %arg0
func.func @silu(%x: !x) -> !x {
  %one = arith.constant 1.0 : f64
  %o = heddle.broadcast %one along [] : f64 -> !x
  %n = arith.negf %x : !x
  %e = math.exp %n : !x
  %s = arith.addf %e, %o : !x
  %sigmoid = arith.divf %o, %s : !x
  // expected-remark @+1 {{silu}}
  %y = arith.mulf %sigmoid, %x : !x
  return %y : !x
}
