// RUN: heddle-opt %s --heddle-normalize-views | FileCheck %s

!x = tensor<?x5x12xf32, #heddle.dims<b, 5, 12>>
!y = tensor<?x5x3x2x2xf32, #heddle.dims<b, 5, 3, 2, 2>>
!t = tensor<3x?x2x5x2xf32, #heddle.dims<3, b, 2, 5, 2>>
!p = tensor<1x?x2x5x2xf32, #heddle.dims<1, b, 2, 5, 2>>
!h = tensor<?x2x5x2xf32, #heddle.dims<b, 2, 5, 2>>
// The second of three parts, in heads: cut first, then moved.
// CHECK-LABEL: @part
// CHECK: %[[Y:.*]] = heddle.reshape %arg0
// CHECK-NEXT: %[[S:.*]] = heddle.slice %[[Y]] axis 2 from 1 {{.*}} -> tensor<?x5x1x2x2xf32
// CHECK-NEXT: %[[R:.*]] = heddle.reshape %[[S]] {{.*}} -> tensor<?x5x2x2xf32
// CHECK-NEXT: %[[T:.*]] = heddle.transpose %[[R]] [0, 2, 1, 3]
// CHECK-NEXT: return %[[T]]
func.func @part(%x: !x) -> !h {
  %y = heddle.reshape %x : !x -> !y
  %t = heddle.transpose %y [2, 0, 3, 1, 4] : !y -> !t
  %p = heddle.slice %t axis 0 from 1 : !t -> !p
  %h = heddle.reshape %p : !p -> !h
  return %h : !h
}

!u = tensor<?x5x1x12xf32, #heddle.dims<b, 5, 1, 12>>
!w = tensor<?x5x4x12xf32, #heddle.dims<b, 5, 4, 12>>
!z = tensor<?x20x12xf32, #heddle.dims<b, 20, 12>>
// A group of one repeats nothing; a group of four does.
// CHECK-LABEL: @groups
// CHECK-NOT: along [0, 1, 3] {{.*}} -> tensor<?x5x1x12xf32
// CHECK: heddle.broadcast %arg0 along [0, 1, 3] {{.*}} -> tensor<?x5x4x12xf32
// CHECK: return %arg0,
func.func @groups(%x: !x) -> (!x, !z) {
  %u = heddle.broadcast %x along [0, 1, 3] : !x -> !u
  %r = heddle.reshape %u : !u -> !x
  %w = heddle.broadcast %x along [0, 1, 3] : !x -> !w
  %z = heddle.reshape %w : !w -> !z
  return %r, %z : !x, !z
}
