// RUN: heddle-opt %s --heddle-link-entries --split-input-file --verify-diagnostics | FileCheck %s

// The i-th pointer after the context comes from buffers[i], the j-th integer from dimensions[j].
// CHECK-LABEL: llvm.func @body.encode(
// CHECK-SAME:    %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK-NOT:     heddle.entry
// CHECK:       llvm.func @entry.encode(%[[CONTEXT:.*]]: !llvm.ptr, %[[BUFFERS:.*]]: !llvm.ptr, %[[DIMENSIONS:.*]]: !llvm.ptr)
// CHECK-SAME:    heddle.entry
// CHECK:         %[[P0:.*]] = llvm.getelementptr %[[BUFFERS]][0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK:         %[[BUFFER0:.*]] = llvm.load %[[P0]]
// CHECK:         %[[D0:.*]] = llvm.getelementptr %[[DIMENSIONS]][0] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK:         %[[BATCH:.*]] = llvm.load %[[D0]]
// CHECK:         %[[P1:.*]] = llvm.getelementptr %[[BUFFERS]][1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK:         %[[BUFFER1:.*]] = llvm.load %[[P1]]
// CHECK:         llvm.call @body.encode(%[[CONTEXT]], %[[BUFFER0]], %[[BATCH]], %[[BUFFER1]])
llvm.func @encode(%context: !llvm.ptr, %tokens: !llvm.ptr, %batch: i64, %result: !llvm.ptr) attributes {heddle.entry} {
  llvm.return
}

// -----

// An entry may have any name: none of its functions keeps it.
// CHECK-LABEL: llvm.func @body.memset
// CHECK:       llvm.func @entry.memset
llvm.func @memset(%context: !llvm.ptr) attributes {heddle.entry} {
  llvm.return
}

// -----

// Functions without the attribute stay.
// CHECK-LABEL: llvm.func @kernel(
// CHECK-NOT:   entry.kernel
llvm.func @kernel(%size: i64) {
  llvm.return
}

// -----

// expected-error @+1 {{is an entry with a parameter of type 'f32', expected a pointer or i64}}
llvm.func @no_link_float(%context: !llvm.ptr, %x: f32) attributes {heddle.entry} {
  llvm.return
}

// -----

// expected-error @+1 {{is an entry whose first parameter is not the pointer of the context}}
llvm.func @no_link_without_context(%batch: i64) attributes {heddle.entry} {
  llvm.return
}

// -----

// expected-error @+1 {{is an entry and returns a value, expected none}}
llvm.func @no_link_result(%context: !llvm.ptr) -> i64 attributes {heddle.entry} {
  %zero = llvm.mlir.constant(0 : i64) : i64
  llvm.return %zero : i64
}

// -----

llvm.func @entry.encode()
// expected-error @+1 {{needs the symbol 'entry.encode', which is taken}}
llvm.func @encode(%context: !llvm.ptr) attributes {heddle.entry} {
  llvm.return
}

// -----

// Each call of a kernel that the description lists is announced, other calls are not. A model may call its entry as the runtime calls its function.
#work = {flops = [], bytes = [], pair_flops = 0, queries = -1, keys = -1, left = 0, right = 0}
// CHECK:       llvm.func @heddle_mark(!llvm.ptr, i64)
// CHECK-LABEL: llvm.func @body.heddle_mark(
// CHECK-SAME:    %[[CONTEXT:.*]]: !llvm.ptr)
// CHECK:         %[[FIRST:.*]] = llvm.mlir.constant(0 : i64)
// CHECK-NEXT:    llvm.call @heddle_mark(%[[CONTEXT]], %[[FIRST]])
// CHECK-NEXT:    llvm.call @kernel(
// CHECK-NEXT:    llvm.call @other(
// CHECK-NEXT:    %[[SECOND:.*]] = llvm.mlir.constant(1 : i64)
// CHECK-NEXT:    llvm.call @heddle_mark(%[[CONTEXT]], %[[SECOND]])
// CHECK-NEXT:    llvm.call @kernel(
module attributes {heddle.model = {name = "m", documentation = "", section_bytes = 0, kernels = [], weights = [], tokenizers = [], tasks = [], entries = [
    {name = "heddle_mark", documentation = "", dimensions = [], arguments = [], results = [], arena = [], bytes = [], calls = [
      {kernel = "kernel", place = "m.heddle:1:1", work = #work}, {kernel = "kernel", place = "m.heddle:2:1", work = #work}]}]}} {
  llvm.func @kernel(%context: !llvm.ptr) {
    llvm.return
  }
  llvm.func @other(%context: !llvm.ptr) {
    llvm.return
  }
  llvm.func @heddle_mark(%context: !llvm.ptr) attributes {heddle.entry} {
    llvm.call @kernel(%context) : (!llvm.ptr) -> ()
    llvm.call @other(%context) : (!llvm.ptr) -> ()
    llvm.call @kernel(%context) : (!llvm.ptr) -> ()
    llvm.return
  }
}

// -----

#work = {flops = [], bytes = [], pair_flops = 0, queries = -1, keys = -1, left = 0, right = 0}
module attributes {heddle.model = {name = "m", documentation = "", section_bytes = 0, kernels = [], weights = [], tokenizers = [], tasks = [], entries = [
    {name = "forward", documentation = "", dimensions = [], arguments = [], results = [], arena = [], bytes = [], calls = [
      {kernel = "kernel", place = "m.heddle:1:1", work = #work}]}]}} {
  // expected-error @+1 {{does not call 'kernel' where its description says so}}
  llvm.func @forward(%context: !llvm.ptr) attributes {heddle.entry} {
    llvm.return
  }
}
