// RUN: heddle-opt %s --heddle-infer-bounds | FileCheck %s

!ids = tensor<?x?xi32, #heddle.dims<batch, s>>
!x = tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>

// The smaller of two tables counts; positions bound their dimension.
// CHECK: func.func @tables(%{{.*}} {heddle.id_bound = 7 : i64}
// CHECK-SAME: #heddle.dimension<"s" over "batch" bound 32>
func.func @tables(%ids: !ids, %a: tensor<9x4xf32, #heddle.dims<9, 4>>, %b: tensor<7x4xf32, #heddle.dims<7, 4>>, %c: tensor<32x4xf32, #heddle.dims<32, 4>>) -> (!x, !x, !x)
    attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch">]} {
  %0 = heddle.gather %a[%ids] : tensor<9x4xf32, #heddle.dims<9, 4>>, !ids -> !x
  %1 = heddle.gather %b[%ids] : tensor<7x4xf32, #heddle.dims<7, 4>>, !ids -> !x
  %p = heddle.positions : !ids
  %2 = heddle.gather %c[%p] : tensor<32x4xf32, #heddle.dims<32, 4>>, !ids -> !x
  return %0, %1, %2 : !x, !x, !x
}
// A bound that the text states and that is smaller stays; computed ids bound nothing.
// CHECK: func.func @no_larger_bound(%{{[a-z0-9]*}}: tensor<?x?xi32, #heddle.dims<batch, s>>, %
// CHECK-SAME: #heddle.dimension<"s" over "batch" bound 16>
func.func @no_larger_bound(%ids: !ids, %c: tensor<32x4xf32, #heddle.dims<32, 4>>) -> (!x, !x)
    attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch" bound 16>]} {
  %p = heddle.positions : !ids
  %0 = heddle.gather %c[%p] : tensor<32x4xf32, #heddle.dims<32, 4>>, !ids -> !x
  %sum = arith.addi %ids, %p : !ids
  %1 = heddle.gather %c[%sum] : tensor<32x4xf32, #heddle.dims<32, 4>>, !ids -> !x
  return %0, %1 : !x, !x
}
