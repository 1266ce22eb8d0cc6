// RUN: heddle-opt %s --heddle-link-parallel --split-input-file --verify-diagnostics | FileCheck %s

// CHECK:       llvm.func @heddle_parallel(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64)

// CHECK-LABEL: llvm.func internal @heddle_parallel.rows_region0(
// CHECK-SAME:    %[[CONTEXT:.*]]: !llvm.ptr, %[[BASE:.*]]: !llvm.ptr, %[[WIDTH:.*]]: i64, %[[COUNT:.*]]: i64)
// CHECK:         %[[RECORD:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, ptr, i64)>
// CHECK:         llvm.store %[[CONTEXT]]
// CHECK:         llvm.store %[[BASE]]
// CHECK:         %[[FIELD:.*]] = llvm.getelementptr %[[RECORD]][0, 2]
// CHECK:         llvm.store %[[WIDTH]], %[[FIELD]]
// CHECK:         %[[THUNK:.*]] = llvm.mlir.addressof @rows_region0.thunk
// CHECK:         llvm.call @heddle_parallel(%[[CONTEXT]], %[[THUNK]], %[[RECORD]], %[[COUNT]])
llvm.func @heddle_parallel.rows_region0(!llvm.ptr, !llvm.ptr, i64, i64)

llvm.func @rows_region0(%context: !llvm.ptr, %base: !llvm.ptr, %width: i64, %begin: i64, %end: i64) {
  llvm.return
}

// CHECK-LABEL: llvm.func internal @rows_region0.thunk(
// CHECK-SAME:    %[[CAPTURED:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64)
// CHECK:         %[[C:.*]] = llvm.load
// CHECK:         %[[B:.*]] = llvm.load
// CHECK:         %[[F:.*]] = llvm.getelementptr %[[CAPTURED]][0, 2]
// CHECK:         %[[W:.*]] = llvm.load %[[F]] : !llvm.ptr -> i64
// CHECK:         llvm.call @rows_region0(%[[C]], %[[B]], %[[W]], %[[BEGIN]], %[[END]])

llvm.func @kernel(%context: !llvm.ptr, %base: !llvm.ptr, %width: i64) {
  %count = llvm.mlir.constant(7 : i64) : i64
  // CHECK: llvm.call @heddle_parallel.rows_region0
  llvm.call @heddle_parallel.rows_region0(%context, %base, %width, %count) : (!llvm.ptr, !llvm.ptr, i64, i64) -> ()
  llvm.return
}

// -----

// A function with a body is nobody's declaration.
// CHECK-LABEL: llvm.func @heddle_parallel.no_link_body
// CHECK-NEXT:    llvm.return
llvm.func @heddle_parallel.no_link_body() {
  llvm.return
}

// -----

// expected-error @+1 {{has no region 'no_link_missing'}}
llvm.func @heddle_parallel.no_link_missing(!llvm.ptr, i64)

// -----

// expected-error @+1 {{expected the context first and a count of tasks last}}
llvm.func @heddle_parallel.no_link_count(!llvm.ptr, !llvm.ptr)

// -----

// expected-error @+1 {{and its region 'no_link_types' differ: expected the captured values, then begin and end}}
llvm.func @heddle_parallel.no_link_types(!llvm.ptr, i64)
llvm.func @no_link_types(%context: !llvm.ptr, %begin: i64) {
  llvm.return
}
