// RUN: heddle-opt %s --validate-rewrites --heddle-fuse-sinusoidal-positions --remarks-filter=fusion --split-input-file --verify-diagnostics | FileCheck %s

!x = tensor<?x?x4xf32, #heddle.dims<b, s, 4>>
!e = tensor<?x?x2x2xf32, #heddle.dims<b, s, 2, 2>>
!o = tensor<?x?x2x1xf32, #heddle.dims<b, s, 2, 1>>
!h = tensor<?x?x2xf32, #heddle.dims<b, s, 2>>
!p = tensor<?x?xi32, #heddle.dims<b, s>>
!f = tensor<?x?xf32, #heddle.dims<b, s>>
!w = tensor<2xf32, #heddle.dims<2>>
heddle.weight @f : !w = #heddle.cast<#heddle.constant<dense<[1.0, 0.01]> : tensor<2xf64>>, f32>

// CHECK-LABEL: func.func @halves
// CHECK: %[[P:.*]] = heddle.positions
// CHECK-NEXT: %[[Y:.*]] = heddle.sinusoidal_positions %[[P]] frequencies [1.000000e+00, 1.000000e-02] halves shift 0
// CHECK-NEXT: return %[[Y]]
func.func @halves() -> !x attributes {heddle.dimensions = [#heddle.dimension<"b">, #heddle.dimension<"s" over "b" bound 8>]} {
  %p = heddle.positions : !p
  %pf = arith.sitofp %p : !p to !f
  %f = heddle.use @f : !w
  %pb = heddle.broadcast %pf along [0, 1] : !f -> !h
  %fb = heddle.broadcast %f along [2] : !w -> !h
  %a = arith.mulf %pb, %fb : !h
  %c = math.cos %a : !h
  %s = math.sin %a : !h
  // expected-remark @+1 {{sinusoidal_positions}}
  %y = heddle.concat %s, %c axis 2 : !h, !h -> !x
  return %y : !x
}
// CHECK-LABEL: func.func @interleaved
// CHECK: heddle.sinusoidal_positions %{{.*}} interleaved shift 2
func.func @interleaved() -> !x attributes {heddle.dimensions = [#heddle.dimension<"b">, #heddle.dimension<"s" over "b" bound 8>]} {
  %two = arith.constant 2 : i32
  %p = heddle.positions : !p
  %twos = heddle.broadcast %two along [] : i32 -> !p
  %q = arith.addi %twos, %p : !p
  %pf = arith.sitofp %q : !p to !f
  %f = heddle.use @f : !w
  %pb = heddle.broadcast %pf along [0, 1] : !f -> !h
  %fb = heddle.broadcast %f along [2] : !w -> !h
  %a = arith.mulf %pb, %fb : !h
  %c = math.cos %a : !h
  %s = math.sin %a : !h
  %co = heddle.reshape %c : !h -> !o
  %so = heddle.reshape %s : !h -> !o
  %e = heddle.concat %so, %co axis 3 : !o, !o -> !e
  // expected-remark @+1 {{sinusoidal_positions}}
  %y = heddle.reshape %e : !e -> !x
  return %y : !x
}
// An odd width: the last cosine is cut off.
// CHECK-LABEL: func.func @odd
// CHECK: %[[P:.*]] = heddle.positions
// CHECK-NEXT: %[[Y:.*]] = heddle.sinusoidal_positions %[[P]] frequencies [1.000000e+00, 1.000000e-02] halves shift 0 : {{.*}} -> tensor<?x?x3xf32
// CHECK-NEXT: return %[[Y]]
func.func @odd() -> tensor<?x?x3xf32, #heddle.dims<b, s, 3>> attributes {heddle.dimensions = [#heddle.dimension<"b">, #heddle.dimension<"s" over "b" bound 8>]} {
  %p = heddle.positions : !p
  %pf = arith.sitofp %p : !p to !f
  %f = heddle.use @f : !w
  %pb = heddle.broadcast %pf along [0, 1] : !f -> !h
  %fb = heddle.broadcast %f along [2] : !w -> !h
  %a = arith.mulf %pb, %fb : !h
  %c = math.cos %a : !h
  %s = math.sin %a : !h
  %y = heddle.concat %s, %c axis 2 : !h, !h -> !x
  // expected-remark @+1 {{sinusoidal_positions}}
  %z = heddle.slice %y axis 2 from 0 : !x -> tensor<?x?x3xf32, #heddle.dims<b, s, 3>>
  return %z : tensor<?x?x3xf32, #heddle.dims<b, s, 3>>
}
// CHECK-LABEL: func.func @no_table_of_cosines_first
// CHECK: math.cos
func.func @no_table_of_cosines_first() -> !x attributes {heddle.dimensions = [#heddle.dimension<"b">, #heddle.dimension<"s" over "b" bound 8>]} {
  %p = heddle.positions : !p
  %pf = arith.sitofp %p : !p to !f
  %f = heddle.use @f : !w
  %pb = heddle.broadcast %pf along [0, 1] : !f -> !h
  %fb = heddle.broadcast %f along [2] : !w -> !h
  %a = arith.mulf %pb, %fb : !h
  %c = math.cos %a : !h
  %s = math.sin %a : !h
  // expected-remark @+1 {{the cosines come before the sines}}
  %y = heddle.concat %c, %s axis 2 : !h, !h -> !x
  return %y : !x
}
// CHECK-LABEL: func.func @no_table_of_different_angles
// CHECK: math.cos
func.func @no_table_of_different_angles() -> !x attributes {heddle.dimensions = [#heddle.dimension<"b">, #heddle.dimension<"s" over "b" bound 8>]} {
  %p = heddle.positions : !p
  %pf = arith.sitofp %p : !p to !f
  %f = heddle.use @f : !w
  %pb = heddle.broadcast %pf along [0, 1] : !f -> !h
  %fb = heddle.broadcast %f along [2] : !w -> !h
  %a = arith.mulf %pb, %fb : !h
  %c = math.cos %a : !h
  %s = math.sin %pb : !h
  // expected-remark @+1 {{the sines and the cosines are of different angles}}
  %y = heddle.concat %s, %c axis 2 : !h, !h -> !x
  return %y : !x
}
// CHECK-LABEL: func.func @no_table_without_bound
// CHECK: math.cos
func.func @no_table_without_bound() -> !x attributes {heddle.dimensions = [#heddle.dimension<"b">, #heddle.dimension<"s" over "b">]} {
  %p = heddle.positions : !p
  %pf = arith.sitofp %p : !p to !f
  %f = heddle.use @f : !w
  %pb = heddle.broadcast %pf along [0, 1] : !f -> !h
  %fb = heddle.broadcast %f along [2] : !w -> !h
  %a = arith.mulf %pb, %fb : !h
  %c = math.cos %a : !h
  %s = math.sin %a : !h
  // expected-remark @+1 {{a table of the angles needs a bound on 's'}}
  %y = heddle.concat %s, %c axis 2 : !h, !h -> !x
  return %y : !x
}
