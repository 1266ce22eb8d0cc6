// RUN: heddle-opt %s --heddle-verify-graph --split-input-file --verify-diagnostics

func.func @good(%x: tensor<?x4xf32, #heddle.dims<s.tokens, 4>>) -> tensor<?x4xf32, #heddle.dims<s.tokens, 4>>
    attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch">]} {
  %0 = arith.addf %x, %x : tensor<?x4xf32, #heddle.dims<s.tokens, 4>>
  return %0 : tensor<?x4xf32, #heddle.dims<s.tokens, 4>>
}

// -----
// expected-error @+1 {{after the graph stage: expected entries only}}
func.func @kernel() { return }

// -----
func.func @ragged(%x: tensor<?x?xf32, #heddle.dims<batch, s>>) -> tensor<?x?xf32, #heddle.dims<batch, s>>
    attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch">]} {
  // expected-error @+1 {{after the graph stage: a ragged tensor that is not rows of tokens}}
  %0 = arith.addf %x, %x : tensor<?x?xf32, #heddle.dims<batch, s>>
  return %0 : tensor<?x?xf32, #heddle.dims<batch, s>>
}

// -----
func.func @sinusoidal(%p: tensor<?xi32, #heddle.dims<s.tokens>>) attributes {heddle.entry} {
  // expected-error @+1 {{after the graph stage: sinusoidal positions are left}}
  %0 = heddle.sinusoidal_positions %p frequencies [1.0] halves shift 0 : tensor<?xi32, #heddle.dims<s.tokens>> -> tensor<?x2xf32, #heddle.dims<s.tokens, 2>>
  return
}

// -----
func.func @attention(%q: tensor<2x8x4xf32, #heddle.dims<2, 8, 4>>) attributes {heddle.entry} {
  // expected-error @+1 {{after the graph stage: attention needs rows, or [batch, heads, n, d]}}
  %0 = heddle.attention %q, %q, %q scale 0.5 : tensor<2x8x4xf32, #heddle.dims<2, 8, 4>>, tensor<2x8x4xf32, #heddle.dims<2, 8, 4>>, tensor<2x8x4xf32, #heddle.dims<2, 8, 4>> -> tensor<2x8x4xf32, #heddle.dims<2, 8, 4>>
  return
}
