// The whole stage, and the proof that what it makes still computes the same: a model of three kernels is lowered to the LLVM dialect and run, with a pool
// (below) that runs tasks one by one, the last one first. Inputs/run-chain.mlir fills the buffers, calls the entry and compares.
// RUN: heddle-opt %s --heddle-stage-memory -o %t.memory.mlir
// RUN: FileCheck %s --input-file %t.memory.mlir
// RUN: heddle-opt %t.memory.mlir --heddle-stage-native | sed -e 's/^module attributes.*/module {/' -e '/^}/d' > %t.run.mlir
// RUN: cat %S/Inputs/run-chain.mlir >> %t.run.mlir
// RUN: mlir-runner %t.run.mlir -e main --entry-point-result=i64 | FileCheck %s --check-prefix=VALUE
// VALUE: 1000

// Two buffers of 128 bytes a row, one after the other needed by two kernels each, and the third kernel writes the result itself.
// CHECK:       arena = [{coefficient = 256 : i64, dimensions = [0]}]

#entry = {name = "chain", documentation = "", arguments = [], results = [], bytes = [], calls = [], arena = [], dimensions = [{name = "rows", kind = 0, of = -1, bound = 0}]}
module attributes {heddle.model = {name = "", documentation = "", section_bytes = 0, entries = [#entry], kernels = [], weights = [], tokenizers = [], tasks = []}} {
  llvm.func @heddle_parallel(%context: !llvm.ptr, %region: !llvm.ptr, %captured: !llvm.ptr, %count: i64) {
    %one = llvm.mlir.constant(1 : i64) : i64
    %zero = llvm.mlir.constant(0 : i64) : i64
    llvm.br ^next(%count : i64)
  ^next(%left: i64):
    %more = llvm.icmp "sgt" %left, %zero : i64
    llvm.cond_br %more, ^run, ^end
  ^run:
    %task = llvm.sub %left, %one : i64
    llvm.call %region(%captured, %task, %left) : !llvm.ptr, (!llvm.ptr, i64, i64) -> ()
    llvm.br ^next(%task : i64)
  ^end:
    llvm.return
  }

  // out = 2 x: a grid of tasks (row, half), each through a tile of its own on the stack.
  // CHECK-LABEL: func.func private @double.region0(
  // CHECK:         memref.alloca() {alignment = 64 : i64} : memref<1x16xf32>
  // CHECK:         scf.for
  // CHECK-NOT:     memref.alloc
  // CHECK-LABEL: func.func private @double(
  func.func private @double(%x: tensor<?x32xf32>, %out: tensor<?x32xf32>, %rows: index) -> tensor<?x32xf32> {
    %result = scf.forall (%row, %half) in (%rows, 2) shared_outs(%o = %out) -> tensor<?x32xf32> {
      %c16 = arith.constant 16 : index
      %column = arith.muli %half, %c16 : index
      %in = tensor.extract_slice %x[%row, %column] [1, 16] [1, 1] : tensor<?x32xf32> to tensor<1x16xf32>
      %empty = tensor.empty() : tensor<1x16xf32>
      %tile = linalg.add ins(%in, %in : tensor<1x16xf32>, tensor<1x16xf32>) outs(%empty : tensor<1x16xf32>) -> tensor<1x16xf32>
      %to = tensor.extract_slice %o[%row, %column] [1, 16] [1, 1] : tensor<?x32xf32> to tensor<1x16xf32>
      %written = linalg.copy ins(%tile : tensor<1x16xf32>) outs(%to : tensor<1x16xf32>) -> tensor<1x16xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %written into %o[%row, %column] [1, 16] [1, 1] : tensor<1x16xf32> into tensor<?x32xf32>
      }
    }
    return %result : tensor<?x32xf32>
  }

  // out[i, j] = x[rows - 1 - i, j]: a gather that no stage vectorised becomes scalar loops, without a parallel region.
  // CHECK-LABEL: func.func private @reverse(
  // CHECK-NOT:     linalg
  // CHECK:         scf.for
  // CHECK:           memref.load
  func.func private @reverse(%x: tensor<?x32xf32>, %out: tensor<?x32xf32>, %rows: index) -> tensor<?x32xf32> {
    %result = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%out : tensor<?x32xf32>) {
    ^body(%old: f32):
      %one = arith.constant 1 : index
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %last = arith.subi %rows, %one : index
      %from = arith.subi %last, %i : index
      %value = tensor.extract %x[%from, %j] : tensor<?x32xf32>
      linalg.yield %value : f32
    } -> tensor<?x32xf32>
    return %result : tensor<?x32xf32>
  }

  // CHECK-LABEL: func.func @chain(
  // CHECK-NOT:     bufferization
  // CHECK:         call @double(
  // CHECK:         call @reverse(
  // CHECK:         call @double(
  // CHECK:         call @reverse(
  // CHECK-NEXT:    return
  func.func @chain(%x: memref<1xi8>, %result: memref<1xi8>, %section: memref<1xi8>, %rows: index) attributes {heddle.entry} {
    %zero = arith.constant 0 : index
    %x_view = memref.view %x[%zero][%rows] : memref<1xi8> to memref<?x32xf32>
    %x_tensor = bufferization.to_tensor %x_view restrict : memref<?x32xf32> to tensor<?x32xf32>
    %result_view = memref.view %result[%zero][%rows] : memref<1xi8> to memref<?x32xf32>
    %result_tensor = bufferization.to_tensor %result_view restrict writable : memref<?x32xf32> to tensor<?x32xf32>
    %empty = tensor.empty(%rows) : tensor<?x32xf32>
    %a = call @double(%x_tensor, %empty, %rows) : (tensor<?x32xf32>, tensor<?x32xf32>, index) -> tensor<?x32xf32>
    %b = call @reverse(%a, %empty, %rows) : (tensor<?x32xf32>, tensor<?x32xf32>, index) -> tensor<?x32xf32>
    %c = call @double(%b, %empty, %rows) : (tensor<?x32xf32>, tensor<?x32xf32>, index) -> tensor<?x32xf32>
    %d = call @reverse(%c, %result_tensor, %rows) : (tensor<?x32xf32>, tensor<?x32xf32>, index) -> tensor<?x32xf32>
    bufferization.materialize_in_destination %d in restrict writable %result_view : (tensor<?x32xf32>, memref<?x32xf32>) -> ()
    return
  }
}
