// RUN: heddle-opt %s --validate-rewrites --heddle-fold-recipes --split-input-file | FileCheck %s

// A chain folds whole; the weight that nobody uses any more is gone.
// CHECK-NOT: heddle.weight @w :
// CHECK: heddle.weight @w.reshaped.transposed{{.*}} = #heddle.transpose<#heddle.reshape<#heddle.tensor<"w", tensor<6x4xf32>>, [3, 8]>, [1, 0]>
heddle.weight @w : tensor<6x4xf32, #heddle.dims<6, 4>> = #heddle.tensor<"w", tensor<6x4xf32>>
// CHECK-LABEL: @chain
// CHECK-NEXT: %[[W:.*]] = heddle.use @w.reshaped.transposed
// CHECK-NEXT: return %[[W]]
func.func @chain() -> tensor<8x3xf32, #heddle.dims<8, 3>> {
  %0 = heddle.use @w : tensor<6x4xf32, #heddle.dims<6, 4>>
  %1 = heddle.reshape %0 : tensor<6x4xf32, #heddle.dims<6, 4>> -> tensor<3x8xf32, #heddle.dims<3, 8>>
  %2 = heddle.transpose %1 [1, 0] : tensor<3x8xf32, #heddle.dims<3, 8>> -> tensor<8x3xf32, #heddle.dims<8, 3>>
  return %2 : tensor<8x3xf32, #heddle.dims<8, 3>>
}

// -----
// Equal recipes share a weight; a weight that is still used as it is stays.
// CHECK: heddle.weight @w :
// CHECK-COUNT-1: heddle.weight @w.transposed
// CHECK-NOT: heddle.weight
heddle.weight @w : tensor<6x4xf32, #heddle.dims<6, 4>> = #heddle.tensor<"w", tensor<6x4xf32>>
// CHECK-LABEL: @shared
func.func @shared() -> (tensor<6x4xf32, #heddle.dims<6, 4>>, tensor<4x6xf32, #heddle.dims<4, 6>>, tensor<4x6xf32, #heddle.dims<4, 6>>) {
  %0 = heddle.use @w : tensor<6x4xf32, #heddle.dims<6, 4>>
  %1 = heddle.transpose %0 [1, 0] : tensor<6x4xf32, #heddle.dims<6, 4>> -> tensor<4x6xf32, #heddle.dims<4, 6>>
  %2 = heddle.use @w : tensor<6x4xf32, #heddle.dims<6, 4>>
  %3 = heddle.transpose %2 [1, 0] : tensor<6x4xf32, #heddle.dims<6, 4>> -> tensor<4x6xf32, #heddle.dims<4, 6>>
  return %0, %1, %3 : tensor<6x4xf32, #heddle.dims<6, 4>>, tensor<4x6xf32, #heddle.dims<4, 6>>, tensor<4x6xf32, #heddle.dims<4, 6>>
}

// -----
// CHECK: #heddle.slice<#heddle.tensor<"w", tensor<6x4xf32>>, 0, 2, 3>
heddle.weight @w : tensor<6x4xf32, #heddle.dims<6, 4>> = #heddle.tensor<"w", tensor<6x4xf32>>
func.func @slice() -> tensor<3x4xf32, #heddle.dims<3, 4>> {
  %0 = heddle.use @w : tensor<6x4xf32, #heddle.dims<6, 4>>
  %1 = heddle.slice %0 axis 0 from 2 : tensor<6x4xf32, #heddle.dims<6, 4>> -> tensor<3x4xf32, #heddle.dims<3, 4>>
  return %1 : tensor<3x4xf32, #heddle.dims<3, 4>>
}

// -----
// CHECK-LABEL: @no_fold_activation
// CHECK: heddle.transpose
func.func @no_fold_activation(%x: tensor<?x4xf32, #heddle.dims<b, 4>>) -> tensor<4x?xf32, #heddle.dims<4, b>> {
  %0 = heddle.transpose %x [1, 0] : tensor<?x4xf32, #heddle.dims<b, 4>> -> tensor<4x?xf32, #heddle.dims<4, b>>
  return %0 : tensor<4x?xf32, #heddle.dims<4, b>>
}

// -----
// 1 + w, and a table times a number.
// CHECK: heddle.weight @w.plus.times {{.*}} = #heddle.scale<#heddle.add<#heddle.tensor<"w", tensor<4xf32>>, 1.000000e+00{{.*}}>, 8.000000e+00{{.*}}>
heddle.weight @w : tensor<4xf32, #heddle.dims<4>> = #heddle.tensor<"w", tensor<4xf32>>
// CHECK-LABEL: @numbers
// CHECK-NOT: arith.addf
// CHECK-NOT: arith.mulf
func.func @numbers() -> tensor<4xf32, #heddle.dims<4>> {
  %w = heddle.use @w : tensor<4xf32, #heddle.dims<4>>
  %one = arith.constant 1.0 : f32
  %ones = heddle.broadcast %one along [] : f32 -> tensor<4xf32, #heddle.dims<4>>
  %s = arith.addf %ones, %w : tensor<4xf32, #heddle.dims<4>>
  %eight = arith.constant 8.0 : f32
  %eights = heddle.broadcast %eight along [] : f32 -> tensor<4xf32, #heddle.dims<4>>
  %p = arith.mulf %s, %eights : tensor<4xf32, #heddle.dims<4>>
  return %p : tensor<4xf32, #heddle.dims<4>>
}

// -----
// CHECK: heddle.weight @v.joined {{.*}} = #heddle.concat<1, #heddle.tensor<"v", tensor<2x4xf32>>, #heddle.transpose<#heddle.tensor<"w", tensor<3x2xf32>>, [1, 0]>>
!v = tensor<2x4xf32, #heddle.dims<2, 4>>
!w = tensor<3x2xf32, #heddle.dims<3, 2>>
!t = tensor<2x3xf32, #heddle.dims<2, 3>>
!c = tensor<2x7xf32, #heddle.dims<2, 7>>
heddle.weight @v : !v = #heddle.tensor<"v", tensor<2x4xf32>>
heddle.weight @w : !w = #heddle.tensor<"w", tensor<3x2xf32>>
// CHECK-LABEL: @concat
// CHECK-NEXT: heddle.use @v.joined
// CHECK-NEXT: return
func.func @concat() -> !c {
  %v = heddle.use @v : !v
  %w = heddle.use @w : !w
  %t = heddle.transpose %w [1, 0] : !w -> !t
  %c = heddle.concat %v, %t axis 1 : !v, !t -> !c
  return %c : !c
}

// -----
// CHECK-LABEL: @no_fold_concat_with_activation
// CHECK: heddle.concat
!v = tensor<?x4xf32, #heddle.dims<b, 4>>
!c = tensor<1x4xf32, #heddle.dims<1, 4>>
!s = tensor<2x4xf32, #heddle.dims<2, 4>>
heddle.weight @v : !c = #heddle.tensor<"v", tensor<1x4xf32>>
func.func @no_fold_concat_with_activation(%x: !c) -> !s {
  %v = heddle.use @v : !c
  %c = heddle.concat %v, %x axis 0 : !c, !c -> !s
  return %c : !s
}

// -----
// What is moved back is the weight itself; of two reshapes the last one counts.
// CHECK: heddle.weight @w : {{.*}} = #heddle.tensor<"w", tensor<2x6xf32>>
// CHECK-NEXT: heddle.weight @w.reshaped.reshaped {{.*}} = #heddle.reshape<#heddle.tensor<"w", tensor<2x6xf32>>, [12]>
// CHECK-NOT: heddle.weight
!w = tensor<2x6xf32, #heddle.dims<2, 6>>
!t = tensor<6x2xf32, #heddle.dims<6, 2>>
!r = tensor<3x4xf32, #heddle.dims<3, 4>>
!v = tensor<12xf32, #heddle.dims<12>>
heddle.weight @w : !w = #heddle.tensor<"w", tensor<2x6xf32>>
// CHECK-LABEL: @back
// CHECK-DAG: %[[W:.*]] = heddle.use @w :
// CHECK-DAG: %[[V:.*]] = heddle.use @w.reshaped.reshaped :
// CHECK: return %[[W]], %[[V]]
func.func @back() -> (!w, !v) {
  %w = heddle.use @w : !w
  %t = heddle.transpose %w [1, 0] : !w -> !t
  %b = heddle.transpose %t [1, 0] : !t -> !w
  %r = heddle.reshape %b : !w -> !r
  %v = heddle.reshape %r : !r -> !v
  return %b, %v : !w, !v
}
