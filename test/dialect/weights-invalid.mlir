// RUN: heddle-opt %s --split-input-file --verify-diagnostics

// @weight_c1
// expected-error @+1 {{has an inconsistent recipe: transpose: not a permutation of the axes}}
heddle.weight @weight_c1 : tensor<4x2xf32, #heddle.dims<4, 2>> = #heddle.transpose<#heddle.tensor<"w", tensor<2x4xf32>>, [0, 0]>

// -----
// expected-error @+1 {{slice: 3 places from 2 are not within 4}}
heddle.weight @weight_c1_slice : tensor<3xf32, #heddle.dims<3>> = #heddle.slice<#heddle.tensor<"w", tensor<4xf32>>, 0, 2, 3>

// -----
// expected-error @+1 {{concat: sources differ in another axis}}
heddle.weight @weight_c1_concat : tensor<4x2xf32, #heddle.dims<4, 2>> = #heddle.concat<0, #heddle.tensor<"a", tensor<2x2xf32>>, #heddle.tensor<"b", tensor<2x3xf32>>>

// -----
// expected-error @+1 {{reshape: 8 elements become 9}}
heddle.weight @weight_c1_reshape : tensor<9xf32, #heddle.dims<9>> = #heddle.reshape<#heddle.tensor<"a", tensor<2x4xf32>>, [9]>

// -----
// expected-error @+1 {{angles: expected at least one row and a width of 1 to 2}}
heddle.weight @weight_c1_angles : tensor<2x3xf64, #heddle.dims<2, 3>> = #heddle.angles<[1.0], 2, 3, halves>

// -----
// expected-error @+1 {{expected a recipe for 'tensor<4x2xf32>', got one for 'tensor<2x4xf32>'}}
heddle.weight @weight_c2 : tensor<4x2xf32, #heddle.dims<4, 2>> = #heddle.tensor<"w", tensor<2x4xf32>>

// -----
func.func @use_c1() {
  // expected-error @+1 {{no weight named @nothing}}
  %w = heddle.use @nothing : tensor<4xf32, #heddle.dims<4>>
  return
}

// -----
heddle.weight @w : tensor<4xf32, #heddle.dims<4>> = #heddle.tensor<"w", tensor<4xf32>>
func.func @use_c2() {
  // expected-error @+1 {{of the weight, got}}
  %w = heddle.use @w : tensor<5xf32, #heddle.dims<5>>
  return
}
