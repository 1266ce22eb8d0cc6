// RUN: heddle-opt %s --heddle-inject-offsets --one-shot-bufferize="bufferize-function-boundaries" --canonicalize | FileCheck %s

// One row of a tile is written, the tile is read later as it was: the new buffer needs the other rows.
// CHECK-LABEL: func.func @row
// CHECK-SAME:    %[[TILE:.*]]: memref<8x16xf32
// CHECK:         %[[OWN:.*]] = memref.alloc
// CHECK-NEXT:    memref.copy %[[TILE]], %[[OWN]]
// CHECK-NEXT:    vector.transfer_write %{{.*}}, %[[OWN]][%c0, %c0]
func.func @row(%tile: tensor<8x16xf32>, %row: vector<16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %c0 = arith.constant 0 : index
  %0 = vector.transfer_write %row, %tile[%c0, %c0] {in_bounds = [true]} : vector<16xf32>, tensor<8x16xf32>
  return %tile, %0 : tensor<8x16xf32>, tensor<8x16xf32>
}

// A write of everything needs no copy.
// CHECK-LABEL: func.func @no_row
// CHECK-NOT:     memref.copy
func.func @no_row(%tile: tensor<16xf32>, %row: vector<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %c0 = arith.constant 0 : index
  %0 = vector.transfer_write %row, %tile[%c0] {in_bounds = [true]} : vector<16xf32>, tensor<16xf32>
  return %tile, %0 : tensor<16xf32>, tensor<16xf32>
}
