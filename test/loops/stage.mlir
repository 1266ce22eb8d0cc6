// The bits of the arithmetic contract: products and row sums of this stage, run, against scalar code that says what the contract says. Each run prints how
// many results differ, for each CPU variant (both run on any CPU: only the tiles differ).
//
// DEFINE: %{lower} = --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --cse --canonicalize --convert-linalg-to-loops --expand-strided-metadata --lower-affine \
// DEFINE:   --convert-vector-to-llvm --convert-math-to-llvm --finalize-memref-to-llvm --convert-scf-to-cf --convert-func-to-llvm --convert-arith-to-llvm \
// DEFINE:   --convert-index-to-llvm --convert-ub-to-llvm --convert-cf-to-llvm --reconcile-unrealized-casts
// RUN: heddle-opt %s --heddle-stage-loops=cpu=x86-64-v4 -o %t.v4.mlir
// RUN: heddle-opt %s --heddle-stage-loops=cpu=x86-64-v3 -o %t.v3.mlir
// RUN: FileCheck %s --check-prefix=TILES < %t.v4.mlir
// RUN: heddle-opt %t.v4.mlir %{lower} -o %t.v4.llvm.mlir
// RUN: heddle-opt %t.v3.mlir %{lower} -o %t.v3.llvm.mlir
// RUN: mlir-runner %t.v4.llvm.mlir -e products --entry-point-result=i32 | FileCheck %s --check-prefix=EQUAL
// RUN: mlir-runner %t.v3.llvm.mlir -e products --entry-point-result=i32 | FileCheck %s --check-prefix=EQUAL
// RUN: mlir-runner %t.v4.llvm.mlir -e bounded_products --entry-point-result=i32 | FileCheck %s --check-prefix=EQUAL
// RUN: mlir-runner %t.v3.llvm.mlir -e bounded_products --entry-point-result=i32 | FileCheck %s --check-prefix=EQUAL
// RUN: mlir-runner %t.v4.llvm.mlir -e row_sums --entry-point-result=i32 | FileCheck %s --check-prefix=EQUAL
// RUN: mlir-runner %t.v3.llvm.mlir -e row_sums --entry-point-result=i32 | FileCheck %s --check-prefix=EQUAL
// The comparison notices another order: one chain over all k.
// RUN: mlir-runner %t.v4.llvm.mlir -e products_of_one_chain --entry-point-result=i32 | FileCheck %s --check-prefix=DIFFERENT
// EQUAL: {{^0$}}
// DIFFERENT: {{^[1-9][0-9]+$}}
// TILES-LABEL: func.func @product_kernel
// TILES-NOT:   linalg
// TILES-LABEL: func.func @bounded_product_kernel
// TILES-NOT:   linalg
// TILES:       memref.prefetch

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn3 = affine_map<(m, n, k) -> (m, n)>
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>

//===---- what is compiled ------------------------------------------------------------------------------------------===//

func.func @product_kernel(%x: tensor<?x1100xf32>, %panel: tensor<1100x32xf32>, %bias: tensor<32xf32>, %out: tensor<?x32xf32>, %rows: index) -> tensor<?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%rows) : tensor<?x32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x32xf32>) -> tensor<?x32xf32>
  %product = linalg.generic {indexing_maps = [#mk, #kn, #mn3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %panel : tensor<?x1100xf32>, tensor<1100x32xf32>) outs(%start : tensor<?x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %next = math.fma %a, %b, %c : f32
      linalg.yield %next : f32
  } -> tensor<?x32xf32>
  %result = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x32xf32>, tensor<32xf32>) outs(%out : tensor<?x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %sum = arith.addf %a, %b : f32
      linalg.yield %sum : f32
  } -> tensor<?x32xf32>
  return %result : tensor<?x32xf32>
}

// The same for at most 24 rows, and known to be: blocks of k stand outside of the rows' loop.
func.func @bounded_product_kernel(%all: tensor<?x1100xf32>, %panel: tensor<1100x32xf32>, %bias: tensor<32xf32>, %all_out: tensor<?x32xf32>, %all_rows: index) -> tensor<?x32xf32> {
  %zero = arith.constant 0.0 : f32
  %most = arith.constant 24 : index
  %rows = arith.minsi %all_rows, %most : index
  %x = tensor.extract_slice %all[0, 0] [%rows, 1100] [1, 1] : tensor<?x1100xf32> to tensor<?x1100xf32>
  %out = tensor.extract_slice %all_out[0, 0] [%rows, 32] [1, 1] : tensor<?x32xf32> to tensor<?x32xf32>
  %empty = tensor.empty(%rows) : tensor<?x32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x32xf32>) -> tensor<?x32xf32>
  %product = linalg.generic {indexing_maps = [#mk, #kn, #mn3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %panel : tensor<?x1100xf32>, tensor<1100x32xf32>) outs(%start : tensor<?x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %next = math.fma %a, %b, %c : f32
      linalg.yield %next : f32
  } -> tensor<?x32xf32>
  %result = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x32xf32>, tensor<32xf32>) outs(%out : tensor<?x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %sum = arith.addf %a, %b : f32
      linalg.yield %sum : f32
  } -> tensor<?x32xf32>
  %written = tensor.insert_slice %result into %all_out[0, 0] [%rows, 32] [1, 1] : tensor<?x32xf32> into tensor<?x32xf32>
  return %written : tensor<?x32xf32>
}

func.func @row_sum_kernel(%x: tensor<1x77xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %empty = tensor.empty() : tensor<1xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1xf32>) -> tensor<1xf32>
  %sums = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<1x77xf32>) outs(%start : tensor<1xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %o, %a : f32
      linalg.yield %0 : f32
  } -> tensor<1xf32>
  %sum = tensor.extract %sums[%c0] : tensor<1xf32>
  return %sum : f32
}

//===---- what it is compared with ----------------------------------------------------------------------------------===//

/// A value between -1 and 1 that is no short binary fraction.
func.func @value(%i: index, %j: index) -> f32 {
  %c7919 = arith.constant 7919 : index
  %c104729 = arith.constant 104729 : index
  %c2003 = arith.constant 2003 : index
  %c1001 = arith.constant 1001 : index
  %scale = arith.constant 1001.0 : f32
  %a = arith.muli %i, %c7919 : index
  %b = arith.muli %j, %c104729 : index
  %ab = arith.addi %a, %b : index
  %r = arith.remui %ab, %c2003 : index
  %centred = arith.subi %r, %c1001 : index
  %int = arith.index_cast %centred : index to i32
  %float = arith.sitofp %int : i32 to f32
  %value = arith.divf %float, %scale : f32
  return %value : f32
}

func.func @matrix(%rows: index, %columns: index, %seed: index) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %matrix = memref.alloc(%rows, %columns) : memref<?x?xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %k = arith.addi %i, %seed : index
      %value = func.call @value(%k, %j) : (index, index) -> f32
      memref.store %value, %matrix[%i, %j] : memref<?x?xf32>
    }
  }
  return %matrix : memref<?x?xf32>
}

/// One chain over each `block` of k, added in ascending order; then the bias.
func.func @expected_product(%x: memref<?x?xf32>, %panel: memref<?x?xf32>, %bias: f32, %i: index, %j: index, %depth: index, %block: index) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %from = %c0 to %depth step %block iter_args(%sum = %zero) -> f32 {
    %next = arith.addi %from, %block : index
    %to = arith.minui %next, %depth : index
    %part = scf.for %k = %from to %to step %c1 iter_args(%part = %zero) -> f32 {
      %a = memref.load %x[%i, %k] : memref<?x?xf32>
      %b = memref.load %panel[%k, %j] : memref<?x?xf32>
      %fma = math.fma %a, %b, %part : f32
      scf.yield %fma : f32
    }
    %added = arith.addf %sum, %part : f32
    scf.yield %added : f32
  }
  %biased = arith.addf %sum, %bias : f32
  return %biased : f32
}

/// Element i in lane i mod 16, then halves of 8, 4, 2, 1.
func.func @expected_row_sum(%x: memref<1x77xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c77 = arith.constant 77 : index
  %lanes = memref.alloca() : memref<16xf32>
  scf.for %i = %c0 to %c16 step %c1 {
    memref.store %zero, %lanes[%i] : memref<16xf32>
  }
  scf.for %i = %c0 to %c77 step %c1 {
    %lane = arith.remui %i, %c16 : index
    %old = memref.load %lanes[%lane] : memref<16xf32>
    %value = memref.load %x[%c0, %i] : memref<1x77xf32>
    %new = arith.addf %old, %value : f32
    memref.store %new, %lanes[%lane] : memref<16xf32>
  }
  scf.while (%half = %c8) : (index) -> (index) {
    %more = arith.cmpi ugt, %half, %c0 : index
    scf.condition(%more) %half : index
  } do {
  ^bb0(%half: index):
    scf.for %i = %c0 to %half step %c1 {
      %j = arith.addi %i, %half : index
      %low = memref.load %lanes[%i] : memref<16xf32>
      %high = memref.load %lanes[%j] : memref<16xf32>
      %both = arith.addf %low, %high : f32
      memref.store %both, %lanes[%i] : memref<16xf32>
    }
    %next = arith.divui %half, %c2 : index
    scf.yield %next : index
  }
  %sum = memref.load %lanes[%c0] : memref<16xf32>
  return %sum : f32
}

func.func @differ(%a: f32, %b: f32) -> i32 {
  %x = arith.bitcast %a : f32 to i32
  %y = arith.bitcast %b : f32 to i32
  %ne = arith.cmpi ne, %x, %y : i32
  %count = arith.extui %ne : i1 to i32
  return %count : i32
}

//===---- runs ------------------------------------------------------------------------------------------------------===//

/// Products of 1 to 21 rows: fewer than a tile, one tile, several with an overlapping one.
func.func @count(%block: index, %is_bounded: i1) -> i32 {
  %none = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c22 = arith.constant 22 : index
  %c32 = arith.constant 32 : index
  %c99 = arith.constant 99 : index
  %c1100 = arith.constant 1100 : index
  %panel = call @matrix(%c1100, %c32, %c99) : (index, index, index) -> memref<?x?xf32>
  %panel_static = memref.cast %panel : memref<?x?xf32> to memref<1100x32xf32>
  %bias = memref.alloc() : memref<32xf32>
  scf.for %j = %c0 to %c32 step %c1 {
    %value = func.call @value(%c99, %j) : (index, index) -> f32
    memref.store %value, %bias[%j] : memref<32xf32>
  }
  %total = scf.for %rows = %c1 to %c22 step %c1 iter_args(%sum = %none) -> i32 {
    %x = func.call @matrix(%rows, %c1100, %rows) : (index, index, index) -> memref<?x?xf32>
    %x_static = memref.cast %x : memref<?x?xf32> to memref<?x1100xf32>
    %out = memref.alloc(%rows) : memref<?x32xf32>
    %x_tensor = bufferization.to_tensor %x_static restrict : memref<?x1100xf32> to tensor<?x1100xf32>
    %panel_tensor = bufferization.to_tensor %panel_static restrict : memref<1100x32xf32> to tensor<1100x32xf32>
    %bias_tensor = bufferization.to_tensor %bias restrict : memref<32xf32> to tensor<32xf32>
    %out_tensor = bufferization.to_tensor %out restrict writable : memref<?x32xf32> to tensor<?x32xf32>
    %result = scf.if %is_bounded -> tensor<?x32xf32> {
      %r = func.call @bounded_product_kernel(%x_tensor, %panel_tensor, %bias_tensor, %out_tensor, %rows)
          : (tensor<?x1100xf32>, tensor<1100x32xf32>, tensor<32xf32>, tensor<?x32xf32>, index) -> tensor<?x32xf32>
      scf.yield %r : tensor<?x32xf32>
    } else {
      %r = func.call @product_kernel(%x_tensor, %panel_tensor, %bias_tensor, %out_tensor, %rows)
          : (tensor<?x1100xf32>, tensor<1100x32xf32>, tensor<32xf32>, tensor<?x32xf32>, index) -> tensor<?x32xf32>
      scf.yield %r : tensor<?x32xf32>
    }
    %found = scf.for %i = %c0 to %rows step %c1 iter_args(%of_row = %sum) -> i32 {
      %in_row = scf.for %j = %c0 to %c32 step %c1 iter_args(%of_element = %of_row) -> i32 {
        %added = memref.load %bias[%j] : memref<32xf32>
        %expected = func.call @expected_product(%x, %panel, %added, %i, %j, %c1100, %block)
            : (memref<?x?xf32>, memref<?x?xf32>, f32, index, index, index, index) -> f32
        %got = tensor.extract %result[%i, %j] : tensor<?x32xf32>
        %one = func.call @differ(%got, %expected) : (f32, f32) -> i32
        %more = arith.addi %of_element, %one : i32
        scf.yield %more : i32
      }
      scf.yield %in_row : i32
    }
    memref.dealloc %x : memref<?x?xf32>
    scf.yield %found : i32
  }
  return %total : i32
}

func.func @products() -> i32 {
  %c512 = arith.constant 512 : index
  %false = arith.constant false
  %count = call @count(%c512, %false) : (index, i1) -> i32
  return %count : i32
}

func.func @bounded_products() -> i32 {
  %c512 = arith.constant 512 : index
  %true = arith.constant true
  %count = call @count(%c512, %true) : (index, i1) -> i32
  return %count : i32
}

func.func @products_of_one_chain() -> i32 {
  %c1100 = arith.constant 1100 : index
  %false = arith.constant false
  %count = call @count(%c1100, %false) : (index, i1) -> i32
  return %count : i32
}

func.func @row_sums() -> i32 {
  %none = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c77 = arith.constant 77 : index
  %c100 = arith.constant 100 : index
  %total = scf.for %seed = %c0 to %c100 step %c1 iter_args(%sum = %none) -> i32 {
    %x = func.call @matrix(%c1, %c77, %seed) : (index, index, index) -> memref<?x?xf32>
    %x_static = memref.cast %x : memref<?x?xf32> to memref<1x77xf32>
    %x_tensor = bufferization.to_tensor %x_static restrict : memref<1x77xf32> to tensor<1x77xf32>
    %got = func.call @row_sum_kernel(%x_tensor) : (tensor<1x77xf32>) -> f32
    %expected = func.call @expected_row_sum(%x_static) : (memref<1x77xf32>) -> f32
    %one = func.call @differ(%got, %expected) : (f32, f32) -> i32
    %more = arith.addi %sum, %one : i32
    memref.dealloc %x : memref<?x?xf32>
    scf.yield %more : i32
  }
  return %total : i32
}
