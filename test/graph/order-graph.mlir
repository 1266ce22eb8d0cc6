// Two orders of one graph become one: depth first from what is returned, weights by first use.
// RUN: heddle-opt %s --heddle-order-graph | FileCheck %s

!x = tensor<?x4xf32, #heddle.dims<b, 4>>
!w = tensor<4x4xf32, #heddle.dims<4, 4>>
heddle.weight @second : !w = #heddle.tensor<"second", tensor<4x4xf32>>
heddle.weight @first : !w = #heddle.tensor<"first", tensor<4x4xf32>>

// CHECK: heddle.weight @first
// CHECK-NEXT: heddle.weight @second
// CHECK-LABEL: @ordered
// CHECK-NEXT: %[[V:.*]] = heddle.use @first
// CHECK-NEXT: %[[Y:.*]] = heddle.linear %{{.*}}, %[[V]]
// CHECK-NEXT: %[[W:.*]] = heddle.use @second
// CHECK-NEXT: %[[Z:.*]] = heddle.linear %{{.*}}, %[[W]]
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[Y]], %[[Z]]
// CHECK-NEXT: return %[[S]]
func.func @ordered(%x: !x) -> !x {
  %w = heddle.use @second : !w
  %v = heddle.use @first : !w
  %z = heddle.linear %x, %w : !x, !w -> !x
  %y = heddle.linear %x, %v : !x, !w -> !x
  %s = arith.addf %y, %z : !x
  return %s : !x
}

// An op without a reader comes first, and stays.
// CHECK-LABEL: @unread
// CHECK-NEXT: heddle.use @second
// CHECK-NEXT: heddle.use @first
func.func @unread(%x: !x) -> !x {
  %v = heddle.use @first : !w
  %w = heddle.use @second : !w
  %y = heddle.linear %x, %v : !x, !w -> !x
  return %y : !x
}
