// What the memory stage leaves becomes functions of the LLVM dialect: one pointer for a raw base, i64 for an index, a thunk for a parallel region.
// RUN: heddle-opt %s --heddle-stage-native | FileCheck %s

// CHECK: llvm.func @heddle_parallel(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64)

// CHECK-LABEL: llvm.func @double_rows_region0(
func.func private @double_rows_region0(%context: memref<1xi8>, %from: memref<1xi8>, %to: memref<1xi8>, %rows: index, %begin: index, %end: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %poison = ub.poison : f32
  %in = memref.view %from[%zero][%rows] : memref<1xi8> to memref<?x32xf32>
  %out = memref.view %to[%zero][%rows] : memref<1xi8> to memref<?x32xf32>
  scf.for %row = %begin to %end step %one {
    // CHECK: llvm.load {{.*}} : !llvm.ptr -> vector<32xf32>
    %x = vector.transfer_read %in[%row, %zero], %poison {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
    // CHECK: llvm.intr.fma
    %y = math.fma %x, %x, %x : vector<32xf32>
    // CHECK: llvm.store
    vector.transfer_write %y, %out[%row, %zero] {in_bounds = [true]} : vector<32xf32>, memref<?x32xf32>
  }
  return
}

// CHECK-LABEL: llvm.func internal @double_rows_region0.thunk(
// CHECK-LABEL: llvm.func internal @heddle_parallel.double_rows_region0(
func.func private @heddle_parallel.double_rows_region0(memref<1xi8>, memref<1xi8>, memref<1xi8>, index, index)

func.func private @double_rows(%context: memref<1xi8>, %from: memref<1xi8>, %to: memref<1xi8>, %rows: index) {
  call @heddle_parallel.double_rows_region0(%context, %from, %to, %rows, %rows) : (memref<1xi8>, memref<1xi8>, memref<1xi8>, index, index) -> ()
  return
}

// CHECK-LABEL: llvm.func @body.double(
// CHECK:         llvm.call @double_rows(
// CHECK-LABEL: llvm.func @entry.double(
func.func @double(%context: memref<1xi8>, %x: memref<1xi8>, %result: memref<1xi8>, %section: memref<1xi8>, %arena: memref<1xi8>, %rows: index)
    attributes {heddle.entry} {
  call @double_rows(%context, %x, %result, %rows) : (memref<1xi8>, memref<1xi8>, memref<1xi8>, index) -> ()
  return
}
