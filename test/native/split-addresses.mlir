// RUN: heddle-opt %s --heddle-split-addresses | FileCheck %s

// The offset is an expression with a minimum: behind the copy it is a plain value.
// CHECK-LABEL: func.func @offset_of_last_tile
// CHECK:         %[[ROW:.*]] = arith.minsi
// CHECK:         %[[OFFSET:.*]] = arith.muli %[[ROW]]
// CHECK:         %[[WORD:.*]] = arith.index_cast %[[OFFSET]] : index to i64
// CHECK:         %[[COPY:.*]] = llvm.inline_asm asm_dialect = att "", "=r,0" %[[WORD]] : (i64) -> i64
// CHECK:         %[[START:.*]] = arith.index_cast %[[COPY]] : i64 to index
// CHECK:         memref.reinterpret_cast %{{.*}} to offset: [%[[START]]]
func.func @offset_of_last_tile(%x: memref<?x100xf32>, %row: index, %last: index) -> memref<8x100xf32, strided<[100, 1], offset: ?>> {
  %c100 = arith.constant 100 : index
  %first = arith.minsi %row, %last : index
  %offset = arith.muli %first, %c100 : index
  %tile = memref.reinterpret_cast %x to offset: [%offset], sizes: [8, 100], strides: [100, 1]
      : memref<?x100xf32> to memref<8x100xf32, strided<[100, 1], offset: ?>>
  return %tile : memref<8x100xf32, strided<[100, 1], offset: ?>>
}

// CHECK-LABEL: func.func @no_split_constant
// CHECK-NOT:     llvm.inline_asm
func.func @no_split_constant(%x: memref<?x100xf32>) -> memref<8x100xf32, strided<[100, 1], offset: 100>> {
  %tile = memref.reinterpret_cast %x to offset: [100], sizes: [8, 100], strides: [100, 1]
      : memref<?x100xf32> to memref<8x100xf32, strided<[100, 1], offset: 100>>
  return %tile : memref<8x100xf32, strided<[100, 1], offset: 100>>
}
