// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @matmul_c1(%x: tensor<4xf32, #heddle.dims<4>>, %w: tensor<4x2xf32, #heddle.dims<4, 2>>) {
  // expected-error @+1 {{expected two axes on the right, or as many as on the left (at least two)}}
  %0 = heddle.matmul %x, %w : tensor<4xf32, #heddle.dims<4>>, tensor<4x2xf32, #heddle.dims<4, 2>> -> tensor<2xf32, #heddle.dims<2>>
  return
}
// -----
func.func @matmul_c2(%x: tensor<?x4xf32, #heddle.dims<b, 4>>, %w: tensor<5x2xf32, #heddle.dims<5, 2>>) {
  // expected-error @+1 {{expected inner extent #heddle.dims<4> on the right, got #heddle.dims<5>}}
  %0 = heddle.matmul %x, %w : tensor<?x4xf32, #heddle.dims<b, 4>>, tensor<5x2xf32, #heddle.dims<5, 2>> -> tensor<?x2xf32, #heddle.dims<b, 2>>
  return
}
// -----
func.func @matmul_c3(%x: tensor<?x3x4xf32, #heddle.dims<b, 3, 4>>, %w: tensor<?x4x2xf32, #heddle.dims<c, 4, 2>>) {
  // expected-error @+1 {{expected leading extents #heddle.dims<b> on the right, got #heddle.dims<c>}}
  %0 = heddle.matmul %x, %w : tensor<?x3x4xf32, #heddle.dims<b, 3, 4>>, tensor<?x4x2xf32, #heddle.dims<c, 4, 2>> -> tensor<?x3x2xf32, #heddle.dims<b, 3, 2>>
  return
}
// -----
func.func @matmul_c4(%x: tensor<?x4xf32, #heddle.dims<b, 4>>, %w: tensor<4x2xf32, #heddle.dims<4, 2>>) {
  // expected-error @+1 {{expected result extents #heddle.dims<b, 2>, got #heddle.dims<b, 4>}}
  %0 = heddle.matmul %x, %w : tensor<?x4xf32, #heddle.dims<b, 4>>, tensor<4x2xf32, #heddle.dims<4, 2>> -> tensor<?x4xf32, #heddle.dims<b, 4>>
  return
}
// -----
func.func @matmul_c5(%x: tensor<?x4xf32, #heddle.dims<b, 4>>, %w: tensor<4x2xf64, #heddle.dims<4, 2>>) {
  // expected-error @+1 {{expected elements of 'f32' everywhere}}
  %0 = heddle.matmul %x, %w : tensor<?x4xf32, #heddle.dims<b, 4>>, tensor<4x2xf64, #heddle.dims<4, 2>> -> tensor<?x2xf32, #heddle.dims<b, 2>>
  return
}
// -----
func.func @linear_c1(%x: tensor<?x4xf32, #heddle.dims<b, 4>>, %w: tensor<5x2xf32, #heddle.dims<5, 2>>) {
  // expected-error @+1 {{expected a static weight [k, n] for the last extent of #heddle.dims<b, 4>, got #heddle.dims<5, 2>}}
  %0 = heddle.linear %x, %w : tensor<?x4xf32, #heddle.dims<b, 4>>, tensor<5x2xf32, #heddle.dims<5, 2>> -> tensor<?x2xf32, #heddle.dims<b, 2>>
  return
}
// -----
func.func @linear_c2(%x: tensor<?x4xf32, #heddle.dims<b, 4>>, %w: tensor<4x2xf32, #heddle.dims<4, 2>>, %b: tensor<4xf32, #heddle.dims<4>>) {
  // expected-error @+1 {{expected a bias of #heddle.dims<2>, got #heddle.dims<4>}}
  %0 = heddle.linear %x, %w bias %b : tensor<?x4xf32, #heddle.dims<b, 4>>, tensor<4x2xf32, #heddle.dims<4, 2>>, tensor<4xf32, #heddle.dims<4>> -> tensor<?x2xf32, #heddle.dims<b, 2>>
  return
}
// -----
func.func @linear_c3(%x: tensor<?x4xf32, #heddle.dims<b, 4>>, %w: tensor<4x2xf32, #heddle.dims<4, 2>>) {
  // expected-error @+1 {{expected result extents #heddle.dims<b, 2>, got #heddle.dims<c, 2>}}
  %0 = heddle.linear %x, %w : tensor<?x4xf32, #heddle.dims<b, 4>>, tensor<4x2xf32, #heddle.dims<4, 2>> -> tensor<?x2xf32, #heddle.dims<c, 2>>
  return
}
// -----
func.func @linear_c4(%x: tensor<?x4xf32, #heddle.dims<b, 4>>, %w: tensor<4x2xf64, #heddle.dims<4, 2>>) {
  // expected-error @+1 {{expected elements of 'f32', got 'f64'}}
  %0 = heddle.linear %x, %w : tensor<?x4xf32, #heddle.dims<b, 4>>, tensor<4x2xf64, #heddle.dims<4, 2>> -> tensor<?x2xf32, #heddle.dims<b, 2>>
  return
}
