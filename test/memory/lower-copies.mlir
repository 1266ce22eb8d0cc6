// RUN: heddle-opt %s --heddle-lower-copies | FileCheck %s

// A strided copy would become a call of @memrefCopy, which no executable has.
// CHECK-LABEL: func.func private @strided
// CHECK-SAME:    %[[FROM:.*]]: memref<?x32xf32>, %[[TO:.*]]: memref<?x32xf32, strided<[64, 1], offset: ?>>
// CHECK-NOT:     memref.copy
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "parallel"]
// CHECK-SAME:      ins(%[[FROM]] : {{.*}}) outs(%[[TO]] :
func.func private @strided(%from: memref<?x32xf32>, %to: memref<?x32xf32, strided<[64, 1], offset: ?>>) {
  memref.copy %from, %to : memref<?x32xf32> to memref<?x32xf32, strided<[64, 1], offset: ?>>
  return
}

// CHECK-LABEL: func.func private @scalar
// CHECK-NOT:     memref.copy
// CHECK:         linalg.generic
func.func private @scalar(%from: memref<i32>, %to: memref<i32>) {
  memref.copy %from, %to : memref<i32> to memref<i32>
  return
}
