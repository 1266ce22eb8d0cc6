// RUN: heddle-opt %s --heddle-map-stack | FileCheck %s

// A buffer of a loop is made once, before the loop: the stack must not grow with the number of rounds.
// CHECK-LABEL: func.func private @loop
// CHECK-NEXT:    %[[TILE:.*]] = memref.alloca() {alignment = 64 : i64} : memref<8x32xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         scf.for
// CHECK-NEXT:      memref.store %{{.*}}, %[[TILE]]
func.func private @loop(%x: f32, %begin: index, %end: index, %step: index) {
  scf.for %i = %begin to %end step %step {
    %tile = memref.alloc() {alignment = 64 : i64} : memref<8x32xf32>
    memref.store %x, %tile[%begin, %begin] : memref<8x32xf32>
  }
  return
}

// The branches of a choice never run one inside the other: their tiles of one type share a place. A tile of another type has its own.
// CHECK-LABEL: func.func private @branches
// CHECK-COUNT-2: memref.alloca() {alignment = 64 : i64} : memref<{{8|4}}xf32>
// CHECK-NOT:     alloc
// CHECK:         scf.if
// CHECK:           memref.store %{{.*}}, %[[TILE:.*]][
// CHECK:         else
// CHECK:           memref.store %{{.*}}, %[[TILE]][
func.func private @branches(%x: f32, %i: index, %which: i1) {
  scf.if %which {
    %tile = memref.alloc() : memref<8xf32>
    memref.store %x, %tile[%i] : memref<8xf32>
  } else {
    %tile = memref.alloc() : memref<8xf32>
    memref.store %x, %tile[%i] : memref<8xf32>
    %other = memref.alloc() : memref<4xf32>
    memref.store %x, %other[%i] : memref<4xf32>
  }
  return
}

// A buffer that is alive around a loop is not the loop's.
// CHECK-LABEL: func.func private @no_share_nested
// CHECK-COUNT-2: memref.alloca() {alignment = 64 : i64} : memref<8xf32>
func.func private @no_share_nested(%x: f32, %begin: index, %end: index, %step: index) {
  %around = memref.alloc() : memref<8xf32>
  scf.for %i = %begin to %end step %step {
    %tile = memref.alloc() : memref<8xf32>
    memref.store %x, %tile[%i] : memref<8xf32>
    %y = memref.load %around[%i] : memref<8xf32>
    memref.store %y, %tile[%i] : memref<8xf32>
  }
  return
}

// A buffer that leaves its branch lives on, so the other branch's buffer cannot be in its place later.
// CHECK-LABEL: func.func private @no_share_escape
// CHECK-COUNT-2: memref.alloca() {alignment = 64 : i64} : memref<8xf32>
func.func private @no_share_escape(%x: f32, %i: index, %which: i1) -> f32 {
  %chosen = scf.if %which -> memref<8xf32> {
    %tile = memref.alloc() : memref<8xf32>
    memref.store %x, %tile[%i] : memref<8xf32>
    scf.yield %tile : memref<8xf32>
  } else {
    %tile = memref.alloc() : memref<8xf32>
    scf.yield %tile : memref<8xf32>
  }
  %y = memref.load %chosen[%i] : memref<8xf32>
  return %y : f32
}

// CHECK-LABEL: func.func private @no_map_dynamic
// CHECK:         memref.alloc(%{{.*}}) : memref<?xf32>
func.func private @no_map_dynamic(%x: f32, %i: index) {
  %buffer = memref.alloc(%i) : memref<?xf32>
  memref.store %x, %buffer[%i] : memref<?xf32>
  return
}

// The arena holds an entry's buffers.
// CHECK-LABEL: func.func @no_map_entry
// CHECK:         memref.alloc() : memref<8xf32>
func.func @no_map_entry(%x: f32, %i: index) attributes {heddle.entry} {
  %buffer = memref.alloc() : memref<8xf32>
  memref.store %x, %buffer[%i] : memref<8xf32>
  return
}
