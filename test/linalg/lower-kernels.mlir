// RUN: heddle-opt %s --heddle-lower-kernels --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

!x = tensor<?x40xf32, #heddle.dims<s.tokens, 40>>
!w = tensor<40x50xf32, #heddle.dims<40, 50>>
!y = tensor<?x50xf32, #heddle.dims<s.tokens, 50>>

// Rows of activations and panels of weights: 40 columns lie as 64, [40, 50] as two panels of 32. The task computes a chunk of rows times a panel.
// CHECK: heddle.model = {{.*}}weights = [{{.*}}bytes = 10240 : i64{{.*}}recipe = "#heddle.pack<#heddle.tensor<\22w\22, tensor<40x50xf32>>, 32>"
// CHECK-LABEL: func.func private @product
// CHECK-SAME: (%[[X:.*]]: tensor<?x64xf32>, %[[W:.*]]: tensor<2x40x32xf32>, %[[OUT:.*]]: tensor<?x64xf32>, %[[ROWS:.*]]: index) -> tensor<?x64xf32>
// CHECK: %[[CHUNKS:.*]] = arith.ceildivui %[[ROWS]], %c264
// CHECK: %[[FAIR:.*]] = arith.ceildivui %[[ROWS]], %{{.*}}
// CHECK: arith.muli %[[FAIR]], %c24
// CHECK: scf.forall (%{{.*}}, %[[PANEL:.*]]) in (%[[CHUNKS]], 2) shared_outs(%[[TO:.*]] = %[[OUT]])
// CHECK: tensor.extract_slice %[[X]][%{{.*}}, 0] [%{{.*}}, 40] [1, 1]
// CHECK: tensor.extract_slice %[[W]][%[[PANEL]], 0, 0] [1, 40, 32]
// CHECK: linalg.generic
// CHECK: math.fma
// CHECK: tensor.parallel_insert_slice
func.func private @product(%x: !x, %w: !w) -> !y {
  %y = heddle.linear %x, %w : !x, !w -> !y
  return %y : !y
}
heddle.weight @w : !w = #heddle.tensor<"w", tensor<40x50xf32>>
// An entry: raw buffers (argument, result, offsets, starts, section), then its dimensions.
// CHECK-LABEL: func.func @entry
// CHECK-SAME: (%{{.*}}: memref<1xi8>, %[[RESULT:.*]]: memref<1xi8>, %{{.*}}: memref<1xi8>, %{{.*}}: memref<1xi8>, %[[SECTION:.*]]: memref<1xi8>, %[[BATCH:.*]]: index, %[[S:.*]]: index, %[[TOKENS:.*]]: index) attributes {heddle.entry, heddle.name = "entry"}
// CHECK: memref.view %[[SECTION]][%c0][] : memref<1xi8> to memref<2x40x32xf32>
// CHECK: tensor.empty(%[[TOKENS]]) : tensor<?x64xf32>
// CHECK: call @product
// CHECK: %[[ROWS:.*]] = arith.muli %[[BATCH]], %[[S]]
// CHECK: memref.view %[[RESULT]][%c0][%[[ROWS]]] : memref<1xi8> to memref<?x50xf32>
// CHECK: call @unflatten
func.func private @flatten(%x: tensor<?x?x40xf32, #heddle.dims<batch, s, 40>> {heddle.exact}, %o: tensor<?xi64, #heddle.dims<batch + 1>>) -> !x {
  %r = heddle.flatten %x rows %o : tensor<?x?x40xf32, #heddle.dims<batch, s, 40>>, tensor<?xi64, #heddle.dims<batch + 1>> -> !x
  return %r : !x
}
func.func private @unflatten(%x: !y, %o: tensor<?xi64, #heddle.dims<batch + 1>>) -> tensor<?x?x50xf32, #heddle.dims<batch, s, 50>> attributes {heddle.exact} {
  %r = heddle.unflatten %x rows %o : !y, tensor<?xi64, #heddle.dims<batch + 1>> -> tensor<?x?x50xf32, #heddle.dims<batch, s, 50>>
  return %r : tensor<?x?x50xf32, #heddle.dims<batch, s, 50>>
}
func.func @entry(%x: tensor<?x?x40xf32, #heddle.dims<batch, s, 40>> {heddle.name = "x"}, %o: tensor<?xi64, #heddle.dims<batch + 1>> {heddle.offsets = "s"}, %p: tensor<?xi64, #heddle.dims<batch>> {heddle.starts = "s"})
    -> (tensor<?x?x50xf32, #heddle.dims<batch, s, 50>> {heddle.name = "result"}) attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch">]} {
  %w = heddle.use @w : !w
  %r = call @flatten(%x, %o) : (tensor<?x?x40xf32, #heddle.dims<batch, s, 40>>, tensor<?xi64, #heddle.dims<batch + 1>>) -> !x
  %y = call @product(%r, %w) : (!x, !w) -> !y
  %u = call @unflatten(%y, %o) : (!y, tensor<?xi64, #heddle.dims<batch + 1>>) -> tensor<?x?x50xf32, #heddle.dims<batch, s, 50>>
  return %u : tensor<?x?x50xf32, #heddle.dims<batch, s, 50>>
}

// -----
!x = tensor<?x40xf32, #heddle.dims<s.tokens, 40>>
// A kernel of rows: one task a row, one tile of its real columns.
// CHECK-LABEL: func.func private @softmax
// CHECK: scf.forall (%[[ROW:.*]]) in (%{{.*}}) shared_outs
// CHECK: tensor.extract_slice %{{.*}}[%[[ROW]], 0] [1, 40] [1, 1] : tensor<?x64xf32> to tensor<1x40xf32>
// CHECK-COUNT-2: iterator_types = ["parallel", "reduction"]
func.func private @softmax(%x: !x) -> !x {
  %y = heddle.softmax %x axis 1 : !x
  return %y : !x
}

// -----
!q = tensor<?x2x16xf32, #heddle.dims<s.tokens, 2, 16>>
!x = tensor<?x32xf32, #heddle.dims<s.tokens, 32>>
!o = tensor<?xi64, #heddle.dims<batch + 1>>
!s = tensor<?xi64, #heddle.dims<batch>>
// Attention: tasks over batch rows, heads and chunks of queries (from the width, which no type names); in them a block of keys is copied once, and every
// tile of queries sees it: a sixteenth of the queries, 256 at least and 512 at most. Static tiles only, so nothing of size queries x keys. Scores are in units of ln 2: 0.25 log2 e.
// CHECK-LABEL: func.func private @attention
// CHECK-SAME: %[[TOKENS:[a-z0-9]*]]: index, %[[BATCH:[a-z0-9]*]]: index, %[[WIDTH:[a-z0-9]*]]: index) -> tensor<?x32xf32>
// CHECK: %[[SCALE:.*]] = arith.constant 0.36067
// CHECK: %[[PART:.*]] = arith.ceildivui %[[WIDTH]], %c128
// CHECK: %[[SHARE:.*]] = arith.muli %[[PART]], %c8
// CHECK: %[[MOST:.*]] = arith.minsi %[[SHARE]], %c512
// CHECK: %[[CHUNK:.*]] = arith.maxsi %[[MOST]], %c256
// CHECK: %[[CHUNKS:.*]] = arith.ceildivui %[[WIDTH]], %[[CHUNK]]
// CHECK: scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}}, 2, %[[CHUNKS]])
// CHECK: scf.for {{.*}} -> (tensor<512xf32>, tensor<512xf32>, tensor<512x16xf32>)
// Keys that are all real follow each other; of others the place is looked for.
// CHECK: scf.if %{{.*}} -> (tensor<16x64xf32>)
// CHECK-NOT: arith.minsi
// CHECK: scf.yield %{{.*}} : tensor<16x64xf32>
// CHECK: arith.minsi
// CHECK: scf.yield %{{.*}} : tensor<16x64xf32>
// CHECK: scf.for {{.*}} -> (tensor<512xf32>, tensor<512xf32>, tensor<512x16xf32>)
// CHECK: tensor<8x64xf32>
// One query alone that sees all of a block takes keys and values where they lie.
// CHECK: scf.for {{.*}} -> (tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>)
// CHECK: scf.if %{{.*}} -> (tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>)
// CHECK-NEXT: %[[KEY:.*]] = arith
// CHECK-NOT: arith.minsi
// CHECK: %[[KEYS:.*]] = tensor.extract_slice %{{.*}} [64, 16] [1, 1] : tensor<?x32xf32> to tensor<64x16xf32>
// CHECK: tensor.extract_slice %{{.*}} [64, 16] [1, 1] : tensor<?x32xf32> to tensor<64x16xf32>
// CHECK: ins(%{{.*}}, %[[KEYS]] : tensor<1x16xf32>, tensor<64x16xf32>)
func.func private @attention(%x: !x, %o: !o, %s: !s) -> !x {
  %q = heddle.reshape %x : !x -> !q
  %m = heddle.mask_causal
  %a = heddle.attention %q, %q, %q mask %m scale 0.25 queries %o, %s : !o, !s keys %o, %s : !o, !s : !q, !q, !q -> !q
  %y = heddle.reshape %a : !q -> !x
  return %y : !x
}

// -----
!x = tensor<?x4xf32, #heddle.dims<b, 4>>
!y = tensor<4x4xf32, #heddle.dims<4, 4>>
// A product of two activations is computed element by element, each a chain of fused multiply-adds (over blocks of 512, of which there is one here).
// CHECK-LABEL: func.func private @product_of_activations
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (%{{.*}}, 4)
// CHECK: scf.for
// CHECK: math.fma
func.func private @product_of_activations(%x: !x, %w: !y) -> !x {
  %y = heddle.matmul %x, %w : !x, !y -> !x
  return %y : !x
}

// -----
!x = tensor<?x3x4xf32, #heddle.dims<b, 3, 4>>
func.func private @no_softmax_of_another_axis(%x: !x) -> !x {
  // expected-error @+1 {{along an axis that is not the last is not built yet for a static last axis}}
  %y = heddle.softmax %x axis 1 : !x
  return %y : !x
}

// -----
!q = tensor<?x2x16xf32, #heddle.dims<s.tokens, 2, 16>>
!x = tensor<?x32xf32, #heddle.dims<s.tokens, 32>>
!o = tensor<?xi64, #heddle.dims<batch + 1>>
!s = tensor<?xi64, #heddle.dims<batch>>
// The loop over key blocks begins and ends with what the queries of a chunk may see.
// CHECK-LABEL: func.func private @window
// CHECK: %[[LEAST:.*]] = arith.addi %[[QUERY:.*]], %c-255
// CHECK: %[[FIRST:.*]] = arith.maxsi %{{.*}}, %[[LEAST]]
// CHECK: %[[BEHIND:.*]] = arith.minsi %{{.*}}
// CHECK: %[[FIRST_BLOCK:.*]] = arith.divui %[[FIRST]], %c64
// CHECK: %[[LAST_BLOCK:.*]] = arith.ceildivui %[[BEHIND]], %c64
// CHECK: %[[LAST:.*]] = arith.select %{{.*}}, %[[LAST_BLOCK]], %[[FIRST_BLOCK]]
// CHECK: scf.for %{{.*}} = %[[FIRST_BLOCK]] to %[[LAST]]
func.func private @window(%x: !x, %o: !o, %s: !s) -> !x {
  %q = heddle.reshape %x : !x -> !q
  %c = heddle.mask_causal
  %w = heddle.mask_window left 256
  %m = heddle.mask_and %c, %w
  %a = heddle.attention %q, %q, %q mask %m scale 0.25 queries %o, %s : !o, !s keys %o, %s : !o, !s : !q, !q, !q -> !q
  %y = heddle.reshape %a : !q -> !x
  return %y : !x
}
