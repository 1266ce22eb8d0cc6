// RUN: heddle-opt %s --validate-rewrites --heddle-fold-tables --split-input-file | FileCheck %s

!ids = tensor<?xi32, #heddle.dims<t>>
!x = tensor<?x4xf32, #heddle.dims<t, 4>>
!y = tensor<?x9xf32, #heddle.dims<t, 9>>

// The tied table is gone: the gather reads the product's weight.
// CHECK-NOT: heddle.weight @words :
// CHECK: heddle.weight @words.transposed
heddle.weight @words : tensor<9x4xf32, #heddle.dims<9, 4>> = #heddle.tensor<"words", tensor<9x4xf32>>
heddle.weight @words.transposed : tensor<4x9xf32, #heddle.dims<4, 9>> = #heddle.transpose<#heddle.tensor<"words", tensor<9x4xf32>>, [1, 0]>
// CHECK-LABEL: @tied
// CHECK: heddle.gather %{{.*}}[%{{.*}}] transposed : tensor<4x9xf32
func.func @tied(%ids: !ids) -> !y {
  %table = heddle.use @words : tensor<9x4xf32, #heddle.dims<9, 4>>
  %x = heddle.gather %table[%ids] : tensor<9x4xf32, #heddle.dims<9, 4>>, !ids -> !x
  %w = heddle.use @words.transposed : tensor<4x9xf32, #heddle.dims<4, 9>>
  %y = heddle.linear %x, %w : !x, tensor<4x9xf32, #heddle.dims<4, 9>> -> !y
  return %y : !y
}

// -----
!ids = tensor<?xi32, #heddle.dims<t>>
!x = tensor<?x4xf32, #heddle.dims<t, 4>>
heddle.weight @words : tensor<9x4xf32, #heddle.dims<9, 4>> = #heddle.tensor<"words", tensor<9x4xf32>>
// CHECK-LABEL: @no_fold_untied
// CHECK-NOT: transposed
func.func @no_fold_untied(%ids: !ids) -> !x {
  %table = heddle.use @words : tensor<9x4xf32, #heddle.dims<9, 4>>
  %x = heddle.gather %table[%ids] : tensor<9x4xf32, #heddle.dims<9, 4>>, !ids -> !x
  return %x : !x
}
