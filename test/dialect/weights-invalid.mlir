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
// -----
// expected-error @+1 {{tensor: expected a static shape without encoding}}
heddle.weight @weight_c1_tensor : tensor<4xf32, #heddle.dims<4>> = #heddle.tensor<"a", tensor<?xf32>>
// -----
// expected-error @+1 {{slice: no axis 2}}
heddle.weight @weight_c1_slice_axis : tensor<2x4xf32, #heddle.dims<2, 4>> = #heddle.slice<#heddle.tensor<"a", tensor<2x4xf32>>, 2, 0, 1>
// -----
// expected-error @+1 {{concat: no axis 2}}
heddle.weight @weight_c1_concat_axis : tensor<2x4xf32, #heddle.dims<2, 4>> = #heddle.concat<2, #heddle.tensor<"a", tensor<2x4xf32>>>
// -----
// expected-error @+1 {{concat: sources differ}}
heddle.weight @weight_c1_concat_element : tensor<4x4xf32, #heddle.dims<4, 4>> = #heddle.concat<0, #heddle.tensor<"a", tensor<2x4xf32>>, #heddle.tensor<"b", tensor<2x4xf64>>>
// -----
// expected-error @+1 {{reshape: an extent below 1 or too large}}
heddle.weight @weight_c1_reshape_extent : tensor<0x8xf32, #heddle.dims<0, 8>> = #heddle.reshape<#heddle.tensor<"a", tensor<2x4xf32>>, [0, 8]>
// -----
// expected-error @+1 {{select: no axis 2}}
heddle.weight @weight_c1_select_axis : tensor<2x4xf32, #heddle.dims<2, 4>> = #heddle.select<#heddle.tensor<"a", tensor<2x4xf32>>, 2, [0]>
// -----
// expected-error @+1 {{select: place 4 is not within 4}}
heddle.weight @weight_c1_select_place : tensor<2x1xf32, #heddle.dims<2, 1>> = #heddle.select<#heddle.tensor<"a", tensor<2x4xf32>>, 1, [4]>
// -----
// expected-error @+1 {{select: no places}}
heddle.weight @weight_c1_select_none : tensor<2x4xf32, #heddle.dims<2, 4>> = #heddle.select<#heddle.tensor<"a", tensor<2x4xf32>>, 1, []>
// -----
// expected-error @+1 {{pack: expected a matrix and a width of 1 or more}}
heddle.weight @weight_c1_pack : tensor<2x4xf32, #heddle.dims<2, 4>> = #heddle.pack<#heddle.tensor<"a", tensor<2x4xf32>>, 0>
// -----
// expected-error @+1 {{pad: expected an axis and a width of 1 or more}}
heddle.weight @weight_c1_pad : tensor<2x4xf32, #heddle.dims<2, 4>> = #heddle.pad<#heddle.tensor<"a", tensor<2x4xf32>>, 0>
// -----
// expected-error @+1 {{not a recipe}}
heddle.weight @weight_c1_nothing : tensor<4xf32, #heddle.dims<4>> = 4 : i32
