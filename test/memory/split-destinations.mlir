// RUN: heddle-opt %s --heddle-split-destinations | FileCheck %s

func.func private @kernel(%in: tensor<?x32xf32>, %out: tensor<?x32xf32>, %rows: index) -> tensor<?x32xf32>

// CSE left one tensor.empty; each call gets its own, right before it, so that the first result may die before the second is written.
// CHECK-LABEL: func.func @two_calls
// CHECK:         %[[FIRST:.*]] = tensor.empty(%[[ROWS:.*]]) : tensor<?x32xf32>
// CHECK-NEXT:    %[[A:.*]] = call @kernel(%{{.*}}, %[[FIRST]], %[[ROWS]])
// CHECK-NEXT:    %[[SECOND:.*]] = tensor.empty(%[[ROWS]]) : tensor<?x32xf32>
// CHECK-NEXT:    call @kernel(%[[A]], %[[SECOND]], %[[ROWS]])
func.func @two_calls(%source: memref<1xi8>, %rows: index) attributes {heddle.entry} {
  %zero = arith.constant 0 : index
  %empty = tensor.empty(%rows) : tensor<?x32xf32>
  %view = memref.view %source[%zero][%rows] : memref<1xi8> to memref<?x32xf32>
  %x = bufferization.to_tensor %view restrict : memref<?x32xf32> to tensor<?x32xf32>
  %a = call @kernel(%x, %empty, %rows) : (tensor<?x32xf32>, tensor<?x32xf32>, index) -> tensor<?x32xf32>
  %b = call @kernel(%a, %empty, %rows) : (tensor<?x32xf32>, tensor<?x32xf32>, index) -> tensor<?x32xf32>
  return
}

// Kernels reuse a tile on purpose.
// CHECK-LABEL: func.func private @no_split_kernel
// CHECK-COUNT-1: tensor.empty
// CHECK-NOT:     tensor.empty
func.func private @no_split_kernel(%zero: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %tile = tensor.empty() : tensor<8xf32>
  %a = linalg.fill ins(%zero : f32) outs(%tile : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.fill ins(%zero : f32) outs(%tile : tensor<8xf32>) -> tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}
