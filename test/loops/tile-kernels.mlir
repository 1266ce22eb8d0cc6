// RUN: heddle-opt %s --heddle-tile-kernels=cpu=x86-64-v4 --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,V4
// RUN: heddle-opt %s --heddle-tile-kernels=cpu=x86-64-v3 --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,V3
// RUN: not heddle-opt %s --heddle-tile-kernels=cpu=pentium 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: unknown cpu 'pentium'; expected one of x86-64-v3 x86-64-v4

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn3 = affine_map<(m, n, k) -> (m, n)>
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>

// A product and its epilogue: bias, a value per row, and the product twice (which is cut once). The tile of eight rows starts at rows - 8 at the latest.
// CHECK-LABEL: func.func private @epilogue_dynamic_rows
// CHECK-SAME:    %[[X:.*]]: tensor<?x100xf32>, %[[PANEL:.*]]: tensor<100x32xf32>, %[[BIAS:.*]]: tensor<32xf32>, %[[SCALE:.*]]: tensor<?xf32>, %[[OUT:.*]]: tensor<?x32xf32>
// V4-DAG:        %[[R:.*]] = arith.constant 8 : index
// V3-DAG:        %[[R:.*]] = arith.constant 6 : index
// CHECK:         %[[ROWS:.*]] = tensor.dim %[[OUT]]
// CHECK:         %[[ENOUGH:.*]] = arith.cmpi sge, %[[ROWS]], %[[R]]
// CHECK:         scf.if %[[ENOUGH]]
// CHECK:           scf.for %[[M:.*]] = %{{.*}} to %[[ROWS]] step %[[R]] iter_args(%[[TO:.*]] = %[[OUT]])
// CHECK:             %[[LAST:.*]] = arith.subi %[[ROWS]], %[[R]]
// CHECK:             %[[ROW:.*]] = arith.minsi %[[M]], %[[LAST]]
// V4:                tensor.extract_slice %[[X]][%[[ROW]], 0] [8, 100]
// V4:                %[[PRODUCT:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} {{.*}} outs(%{{.*}} : tensor<8x32xf32>)
// V4:                  math.fma
// V4-NOT:            "reduction"
// V4:                linalg.generic {{.*}} ins(%[[PRODUCT]], %[[BIAS]] : tensor<8x32xf32>, tensor<32xf32>)
// V4:                tensor.extract_slice %[[SCALE]][%[[ROW]]] [8]
// V4:                %[[END:.*]] = linalg.generic
// V4:                %[[TILE:.*]] = tensor.insert_slice %[[END]] into %[[TO]][%[[ROW]], 0] [8, 32]
// V4:                scf.yield %[[TILE]]
// V3:                tensor.extract_slice %[[PANEL]][0, 0] [100, 16]
// V3:                %[[LEFT:.*]] = tensor.insert_slice %{{.*}} into %[[TO]][%[[ROW]], 0] [6, 16]
// V3:                tensor.extract_slice %[[PANEL]][0, 16] [100, 16]
// V3:                %[[BOTH:.*]] = tensor.insert_slice %{{.*}} into %[[LEFT]][%[[ROW]], 16] [6, 16]
// V3:                scf.yield %[[BOTH]]
// CHECK:         } else {
// V4:              arith.cmpi sge, %[[ROWS]], %c4
// V4:                tensor.extract_slice %[[X]][%{{.*}}, 0] [4, 100]
// V4:              arith.cmpi sge, %[[ROWS]], %c2
// V4:                tensor.extract_slice %[[X]][%{{.*}}, 0] [2, 100]
// V3:              arith.cmpi sge, %[[ROWS]], %c3
// V3:                tensor.extract_slice %[[X]][%{{.*}}, 0] [3, 100]
// CHECK:           scf.for %[[M1:.*]] = %{{.*}} to %[[ROWS]] step %{{.*}}
// CHECK:             tensor.extract_slice %[[X]][%[[M1]], 0] [1, 100]
// CHECK-NOT:     linalg.{{.*}} outs(%{{.*}} : tensor<?
func.func private @epilogue_dynamic_rows(%x: tensor<?x100xf32>, %panel: tensor<100x32xf32>, %bias: tensor<32xf32>, %scale: tensor<?xf32>,
                                         %out: tensor<?x32xf32>, %rows: index) -> tensor<?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%rows) : tensor<?x32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x32xf32>) -> tensor<?x32xf32>
  %product = linalg.generic {indexing_maps = [#mk, #kn, #mn3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %panel : tensor<?x100xf32>, tensor<100x32xf32>) outs(%start : tensor<?x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %next = math.fma %a, %b, %c : f32
      linalg.yield %next : f32
  } -> tensor<?x32xf32>
  %biased = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x32xf32>, tensor<32xf32>) outs(%empty : tensor<?x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %sum = arith.addf %a, %b : f32
      linalg.yield %sum : f32
  } -> tensor<?x32xf32>
  %result = linalg.generic {indexing_maps = [#mn, #mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%biased, %product, %scale : tensor<?x32xf32>, tensor<?x32xf32>, tensor<?xf32>) outs(%out : tensor<?x32xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32, %c: f32):
      %product2 = arith.mulf %a, %b : f32
      %scaled = arith.mulf %product2, %s : f32
      linalg.yield %scaled : f32
  } -> tensor<?x32xf32>
  return %result : tensor<?x32xf32>
}

// The product itself writes the result: the zeros it starts from are a tile of the result, too.
// CHECK-LABEL: func.func private @product_alone
// CHECK:         scf.for {{.*}} iter_args(%[[TO:.*]] =
// V4:              %[[TILE:.*]] = tensor.extract_slice %[[TO]][%[[ROW:.*]], 0] [8, 32]
// V4:              %[[START:.*]] = linalg.fill ins(%{{.*}}) outs(%[[TILE]]
// V4:              linalg.generic {{.*}} outs(%[[START]]
func.func private @product_alone(%x: tensor<?x64xf32>, %panel: tensor<64x32xf32>, %out: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<?x32xf32>) -> tensor<?x32xf32>
  %product = linalg.generic {indexing_maps = [#mk, #kn, #mn3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %panel : tensor<?x64xf32>, tensor<64x32xf32>) outs(%start : tensor<?x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %next = math.fma %a, %b, %c : f32
      linalg.yield %next : f32
  } -> tensor<?x32xf32>
  return %product : tensor<?x32xf32>
}

// A panel of 512 KB, and no more than 64 rows at a time: blocks of 512 k outside of the rows. Each adds to sums of its own, where tiles do not overlap
// (their rows are whole tiles apart); the last one goes on to the result. While rows pass, each fetches its part of the next block.
// CHECK-LABEL: func.func private @blocks_outside
// CHECK-SAME:    %[[X:.*]]: tensor<?x4096xf32>, %[[PANEL:.*]]: tensor<4096x32xf32>
// V4:            %[[SUMS:.*]] = tensor.empty() : tensor<64x32xf32>
// V3:            %[[SUMS:.*]] = tensor.empty() : tensor<66x32xf32>
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[SUMS]])
// CHECK:           linalg.fill
// V4:            scf.for %[[BLOCK:.*]] = %c0 to %c3584 step %c512 iter_args(%[[ALL:.*]] =
// V4:              scf.for %[[AT:.*]] = %c0 to %[[ROWS:.*]] step %c8 iter_args(%[[TO:.*]] = %[[ALL]])
// V4:                %[[ROW:.*]] = arith.minsi %[[AT]], %{{.*}}
// V4:                %[[SUM:.*]] = tensor.extract_slice %[[TO]][%[[AT]], 0] [8, 32]
// V4:                tensor.extract_slice %{{.*}}[%[[ROW]], %[[BLOCK]]] [8, 512]
// V4:                tensor.extract_slice %[[PANEL]][%[[BLOCK]], 0] [512, 32]
// V4:                %[[NEXT:.*]] = arith.addi %[[BLOCK]], %c512
// V4:                %[[PART:.*]] = linalg.generic
// V4:                  memref.prefetch %{{.*}}[%[[NEXT]], %{{.*}}], read, locality<2>, data
// V4:                  math.fma
// V4:                %[[MORE:.*]] = linalg.generic {{.*}} ins(%[[SUM]], %[[PART]] : {{.*}} outs(%[[SUM]]
// V4:                  arith.addf
// V4:                tensor.insert_slice %[[MORE]] into %[[TO]][%[[AT]], 0] [8, 32]
// V4:            scf.for %[[AT:.*]] = %c0 to %[[ROWS]] step %c8 iter_args(%[[TO:.*]] =
// V4:              tensor.extract_slice %{{.*}}[%{{.*}}, 3584] [8, 512]
// V4:              memref.prefetch
// V4:              tensor.insert_slice %{{.*}} into %[[TO]][%{{.*}}, 0] [8, 32]
func.func private @blocks_outside(%x: tensor<?x4096xf32>, %panel: tensor<4096x32xf32>, %out: tensor<?x32xf32>, %rows: index) -> tensor<?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %most = arith.constant 64 : index
  %size = arith.minsi %rows, %most : index
  %some = tensor.extract_slice %x[0, 0] [%size, 4096] [1, 1] : tensor<?x4096xf32> to tensor<?x4096xf32>
  %to = tensor.extract_slice %out[0, 0] [%size, 32] [1, 1] : tensor<?x32xf32> to tensor<?x32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%to : tensor<?x32xf32>) -> tensor<?x32xf32>
  %product = linalg.generic {indexing_maps = [#mk, #kn, #mn3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%some, %panel : tensor<?x4096xf32>, tensor<4096x32xf32>) outs(%start : tensor<?x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %next = math.fma %a, %b, %c : f32
      linalg.yield %next : f32
  } -> tensor<?x32xf32>
  %result = tensor.insert_slice %product into %out[0, 0] [%size, 32] [1, 1] : tensor<?x32xf32> into tensor<?x32xf32>
  return %result : tensor<?x32xf32>
}

// A body that knows its place keeps knowing it.
// CHECK-LABEL: func.func private @index_in_epilogue
// V4:           %[[ROW:.*]] = arith.minsi
// V4:           linalg.index 0
// V4-NEXT:      {{arith.addi|affine.apply}}
func.func private @index_in_epilogue(%x: tensor<?x64xf32>, %panel: tensor<64x32xf32>, %out: tensor<?x32xf32>, %rows: index) -> tensor<?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%rows) : tensor<?x32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x32xf32>) -> tensor<?x32xf32>
  %product = linalg.generic {indexing_maps = [#mk, #kn, #mn3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %panel : tensor<?x64xf32>, tensor<64x32xf32>) outs(%start : tensor<?x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %next = math.fma %a, %b, %c : f32
      linalg.yield %next : f32
  } -> tensor<?x32xf32>
  %result = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%product : tensor<?x32xf32>) outs(%out : tensor<?x32xf32>) {
    ^bb0(%a: f32, %c: f32):
      %i = linalg.index 0 : index
      %j = arith.index_cast %i : index to i32
      %f = arith.sitofp %j : i32 to f32
      %sum = arith.addf %a, %f : f32
      linalg.yield %sum : f32
  } -> tensor<?x32xf32>
  return %result : tensor<?x32xf32>
}

// Eight rows are a tile (six would be one for v3, which cuts them).
// CHECK-LABEL: func.func private @no_tile_few_rows
// V4-NOT:        scf.for
// V3:            scf.for
func.func private @no_tile_few_rows(%x: tensor<8x64xf32>, %panel: tensor<64x32xf32>, %out: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<8x32xf32>) -> tensor<8x32xf32>
  %product = linalg.generic {indexing_maps = [#mk, #kn, #mn3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %panel : tensor<8x64xf32>, tensor<64x32xf32>) outs(%start : tensor<8x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %next = math.fma %a, %b, %c : f32
      linalg.yield %next : f32
  } -> tensor<8x32xf32>
  return %product : tensor<8x32xf32>
}

// Overlapping tiles would add to a row twice.
// CHECK-LABEL: func.func private @no_tile_reads_destination
// CHECK-NOT:     scf.for
func.func private @no_tile_reads_destination(%x: tensor<?x64xf32>, %panel: tensor<64x32xf32>, %out: tensor<?x32xf32>, %rows: index) -> tensor<?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%rows) : tensor<?x32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x32xf32>) -> tensor<?x32xf32>
  %product = linalg.generic {indexing_maps = [#mk, #kn, #mn3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %panel : tensor<?x64xf32>, tensor<64x32xf32>) outs(%start : tensor<?x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %next = math.fma %a, %b, %c : f32
      linalg.yield %next : f32
  } -> tensor<?x32xf32>
  %result = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%product : tensor<?x32xf32>) outs(%out : tensor<?x32xf32>) {
    ^bb0(%a: f32, %c: f32):
      %sum = arith.addf %a, %c : f32
      linalg.yield %sum : f32
  } -> tensor<?x32xf32>
  return %result : tensor<?x32xf32>
}

// CHECK-LABEL: func.func private @no_tile_without_product
// CHECK-NOT:     scf.for
func.func private @no_tile_without_product(%x: tensor<?x32xf32>, %out: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %result = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x32xf32>) outs(%out : tensor<?x32xf32>) {
    ^bb0(%a: f32, %c: f32):
      %sum = arith.addf %a, %a : f32
      linalg.yield %sum : f32
  } -> tensor<?x32xf32>
  return %result : tensor<?x32xf32>
}

// The rows of the result, and of the residual, are fetched while their tile is multiplied: one of each in 64 k, the power of two
// below 768 / 8. From the eighth on it is the last row again.
// CHECK-LABEL: func.func private @residual
// V4:           scf.for %[[AT:.*]] = %c0 to %{{.*}} step %c8
// V4:             %[[ROW:.*]] = arith.minsi %[[AT]]
// V4-DAG:         %[[FROM:.*]] = bufferization.to_buffer %arg2
// V4-DAG:         %[[INTO:.*]] = bufferization.to_buffer %{{.*}} : tensor<?x32xf32>
// V4:             linalg.generic
// V4:               %[[K:.*]] = linalg.index 2
// V4:               %[[STEP:.*]] = arith.divui %[[K]], %c64
// V4:               %[[LEAST:.*]] = arith.minui %[[STEP]], %c7
// V4:               %[[FETCHED:.*]] = arith.addi %[[LEAST]], %[[ROW]]
// V4:               memref.prefetch %[[FROM]][%[[FETCHED]], %c0], read, locality<2>, data
// V4:               memref.prefetch %[[FROM]][%[[FETCHED]], %c16], read, locality<2>, data
// V4:               memref.prefetch %[[INTO]][%[[FETCHED]], %c0], write, locality<2>, data
// V4:               memref.prefetch %[[INTO]][%[[FETCHED]], %c16], write, locality<2>, data
// V4:               math.fma
func.func private @residual(%x: tensor<?x768xf32>, %panel: tensor<768x32xf32>, %residual: tensor<?x32xf32>, %out: tensor<?x32xf32>, %rows: index)
    -> tensor<?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%rows) : tensor<?x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x32xf32>) -> tensor<?x32xf32>
  %product = linalg.generic {indexing_maps = [#mk, #kn, #mn3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %panel : tensor<?x768xf32>, tensor<768x32xf32>) outs(%init : tensor<?x32xf32>) {
  ^bb0(%a: f32, %w: f32, %sum: f32):
    %next = math.fma %a, %w, %sum : f32
    linalg.yield %next : f32
  } -> tensor<?x32xf32>
  %result = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%product, %residual : tensor<?x32xf32>, tensor<?x32xf32>) outs(%out : tensor<?x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  } -> tensor<?x32xf32>
  return %result : tensor<?x32xf32>
}
