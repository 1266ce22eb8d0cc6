// RUN: heddle-opt %s --heddle-outline-parallel --split-input-file --verify-diagnostics | FileCheck %s

// What the region uses from around it is made again inside, so that only arguments are captured: the context, always first, then base and sizes.
// CHECK-LABEL: func.func private @heddle_parallel.rows.region0(memref<1xi8>, index, memref<1xi8>, index)
// CHECK-LABEL: func.func private @rows.region0(
// CHECK-SAME:    %{{[^:]*}}: memref<1xi8>, %[[N:[^:]*]]: index, %[[BASE:[^:]*]]: memref<1xi8>, %[[BEGIN:[^:]*]]: index, %[[END:[^:]*]]: index) {
// CHECK:         %[[ZERO:.*]] = arith.constant 0.0
// CHECK:         %[[VIEW:.*]] = memref.view %[[BASE]][%{{.*}}][%[[N]]]
// CHECK:         scf.for %[[TASK:.*]] = %[[BEGIN]] to %[[END]] step %{{.*}} {
// CHECK-NEXT:      memref.store %[[ZERO]], %[[VIEW]][%[[TASK]]]
// CHECK-LABEL: func.func private @rows(
// CHECK-SAME:    %[[CONTEXT:[^:]*]]: memref<1xi8>, %[[BASE:[^:]*]]: memref<1xi8>, %[[N:[^:]*]]: index)
// CHECK:         %[[COUNT:.*]] = arith.maxsi %[[N]]
// CHECK:         call @heddle_parallel.rows.region0(%[[CONTEXT]], %[[N]], %[[BASE]], %[[COUNT]])
// CHECK-NEXT:    return
func.func private @rows(%context: memref<1xi8>, %base: memref<1xi8>, %n: index) {
  %zero = arith.constant 0.0 : f32
  %start = arith.constant 0 : index
  %view = memref.view %base[%start][%n] : memref<1xi8> to memref<?xf32>
  scf.forall (%i) in (%n) {
    memref.store %zero, %view[%i] : memref<?xf32>
  }
  return
}

// -----

// Tasks of a grid are numbered row by row: task = (i * 3 + j) * m + k.
// CHECK-LABEL: func.func private @grid.region0(
// CHECK-SAME:    %{{[^:]*}}: memref<1xi8>, %{{[^:]*}}: index, %[[M:[^:]*]]: index,
// CHECK-DAG:     %[[THREE:.*]] = arith.constant 3
// CHECK-DAG:     %[[MS:.*]] = arith.maxsi %[[M]]
// CHECK:         scf.for %[[TASK:[^ ]*]] =
// CHECK:           %[[K:.*]] = arith.remui %[[TASK]], %[[MS]]
// CHECK:           %[[REST:.*]] = arith.divui %[[TASK]], %[[MS]]
// CHECK:           %[[J:.*]] = arith.remui %[[REST]], %[[THREE]]
// CHECK:           %[[I:.*]] = arith.divui %[[REST]], %[[THREE]]
// CHECK:           memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]], %[[K]]]
// CHECK-LABEL: func.func private @grid(
// CHECK:         %[[NT:.*]] = arith.muli %{{.*}}, %[[T:.*]] :
// CHECK:         %[[COUNT:.*]] = arith.muli %[[NT]], %{{.*}} :
// CHECK:         call @heddle_parallel.grid.region0(%{{.*}}, %[[COUNT]])
func.func private @grid(%context: memref<1xi8>, %base: memref<1xi8>, %n: index, %m: index) {
  %zero = arith.constant 0.0 : f32
  %start = arith.constant 0 : index
  %view = memref.view %base[%start][%n, %m] : memref<1xi8> to memref<?x3x?xf32>
  scf.forall (%i, %j, %k) in (%n, 3, %m) {
    memref.store %zero, %view[%i, %j, %k] : memref<?x3x?xf32>
  }
  return
}

// -----

// Bounds that do not start at 0 or step by 1: (n - 4) / 2 tasks, rounded up; index = 4 + 2 * task.
// CHECK-LABEL: func.func private @stepped.region0(
// CHECK:         scf.for %[[TASK:[^ ]*]] =
// CHECK:           %[[SCALED:.*]] = arith.muli %[[TASK]], %{{.*}} :
// CHECK:           %[[I:.*]] = arith.addi %[[SCALED]], %{{.*}} :
// CHECK:           memref.store %{{.*}}, %{{.*}}[%[[I]]]
// CHECK-LABEL: func.func private @stepped(
// CHECK:         %[[LENGTH:.*]] = arith.subi %{{.*}}, %{{.*}} :
// CHECK:         %[[TASKS:.*]] = arith.ceildivsi %[[LENGTH]], %{{.*}} :
// CHECK:         %[[COUNT:.*]] = arith.maxsi %[[TASKS]],
func.func private @stepped(%context: memref<1xi8>, %base: memref<1xi8>, %n: index) {
  %zero = arith.constant 0.0 : f32
  %start = arith.constant 0 : index
  %view = memref.view %base[%start][%n] : memref<1xi8> to memref<?xf32>
  scf.forall (%i) = (4) to (%n) step (2) {
    memref.store %zero, %view[%i] : memref<?xf32>
  }
  return
}

// -----

// A read of a buffer that the function never writes is made again inside; a read of one that it does write is captured as a value.
// CHECK-LABEL: func.func private @reads.region0(
// CHECK-SAME:    %{{[^:]*}}: memref<1xi8>, %[[N:[^:]*]]: index, %[[CAPTURED:[^:]*]]: f32, %[[IN:[^:]*]]: memref<1xi8>, %{{[^:]*}}: memref<1xi8>,
// CHECK:         %[[BIAS:.*]] = vector.transfer_read
// CHECK:         scf.for
// CHECK-NOT:       transfer_read
// CHECK:           vector.broadcast %[[CAPTURED]]
func.func private @reads(%context: memref<1xi8>, %in: memref<1xi8>, %out: memref<1xi8>, %n: index) {
  %zero = arith.constant 0.0 : f32
  %start = arith.constant 0 : index
  %bias = memref.view %in[%start][] : memref<1xi8> to memref<16xf32>
  %result = memref.view %out[%start][%n] : memref<1xi8> to memref<?x16xf32>
  %row = vector.transfer_read %bias[%start], %zero {in_bounds = [true]} : memref<16xf32>, vector<16xf32>
  %first = memref.load %result[%start, %start] : memref<?x16xf32>
  scf.forall (%i) in (%n) {
    %firsts = vector.broadcast %first : f32 to vector<16xf32>
    %sum = arith.addf %row, %firsts : vector<16xf32>
    vector.transfer_write %sum, %result[%i, %start] {in_bounds = [true]} : vector<16xf32>, memref<?x16xf32>
  }
  return
}

// -----

// A kernel may have several regions, in branches too; a loop inside a region is serial.
// CHECK-LABEL: func.func private @several.region0(
// CHECK:         scf.for
// CHECK-NOT:     scf.forall
// CHECK:         scf.for
// CHECK-LABEL: func.func private @several.region1(
// CHECK-LABEL: func.func private @several(
// CHECK:         scf.if
// CHECK-NEXT:      %{{.*}} = arith.constant
// CHECK:           call @heddle_parallel.several.region0(
// CHECK:         call @heddle_parallel.several.region1(
func.func private @several(%context: memref<1xi8>, %base: memref<1xi8>, %n: index, %which: i1) {
  %zero = arith.constant 0.0 : f32
  %start = arith.constant 0 : index
  %view = memref.view %base[%start][%n] : memref<1xi8> to memref<?xf32>
  scf.if %which {
    scf.forall (%i) in (%n) {
      scf.forall (%j) in (%n) {
        memref.store %zero, %view[%j] : memref<?xf32>
      }
    }
  }
  scf.forall (%i) in (%n) {
    memref.store %zero, %view[%i] : memref<?xf32>
  }
  return
}

// -----

// expected-error @+1 {{has parallel loops, expected the run-time context as first argument}}
func.func private @no_outline_context(%n: index) {
  scf.forall (%i) in (%n) {
  }
  return
}

// -----

func.func private @no_outline_tensor(%context: memref<1xi8>, %x: tensor<?xf32>, %n: index) {
  // expected-error @+1 {{has tensors as results; expected buffers}}
  %y = scf.forall (%i) in (%n) shared_outs(%o = %x) -> tensor<?xf32> {
  }
  return
}

// -----

func.func private @no_outline_buffer(%context: memref<1xi8>, %n: index) {
  %zero = arith.constant 0.0 : f32
  %buffer = memref.alloc(%n) : memref<?xf32>
  // expected-error @+1 {{needs a buffer of type 'memref<?xf32>' from around it, which is neither an argument nor of static shape}}
  scf.forall (%i) in (%n) {
    memref.store %zero, %buffer[%i] : memref<?xf32>
  }
  return
}
