// RUN: heddle-opt %s --heddle-fuse-softmax --validate-rewrites --remarks-filter=fusion --split-input-file --verify-diagnostics | FileCheck %s

!s = tensor<?x8xf32, #heddle.dims<n, 8>>
!r = tensor<?xf32, #heddle.dims<n>>
// CHECK-LABEL: func.func @softmax
// CHECK-NEXT: %[[P:.*]] = heddle.softmax %arg0 axis 1
// CHECK-NEXT: return %[[P]]
func.func @softmax(%s: !s) -> !s {
  %m = heddle.max %s over [1] : !s -> !r
  %max = heddle.broadcast %m along [0] : !r -> !s
  %d = arith.subf %s, %max : !s
  %e = math.exp %d : !s
  %t = heddle.sum %e over [1] : !s -> !r
  %sum = heddle.broadcast %t along [0] : !r -> !s
  // expected-remark @+1 {{softmax}}
  %p = arith.divf %e, %sum : !s
  return %p : !s
}

// -----
!s = tensor<?x8xf32, #heddle.dims<n, 8>>
!r = tensor<?xf32, #heddle.dims<n>>
// CHECK-LABEL: func.func @no_softmax_that_overflows
// CHECK-NOT: heddle.softmax
func.func @no_softmax_that_overflows(%s: !s) -> !s {
  %e = math.exp %s : !s
  %t = heddle.sum %e over [1] : !s -> !r
  %sum = heddle.broadcast %t along [0] : !r -> !s
  // expected-remark @+1 {{the largest score is not subtracted before exp, which overflows above 88}}
  %p = arith.divf %e, %sum : !s
  return %p : !s
}
