// RUN: heddle-opt %s --heddle-vectorize-tiles=cpu=x86-64-v4 --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,V4
// RUN: heddle-opt %s --heddle-vectorize-tiles=cpu=x86-64-v3 --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,V3
// RUN: not heddle-opt %s --heddle-vectorize-tiles=cpu=pentium 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: unknown cpu 'pentium'; expected one of x86-64-v3 x86-64-v4

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn3 = affine_map<(m, n, k) -> (m, n)>
#mn = affine_map<(m, n) -> (m, n)>
#nm = affine_map<(m, n) -> (n, m)>
#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>

//===---- elementwise -----------------------------------------------------------------------------------------------===//

// A wide row: a loop over sixteen columns, then a masked tail. The first op is evaluated inside the second: no memory between them.
// CHECK-LABEL: func.func @elementwise_wide
// CHECK-SAME:    %[[X:.*]]: tensor<1x100xf32>, %[[GAIN:.*]]: tensor<100xf32>, %[[SCALAR:.*]]: f32, %[[OUT:.*]]: tensor<1x100xf32>
// CHECK-DAG:     %[[TAIL:.*]] = arith.constant dense<[true, true, true, true, false{{.*}}]> : vector<16xi1>
// CHECK:         %[[WHOLE:.*]] = scf.for %[[N:.*]] = %c0 to %c96 step %c16 iter_args(%[[TO:.*]] = %[[OUT]])
// CHECK:           %[[V:.*]] = vector.transfer_read %[[X]][%c0, %[[N]]]
// CHECK:           %[[S:.*]] = arith.mulf %[[V]], %{{.*}} : vector<16xf32>
// CHECK:           %[[G:.*]] = vector.transfer_read %[[GAIN]][%[[N]]]
// CHECK:           %[[Y:.*]] = arith.addf %[[S]], %[[G]]
// CHECK:           vector.transfer_write %[[Y]], %[[TO]][%c0, %[[N]]]
// CHECK:         %[[V2:.*]] = vector.transfer_read %[[X]][%c0, %c96], %{{.*}}, %[[TAIL]]
// CHECK:         vector.transfer_write %{{.*}}, %[[WHOLE]][%c0, %c96], %[[TAIL]]
// CHECK-NOT:     linalg
func.func @elementwise_wide(%x: tensor<1x100xf32>, %gain: tensor<100xf32>, %scalar: f32, %out: tensor<1x100xf32>) -> tensor<1x100xf32> {
  %empty = tensor.empty() : tensor<1x100xf32>
  %scaled = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x100xf32>) outs(%empty : tensor<1x100xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.mulf %a, %scalar : f32
      linalg.yield %0 : f32
  } -> tensor<1x100xf32>
  %result = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%scaled, %gain : tensor<1x100xf32>, tensor<100xf32>) outs(%out : tensor<1x100xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.addf %a, %b : f32
      linalg.yield %0 : f32
  } -> tensor<1x100xf32>
  return %result : tensor<1x100xf32>
}

// The destination is read where it is written: from the tensor as it is by then, so nothing has to be copied.
// CHECK-LABEL: func.func @elementwise_in_place
// CHECK:         scf.for %[[N:.*]] = %{{.*}} iter_args(%[[TO:.*]] = %{{.*}})
// CHECK:           %[[OLD:.*]] = vector.transfer_read %[[TO]][%c0, %[[N]]]
// CHECK:           %[[NEW:.*]] = arith.addf %[[OLD]]
// CHECK:           vector.transfer_write %[[NEW]], %[[TO]]
func.func @elementwise_in_place(%x: tensor<1x96xf32>, %out: tensor<1x96xf32>) -> tensor<1x96xf32> {
  %result = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x96xf32>) outs(%out : tensor<1x96xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %o, %a : f32
      linalg.yield %0 : f32
  } -> tensor<1x96xf32>
  return %result : tensor<1x96xf32>
}

// The number of columns is known when the program runs: the tail's mask is made then.
// CHECK-LABEL: func.func @elementwise_dynamic_columns
// CHECK:         %[[COLUMNS:.*]] = tensor.dim
// CHECK:         %[[REST:.*]] = arith.remui %[[COLUMNS]], %c16
// CHECK:         %[[WHOLE:.*]] = arith.subi %[[COLUMNS]], %[[REST]]
// CHECK:         scf.for %{{.*}} = %c0 to %[[WHOLE]] step %c16
// CHECK:         %[[MASK:.*]] = vector.create_mask %[[REST]] : vector<16xi1>
// CHECK:         vector.transfer_write %{{.*}}[%c0, %[[WHOLE]]], %[[MASK]]
func.func @elementwise_dynamic_columns(%x: tensor<1x?xf32>, %out: tensor<1x?xf32>) -> tensor<1x?xf32> {
  %result = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x?xf32>) outs(%out : tensor<1x?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.mulf %a, %a : f32
      linalg.yield %0 : f32
  } -> tensor<1x?xf32>
  return %result : tensor<1x?xf32>
}

// exp is used by the sum and by the quotient: a wide row of it is written once and read back, as many vectors
// at once as hide its latency. The sum is a scalar, without a tensor.
// CHECK-LABEL: func.func @costly_wide_row
// CHECK:         %[[TEMPORARY:.*]] = tensor.empty() : tensor<1x128xf32>
// V4:            %[[WRITTEN:.*]] = scf.for %{{.*}} = %c0 to %c128 step %c64 iter_args(%{{.*}} = %[[TEMPORARY]])
// V4-COUNT-4:      math.exp {{.*}} : vector<16xf32>
// V3:            %[[WRITTEN:.*]] = scf.for %{{.*}} = %c0 to %c128 step %c32 iter_args(%{{.*}} = %[[TEMPORARY]])
// V3-COUNT-2:      math.exp {{.*}} : vector<16xf32>
// CHECK-NOT:     math.exp
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (vector<16xf32>)
// CHECK:           vector.transfer_read %[[WRITTEN]]
// CHECK:         %[[SUM:.*]] = vector.extract %{{.*}}[0] : f32 from vector<1xf32>
// CHECK:         scf.for {{.*}} -> (tensor<1x128xf32>)
// CHECK:           %[[E:.*]] = vector.transfer_read %[[WRITTEN]]
// CHECK:           arith.divf %[[E]], %{{.*}}
func.func @costly_wide_row(%x: tensor<1x128xf32>, %out: tensor<1x128xf32>) -> tensor<1x128xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %empty = tensor.empty() : tensor<1x128xf32>
  %e = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x128xf32>) outs(%empty : tensor<1x128xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = math.exp %a : f32
      linalg.yield %0 : f32
  } -> tensor<1x128xf32>
  %one = tensor.empty() : tensor<1xf32>
  %start = linalg.fill ins(%zero : f32) outs(%one : tensor<1xf32>) -> tensor<1xf32>
  %sums = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]} ins(%e : tensor<1x128xf32>) outs(%start : tensor<1xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %o, %a : f32
      linalg.yield %0 : f32
  } -> tensor<1xf32>
  %sum = tensor.extract %sums[%c0] : tensor<1xf32>
  %result = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]} ins(%e : tensor<1x128xf32>) outs(%out : tensor<1x128xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.divf %a, %sum : f32
      linalg.yield %0 : f32
  } -> tensor<1x128xf32>
  return %result : tensor<1x128xf32>
}

// Columns that are known when the program runs: rounds of several vectors, then single ones, then the tail.
// CHECK-LABEL: func.func @costly_dynamic_columns
// CHECK:         %[[COLUMNS:.*]] = tensor.dim
// V4:            %[[REST:.*]] = arith.remui %[[COLUMNS]], %c64
// V3:            %[[REST:.*]] = arith.remui %[[COLUMNS]], %c32
// CHECK:         %[[ROUNDS:.*]] = arith.subi %[[COLUMNS]], %[[REST]]
// V4:            scf.for %{{.*}} = %c0 to %[[ROUNDS]] step %c64
// V4-COUNT-4:      math.tanh
// V3:            scf.for %{{.*}} = %c0 to %[[ROUNDS]] step %c32
// V3-COUNT-2:      math.tanh
// CHECK:         %[[TAIL:.*]] = arith.remui %[[COLUMNS]], %c16
// CHECK:         %[[WHOLE:.*]] = arith.subi %[[COLUMNS]], %[[TAIL]]
// CHECK:         scf.for %{{.*}} = %[[ROUNDS]] to %[[WHOLE]] step %c16
// CHECK-COUNT-1:   math.tanh
// CHECK:         %[[MASK:.*]] = vector.create_mask %[[TAIL]]
// CHECK:         vector.transfer_write %{{.*}}[%c0, %[[WHOLE]]], %[[MASK]]
func.func @costly_dynamic_columns(%x: tensor<1x?xf32>, %out: tensor<1x?xf32>) -> tensor<1x?xf32> {
  %result = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x?xf32>) outs(%out : tensor<1x?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = math.tanh %a : f32
      linalg.yield %0 : f32
  } -> tensor<1x?xf32>
  return %result : tensor<1x?xf32>
}

// A value used twice by a value used twice, and so on, is evaluated once a place: five multiplications, not thirty-two.
// CHECK-LABEL: func.func @shared_on_demand
// CHECK-COUNT-5: arith.mulf
// CHECK-NOT:     arith.mulf
// CHECK:         vector.transfer_write
func.func @shared_on_demand(%x: tensor<1x64xf32>, %out: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %empty = tensor.empty() : tensor<1x64xf32>
  %1 = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]} ins(%x, %x : tensor<1x64xf32>, tensor<1x64xf32>) outs(%empty : tensor<1x64xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      linalg.yield %0 : f32
  } -> tensor<1x64xf32>
  %2 = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]} ins(%1, %1 : tensor<1x64xf32>, tensor<1x64xf32>) outs(%empty : tensor<1x64xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      linalg.yield %0 : f32
  } -> tensor<1x64xf32>
  %3 = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]} ins(%2, %2 : tensor<1x64xf32>, tensor<1x64xf32>) outs(%empty : tensor<1x64xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      linalg.yield %0 : f32
  } -> tensor<1x64xf32>
  %4 = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]} ins(%3, %3 : tensor<1x64xf32>, tensor<1x64xf32>) outs(%empty : tensor<1x64xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      linalg.yield %0 : f32
  } -> tensor<1x64xf32>
  %5 = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]} ins(%4, %4 : tensor<1x64xf32>, tensor<1x64xf32>) outs(%out : tensor<1x64xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      linalg.yield %0 : f32
  } -> tensor<1x64xf32>
  return %5 : tensor<1x64xf32>
}

// Truth values stay in registers.
// CHECK-LABEL: func.func @truth_in_registers
// CHECK:         %[[POSITIVE:.*]] = arith.cmpf ogt, {{.*}} : vector<16xf32>
// CHECK:         arith.select %[[POSITIVE]], {{.*}} : vector<16xi1>, vector<16xf32>
// CHECK-NOT:     tensor<1x16xi1>
func.func @truth_in_registers(%x: tensor<1x16xf32>, %out: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x16xi1>
  %positive = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x16xf32>) outs(%empty : tensor<1x16xi1>) {
    ^bb0(%a: f32, %o: i1):
      %0 = arith.cmpf ogt, %a, %zero : f32
      linalg.yield %0 : i1
  } -> tensor<1x16xi1>
  %result = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%positive, %x : tensor<1x16xi1>, tensor<1x16xf32>) outs(%out : tensor<1x16xf32>) {
    ^bb0(%p: i1, %a: f32, %o: f32):
      %0 = arith.select %p, %a, %zero : f32
      linalg.yield %0 : f32
  } -> tensor<1x16xf32>
  return %result : tensor<1x16xf32>
}

// Eight values are one vector of eight, without a mask: what is stored whole can be read back at once.
// CHECK-LABEL: func.func @eight_values
// CHECK-NOT:     vector<16x
// CHECK:         %[[V:.*]] = vector.transfer_read %arg0[%c0]{{.*}} : tensor<8xf32>, vector<8xf32>
// CHECK:         %[[SUM:.*]] = arith.addf %[[V]], %{{.*}} : vector<8xf32>
// CHECK:         vector.transfer_write %[[SUM]], %arg2[%c0]{{.*}} : vector<8xf32>, tensor<8xf32>
func.func @eight_values(%x: tensor<8xf32>, %scalar: f32, %out: tensor<8xf32>) -> tensor<8xf32> {
  %result = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%out : tensor<8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %a, %scalar : f32
      linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %result : tensor<8xf32>
}

//===---- reductions ------------------------------------------------------------------------------------------------===//

// Element i in lane i mod 16; the tail keeps the other lanes; then halves of 8, 4, 2, 1.
// CHECK-LABEL: func.func @sum_with_tail
// CHECK-DAG:     %[[TAIL:.*]] = arith.constant dense<[true, true, true, true, false{{.*}}]> : vector<16xi1>
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK:         %[[LANES:.*]] = scf.for %[[N:.*]] = %c0 to %c96 step %c16 iter_args(%[[SUM:.*]] = %[[ZERO]])
// CHECK:           %[[V:.*]] = vector.transfer_read %{{.*}}[%c0, %[[N]]]
// CHECK:           %[[NEXT:.*]] = arith.addf %[[SUM]], %[[V]]
// CHECK:           scf.yield %[[NEXT]]
// CHECK:         %[[REST:.*]] = vector.transfer_read %{{.*}}[%c0, %c96], %{{.*}}, %[[TAIL]]
// CHECK:         %[[ADDED:.*]] = arith.addf %[[LANES]], %[[REST]]
// CHECK:         %[[ALL:.*]] = arith.select %[[TAIL]], %[[ADDED]], %[[LANES]]
// CHECK:         %[[LOW8:.*]] = vector.shuffle %[[ALL]], %[[ALL]] [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK:         %[[HIGH8:.*]] = vector.shuffle %[[ALL]], %[[ALL]] [8, 9, 10, 11, 12, 13, 14, 15]
// CHECK:         %[[S8:.*]] = arith.addf %[[LOW8]], %[[HIGH8]] : vector<8xf32>
// CHECK:         vector.shuffle %[[S8]], %[[S8]] [0, 1, 2, 3]
// CHECK:         vector.shuffle %[[S8]], %[[S8]] [4, 5, 6, 7]
// CHECK:         arith.addf {{.*}} : vector<4xf32>
// CHECK:         arith.addf {{.*}} : vector<2xf32>
// CHECK:         %[[S1:.*]] = arith.addf {{.*}} : vector<1xf32>
// CHECK:         vector.extract %[[S1]][0]
func.func @sum_with_tail(%x: tensor<1x100xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %empty = tensor.empty() : tensor<1xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1xf32>) -> tensor<1xf32>
  %sums = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<1x100xf32>) outs(%start : tensor<1xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %o, %a : f32
      linalg.yield %0 : f32
  } -> tensor<1xf32>
  %sum = tensor.extract %sums[%c0] : tensor<1xf32>
  return %sum : f32
}

// A sum of squares accumulates by fma; its lanes are joined by addition.
// CHECK-LABEL: func.func @sum_of_squares
// CHECK:         %[[SQUARES:.*]] = math.fma %[[V:.*]], %[[V]], %{{.*}} : vector<16xf32>
// CHECK-NOT:     math.fma
// CHECK:         arith.addf {{.*}} : vector<8xf32>
func.func @sum_of_squares(%x: tensor<1x16xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %empty = tensor.empty() : tensor<1xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1xf32>) -> tensor<1xf32>
  %sums = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<1x16xf32>) outs(%start : tensor<1xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = math.fma %a, %a, %o : f32
      linalg.yield %0 : f32
  } -> tensor<1xf32>
  %sum = tensor.extract %sums[%c0] : tensor<1xf32>
  return %sum : f32
}

// Rows share the steps of the tree: four vectors become two of two rows each, then one of four; in the end each row is one lane, written together.
// CHECK-LABEL: func.func @sums_of_rows
// CHECK:         vector.shuffle %[[A:.*]], %[[B:.*]] [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]
// CHECK:         vector.shuffle %[[A]], %[[B]] [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31]
// CHECK:         %[[AB:.*]] = arith.addf {{.*}} : vector<16xf32>
// CHECK:         %[[CD:.*]] = arith.addf {{.*}} : vector<16xf32>
// CHECK:         vector.shuffle %[[AB]], %[[CD]] [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27]
// CHECK:         %[[ABCD:.*]] = arith.addf {{.*}} : vector<16xf32>
// CHECK:         vector.shuffle %[[ABCD]], %[[ABCD]] [0, 1, 4, 5, 8, 9, 12, 13]
// CHECK:         arith.addf {{.*}} : vector<8xf32>
// CHECK:         %[[ALL:.*]] = arith.addf {{.*}} : vector<4xf32>
// CHECK:         vector.transfer_write %[[ALL]]
func.func @sums_of_rows(%x: tensor<4x64xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<4xf32>) -> tensor<4xf32>
  %sums = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x64xf32>) outs(%start : tensor<4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %o, %a : f32
      linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %sums : tensor<4xf32>
}

// A maximum that keeps NaN: the tree joins halves by the same comparisons.
// CHECK-LABEL: func.func @maximum_with_nan
// CHECK:         arith.cmpf ogt, {{.*}} : vector<16xf32>
// CHECK:         %[[LOW:.*]] = vector.shuffle %[[ALL:.*]], %[[ALL]] [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK:         %[[HIGH:.*]] = vector.shuffle %[[ALL]], %[[ALL]] [8, 9, 10, 11, 12, 13, 14, 15]
// CHECK-DAG:     %[[GREATER:.*]] = arith.cmpf ogt, %[[LOW]], %[[HIGH]]
// CHECK-DAG:     %[[NAN:.*]] = arith.cmpf uno, %[[HIGH]], %[[HIGH]]
// CHECK:         %[[LARGER:.*]] = arith.select %[[GREATER]], %[[LOW]], %[[HIGH]]
// CHECK:         arith.select %[[NAN]], %[[HIGH]], %[[LARGER]]
func.func @maximum_with_nan(%x: tensor<1x16xf32>) -> f32 {
  %lowest = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %empty = tensor.empty() : tensor<1xf32>
  %start = linalg.fill ins(%lowest : f32) outs(%empty : tensor<1xf32>) -> tensor<1xf32>
  %all = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<1x16xf32>) outs(%start : tensor<1xf32>) {
    ^bb0(%a: f32, %o: f32):
      %greater = arith.cmpf ogt, %o, %a : f32
      %nan = arith.cmpf uno, %a, %a : f32
      %larger = arith.select %greater, %o, %a : f32
      %0 = arith.select %nan, %a, %larger : f32
      linalg.yield %0 : f32
  } -> tensor<1xf32>
  %one = tensor.extract %all[%c0] : tensor<1xf32>
  return %one : f32
}

// Every lane would start from one: sixteen ones too many.
// CHECK-LABEL: func.func @no_vector_start_not_neutral
// CHECK:         linalg.generic
func.func @no_vector_start_not_neutral(%x: tensor<1x16xf32>, %out: tensor<1xf32>) -> tensor<1xf32> {
  %one = arith.constant 1.0 : f32
  %start = linalg.fill ins(%one : f32) outs(%out : tensor<1xf32>) -> tensor<1xf32>
  %sums = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<1x16xf32>) outs(%start : tensor<1xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %o, %a : f32
      linalg.yield %0 : f32
  } -> tensor<1xf32>
  return %sums : tensor<1xf32>
}

//===---- computed places -------------------------------------------------------------------------------------------===//

// Row of the table by a computed number, columns side by side: a vector. Many rows are a loop.
// CHECK-LABEL: func.func @neighbours
// CHECK-SAME:    %[[TABLE:.*]]: tensor<?x96xf32>, %[[FIRST:.*]]: index, %[[LAST:.*]]: index, %[[HEAD:.*]]: index
// CHECK:         %[[NEXT:.*]] = arith.addi %[[HEAD]], %c16
// CHECK:         scf.for %[[M:.*]] = %c0 to %c64 step %c1
// CHECK:           %[[AT:.*]] = arith.addi %[[FIRST]], %[[M]]
// CHECK:           %[[ROW:.*]] = arith.minsi %[[AT]], %[[LAST]]
// CHECK:           vector.transfer_read %[[TABLE]][%[[ROW]], %[[HEAD]]]
// CHECK:           vector.transfer_read %[[TABLE]][%[[ROW]], %[[NEXT]]]
func.func @neighbours(%table: tensor<?x96xf32>, %first: index, %last: index, %head: index, %out: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %result = linalg.generic {indexing_maps = [#mn], iterator_types = ["parallel", "parallel"]} outs(%out : tensor<64x32xf32>) {
    ^bb0(%o: f32):
      %m = linalg.index 0 : index
      %at = arith.addi %first, %m : index
      %row = arith.minsi %at, %last : index
      %n = linalg.index 1 : index
      %column = arith.addi %head, %n : index
      %0 = tensor.extract %table[%row, %column] : tensor<?x96xf32>
      linalg.yield %0 : f32
  } -> tensor<64x32xf32>
  return %result : tensor<64x32xf32>
}

// Columns twice as far apart are no neighbours.
// CHECK-LABEL: func.func @no_vector_strided
// CHECK:         linalg.generic
func.func @no_vector_strided(%table: tensor<?x96xf32>, %out: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %c2 = arith.constant 2 : index
  %result = linalg.generic {indexing_maps = [#mn], iterator_types = ["parallel", "parallel"]} outs(%out : tensor<1x32xf32>) {
    ^bb0(%o: f32):
      %m = linalg.index 0 : index
      %n = linalg.index 1 : index
      %column = arith.muli %c2, %n : index
      %0 = tensor.extract %table[%m, %column] : tensor<?x96xf32>
      linalg.yield %0 : f32
  } -> tensor<1x32xf32>
  return %result : tensor<1x32xf32>
}

//===---- left alone ------------------------------------------------------------------------------------------------===//

// Who reads truth values from memory stays, and who writes them there.
// CHECK-LABEL: func.func @no_vector_truth_in_memory
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<1x16xi1>)
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<1x16xi1>) outs(%{{.*}} : tensor<1x16xf32>)
func.func @no_vector_truth_in_memory(%x: tensor<1x16xf32>, %given: tensor<1x16xi1>, %truths: tensor<1x16xi1>, %out: tensor<1x16xf32>)
    -> (tensor<1x16xi1>, tensor<1x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %positive = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x16xf32>) outs(%truths : tensor<1x16xi1>) {
    ^bb0(%a: f32, %o: i1):
      %0 = arith.cmpf ogt, %a, %zero : f32
      linalg.yield %0 : i1
  } -> tensor<1x16xi1>
  %number = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]} ins(%given : tensor<1x16xi1>) outs(%out : tensor<1x16xf32>) {
    ^bb0(%a: i1, %o: f32):
      %0 = arith.uitofp %a : i1 to f32
      linalg.yield %0 : f32
  } -> tensor<1x16xf32>
  return %positive, %number : tensor<1x16xi1>, tensor<1x16xf32>
}

// Truth values needed in registers and in memory are made twice.
// CHECK-LABEL: func.func @truth_both_ways
// CHECK:         %[[TRUTHS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x16xi1>)
// CHECK:         arith.select {{.*}} : vector<16xi1>, vector<16xf32>
// CHECK:         return %[[TRUTHS]]
func.func @truth_both_ways(%x: tensor<1x16xf32>, %truths: tensor<1x16xi1>, %out: tensor<1x16xf32>) -> (tensor<1x16xi1>, tensor<1x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %positive = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x16xf32>) outs(%truths : tensor<1x16xi1>) {
    ^bb0(%a: f32, %o: i1):
      %0 = arith.cmpf ogt, %a, %zero : f32
      linalg.yield %0 : i1
  } -> tensor<1x16xi1>
  %result = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%positive, %x : tensor<1x16xi1>, tensor<1x16xf32>) outs(%out : tensor<1x16xf32>) {
    ^bb0(%p: i1, %a: f32, %o: f32):
      %0 = arith.select %p, %a, %zero : f32
      linalg.yield %0 : f32
  } -> tensor<1x16xf32>
  return %positive, %result : tensor<1x16xi1>, tensor<1x16xf32>
}

// In a masked lane the divisor would be zero.
// CHECK-LABEL: func.func @no_vector_integer_division
// CHECK:         linalg.generic
func.func @no_vector_integer_division(%x: tensor<1x20xi32>, %y: tensor<1x20xi32>, %out: tensor<1x20xi32>) -> tensor<1x20xi32> {
  %result = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<1x20xi32>, tensor<1x20xi32>) outs(%out : tensor<1x20xi32>) {
    ^bb0(%a: i32, %b: i32, %o: i32):
      %0 = arith.divsi %a, %b : i32
      linalg.yield %0 : i32
  } -> tensor<1x20xi32>
  return %result : tensor<1x20xi32>
}

// Keys become columns: sixteen rows of the table are read, transposed by four times sixteen shuffles, and written as sixteen rows. Four of twenty rows
// are masked reads and four writes.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME:    %[[TABLE:.*]]: tensor<?x96xf32>, %[[FIRST:.*]]: index, %[[LAST:.*]]: index, %[[HEAD:.*]]: index
// CHECK:         scf.for %[[N:.*]] = %c0 to %c64 step %c16
// CHECK:           %[[AT:.*]] = arith.addi %[[FIRST]], %[[N]]
// CHECK:           %[[ROW:.*]] = arith.minsi %[[AT]], %[[LAST]]
// CHECK:           vector.transfer_read %[[TABLE]][%[[ROW]], %[[HEAD]]]
// CHECK-COUNT-64:  vector.shuffle
// CHECK-NOT:       vector.shuffle
// CHECK-COUNT-16:  vector.transfer_write
// CHECK-NOT:       vector.transfer_write
// CHECK:         scf.for %[[N:.*]] = %c0 to %c64 step %c16
// CHECK-COUNT-16:  vector.transfer_read {{.*}}, %{{.*}}, %{{.*}} {
// CHECK-COUNT-4:   vector.transfer_write
// CHECK-NOT:       vector.transfer_write
// CHECK:         return
func.func @transposed(%table: tensor<?x96xf32>, %first: index, %last: index, %head: index, %out: tensor<20x64xf32>) -> tensor<20x64xf32> {
  %result = linalg.generic {indexing_maps = [#mn], iterator_types = ["parallel", "parallel"]} outs(%out : tensor<20x64xf32>) {
    ^bb0(%o: f32):
      %n = linalg.index 1 : index
      %at = arith.addi %first, %n : index
      %row = arith.minsi %at, %last : index
      %m = linalg.index 0 : index
      %column = arith.addi %head, %m : index
      %0 = tensor.extract %table[%row, %column] : tensor<?x96xf32>
      linalg.yield %0 : f32
  } -> tensor<20x64xf32>
  return %result : tensor<20x64xf32>
}

// One row of scalars stays one.
// CHECK-LABEL: func.func @no_vector_transposed
// CHECK:         linalg.generic
func.func @no_vector_transposed(%x: tensor<16x1xf32>, %out: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %result = linalg.generic {indexing_maps = [#nm, #mn], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<16x1xf32>) outs(%out : tensor<1x16xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
  } -> tensor<1x16xf32>
  return %result : tensor<1x16xf32>
}

//===---- loops -----------------------------------------------------------------------------------------------------===//

// What does not change leaves the loop, but no tensor does.
// CHECK-LABEL: func.func @invariant_read
// CHECK:         vector.transfer_read
// CHECK:         scf.for
// CHECK:           tensor.empty
// CHECK-NOT:       vector.transfer_read
// CHECK:         return
func.func @invariant_read(%bias: tensor<16xf32>, %rows: index, %out: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %result = scf.for %i = %c0 to %rows step %c1 iter_args(%to = %out) -> tensor<1x16xf32> {
    %empty = tensor.empty() : tensor<1x16xf32>
    %i32 = arith.index_cast %i : index to i32
    %f = arith.sitofp %i32 : i32 to f32
    %sum = linalg.generic {indexing_maps = [#n, #mn], iterator_types = ["parallel", "parallel"]} ins(%bias : tensor<16xf32>) outs(%empty : tensor<1x16xf32>) {
      ^bb0(%a: f32, %o: f32):
        %0 = arith.addf %a, %f : f32
        linalg.yield %0 : f32
    } -> tensor<1x16xf32>
    scf.yield %sum : tensor<1x16xf32>
  }
  return %result : tensor<1x16xf32>
}
