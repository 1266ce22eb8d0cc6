// RUN: heddle-opt %s --validate-rewrites --heddle-fuse-heads --remarks-filter=fusion --split-input-file --verify-diagnostics | FileCheck %s

// Two heads of keys, each for two heads of queries in a row.
!q = tensor<?x4x?x8xf32, #heddle.dims<b, 4, s, 8>>
!k = tensor<?x2x?x8xf32, #heddle.dims<b, 2, s, 8>>
!r = tensor<?x2x2x?x8xf32, #heddle.dims<b, 2, 2, s, 8>>
// CHECK-LABEL: func.func @repeated
// CHECK-NEXT: %[[O:.*]] = heddle.attention %arg0, %arg1, %arg2 scale
// CHECK-NEXT: return %[[O]]
func.func @repeated(%q: !q, %k: !k, %v: !k) -> !q {
  %kr = heddle.broadcast %k along [0, 1, 3, 4] : !k -> !r
  %vr = heddle.broadcast %v along [0, 1, 3, 4] : !k -> !r
  %kk = heddle.reshape %kr : !r -> !q
  %vv = heddle.reshape %vr : !r -> !q
  // expected-remark @+1 {{grouped heads}}
  %o = heddle.attention %q, %kk, %vv scale 0.5 : !q, !q, !q -> !q
  return %o : !q
}
// Head h of the queries reads head h mod 2 of the keys here: no group of neighbours.
// CHECK-LABEL: func.func @no_group_of_others
// CHECK: heddle.reshape
// CHECK: heddle.reshape
func.func @no_group_of_others(%q: !q, %k: !k, %v: !k) -> !q {
  %kr = heddle.broadcast %k along [0, 2, 3, 4] : !k -> !r
  %vr = heddle.broadcast %v along [0, 2, 3, 4] : !k -> !r
  %kk = heddle.reshape %kr : !r -> !q
  %vv = heddle.reshape %vr : !r -> !q
  %o = heddle.attention %q, %kk, %vv scale 0.5 : !q, !q, !q -> !q
  return %o : !q
}
// CHECK-LABEL: func.func @no_group_of_keys_alone
// CHECK: heddle.reshape
func.func @no_group_of_keys_alone(%q: !q, %k: !k, %v: !q) -> !q {
  %kr = heddle.broadcast %k along [0, 1, 3, 4] : !k -> !r
  %kk = heddle.reshape %kr : !r -> !q
  // expected-remark @+1 {{the keys are repeated for groups of heads, the values are not}}
  %o = heddle.attention %q, %kk, %v scale 0.5 : !q, !q, !q -> !q
  return %o : !q
}

// -----
// One head of keys for all.
!q = tensor<?x4x?x8xf32, #heddle.dims<b, 4, s, 8>>
!k = tensor<?x1x?x8xf32, #heddle.dims<b, 1, s, 8>>
!c = tensor<?x?x8xf32, #heddle.dims<b, s, 8>>
// CHECK-LABEL: func.func @one_head
// CHECK-NEXT: heddle.attention %arg0, %arg1, %arg2 scale
func.func @one_head(%q: !q, %k: !k, %v: !k) -> !q {
  %kc = heddle.reshape %k : !k -> !c
  %vc = heddle.reshape %v : !k -> !c
  %kk = heddle.broadcast %kc along [0, 2, 3] : !c -> !q
  %vv = heddle.broadcast %vc along [0, 2, 3] : !c -> !q
  // expected-remark @+1 {{grouped heads}}
  %o = heddle.attention %q, %kk, %vv scale 0.5 : !q, !q, !q -> !q
  return %o : !q
}

// -----
// Two heads with weights of their own, concatenated.
!x = tensor<?x?x8xf32, #heddle.dims<b, s, 8>>
!w = tensor<8x4xf32, #heddle.dims<8, 4>>
!y = tensor<?x?x4xf32, #heddle.dims<b, s, 4>>
!h = tensor<?x1x?x4xf32, #heddle.dims<b, 1, s, 4>>
heddle.weight @q1 : !w = #heddle.tensor<"q1", tensor<8x4xf32>>
heddle.weight @q2 : !w = #heddle.tensor<"q2", tensor<8x4xf32>>
heddle.weight @k1 : !w = #heddle.tensor<"k1", tensor<8x4xf32>>
heddle.weight @k2 : !w = #heddle.tensor<"k2", tensor<8x4xf32>>
// CHECK-LABEL: func.func @separate
// CHECK-DAG: %[[Q:.*]] = heddle.concat {{.*}} axis 2 : {{.*}} -> tensor<?x?x8xf32
// CHECK-DAG: %[[K:.*]] = heddle.concat {{.*}} axis 2 : {{.*}} -> tensor<?x?x8xf32
// CHECK: %[[O:.*]] = heddle.attention %{{.*}}, %[[KH:.*]], %{{.*}} mask %{{.*}} scale 5.000000e-01 : tensor<?x2x?x4xf32
// CHECK: %[[T:.*]] = heddle.transpose %[[O]] [0, 2, 1, 3]
// CHECK: %[[J:.*]] = heddle.reshape %[[T]]
// CHECK: return %[[J]]
func.func @separate(%x: !x, %m: !x) -> !x {
  %wq1 = heddle.use @q1 : !w
  %wq2 = heddle.use @q2 : !w
  %wk1 = heddle.use @k1 : !w
  %wk2 = heddle.use @k2 : !w
  %c = heddle.mask_causal
  %q1 = heddle.linear %x, %wq1 : !x, !w -> !y
  %q2 = heddle.linear %x, %wq2 : !x, !w -> !y
  %k1 = heddle.linear %m, %wk1 : !x, !w -> !y
  %k2 = heddle.linear %m, %wk2 : !x, !w -> !y
  %v1 = heddle.linear %x, %wk1 : !x, !w -> !y
  %v2 = heddle.linear %x, %wk2 : !x, !w -> !y
  %q1h = heddle.reshape %q1 : !y -> !h
  %q2h = heddle.reshape %q2 : !y -> !h
  %k1h = heddle.reshape %k1 : !y -> !h
  %k2h = heddle.reshape %k2 : !y -> !h
  %v1h = heddle.reshape %v1 : !y -> !h
  %v2h = heddle.reshape %v2 : !y -> !h
  %o1 = heddle.attention %q1h, %k1h, %v1h mask %c scale 0.5 : !h, !h, !h -> !h
  %o2 = heddle.attention %q2h, %k2h, %v2h mask %c scale 0.5 : !h, !h, !h -> !h
  %y1 = heddle.reshape %o1 : !h -> !y
  %y2 = heddle.reshape %o2 : !h -> !y
  // expected-remark @+1 {{attention}}
  %z = heddle.concat %y1, %y2 axis 2 : !y, !y -> !x
  return %z : !x
}
// CHECK-LABEL: func.func @no_join_of_other_masks
// CHECK-COUNT-2: heddle.attention
func.func @no_join_of_other_masks(%q1: !h, %q2: !h, %k: !h) -> !x {
  %c = heddle.mask_causal
  %o1 = heddle.attention %q1, %k, %k mask %c scale 0.5 : !h, !h, !h -> !h
  %o2 = heddle.attention %q2, %k, %k scale 0.5 : !h, !h, !h -> !h
  %y1 = heddle.reshape %o1 : !h -> !y
  %y2 = heddle.reshape %o2 : !h -> !y
  // expected-remark @+1 {{the heads have different masks}}
  %z = heddle.concat %y1, %y2 axis 2 : !y, !y -> !x
  return %z : !x
}
// CHECK-LABEL: func.func @no_join_of_other_scales
// CHECK-COUNT-2: heddle.attention
func.func @no_join_of_other_scales(%q1: !h, %q2: !h, %k: !h) -> !x {
  %o1 = heddle.attention %q1, %k, %k scale 0.25 : !h, !h, !h -> !h
  %o2 = heddle.attention %q2, %k, %k scale 0.5 : !h, !h, !h -> !h
  %y1 = heddle.reshape %o1 : !h -> !y
  %y2 = heddle.reshape %o2 : !h -> !y
  // expected-remark @+1 {{the heads have scales 0.25 and 0.5}}
  %z = heddle.concat %y1, %y2 axis 2 : !y, !y -> !x
  return %z : !x
}
// CHECK-LABEL: func.func @no_join_of_read_head
// CHECK-COUNT-2: heddle.attention
func.func @no_join_of_read_head(%q1: !h, %q2: !h, %k: !h) -> (!x, !y) {
  %o1 = heddle.attention %q1, %k, %k scale 0.5 : !h, !h, !h -> !h
  %o2 = heddle.attention %q2, %k, %k scale 0.5 : !h, !h, !h -> !h
  %y1 = heddle.reshape %o1 : !h -> !y
  %y2 = heddle.reshape %o2 : !h -> !y
  // expected-remark @+1 {{a head is read alone too}}
  %z = heddle.concat %y1, %y2 axis 2 : !y, !y -> !x
  return %z, %y1 : !x, !y
}
// CHECK-LABEL: func.func @no_join_of_arguments
// CHECK-COUNT-2: heddle.attention
func.func @no_join_of_arguments(%q1: !h, %q2: !h, %k: !h) -> !x {
  %o1 = heddle.attention %q1, %k, %k scale 0.5 : !h, !h, !h -> !h
  %o2 = heddle.attention %q2, %k, %k scale 0.5 : !h, !h, !h -> !h
  %y1 = heddle.reshape %o1 : !h -> !y
  %y2 = heddle.reshape %o2 : !h -> !y
  // expected-remark @+1 {{the queries of the heads are no products of the same rows that nobody else reads}}
  %z = heddle.concat %y1, %y2 axis 2 : !y, !y -> !x
  return %z : !x
}
