// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @sum_c1(%x: tensor<?x4xf32, #heddle.dims<b, 4>>) {
  // expected-error @+1 {{expected ascending axes of the source}}
  %0 = heddle.sum %x over [2] : tensor<?x4xf32, #heddle.dims<b, 4>> -> tensor<?xf32, #heddle.dims<b>>
  return
}
// -----
func.func @sum_c2(%x: tensor<?x4xf32, #heddle.dims<b, 4>>) {
  // expected-error @+1 {{expected result extents #heddle.dims<b>, got #heddle.dims<4>}}
  %0 = heddle.sum %x over [1] : tensor<?x4xf32, #heddle.dims<b, 4>> -> tensor<4xf32, #heddle.dims<4>>
  return
}
// -----
func.func @softmax_c1(%x: tensor<?x4xf32, #heddle.dims<b, 4>>) {
  // expected-error @+1 {{expected an axis of the source, got 2}}
  %0 = heddle.softmax %x axis 2 : tensor<?x4xf32, #heddle.dims<b, 4>>
  return
}
// -----
func.func @layer_norm_c1(%x: tensor<?x4xf32, #heddle.dims<b, 4>>, %g: tensor<3xf32, #heddle.dims<3>>) {
  // expected-error @+1 {{expected a gain of #heddle.dims<4>}}
  %0 = heddle.layer_norm %x, %g epsilon 1.0e-5 : tensor<?x4xf32, #heddle.dims<b, 4>>, tensor<3xf32, #heddle.dims<3>>
  return
}
// -----
// A norm over the batch would mix rows: the last extent must be static.
func.func @layer_norm_c1_batch(%x: tensor<4x?xf32, #heddle.dims<4, b>>, %g: tensor<?xf32, #heddle.dims<b>>) {
  // expected-error @+1 {{expected a static last extent}}
  %0 = heddle.layer_norm %x, %g epsilon 1.0e-5 : tensor<4x?xf32, #heddle.dims<4, b>>, tensor<?xf32, #heddle.dims<b>>
  return
}
// -----
func.func @layer_norm_c3(%x: tensor<?x4xf32, #heddle.dims<b, 4>>, %g: tensor<4xf32, #heddle.dims<4>>) {
  // expected-error @+1 {{expected an epsilon of 0 or more}}
  %0 = heddle.layer_norm %x, %g epsilon -1.0 : tensor<?x4xf32, #heddle.dims<b, 4>>, tensor<4xf32, #heddle.dims<4>>
  return
}
// -----
func.func @positions_c1() {
  // expected-error @+1 {{expected one or two named axes of i32}}
  %0 = heddle.positions : tensor<?xf32, #heddle.dims<b>>
  return
}
// -----
func.func @sinusoidal_positions_c2(%p: tensor<?xi32, #heddle.dims<s>>) {
  // expected-error @+1 {{expected a width of 1 to 2, got 3}}
  %0 = heddle.sinusoidal_positions %p frequencies [1.0] halves shift 0 : tensor<?xi32, #heddle.dims<s>> -> tensor<?x3xf32, #heddle.dims<s, 3>>
  return
}
