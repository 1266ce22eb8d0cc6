// RUN: heddle-opt %s --heddle-vectorize-tiles=cpu=x86-64-v4 --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,V4
// RUN: heddle-opt %s --heddle-vectorize-tiles=cpu=x86-64-v3 --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,V3

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn3 = affine_map<(m, n, k) -> (m, n)>
#mn = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>

//===---- products --------------------------------------------------------------------------------------------------===//

// 1100 k: two blocks of 512 in a loop, whose sums are added to zero, and one of 76. Eight rows are one register tile of v4, two of v3, which also
// takes the columns sixteen at a time.
// CHECK-LABEL: func.func @product_in_blocks
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// V4:            scf.for %[[BLOCK:.*]] = %c0 to %c1024 step %c512 iter_args(%[[SUM:arg[0-9]+]] = %[[ZERO]], {{(arg|%|=|_|[a-z0-9, ])*}}) -> (vector<16xf32>
// V3:            scf.for %[[BLOCK:.*]] = %c0 to %c1024 step %c512 iter_args(%[[SUM:arg[0-9]+]] = %[[ZERO]], {{(arg|%|=|_|[a-z0-9, ])*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
// CHECK:           %[[END:.*]] = arith.addi %[[BLOCK]], %c512
// CHECK:           %[[PART:.*]]:{{.*}} = scf.for %{{.*}} = %[[BLOCK]] to %[[END]] step %c1
// V4-COUNT-16:       math.fma {{.*}} : vector<16xf32>
// V4-NOT:            math.fma
// V3-COUNT-4:        math.fma {{.*}} : vector<16xf32>
// V3-NOT:            math.fma
// CHECK:           arith.addf %[[SUM]], %[[PART]]#0
// CHECK:         scf.for %{{.*}} = %c1024 to %c1100 step %c1
// CHECK:         arith.addf
func.func @product_in_blocks(%x: tensor<8x1100xf32>, %panel: tensor<1100x32xf32>, %out: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<8x32xf32>) -> tensor<8x32xf32>
  %product = linalg.generic {indexing_maps = [#mk, #kn, #mn3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %panel : tensor<8x1100xf32>, tensor<1100x32xf32>) outs(%start : tensor<8x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %next = math.fma %a, %b, %c : f32
      linalg.yield %next : f32
  } -> tensor<8x32xf32>
  return %product : tensor<8x32xf32>
}

// The accumulator survives where the pair is hidden: what stands there may be NaN. One truth value chooses
// between whole vectors.
// CHECK-LABEL: func.func @product_masked
// CHECK:         scf.for %[[K:.*]] = %c0 to %c64 step %c1 iter_args(%[[SUM:.*]] = %{{.*}})
// CHECK:           %[[NEXT:.*]] = math.fma {{.*}}, %[[SUM]]
// CHECK:           %[[SEEN:.*]] = arith.cmpi sge, %{{.*}}, %[[K]]
// CHECK:           arith.select %[[SEEN]], %[[NEXT]], %[[SUM]] : vector<16xf32>
func.func @product_masked(%p: tensor<1x64xf32>, %values: tensor<64x16xf32>, %query: index, %out: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<1x16xf32>) -> tensor<1x16xf32>
  %product = linalg.generic {indexing_maps = [#mk, #kn, #mn3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %values : tensor<1x64xf32>, tensor<64x16xf32>) outs(%start : tensor<1x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %next = math.fma %a, %b, %c : f32
      %key = linalg.index 2 : index
      %seen = arith.cmpi sge, %query, %key : index
      %kept = arith.select %seen, %next, %c : f32
      linalg.yield %kept : f32
  } -> tensor<1x16xf32>
  return %product : tensor<1x16xf32>
}

// What follows a product and costs a function is a loop over rows that reads the sums back: written out for a whole tile it would be sixteen functions
// long, and their temporaries would not fit the registers. Without a function all of it stays in registers.
// CHECK-LABEL: func.func @product_and_function
// CHECK-COUNT-16: vector.transfer_write
// CHECK:         scf.for %[[ROW:.*]] = %c0 to %c8 step %c1
// CHECK:           %[[SUM:.*]] = vector.transfer_read %{{.*}}[%[[ROW]], %c0]
// CHECK:           %[[BIASED:.*]] = arith.addf %[[SUM]], %{{.*}}
// CHECK:           math.exp %[[BIASED]]
// CHECK-LABEL: func.func @product_and_bias
// V4:              scf.for {{.*}} step %c1
// V4-NOT:          scf.for
// V4-COUNT-16:     arith.addf
func.func @product_and_function(%x: tensor<8x64xf32>, %panel: tensor<64x32xf32>, %bias: tensor<32xf32>, %sums: tensor<8x32xf32>,
                                %out: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%sums : tensor<8x32xf32>) -> tensor<8x32xf32>
  %product = linalg.generic {indexing_maps = [#mk, #kn, #mn3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %panel : tensor<8x64xf32>, tensor<64x32xf32>) outs(%start : tensor<8x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %next = math.fma %a, %b, %c : f32
      linalg.yield %next : f32
  } -> tensor<8x32xf32>
  %biased = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<8x32xf32>, tensor<32xf32>) outs(%out : tensor<8x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %sum = arith.addf %a, %b : f32
      linalg.yield %sum : f32
  } -> tensor<8x32xf32>
  %bent = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%biased : tensor<8x32xf32>) outs(%out : tensor<8x32xf32>) {
    ^bb0(%a: f32, %c: f32):
      %y = math.exp %a : f32
      linalg.yield %y : f32
  } -> tensor<8x32xf32>
  return %bent : tensor<8x32xf32>
}
func.func @product_and_bias(%x: tensor<8x64xf32>, %panel: tensor<64x32xf32>, %bias: tensor<32xf32>, %sums: tensor<8x32xf32>,
                            %out: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%sums : tensor<8x32xf32>) -> tensor<8x32xf32>
  %product = linalg.generic {indexing_maps = [#mk, #kn, #mn3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %panel : tensor<8x64xf32>, tensor<64x32xf32>) outs(%start : tensor<8x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %next = math.fma %a, %b, %c : f32
      linalg.yield %next : f32
  } -> tensor<8x32xf32>
  %biased = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<8x32xf32>, tensor<32xf32>) outs(%out : tensor<8x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %sum = arith.addf %a, %b : f32
      linalg.yield %sum : f32
  } -> tensor<8x32xf32>
  return %biased : tensor<8x32xf32>
}

//===---- prefetches on the way -------------------------------------------------------------------------------------------===//

// A prefetch that depends on k / 32 is made once in 32 k, in a loop outside of that over k; one that depends on k at each.
// CHECK-LABEL: func.func @fetching_product
// V4-SAME:    %[[LATER:[a-z0-9]+]]: memref<64x32xf32>, %[[INTO:[a-z0-9]+]]: memref<8x32xf32>
// V4:         scf.for %[[FROM:.*]] = %c0 to %c256 step %c32
// V4:           %[[TO:.*]] = arith.addi %[[FROM]], %c32
// V4:           %[[END:.*]] = arith.minui %[[TO]], %c256
// V4:           %[[ROW:.*]] = arith.divui %[[FROM]], %c32
// V4:           memref.prefetch %[[INTO]][%[[ROW]], %c0], write, locality<2>, data
// V4-NOT:       memref.prefetch
// V4:           scf.for %[[K:.*]] = %[[FROM]] to %[[END]] step %c1
// V4:             memref.prefetch %[[LATER]][%c0, %[[K]]], read, locality<2>, data
// V4-NOT:         memref.prefetch
// V4-COUNT-16:    math.fma
// V4:           } {loop_annotation
func.func @fetching_product(%x: tensor<8x256xf32>, %w: tensor<256x32xf32>, %out: tensor<8x32xf32>, %later: memref<64x32xf32>, %into: memref<8x32xf32>)
    -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : index
  %period = arith.constant 32 : index
  %init = linalg.fill ins(%zero : f32) outs(%out : tensor<8x32xf32>) -> tensor<8x32xf32>
  %product = linalg.generic {indexing_maps = [#mk, #kn, #mn3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<8x256xf32>, tensor<256x32xf32>) outs(%init : tensor<8x32xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %k = linalg.index 2 : index
    %row = arith.divui %k, %period : index
    memref.prefetch %later[%first, %k], read, locality<2>, data : memref<64x32xf32>
    memref.prefetch %into[%row, %first], write, locality<2>, data : memref<8x32xf32>
    %next = math.fma %a, %b, %sum : f32
    linalg.yield %next : f32
  } -> tensor<8x32xf32>
  return %product : tensor<8x32xf32>
}

// Prefetches of k / 2 and of k / 3 have no step of their own: each is made at each k.
// CHECK-LABEL: func.func @fetching_out_of_step
// V4:         scf.for %[[K:.*]] = %c0 to %c64 step %c1
// V4-COUNT-2:   memref.prefetch
// V4-COUNT-16:  math.fma
func.func @fetching_out_of_step(%x: tensor<8x64xf32>, %w: tensor<64x32xf32>, %out: tensor<8x32xf32>, %later: memref<64x32xf32>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %init = linalg.fill ins(%zero : f32) outs(%out : tensor<8x32xf32>) -> tensor<8x32xf32>
  %product = linalg.generic {indexing_maps = [#mk, #kn, #mn3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<8x64xf32>, tensor<64x32xf32>) outs(%init : tensor<8x32xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %k = linalg.index 2 : index
    %second = arith.divui %k, %two : index
    %third = arith.divui %k, %three : index
    memref.prefetch %later[%second, %first], read, locality<2>, data : memref<64x32xf32>
    memref.prefetch %later[%third, %first], read, locality<2>, data : memref<64x32xf32>
    %next = math.fma %a, %b, %sum : f32
    linalg.yield %next : f32
  } -> tensor<8x32xf32>
  return %product : tensor<8x32xf32>
}

//===---- columns one behind the other ------------------------------------------------------------------------------------===//

#nk = affine_map<(m, n, k) -> (n, k)>

// The keys of one query, in place: sixteen of them times sixteen k are read along k and transposed, so that every score is one chain, k ascending. One
// group of columns after the other; what the loop carries moves up, so that chains of different groups overlap. 36 k are two times sixteen and four.
// CHECK-LABEL: func.func @columns_along_k
// CHECK:         %[[WHOLE:.*]]:2 = scf.for %[[K:.*]] = %c0 to %c32 step %c16 iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (vector<16xf32>, vector<16xf32>)
// CHECK:           scf.for %[[N:.*]] = %c0 to %c32 step %c16 iter_args(%[[THIS:.*]] = %[[A]], %[[NEXT:.*]] = %[[B]])
// CHECK:             vector.transfer_read %{{.*}}[%[[N]], %[[K]]]
// CHECK-COUNT-15:    vector.transfer_read
// CHECK:             %[[FIRST:.*]] = math.fma %{{.*}}, %{{.*}}, %[[THIS]]
// CHECK:             math.fma %{{.*}}, %{{.*}}, %[[FIRST]]
// CHECK-COUNT-13:    math.fma
// CHECK:             %[[LAST:.*]] = math.fma
// CHECK:             scf.yield %[[NEXT]], %[[LAST]]
// CHECK:         scf.for %[[N:.*]] = %c0 to %c32 step %c16 iter_args(%{{.*}} = %[[WHOLE]]#0, %{{.*}} = %[[WHOLE]]#1)
// CHECK:           vector.transfer_read %{{.*}}[%[[N]], %c32], %{{.*}}, %{{.*}} {in_bounds
// CHECK-COUNT-4:   math.fma
// CHECK-NOT:       math.fma
// CHECK:         return
func.func @columns_along_k(%q: tensor<1x36xf32>, %keys: tensor<32x36xf32>, %out: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<1x32xf32>) -> tensor<1x32xf32>
  %scores = linalg.generic {indexing_maps = [#mk, #nk, #mn3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %keys : tensor<1x36xf32>, tensor<32x36xf32>) outs(%start : tensor<1x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %next = math.fma %a, %b, %c : f32
      linalg.yield %next : f32
  } -> tensor<1x32xf32>
  return %scores : tensor<1x32xf32>
}

// Not whole groups of sixteen columns: left as it is.
// CHECK-LABEL: func.func @few_columns_along_k
// CHECK:         linalg.generic
func.func @few_columns_along_k(%q: tensor<1x20xf32>, %keys: tensor<24x20xf32>, %out: tensor<1x24xf32>) -> tensor<1x24xf32> {
  %scores = linalg.generic {indexing_maps = [#mk, #nk, #mn3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %keys : tensor<1x20xf32>, tensor<24x20xf32>) outs(%out : tensor<1x24xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %next = math.fma %a, %b, %c : f32
      linalg.yield %next : f32
  } -> tensor<1x24xf32>
  return %scores : tensor<1x24xf32>
}
