// RUN: heddle-opt %s --validate-rewrites --heddle-fuse-projections --remarks-filter=fusion --split-input-file --verify-diagnostics | FileCheck %s
// RUN: not heddle-opt %s --validate-rewrites --heddle-fuse-projections --split-input-file --heddle-inject-bad-rewrite=projection-order -o /dev/null 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: heddle-fuse-projections: 'heddle.linear' was replaced by 'heddle.linear', which computes something else

// q, k and v, read as heads. The biases are joined too; k has none, which is -0 in theirs.
// CHECK: heddle.weight @q.joined : tensor<8x12xf32, {{.*}} = #heddle.concat<1, #heddle.tensor<"q", tensor<8x4xf32>>, #heddle.transpose<#heddle.tensor<"k", tensor<4x8xf32>>, [1, 0]>, #heddle.tensor<"v", tensor<8x4xf32>>>
// CHECK: heddle.weight @b.joined {{.*}} = #heddle.concat<0, #heddle.tensor<"b", tensor<4xf32>>, #heddle.cast<#heddle.constant<dense<-0.000000e+00> : tensor<4xf64>>, f32>, #heddle.tensor<"c", tensor<4xf32>>>
// CHECK-NOT: heddle.weight
!x = tensor<?x5x8xf32, #heddle.dims<b, 5, 8>>
!w = tensor<8x4xf32, #heddle.dims<8, 4>>
!v = tensor<4xf32, #heddle.dims<4>>
!y = tensor<?x5x4xf32, #heddle.dims<b, 5, 4>>
!h = tensor<?x1x5x4xf32, #heddle.dims<b, 1, 5, 4>>
heddle.weight @q : !w = #heddle.tensor<"q", tensor<8x4xf32>>
heddle.weight @k : !w = #heddle.transpose<#heddle.tensor<"k", tensor<4x8xf32>>, [1, 0]>
heddle.weight @v : !w = #heddle.tensor<"v", tensor<8x4xf32>>
heddle.weight @b : !v = #heddle.tensor<"b", tensor<4xf32>>
heddle.weight @c : !v = #heddle.tensor<"c", tensor<4xf32>>
// CHECK-LABEL: @attention
// CHECK: %[[Y:.*]] = heddle.linear %arg0, %{{.*}} bias %{{.*}} : {{.*}} -> tensor<?x5x12xf32
// CHECK-DAG: %[[Q:.*]] = heddle.slice %[[Y]] axis 2 from 0
// CHECK-DAG: %[[K:.*]] = heddle.slice %[[Y]] axis 2 from 4
// CHECK-DAG: %[[V:.*]] = heddle.slice %[[Y]] axis 2 from 8
// CHECK: heddle.reshape %[[Q]]
// CHECK: heddle.reshape %[[K]]
// CHECK: heddle.reshape %[[V]]
func.func @attention(%x: !x) -> !h {
  %wq = heddle.use @q : !w
  %wk = heddle.use @k : !w
  %wv = heddle.use @v : !w
  %b = heddle.use @b : !v
  %c = heddle.use @c : !v
  // expected-remark @+1 {{linear of 3 products}}
  %q = heddle.linear %x, %wq bias %b : !x, !w, !v -> !y
  %k = heddle.linear %x, %wk : !x, !w -> !y
  %v = heddle.linear %x, %wv bias %c : !x, !w, !v -> !y
  %qh = heddle.reshape %q : !y -> !h
  %kh = heddle.reshape %k : !y -> !h
  %vh = heddle.reshape %v : !y -> !h
  %o = heddle.attention %qh, %kh, %vh scale 0.5 : !h, !h, !h -> !h
  return %o : !h
}
// The same in a second entry: the same company, one copy of the weights.
// CHECK-LABEL: @again
// CHECK: heddle.use @q.joined
func.func @again(%x: !x) -> !h {
  %wq = heddle.use @q : !w
  %wk = heddle.use @k : !w
  %wv = heddle.use @v : !w
  %b = heddle.use @b : !v
  %c = heddle.use @c : !v
  // expected-remark @+1 {{linear of 3 products}}
  %q = heddle.linear %x, %wq bias %b : !x, !w, !v -> !y
  %k = heddle.linear %x, %wk : !x, !w -> !y
  %v = heddle.linear %x, %wv bias %c : !x, !w, !v -> !y
  %qh = heddle.reshape %q : !y -> !h
  %kh = heddle.reshape %k : !y -> !h
  %vh = heddle.reshape %v : !y -> !h
  %o = heddle.attention %qh, %kh, %vh scale 0.5 : !h, !h, !h -> !h
  return %o : !h
}

// -----
// Separate heads, concatenated: the concatenation is the product.
// CHECK: heddle.weight @a.joined {{.*}} = #heddle.concat<1, #heddle.tensor<"a", tensor<8x4xf32>>, #heddle.tensor<"b", tensor<8x4xf32>>>
!x = tensor<?x8xf32, #heddle.dims<b, 8>>
!w = tensor<8x4xf32, #heddle.dims<8, 4>>
!y = tensor<?x4xf32, #heddle.dims<b, 4>>
!z = tensor<?x8xf32, #heddle.dims<b, 8>>
heddle.weight @a : !w = #heddle.tensor<"a", tensor<8x4xf32>>
heddle.weight @b : !w = #heddle.tensor<"b", tensor<8x4xf32>>
// CHECK-LABEL: @concatenated
// CHECK: %[[Y:.*]] = heddle.linear
// CHECK-NEXT: return %[[Y]]
func.func @concatenated(%x: !x) -> !z {
  %a = heddle.use @a : !w
  %b = heddle.use @b : !w
  %p = heddle.linear %x, %a : !x, !w -> !y
  %q = heddle.linear %x, %b : !x, !w -> !y
  // expected-remark @+1 {{linear of 2 products}}
  %z = heddle.concat %p, %q axis 1 : !y, !y -> !z
  return %z : !z
}

// -----
// A gate and what it opens.
!x = tensor<?x8xf32, #heddle.dims<b, 8>>
!w = tensor<8x4xf32, #heddle.dims<8, 4>>
!y = tensor<?x4xf32, #heddle.dims<b, 4>>
heddle.weight @gate : !w = #heddle.tensor<"gate", tensor<8x4xf32>>
heddle.weight @up : !w = #heddle.tensor<"up", tensor<8x4xf32>>
// CHECK-LABEL: @gated
// CHECK: %[[Y:.*]] = heddle.linear
// CHECK-DAG: %[[GATE:.*]] = heddle.slice %[[Y]] axis 1 from 0
// CHECK-DAG: %[[UP:.*]] = heddle.slice %[[Y]] axis 1 from 4
// CHECK: %[[S:.*]] = heddle.silu %[[GATE]]
// CHECK: arith.mulf %[[S]], %[[UP]]
func.func @gated(%x: !x) -> !y {
  %w = heddle.use @gate : !w
  %v = heddle.use @up : !w
  // expected-remark @+1 {{linear of 2 products}}
  %g = heddle.linear %x, %w : !x, !w -> !y
  %u = heddle.linear %x, %v : !x, !w -> !y
  %s = heddle.silu %g : !y
  %r = arith.mulf %s, %u : !y
  return %r : !y
}

// -----
!x = tensor<?x8xf32, #heddle.dims<b, 8>>
!w = tensor<8x4xf32, #heddle.dims<8, 4>>
!y = tensor<?x4xf32, #heddle.dims<b, 4>>
heddle.weight @gate : !w = #heddle.tensor<"gate", tensor<8x4xf32>>
heddle.weight @up : !w = #heddle.tensor<"up", tensor<8x4xf32>>
// A sum runs on the tiles of one of the products.
// CHECK-LABEL: @no_join_before_sum
// CHECK-COUNT-2: heddle.linear
func.func @no_join_before_sum(%x: !x) -> !y {
  %w = heddle.use @gate : !w
  %v = heddle.use @up : !w
  %g = heddle.linear %x, %w : !x, !w -> !y
  %u = heddle.linear %x, %v : !x, !w -> !y
  %r = arith.addf %g, %u : !y
  return %r : !y
}
// Results would be copied out of the joined one.
// CHECK-LABEL: @no_join_of_results
// CHECK-COUNT-2: heddle.linear
func.func @no_join_of_results(%x: !x) -> (!y, !y) {
  %w = heddle.use @gate : !w
  %v = heddle.use @up : !w
  %g = heddle.linear %x, %w : !x, !w -> !y
  %u = heddle.linear %x, %v : !x, !w -> !y
  return %g, %u : !y, !y
}

// -----
// The weight @k has another reader, which would need a copy of its own: it stays alone, the others join.
!x = tensor<?x5x8xf32, #heddle.dims<b, 5, 8>>
!w = tensor<8x4xf32, #heddle.dims<8, 4>>
!y = tensor<?x5x4xf32, #heddle.dims<b, 5, 4>>
!h = tensor<?x1x5x4xf32, #heddle.dims<b, 1, 5, 4>>
!s = tensor<?x5xf32, #heddle.dims<b, 5>>
heddle.weight @q : !w = #heddle.tensor<"q", tensor<8x4xf32>>
heddle.weight @k : !w = #heddle.tensor<"k", tensor<8x4xf32>>
heddle.weight @v : !w = #heddle.tensor<"v", tensor<8x4xf32>>
// CHECK-LABEL: @no_join_of_shared_weight
// CHECK-DAG: heddle.use @q.joined
// CHECK-DAG: heddle.use @k :
// CHECK-COUNT-2: heddle.linear
// CHECK: return
func.func @no_join_of_shared_weight(%x: !x) -> !h {
  %wq = heddle.use @q : !w
  %wk = heddle.use @k : !w
  %wv = heddle.use @v : !w
  // expected-remark @+1 {{linear of 2 products}}
  %q = heddle.linear %x, %wq : !x, !w -> !y
  // expected-remark @+1 {{its weight is read elsewhere too, and would be in the executable twice}}
  %k = heddle.linear %x, %wk : !x, !w -> !y
  %v = heddle.linear %x, %wv : !x, !w -> !y
  %qh = heddle.reshape %q : !y -> !h
  %kh = heddle.reshape %k : !y -> !h
  %vh = heddle.reshape %v : !y -> !h
  %o = heddle.attention %qh, %kh, %vh scale 0.5 : !h, !h, !h -> !h
  return %o : !h
}
func.func @reader(%x: !x) -> !s {
  %wk = heddle.use @k : !w
  %k = heddle.linear %x, %wk : !x, !w -> !y
  %b = heddle.sum %k over [2] : !y -> !s
  return %b : !s
}

// -----
// The keys of two layers, of the same memory, have two readers: both in one product would live until the last layer.
!x = tensor<?x5x8xf32, #heddle.dims<b, 5, 8>>
!w = tensor<8x4xf32, #heddle.dims<8, 4>>
!y = tensor<?x5x4xf32, #heddle.dims<b, 5, 4>>
!h = tensor<?x1x5x4xf32, #heddle.dims<b, 1, 5, 4>>
heddle.weight @k1 : !w = #heddle.tensor<"k1", tensor<8x4xf32>>
heddle.weight @k2 : !w = #heddle.tensor<"k2", tensor<8x4xf32>>
// CHECK-LABEL: @no_join_across_layers
// CHECK-COUNT-2: heddle.linear
func.func @no_join_across_layers(%x: !x, %q: !h) -> !h {
  %w1 = heddle.use @k1 : !w
  %w2 = heddle.use @k2 : !w
  %k1 = heddle.linear %x, %w1 : !x, !w -> !y
  %k2 = heddle.linear %x, %w2 : !x, !w -> !y
  %h1 = heddle.reshape %k1 : !y -> !h
  %h2 = heddle.reshape %k2 : !y -> !h
  %p = heddle.attention %q, %h1, %h1 scale 0.5 : !h, !h, !h -> !h
  %o = heddle.attention %p, %h2, %h2 scale 0.5 : !h, !h, !h -> !h
  return %o : !h
}
