// RUN: heddle-opt %s --validate-rewrites --heddle-fuse-rotary-embedding --remarks-filter=fusion --split-input-file --verify-diagnostics | FileCheck %s
// RUN: not heddle-opt %s --validate-rewrites --heddle-fuse-rotary-embedding --split-input-file --heddle-inject-bad-rewrite=pair-layout -o /dev/null 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: heddle-fuse-rotary-embedding: 'arith.addf' was replaced by 'heddle.rotary_embedding', which computes something else

!x = tensor<?x?x4xf32, #heddle.dims<b, s, 4>>
!h = tensor<?x?x2xf32, #heddle.dims<b, s, 2>>
!p = tensor<?x?xi32, #heddle.dims<b, s>>
!f = tensor<?x?xf32, #heddle.dims<b, s>>
!w = tensor<2xf32, #heddle.dims<2>>
heddle.weight @f : !w = #heddle.cast<#heddle.constant<dense<[1.0, 0.01]> : tensor<2xf64>>, f32>
heddle.weight @trained : !w = #heddle.tensor<"f", tensor<2xf32>>

// x * cos + concat(-x2, x1) * sin
// CHECK-LABEL: func.func @halves
// CHECK: %[[P:.*]] = heddle.positions
// CHECK: %[[A:.*]] = heddle.sinusoidal_positions %[[P]] frequencies [1.000000e+00, 1.000000e-02] halves shift 0
// CHECK: %[[Y:.*]] = heddle.rotary_embedding %arg0, %[[A]] halves gain 1.000000e+00
// CHECK: return %[[Y]]
func.func @halves(%x: !x) -> !x attributes {heddle.dimensions = [#heddle.dimension<"b">, #heddle.dimension<"s" over "b" bound 8>]} {
  %p = heddle.positions : !p
  %pf = arith.sitofp %p : !p to !f
  %f = heddle.use @f : !w
  %pb = heddle.broadcast %pf along [0, 1] : !f -> !h
  %fb = heddle.broadcast %f along [2] : !w -> !h
  %a = arith.mulf %pb, %fb : !h
  %c = math.cos %a : !h
  %s = math.sin %a : !h
  %cc = heddle.concat %c, %c axis 2 : !h, !h -> !x
  %ss = heddle.concat %s, %s axis 2 : !h, !h -> !x
  %x1 = heddle.slice %x axis 2 from 0 : !x -> !h
  %x2 = heddle.slice %x axis 2 from 2 : !x -> !h
  %n = arith.negf %x2 : !h
  %t = heddle.concat %n, %x1 axis 2 : !h, !h -> !x
  %u = arith.mulf %x, %cc : !x
  %v = arith.mulf %t, %ss : !x
  // expected-remark @+1 {{rotary_embedding}}
  %y = arith.addf %u, %v : !x
  return %y : !x
}
// The same, turned the other way: x2 in front without its sign.
// CHECK-LABEL: func.func @no_rotation_of_other_pairs
// CHECK-NOT: heddle.rotary_embedding
func.func @no_rotation_of_other_pairs(%x: !x) -> !x attributes {heddle.dimensions = [#heddle.dimension<"b">, #heddle.dimension<"s" over "b" bound 8>]} {
  %p = heddle.positions : !p
  %pf = arith.sitofp %p : !p to !f
  %f = heddle.use @f : !w
  %pb = heddle.broadcast %pf along [0, 1] : !f -> !h
  %fb = heddle.broadcast %f along [2] : !w -> !h
  %a = arith.mulf %pb, %fb : !h
  %c = math.cos %a : !h
  %s = math.sin %a : !h
  %cc = heddle.concat %c, %c axis 2 : !h, !h -> !x
  %ss = heddle.concat %s, %s axis 2 : !h, !h -> !x
  %x1 = heddle.slice %x axis 2 from 0 : !x -> !h
  %x2 = heddle.slice %x axis 2 from 2 : !x -> !h
  %t = heddle.concat %x2, %x1 axis 2 : !h, !h -> !x
  %u = arith.mulf %x, %cc : !x
  %v = arith.mulf %t, %ss : !x
  // expected-remark @+1 {{the channels are turned in another way than a * cos - b * sin, b * cos + a * sin}}
  %y = arith.addf %u, %v : !x
  return %y : !x
}
// CHECK-LABEL: func.func @no_rotation_without_bound
// CHECK-NOT: heddle.rotary_embedding
func.func @no_rotation_without_bound(%x: !x) -> !x attributes {heddle.dimensions = [#heddle.dimension<"b">, #heddle.dimension<"s" over "b">]} {
  %p = heddle.positions : !p
  %pf = arith.sitofp %p : !p to !f
  %f = heddle.use @f : !w
  %pb = heddle.broadcast %pf along [0, 1] : !f -> !h
  %fb = heddle.broadcast %f along [2] : !w -> !h
  %a = arith.mulf %pb, %fb : !h
  %c = math.cos %a : !h
  %s = math.sin %a : !h
  %x1 = heddle.slice %x axis 2 from 0 : !x -> !h
  %x2 = heddle.slice %x axis 2 from 2 : !x -> !h
  %m = arith.mulf %x1, %c : !h
  %n = arith.mulf %x2, %s : !h
  %d = arith.subf %m, %n : !h
  %o = arith.mulf %x2, %c : !h
  %q = arith.mulf %x1, %s : !h
  %e = arith.addf %o, %q : !h
  // expected-remark @+1 {{a table of the angles needs a bound on 's'}}
  %y = heddle.concat %d, %e axis 2 : !h, !h -> !x
  return %y : !x
}
// CHECK-LABEL: func.func @no_rotation_by_weights
// CHECK-NOT: heddle.rotary_embedding
func.func @no_rotation_by_weights(%x: !x) -> !x attributes {heddle.dimensions = [#heddle.dimension<"b">, #heddle.dimension<"s" over "b" bound 8>]} {
  %p = heddle.positions : !p
  %pf = arith.sitofp %p : !p to !f
  %f = heddle.use @trained : !w
  %pb = heddle.broadcast %pf along [0, 1] : !f -> !h
  %fb = heddle.broadcast %f along [2] : !w -> !h
  %a = arith.mulf %pb, %fb : !h
  %c = math.cos %a : !h
  %s = math.sin %a : !h
  %cc = heddle.concat %c, %c axis 2 : !h, !h -> !x
  %ss = heddle.concat %s, %s axis 2 : !h, !h -> !x
  %x1 = heddle.slice %x axis 2 from 0 : !x -> !h
  %x2 = heddle.slice %x axis 2 from 2 : !x -> !h
  %n = arith.negf %x2 : !h
  %t = heddle.concat %n, %x1 axis 2 : !h, !h -> !x
  %u = arith.mulf %x, %cc : !x
  %v = arith.mulf %t, %ss : !x
  // expected-remark @+1 {{the angles are not positions times frequencies that are known when compiling}}
  %y = arith.addf %u, %v : !x
  return %y : !x
}

// -----
// Neighbours, the first four channels of six; the sines' product first, both times 2; angles over pi.
!x = tensor<?x?x6xf32, #heddle.dims<b, s, 6>>
!r = tensor<?x?x4xf32, #heddle.dims<b, s, 4>>
!e = tensor<?x?x2x2xf32, #heddle.dims<b, s, 2, 2>>
!o = tensor<?x?x2x1xf32, #heddle.dims<b, s, 2, 1>>
!h = tensor<?x?x2xf32, #heddle.dims<b, s, 2>>
!p = tensor<?x?xi32, #heddle.dims<b, s>>
!f = tensor<?x?xf32, #heddle.dims<b, s>>
!w = tensor<2xf32, #heddle.dims<2>>
heddle.weight @f : !w = #heddle.cast<#heddle.constant<dense<[1.0, 0.5]> : tensor<2xf64>>, f32>
// CHECK-LABEL: func.func @interleaved
// CHECK: %[[P:.*]] = heddle.positions
// CHECK: %[[A:.*]] = heddle.sinusoidal_positions %[[P]] frequencies [2.500000e-01, 1.250000e-01] halves shift 3
// CHECK: %[[Y:.*]] = heddle.rotary_embedding %arg0, %[[A]] interleaved gain 2.000000e+00
// CHECK: return %[[Y]]
func.func @interleaved(%x: !x) -> !x attributes {heddle.dimensions = [#heddle.dimension<"b">, #heddle.dimension<"s" over "b" bound 8>]} {
  %four = arith.constant 4.0 : f64
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  %p = heddle.positions : !p
  %pf = arith.sitofp %p : !p to !f
  %threes = heddle.broadcast %three along [] : f64 -> !f
  %later = arith.addf %pf, %threes : !f
  %f = heddle.use @f : !w
  %pb = heddle.broadcast %later along [0, 1] : !f -> !h
  %fb = heddle.broadcast %f along [2] : !w -> !h
  %fours = heddle.broadcast %four along [] : f64 -> !h
  %q = arith.divf %fb, %fours : !h
  %a = arith.mulf %q, %pb : !h
  %c = math.cos %a : !h
  %s = math.sin %a : !h
  %co = heddle.reshape %c : !h -> !o
  %so = heddle.reshape %s : !h -> !o
  %twos = heddle.broadcast %two along [] : f64 -> !o
  %c2 = arith.mulf %twos, %co : !o
  %s2 = arith.mulf %twos, %so : !o
  %first = heddle.slice %x axis 2 from 0 : !x -> !r
  %rest = heddle.slice %x axis 2 from 4 : !x -> !h
  %e = heddle.reshape %first : !r -> !e
  %x1 = heddle.slice %e axis 3 from 0 : !e -> !o
  %x2 = heddle.slice %e axis 3 from 1 : !e -> !o
  %m = arith.mulf %x1, %c2 : !o
  %n = arith.mulf %x2, %s2 : !o
  %d = arith.subf %m, %n : !o
  %t = arith.mulf %x1, %s2 : !o
  %u = arith.mulf %x2, %c2 : !o
  %v = arith.addf %t, %u : !o
  %z = heddle.concat %d, %v axis 3 : !o, !o -> !e
  %zr = heddle.reshape %z : !e -> !r
  // expected-remark @+1 {{rotary_embedding}}
  %y = heddle.concat %zr, %rest axis 2 : !r, !h -> !x
  return %y : !x
}

// -----
// Heads are cut in halves before they are moved in front of the tokens: the whole of them is no value yet.
!x = tensor<?x?x2x4xf32, #heddle.dims<b, s, 2, 4>>
!c = tensor<?x?x2x2xf32, #heddle.dims<b, s, 2, 2>>
!p = tensor<?x2x?x2xf32, #heddle.dims<b, 2, s, 2>>
!y = tensor<?x2x?x4xf32, #heddle.dims<b, 2, s, 4>>
!t = tensor<?x?x4xf32, #heddle.dims<b, s, 4>>
!h = tensor<?x?x2xf32, #heddle.dims<b, s, 2>>
!i = tensor<?x?xi32, #heddle.dims<b, s>>
// CHECK-LABEL: func.func @cut_before_moved
// CHECK: %[[X:.*]] = heddle.transpose %arg0 [0, 2, 1, 3]
// CHECK: %[[Y:.*]] = heddle.rotary_embedding %[[X]], %{{.*}} halves gain 1.000000e+00
// CHECK: return %[[Y]]
func.func @cut_before_moved(%x: !x) -> !y attributes {heddle.dimensions = [#heddle.dimension<"b">, #heddle.dimension<"s" over "b" bound 8>]} {
  %i = heddle.positions : !i
  %a = heddle.sinusoidal_positions %i frequencies [1.0, 0.5] halves shift 0 : !i -> !t
  %s = heddle.slice %a axis 2 from 0 : !t -> !h
  %c = heddle.slice %a axis 2 from 2 : !t -> !h
  %x1 = heddle.slice %x axis 3 from 0 : !x -> !c
  %x2 = heddle.slice %x axis 3 from 2 : !x -> !c
  %p = heddle.transpose %x1 [0, 2, 1, 3] : !c -> !p
  %q = heddle.transpose %x2 [0, 2, 1, 3] : !c -> !p
  %cb = heddle.broadcast %c along [0, 2, 3] : !h -> !p
  %sb = heddle.broadcast %s along [0, 2, 3] : !h -> !p
  %m = arith.mulf %p, %cb : !p
  %n = arith.mulf %q, %sb : !p
  %d = arith.subf %m, %n : !p
  %o = arith.mulf %q, %cb : !p
  %r = arith.mulf %p, %sb : !p
  %e = arith.addf %o, %r : !p
  // expected-remark @+1 {{rotary_embedding}}
  %y = heddle.concat %d, %e axis 3 : !p, !p -> !y
  return %y : !y
}
