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
func.func @layer_norm_c1_bias(%x: tensor<?x4xf32, #heddle.dims<b, 4>>, %v: tensor<4xf32, #heddle.dims<4>>) {
  // expected-error @+1 {{has a bias without a gain}}
  %0 = "heddle.layer_norm"(%x, %v) <{epsilon = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 1>}>
      : (tensor<?x4xf32, #heddle.dims<b, 4>>, tensor<4xf32, #heddle.dims<4>>) -> tensor<?x4xf32, #heddle.dims<b, 4>>
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
// -----
func.func @max_c1(%x: tensor<?x4xf32, #heddle.dims<b, 4>>) {
  // expected-error @+1 {{expected ascending axes of the source}}
  %0 = heddle.max %x over [1, 0] : tensor<?x4xf32, #heddle.dims<b, 4>> -> tensor<f32, #heddle.dims<>>
  return
}
// -----
func.func @max_c2(%x: tensor<?x4xf32, #heddle.dims<b, 4>>) {
  // expected-error @+1 {{expected elements of 'f32'}}
  %0 = heddle.max %x over [1] : tensor<?x4xf32, #heddle.dims<b, 4>> -> tensor<?xf64, #heddle.dims<b>>
  return
}
// -----
func.func @min_c1(%x: tensor<?x4xf32, #heddle.dims<b, 4>>) {
  // expected-error @+1 {{expected ascending axes of the source}}
  %0 = heddle.min %x over [1, 0] : tensor<?x4xf32, #heddle.dims<b, 4>> -> tensor<f32, #heddle.dims<>>
  return
}
// -----
func.func @min_c2(%x: tensor<?x4xf32, #heddle.dims<b, 4>>) {
  // expected-error @+1 {{expected elements of 'f32'}}
  %0 = heddle.min %x over [1] : tensor<?x4xf32, #heddle.dims<b, 4>> -> tensor<?xf64, #heddle.dims<b>>
  return
}
// -----
func.func @mean_c1(%x: tensor<?x4xf32, #heddle.dims<b, 4>>) {
  // expected-error @+1 {{expected ascending axes of the source}}
  %0 = heddle.mean %x over [1, 0] : tensor<?x4xf32, #heddle.dims<b, 4>> -> tensor<f32, #heddle.dims<>>
  return
}
// -----
func.func @mean_c2(%x: tensor<?x4xf32, #heddle.dims<b, 4>>) {
  // expected-error @+1 {{expected elements of 'f32'}}
  %0 = heddle.mean %x over [1] : tensor<?x4xf32, #heddle.dims<b, 4>> -> tensor<?xf64, #heddle.dims<b>>
  return
}
// -----
func.func @var_c1(%x: tensor<?x4xf32, #heddle.dims<b, 4>>) {
  // expected-error @+1 {{expected ascending axes of the source}}
  %0 = heddle.var %x over [1, 0] : tensor<?x4xf32, #heddle.dims<b, 4>> -> tensor<f32, #heddle.dims<>>
  return
}
// -----
func.func @var_c2(%x: tensor<?x4xf32, #heddle.dims<b, 4>>) {
  // expected-error @+1 {{expected elements of 'f32'}}
  %0 = heddle.var %x over [1] : tensor<?x4xf32, #heddle.dims<b, 4>> -> tensor<?xf64, #heddle.dims<b>>
  return
}
// -----
func.func @sum_c1_none(%x: tensor<?x4xf32, #heddle.dims<b, 4>>) {
  // expected-error @+1 {{expected at least one axis}}
  %0 = heddle.sum %x over [] : tensor<?x4xf32, #heddle.dims<b, 4>> -> tensor<?x4xf32, #heddle.dims<b, 4>>
  return
}
// -----
func.func @layer_norm_c1_bias(%x: tensor<?x4xf32, #heddle.dims<b, 4>>, %g: tensor<4xf32, #heddle.dims<4>>, %b: tensor<3xf32, #heddle.dims<3>>) {
  // expected-error @+1 {{expected a bias of #heddle.dims<4>}}
  %0 = heddle.layer_norm %x, %g bias %b epsilon 1.0e-5 : tensor<?x4xf32, #heddle.dims<b, 4>>, tensor<4xf32, #heddle.dims<4>>, tensor<3xf32, #heddle.dims<3>>
  return
}
// -----
func.func @layer_norm_c2(%x: tensor<?x4xf32, #heddle.dims<b, 4>>, %g: tensor<4xf64, #heddle.dims<4>>) {
  // expected-error @+1 {{expected elements of 'f32', got 'f64'}}
  %0 = heddle.layer_norm %x, %g epsilon 1.0e-5 : tensor<?x4xf32, #heddle.dims<b, 4>>, tensor<4xf64, #heddle.dims<4>>
  return
}
// -----
func.func @rms_norm_c1(%x: tensor<?x4xf32, #heddle.dims<b, 4>>, %g: tensor<3xf32, #heddle.dims<3>>) {
  // expected-error @+1 {{expected a gain of #heddle.dims<4>}}
  %0 = heddle.rms_norm %x, %g epsilon 1.0e-6 : tensor<?x4xf32, #heddle.dims<b, 4>>, tensor<3xf32, #heddle.dims<3>>
  return
}
// -----
func.func @rms_norm_c1_batch(%x: tensor<4x?xf32, #heddle.dims<4, b>>, %g: tensor<?xf32, #heddle.dims<b>>) {
  // expected-error @+1 {{expected a static last extent}}
  %0 = heddle.rms_norm %x, %g epsilon 1.0e-6 : tensor<4x?xf32, #heddle.dims<4, b>>, tensor<?xf32, #heddle.dims<b>>
  return
}
// -----
func.func @rms_norm_c2(%x: tensor<?x4xf32, #heddle.dims<b, 4>>, %g: tensor<4xf64, #heddle.dims<4>>) {
  // expected-error @+1 {{expected elements of 'f32'}}
  %0 = heddle.rms_norm %x, %g epsilon 1.0e-6 : tensor<?x4xf32, #heddle.dims<b, 4>>, tensor<4xf64, #heddle.dims<4>>
  return
}
// -----
func.func @rms_norm_c3(%x: tensor<?x4xf32, #heddle.dims<b, 4>>, %g: tensor<4xf32, #heddle.dims<4>>) {
  // expected-error @+1 {{expected an epsilon of 0 or more}}
  %0 = heddle.rms_norm %x, %g epsilon -1.0 : tensor<?x4xf32, #heddle.dims<b, 4>>, tensor<4xf32, #heddle.dims<4>>
  return
}
// -----
func.func @rotary_embedding_c1(%x: tensor<?x?x?xf32, #heddle.dims<b, s, d>>, %a: tensor<?x?x4xf32, #heddle.dims<b, s, 4>>) {
  // expected-error @+1 {{expected two axes at least, the last one static, got #heddle.dims<b, s, d>}}
  %0 = heddle.rotary_embedding %x, %a halves gain 1.0 : tensor<?x?x?xf32, #heddle.dims<b, s, d>>, tensor<?x?x4xf32, #heddle.dims<b, s, 4>>
  return
}
// -----
func.func @rotary_embedding_c1_width(%x: tensor<?x?x6xf32, #heddle.dims<b, s, 6>>, %a: tensor<?x?x8xf32, #heddle.dims<b, s, 8>>) {
  // expected-error @+1 {{expected angles [.., tokens, 2n] with 2n at most #heddle.dims<6>, got #heddle.dims<b, s, 8>}}
  %0 = heddle.rotary_embedding %x, %a halves gain 1.0 : tensor<?x?x6xf32, #heddle.dims<b, s, 6>>, tensor<?x?x8xf32, #heddle.dims<b, s, 8>>
  return
}
// -----
func.func @rotary_embedding_c2(%x: tensor<?x?x6xf32, #heddle.dims<b, s, 6>>, %a: tensor<?x?x4xf32, #heddle.dims<b, t, 4>>) {
  // expected-error @+1 {{expected angles for the tokens of #heddle.dims<b, s, 6>, got #heddle.dims<b, t, 4>}}
  %0 = heddle.rotary_embedding %x, %a interleaved gain 1.0 : tensor<?x?x6xf32, #heddle.dims<b, s, 6>>, tensor<?x?x4xf32, #heddle.dims<b, t, 4>>
  return
}
// -----
func.func @rotary_embedding_c2_odd(%x: tensor<?x?x6xf32, #heddle.dims<b, s, 6>>, %a: tensor<?x?x3xf32, #heddle.dims<b, s, 3>>) {
  // expected-error @+1 {{expected angles [.., tokens, 2n]}}
  %0 = heddle.rotary_embedding %x, %a interleaved gain 1.0 : tensor<?x?x6xf32, #heddle.dims<b, s, 6>>, tensor<?x?x3xf32, #heddle.dims<b, s, 3>>
  return
}
// -----
func.func @rotary_embedding_c3(%x: tensor<?x?x6xf32, #heddle.dims<b, s, 6>>, %a: tensor<?x?x4xf64, #heddle.dims<b, s, 4>>) {
  // expected-error @+1 {{expected elements of 'f32'}}
  %0 = heddle.rotary_embedding %x, %a halves gain 1.0 : tensor<?x?x6xf32, #heddle.dims<b, s, 6>>, tensor<?x?x4xf64, #heddle.dims<b, s, 4>>
  return
}
// -----
func.func @positions_c2(%o: tensor<?xi64, #heddle.dims<batch + 1>>) {
  // expected-error @+1 {{offsets and starts come together}}
  %0 = "heddle.positions"(%o) {operandSegmentSizes = array<i32: 1, 0>} : (tensor<?xi64, #heddle.dims<batch + 1>>) -> tensor<?xi32, #heddle.dims<s.tokens>>
  return
}
// -----
func.func @sinusoidal_positions_c1(%p: tensor<?xf32, #heddle.dims<s>>) {
  // expected-error @+1 {{expected positions of i32}}
  %0 = heddle.sinusoidal_positions %p frequencies [1.0] halves shift 0 : tensor<?xf32, #heddle.dims<s>> -> tensor<?x2xf32, #heddle.dims<s, 2>>
  return
}
// -----
func.func @sinusoidal_positions_c2_extents(%p: tensor<?xi32, #heddle.dims<s>>) {
  // expected-error @+1 {{expected result extents #heddle.dims<s> and a static width, got #heddle.dims<t, 2>}}
  %0 = heddle.sinusoidal_positions %p frequencies [1.0] halves shift 0 : tensor<?xi32, #heddle.dims<s>> -> tensor<?x2xf32, #heddle.dims<t, 2>>
  return
}
// -----
func.func @sinusoidal_positions_c3(%p: tensor<?xi32, #heddle.dims<s>>) {
  // expected-error @+1 {{expected a shift of 0 or more}}
  %0 = heddle.sinusoidal_positions %p frequencies [1.0] halves shift -1 : tensor<?xi32, #heddle.dims<s>> -> tensor<?x2xf32, #heddle.dims<s, 2>>
  return
}
// -----
func.func @gelu_types(%x: tensor<4xi32, #heddle.dims<4>>) {
  // expected-error @+1 {{operand #0 must be floating-point or ranked tensor of floating-point values}}
  %0 = heddle.gelu %x erf : tensor<4xi32, #heddle.dims<4>>
  return
}
// -----
func.func @silu_types(%x: tensor<4xi32, #heddle.dims<4>>) {
  // expected-error @+1 {{operand #0 must be floating-point or ranked tensor of floating-point values}}
  %0 = heddle.silu %x : tensor<4xi32, #heddle.dims<4>>
  return
}
