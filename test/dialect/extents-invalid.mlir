// RUN: heddle-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expected 2 named extents, got 1}}
func.func private @rank(tensor<?x4xf32, #heddle.dims<batch>>)

// -----
// expected-error @+1 {{extent #heddle.dims<8> does not agree with axis 1 of the shape}}
func.func private @constant(tensor<?x4xf32, #heddle.dims<batch, 8>>)

// -----
// expected-error @+1 {{extent #heddle.dims<batch> does not agree with axis 0 of the shape}}
func.func private @dynamic(tensor<3x4xf32, #heddle.dims<batch, 4>>)

// -----
// expected-error @+1 {{an extent may multiply or divide by a number only}}
func.func private @product(tensor<?xf32, #heddle.dims<batch * sequence>>)

// -----
// expected-error @+1 {{division by less than 1}}
func.func private @division(tensor<?xf32, #heddle.dims<batch floordiv 0>>)

// -----
// Two `?` of different names differ: a stock op of arith says so.
func.func @mixed(%x: tensor<?xf32, #heddle.dims<batch>>, %y: tensor<?xf32, #heddle.dims<tokens>>) {
  // expected-note @-1 {{prior use here}}
  // expected-error @+1 {{use of value '%y' expects different type than prior uses}}
  %0 = arith.addf %x, %y : tensor<?xf32, #heddle.dims<batch>>
  return
}
