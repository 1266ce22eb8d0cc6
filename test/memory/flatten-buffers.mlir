// RUN: heddle-opt %s --heddle-flatten-buffers --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func private @kernel(
// CHECK-SAME:    %[[CONTEXT:[^:]*]]: memref<1xi8>, %[[BASE:[^:]*]]: memref<1xi8>, %[[OFFSET:[^:]*]]: index, %[[ROWS:[^:]*]]: index,
// CHECK-SAME:    %[[TABLE:[^:]*]]: memref<1xi8>, %[[TABLE_OFFSET:[^:]*]]: index, %[[COUNT:[^:]*]]: index)
// CHECK-DAG:     %[[X:.*]] = memref.view %[[BASE]][%[[OFFSET]]][%[[ROWS]]] : memref<1xi8> to memref<?x32xf32>
// CHECK-DAG:     %[[T:.*]] = memref.view %[[TABLE]][%[[TABLE_OFFSET]]][] : memref<1xi8> to memref<32xf32>
// CHECK:         memref.load %[[X]][%[[COUNT]], %[[COUNT]]]
// CHECK:         memref.store %{{.*}}, %[[T]]
func.func private @kernel(%x: memref<?x32xf32>, %table: memref<32xf32>, %count: index) {
  %value = memref.load %x[%count, %count] : memref<?x32xf32>
  memref.store %value, %table[%count] : memref<32xf32>
  return
}

// An entry is on raw bases already; it gets the context and hands it on.
// CHECK-LABEL: func.func @entry(
// CHECK-SAME:    %[[CONTEXT:[^:]*]]: memref<1xi8>, %[[SOURCE:[^:]*]]: memref<1xi8>, %[[WEIGHTS:[^:]*]]: memref<1xi8>, %[[N:[^:]*]]: index)
// CHECK:         %[[ZERO:.*]] = arith.constant 0
// CHECK:         %[[PLACE:.*]] = arith.constant 512
// CHECK:         call @kernel(%[[CONTEXT]], %[[SOURCE]], %[[ZERO]], %[[N]], %[[WEIGHTS]], %[[PLACE]], %[[N]])
func.func @entry(%source: memref<1xi8>, %weights: memref<1xi8>, %n: index) attributes {heddle.entry} {
  %zero = arith.constant 0 : index
  %place = arith.constant 512 : index
  %x = memref.view %source[%zero][%n] : memref<1xi8> to memref<?x32xf32>
  %table = memref.view %weights[%place][] : memref<1xi8> to memref<32xf32>
  call @kernel(%x, %table, %n) : (memref<?x32xf32>, memref<32xf32>, index) -> ()
  return
}

// A view whose axes are merged, or whose static extent is forgotten, is the same bytes.
// CHECK-LABEL: func.func @merged_axes(
// CHECK-SAME:    %[[CONTEXT:[^:]*]]: memref<1xi8>, %[[SOURCE:[^:]*]]: memref<1xi8>, %[[WEIGHTS:[^:]*]]: memref<1xi8>, %[[B:[^:]*]]: index, %[[S:[^:]*]]: index)
// CHECK:         %[[ROWS:.*]] = arith.muli %[[B]], %[[S]]
// CHECK:         call @kernel(%[[CONTEXT]], %[[SOURCE]], %{{.*}}, %[[ROWS]], %[[WEIGHTS]],
// CHECK:         %[[EIGHT:.*]] = arith.constant 8
// CHECK:         call @kernel(%[[CONTEXT]], %[[SOURCE]], %{{.*}}, %[[EIGHT]], %[[WEIGHTS]],
func.func @merged_axes(%source: memref<1xi8>, %weights: memref<1xi8>, %b: index, %s: index) attributes {heddle.entry} {
  %zero = arith.constant 0 : index
  %view = memref.view %source[%zero][%b, %s] : memref<1xi8> to memref<?x?x32xf32>
  %x = memref.collapse_shape %view [[0, 1], [2]] : memref<?x?x32xf32> into memref<?x32xf32>
  %table = memref.view %weights[%zero][] : memref<1xi8> to memref<32xf32>
  call @kernel(%x, %table, %s) : (memref<?x32xf32>, memref<32xf32>, index) -> ()
  %fixed = memref.view %source[%zero][] : memref<1xi8> to memref<8x32xf32>
  %forgotten = memref.cast %fixed : memref<8x32xf32> to memref<?x32xf32>
  call @kernel(%forgotten, %table, %s) : (memref<?x32xf32>, memref<32xf32>, index) -> ()
  return
}

// -----

func.func private @kernel(%x: memref<?xf32>) {
  return
}

func.func @no_flatten_part(%source: memref<1xi8>, %n: index) attributes {heddle.entry} {
  %zero = arith.constant 0 : index
  %view = memref.view %source[%zero][%n] : memref<1xi8> to memref<?xf32>
  %part = memref.subview %view[0] [%n] [1] : memref<?xf32> to memref<?xf32>
  // expected-error @+1 {{operand 0 is not a whole view of an argument; kernels take whole buffers and slice inside}}
  call @kernel(%part) : (memref<?xf32>) -> ()
  return
}

// -----

// expected-error @+1 {{expected argument 0 to be a buffer without layout and memory space, got 'memref<?xf32, strided<[?]>>'}}
func.func private @no_flatten_layout(%x: memref<?xf32, strided<[?]>>) {
  return
}

// -----

// expected-error @+1 {{returns a buffer; expected the result in a destination argument}}
func.func private @no_flatten_result(%x: memref<?xf32>) -> memref<?xf32> {
  return %x : memref<?xf32>
}

// -----

func.func @entry(%n: index) attributes {heddle.entry} {
  return
}
func.func private @no_flatten_entry_call(%n: index) {
  // expected-error @+1 {{calls the entry 'entry'; expected a kernel}}
  call @entry(%n) : (index) -> ()
  return
}
