// RUN: heddle-opt %s --validate-rewrites --heddle-lower-sinusoidal-positions --split-input-file --verify-diagnostics | FileCheck %s

!ids = tensor<?x?xi32, #heddle.dims<batch, s>>
!x = tensor<?x?x3xf32, #heddle.dims<batch, s, 3>>

// As many rows as there can be positions; equal tables are one weight.
// CHECK-COUNT-1: heddle.weight @sinusoidal_positions {{.*}} = #heddle.cast<#heddle.angles<[1.000000e+00, 1.000000e-02], 16, 3, interleaved>, f32>
// CHECK-LABEL: @bound
// CHECK: %[[P:.*]] = heddle.positions
// CHECK: %[[T:.*]] = heddle.use @sinusoidal_positions
// CHECK: heddle.gather %[[T]][%[[P]]]
func.func @bound() -> (!x, !x) attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch" bound 16>]} {
  %p = heddle.positions : !ids
  %0 = heddle.sinusoidal_positions %p frequencies [1.0, 0.01] interleaved shift 0 : !ids -> !x
  %1 = heddle.sinusoidal_positions %p frequencies [1.0, 0.01] interleaved shift 0 : !ids -> !x
  return %0, %1 : !x, !x
}

// -----
// A shift cuts the first rows of a longer table.
// CHECK: #heddle.slice<#heddle.angles<[1.000000e+00], 18, 2, halves>, 0, 2, 16>
func.func @shift() -> tensor<?x?x2xf32, #heddle.dims<batch, s, 2>> attributes {heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch" bound 16>]} {
  %p = heddle.positions : tensor<?x?xi32, #heddle.dims<batch, s>>
  %0 = heddle.sinusoidal_positions %p frequencies [1.0] halves shift 2 : tensor<?x?xi32, #heddle.dims<batch, s>> -> tensor<?x?x2xf32, #heddle.dims<batch, s, 2>>
  return %0 : tensor<?x?x2xf32, #heddle.dims<batch, s, 2>>
}

// -----
func.func @no_bound() -> tensor<?x?x2xf32, #heddle.dims<batch, s, 2>> attributes {heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch">]} {
  %p = heddle.positions : tensor<?x?xi32, #heddle.dims<batch, s>>
  // expected-error @+1 {{needs a bound on #heddle.dims<s>}}
  %0 = heddle.sinusoidal_positions %p frequencies [1.0] halves shift 0 : tensor<?x?xi32, #heddle.dims<batch, s>> -> tensor<?x?x2xf32, #heddle.dims<batch, s, 2>>
  return %0 : tensor<?x?x2xf32, #heddle.dims<batch, s, 2>>
}

// -----
func.func @no_other_positions(%p: tensor<?xi32, #heddle.dims<s>>) -> tensor<?x2xf32, #heddle.dims<s, 2>> {
  // expected-error @+1 {{expected the positions of an axis}}
  %0 = heddle.sinusoidal_positions %p frequencies [1.0] halves shift 0 : tensor<?xi32, #heddle.dims<s>> -> tensor<?x2xf32, #heddle.dims<s, 2>>
  return %0 : tensor<?x2xf32, #heddle.dims<s, 2>>
}
