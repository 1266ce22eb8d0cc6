// RUN: heddle-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @transposes
// CHECK-SAME: %[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @transposes(%x: tensor<2x3xf32, #heddle.dims<2, 3>>) -> tensor<2x3xf32, #heddle.dims<2, 3>> {
  %0 = heddle.transpose %x [1, 0] : tensor<2x3xf32, #heddle.dims<2, 3>> -> tensor<3x2xf32, #heddle.dims<3, 2>>
  %1 = heddle.transpose %0 [1, 0] : tensor<3x2xf32, #heddle.dims<3, 2>> -> tensor<2x3xf32, #heddle.dims<2, 3>>
  return %1 : tensor<2x3xf32, #heddle.dims<2, 3>>
}
// CHECK-LABEL: @reshapes
// CHECK-NEXT: %[[R:.*]] = heddle.reshape %{{.*}} -> tensor<3x2xf32
// CHECK-NEXT: return %[[R]]
func.func @reshapes(%x: tensor<2x3xf32, #heddle.dims<2, 3>>) -> tensor<3x2xf32, #heddle.dims<3, 2>> {
  %0 = heddle.reshape %x : tensor<2x3xf32, #heddle.dims<2, 3>> -> tensor<6xf32, #heddle.dims<6>>
  %1 = heddle.reshape %0 : tensor<6xf32, #heddle.dims<6>> -> tensor<3x2xf32, #heddle.dims<3, 2>>
  return %1 : tensor<3x2xf32, #heddle.dims<3, 2>>
}
// CHECK-LABEL: @slices
// CHECK-NEXT: heddle.slice %{{.*}} axis 0 from 3
// CHECK-NEXT: return
func.func @slices(%x: tensor<8xf32, #heddle.dims<8>>) -> tensor<2xf32, #heddle.dims<2>> {
  %0 = heddle.slice %x axis 0 from 2 : tensor<8xf32, #heddle.dims<8>> -> tensor<4xf32, #heddle.dims<4>>
  %1 = heddle.slice %0 axis 0 from 1 : tensor<4xf32, #heddle.dims<4>> -> tensor<2xf32, #heddle.dims<2>>
  return %1 : tensor<2xf32, #heddle.dims<2>>
}
// A slice along another axis is not the same slice.
// CHECK-LABEL: @no_slices_of_two_axes
// CHECK-COUNT-2: heddle.slice
func.func @no_slices_of_two_axes(%x: tensor<8x8xf32, #heddle.dims<8, 8>>) -> tensor<4x2xf32, #heddle.dims<4, 2>> {
  %0 = heddle.slice %x axis 0 from 2 : tensor<8x8xf32, #heddle.dims<8, 8>> -> tensor<4x8xf32, #heddle.dims<4, 8>>
  %1 = heddle.slice %0 axis 1 from 1 : tensor<4x8xf32, #heddle.dims<4, 8>> -> tensor<4x2xf32, #heddle.dims<4, 2>>
  return %1 : tensor<4x2xf32, #heddle.dims<4, 2>>
}
// CHECK-LABEL: @nothing_moves
// CHECK-NEXT: return
func.func @nothing_moves(%x: tensor<8xf32, #heddle.dims<8>>) -> tensor<8xf32, #heddle.dims<8>> {
  %0 = heddle.broadcast %x along [0] : tensor<8xf32, #heddle.dims<8>> -> tensor<8xf32, #heddle.dims<8>>
  %1 = heddle.slice %0 axis 0 from 0 : tensor<8xf32, #heddle.dims<8>> -> tensor<8xf32, #heddle.dims<8>>
  %2 = heddle.concat %1 axis 0 : tensor<8xf32, #heddle.dims<8>> -> tensor<8xf32, #heddle.dims<8>>
  return %2 : tensor<8xf32, #heddle.dims<8>>
}
// CHECK-LABEL: @equal_masks
// CHECK: %[[M:.*]] = heddle.mask_causal
// CHECK-NEXT: heddle.mask_values %[[M]]
func.func @equal_masks() -> tensor<?x?x?xi1, #heddle.dims<b, s, s>> {
  %m = heddle.mask_causal
  %0 = heddle.mask_and %m, %m
  %1 = heddle.mask_values %0 : tensor<?x?x?xi1, #heddle.dims<b, s, s>>
  return %1 : tensor<?x?x?xi1, #heddle.dims<b, s, s>>
}
