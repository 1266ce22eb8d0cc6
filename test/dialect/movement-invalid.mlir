// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @broadcast_c1(%x: tensor<4xf32, #heddle.dims<4>>) {
  // expected-error @+1 {{expected 1 axes, one for each of the source, got 0}}
  %0 = heddle.broadcast %x along [] : tensor<4xf32, #heddle.dims<4>> -> tensor<?x4xf32, #heddle.dims<b, 4>>
  return
}
// -----
func.func @broadcast_c2(%x: tensor<4xf32, #heddle.dims<4>>) {
  // expected-error @+1 {{expected extent #heddle.dims<4> at axis 0 of the result, got #heddle.dims<b>}}
  %0 = heddle.broadcast %x along [0] : tensor<4xf32, #heddle.dims<4>> -> tensor<?x4xf32, #heddle.dims<b, 4>>
  return
}
// -----
func.func @broadcast_c3(%x: tensor<4xi32, #heddle.dims<4>>) {
  // expected-error @+1 {{expected elements of 'i32', got 'f32'}}
  %0 = heddle.broadcast %x along [1] : tensor<4xi32, #heddle.dims<4>> -> tensor<?x4xf32, #heddle.dims<b, 4>>
  return
}
// -----
func.func @broadcast_c3_number(%x: f64) {
  // expected-error @+1 {{expected elements of 'f64', got 'i32'}}
  %0 = heddle.broadcast %x along [] : f64 -> tensor<?x4xi32, #heddle.dims<b, 4>>
  return
}
// -----
func.func @reshape_c1(%x: tensor<?x6xf32, #heddle.dims<b, 6>>) {
  // expected-error @+1 {{elements, got}}
  %0 = heddle.reshape %x : tensor<?x6xf32, #heddle.dims<b, 6>> -> tensor<?x2x4xf32, #heddle.dims<b, 2, 4>>
  return
}
// -----
func.func @reshape_c2(%x: tensor<6xf32, #heddle.dims<6>>) {
  // expected-error @+1 {{expected elements of 'f32', got 'i32'}}
  %0 = heddle.reshape %x : tensor<6xf32, #heddle.dims<6>> -> tensor<2x3xi32, #heddle.dims<2, 3>>
  return
}
// -----
func.func @transpose_c1(%x: tensor<2x3xf32, #heddle.dims<2, 3>>) {
  // expected-error @+1 {{expected each axis of the source once}}
  %0 = heddle.transpose %x [0, 0] : tensor<2x3xf32, #heddle.dims<2, 3>> -> tensor<2x2xf32, #heddle.dims<2, 2>>
  return
}
// -----
func.func @transpose_c2(%x: tensor<2x3xf32, #heddle.dims<2, 3>>) {
  // expected-error @+1 {{expected result extents #heddle.dims<3, 2>, got #heddle.dims<2, 3>}}
  %0 = heddle.transpose %x [1, 0] : tensor<2x3xf32, #heddle.dims<2, 3>> -> tensor<2x3xf32, #heddle.dims<2, 3>>
  return
}
// -----
func.func @slice_c1(%x: tensor<?x3xf32, #heddle.dims<b, 3>>) {
  // expected-error @+1 {{expected a static axis of the source, got axis 0}}
  %0 = heddle.slice %x axis 0 from 0 : tensor<?x3xf32, #heddle.dims<b, 3>> -> tensor<1x3xf32, #heddle.dims<1, 3>>
  return
}
// -----
func.func @slice_c2(%x: tensor<?x3xf32, #heddle.dims<b, 3>>) {
  // expected-error @+1 {{places 2 to 4 are not within 3}}
  %0 = heddle.slice %x axis 1 from 2 : tensor<?x3xf32, #heddle.dims<b, 3>> -> tensor<?x2xf32, #heddle.dims<b, 2>>
  return
}
// -----
func.func @slice_c3(%x: tensor<?x3xf32, #heddle.dims<b, 3>>) {
  // expected-error @+1 {{expected other extents #heddle.dims<b>, got #heddle.dims<c>}}
  %0 = heddle.slice %x axis 1 from 0 : tensor<?x3xf32, #heddle.dims<b, 3>> -> tensor<?x2xf32, #heddle.dims<c, 2>>
  return
}
// -----
func.func @concat_c1(%x: tensor<3xf32, #heddle.dims<3>>) {
  // expected-error @+1 {{expected sources and an axis of theirs, got axis 1}}
  %0 = heddle.concat %x axis 1 : tensor<3xf32, #heddle.dims<3>> -> tensor<3xf32, #heddle.dims<3>>
  return
}
// -----
func.func @concat_c2(%x: tensor<3xf32, #heddle.dims<3>>) {
  // expected-error @+1 {{expected extent #heddle.dims<6> at axis 0, got #heddle.dims<5>}}
  %0 = heddle.concat %x, %x axis 0 : tensor<3xf32, #heddle.dims<3>>, tensor<3xf32, #heddle.dims<3>> -> tensor<5xf32, #heddle.dims<5>>
  return
}
// -----
func.func @concat_c3(%x: tensor<?x3xf32, #heddle.dims<b, 3>>, %y: tensor<?x3xf32, #heddle.dims<c, 3>>) {
  // expected-error @+1 {{expected other extents #heddle.dims<b>}}
  %0 = heddle.concat %x, %y axis 1 : tensor<?x3xf32, #heddle.dims<b, 3>>, tensor<?x3xf32, #heddle.dims<c, 3>> -> tensor<?x6xf32, #heddle.dims<b, 6>>
  return
}
// -----
func.func @gather_c1(%t: tensor<4x2xf32, #heddle.dims<4, 2>>, %i: tensor<?xf32, #heddle.dims<b>>) {
  // expected-error @+1 {{expected ids of i32, got 'f32'}}
  %0 = heddle.gather %t[%i] : tensor<4x2xf32, #heddle.dims<4, 2>>, tensor<?xf32, #heddle.dims<b>> -> tensor<?x2xf32, #heddle.dims<b, 2>>
  return
}
// -----
func.func @gather_c2(%t: tensor<4x2xf32, #heddle.dims<4, 2>>, %i: tensor<?xi32, #heddle.dims<b>>) {
  // expected-error @+1 {{expected result extents #heddle.dims<b, 2>, got #heddle.dims<b, 4>}}
  %0 = heddle.gather %t[%i] : tensor<4x2xf32, #heddle.dims<4, 2>>, tensor<?xi32, #heddle.dims<b>> -> tensor<?x4xf32, #heddle.dims<b, 4>>
  return
}
// -----
func.func @flatten_c1(%x: tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>, %o: tensor<?xi64, #heddle.dims<batch + 1>>) {
  // expected-error @+1 {{expected extents #heddle.dims<s.tokens, 4>, got #heddle.dims<tokens, 4>}}
  %0 = heddle.flatten %x rows %o : tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>, tensor<?xi64, #heddle.dims<batch + 1>> -> tensor<?x4xf32, #heddle.dims<tokens, 4>>
  return
}
// -----
func.func @unflatten_c2(%x: tensor<?x4xf32, #heddle.dims<s.tokens, 4>>, %o: tensor<?xi64, #heddle.dims<batch + 1>>) {
  // expected-error @+1 {{expected elements of 'i32', got 'f32'}}
  %0 = heddle.unflatten %x rows %o : tensor<?x4xf32, #heddle.dims<s.tokens, 4>>, tensor<?xi64, #heddle.dims<batch + 1>> -> tensor<?x?x4xi32, #heddle.dims<batch, s, 4>>
  return
}
// -----
func.func @transpose_c3(%x: tensor<2x3xf32, #heddle.dims<2, 3>>) {
  // expected-error @+1 {{expected elements of 'f32', got 'i32'}}
  %0 = heddle.transpose %x [1, 0] : tensor<2x3xf32, #heddle.dims<2, 3>> -> tensor<3x2xi32, #heddle.dims<3, 2>>
  return
}
// -----
func.func @broadcast_c1_order(%x: tensor<2x3xf32, #heddle.dims<2, 3>>) {
  // expected-error @+1 {{expected ascending axes within the result}}
  %0 = heddle.broadcast %x along [1, 0] : tensor<2x3xf32, #heddle.dims<2, 3>> -> tensor<3x2xf32, #heddle.dims<3, 2>>
  return
}
// -----
func.func @slice_c3_element(%x: tensor<?x4xf32, #heddle.dims<b, 4>>) {
  // expected-error @+1 {{expected elements of 'f32', got 'i32'}}
  %0 = heddle.slice %x axis 1 from 0 : tensor<?x4xf32, #heddle.dims<b, 4>> -> tensor<?x2xi32, #heddle.dims<b, 2>>
  return
}
// -----
func.func @gather_c2_transposed(%t: tensor<2x3x4xf32, #heddle.dims<2, 3, 4>>, %i: tensor<?xi32, #heddle.dims<b>>) {
  // expected-error @+1 {{expected a transposed table of two axes}}
  %0 = heddle.gather %t[%i] transposed : tensor<2x3x4xf32, #heddle.dims<2, 3, 4>>, tensor<?xi32, #heddle.dims<b>> -> tensor<?x2x3xf32, #heddle.dims<b, 2, 3>>
  return
}
// -----
func.func @gather_c3(%t: tensor<4x2xf32, #heddle.dims<4, 2>>, %i: tensor<?xi32, #heddle.dims<b>>) {
  // expected-error @+1 {{expected elements of 'f32', got 'f64'}}
  %0 = heddle.gather %t[%i] : tensor<4x2xf32, #heddle.dims<4, 2>>, tensor<?xi32, #heddle.dims<b>> -> tensor<?x2xf64, #heddle.dims<b, 2>>
  return
}
// -----
func.func @pick_c1(%x: tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>) {
  // expected-error @+1 {{expected [batch, ..] of #heddle.dims<batch, s, 4>, got #heddle.dims<batch, s>}}
  %0 = heddle.pick %x : tensor<?x?x4xf32, #heddle.dims<batch, s, 4>> -> tensor<?x?xf32, #heddle.dims<batch, s>>
  return
}
// -----
func.func @pick_c2(%x: tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>) {
  // expected-error @+1 {{expected elements of 'f32', got 'i32'}}
  %0 = heddle.pick %x last : tensor<?x?x4xf32, #heddle.dims<batch, s, 4>> -> tensor<?x4xi32, #heddle.dims<batch, 4>>
  return
}
// -----
func.func @spread_c1(%x: tensor<?x4xf32, #heddle.dims<batch, 4>>, %o: tensor<?xi64, #heddle.dims<batch + 1>>) {
  // expected-error @+1 {{expected extents #heddle.dims<4> behind the tokens, got #heddle.dims<s.tokens, 5>}}
  %0 = heddle.spread %x rows %o : tensor<?x4xf32, #heddle.dims<batch, 4>>, tensor<?xi64, #heddle.dims<batch + 1>> -> tensor<?x5xf32, #heddle.dims<s.tokens, 5>>
  return
}
// -----
func.func @spread_c2(%x: tensor<?x4xf32, #heddle.dims<batch, 4>>, %o: tensor<?xi64, #heddle.dims<batch + 1>>) {
  // expected-error @+1 {{expected elements of 'f32', got 'i32'}}
  %0 = heddle.spread %x rows %o : tensor<?x4xf32, #heddle.dims<batch, 4>>, tensor<?xi64, #heddle.dims<batch + 1>> -> tensor<?x4xi32, #heddle.dims<s.tokens, 4>>
  return
}
// -----
func.func @windows_c1(%x: tensor<?x8xf32, #heddle.dims<b, 8>>) {
  // expected-error @+1 {{expected a static axis, size and stride of 1 or more, padding of 0 or more}}
  %0 = heddle.windows %x axis 0 size 2 stride 1 padding 0 : tensor<?x8xf32, #heddle.dims<b, 8>> -> tensor<?x8x2xf32, #heddle.dims<b, 8, 2>>
  return
}
// -----
func.func @windows_c1_stride(%x: tensor<?x8xf32, #heddle.dims<b, 8>>) {
  // expected-error @+1 {{expected a static axis, size and stride of 1 or more, padding of 0 or more}}
  %0 = heddle.windows %x axis 1 size 2 stride 0 padding 0 : tensor<?x8xf32, #heddle.dims<b, 8>> -> tensor<?x7x2xf32, #heddle.dims<b, 7, 2>>
  return
}
// -----
func.func @windows_c2(%x: tensor<?x8xf32, #heddle.dims<b, 8>>) {
  // expected-error @+1 {{expected result extents #heddle.dims<b, 4, 3>, got #heddle.dims<b, 3, 3>}}
  %0 = heddle.windows %x axis 1 size 3 stride 2 padding 1 : tensor<?x8xf32, #heddle.dims<b, 8>> -> tensor<?x3x3xf32, #heddle.dims<b, 3, 3>>
  return
}
// -----
func.func @windows_c3(%x: tensor<?x8xf32, #heddle.dims<b, 8>>) {
  // expected-error @+1 {{expected elements of 'f32', got 'i32'}}
  %0 = heddle.windows %x axis 1 size 3 stride 2 padding 1 : tensor<?x8xf32, #heddle.dims<b, 8>> -> tensor<?x4x3xi32, #heddle.dims<b, 4, 3>>
  return
}
// -----
func.func @flatten_c1_ragged(%x: tensor<?x4xf32, #heddle.dims<batch, 4>>, %o: tensor<?xi64, #heddle.dims<batch + 1>>) {
  // expected-error @+1 {{expected [batch, s, ..], got #heddle.dims<batch, 4>}}
  %0 = heddle.flatten %x rows %o : tensor<?x4xf32, #heddle.dims<batch, 4>>, tensor<?xi64, #heddle.dims<batch + 1>> -> tensor<?x4xf32, #heddle.dims<batch, 4>>
  return
}
// -----
func.func @flatten_c2(%x: tensor<?x?xi32, #heddle.dims<batch, s>>, %o: tensor<?xi64, #heddle.dims<batch + 1>>) {
  // expected-error @+1 {{expected elements of 'i32', got 'f32'}}
  %0 = heddle.flatten %x rows %o : tensor<?x?xi32, #heddle.dims<batch, s>>, tensor<?xi64, #heddle.dims<batch + 1>> -> tensor<?xf32, #heddle.dims<s.tokens>>
  return
}
// -----
func.func @unflatten_c1(%x: tensor<?x4xf32, #heddle.dims<t.tokens, 4>>, %o: tensor<?xi64, #heddle.dims<batch + 1>>) {
  // expected-error @+1 {{expected extents #heddle.dims<s.tokens, 4>, got #heddle.dims<t.tokens, 4>}}
  %0 = heddle.unflatten %x rows %o : tensor<?x4xf32, #heddle.dims<t.tokens, 4>>, tensor<?xi64, #heddle.dims<batch + 1>> -> tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>
  return
}
// -----
func.func @concat_c3_element(%x: tensor<?x4xf32, #heddle.dims<b, 4>>, %y: tensor<?x4xi32, #heddle.dims<b, 4>>) {
  // expected-error @+1 {{expected elements of 'i32', got 'f32'}}
  %0 = heddle.concat %x, %y axis 1 : tensor<?x4xf32, #heddle.dims<b, 4>>, tensor<?x4xi32, #heddle.dims<b, 4>> -> tensor<?x8xf32, #heddle.dims<b, 8>>
  return
}
// -----
func.func @movement_names(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected named extents on 'tensor<4xf32>'}}
  %0 = heddle.reshape %x : tensor<4xf32> -> tensor<2x2xf32>
  return
}
