// RUN: heddle-opt %s --heddle-plan-arena --split-input-file --verify-diagnostics | FileCheck %s

// Three buffers of 128, 384 and 128 bytes a token, each used by two calls: the first is dead when the third is made, which takes its place.
// The arena is 512 bytes a token; the plan is written into the model's attribute.
#entry = {name = "chain", documentation = "", arguments = [], results = [], bytes = [], calls = [], arena = [], dimensions = [
  {name = "batch", kind = 0, of = -1, bound = 0}, {name = "sequence", kind = 1, of = 0, bound = 0}, {name = "tokens", kind = 2, of = 1, bound = 0}]}
// CHECK: arena = [{coefficient = 512 : i64, dimensions = [2]}]
module attributes {heddle.model = {name = "", documentation = "", section_bytes = 0, entries = [#entry], kernels = [], weights = [], tokenizers = [], tasks = []}} {
  func.func private @kernel(memref<?x?xf32>, memref<?x?xf32>)
  // CHECK-LABEL: func.func @chain(
  // CHECK-SAME:    %[[SOURCE:[^:]*]]: memref<1xi8>, %[[SECTION:[^:]*]]: memref<1xi8>, %[[ARENA:[^:]*]]: memref<1xi8>,
  // CHECK-SAME:    %{{[^:]*}}: index, %{{[^:]*}}: index, %[[TOKENS:[^:]*]]: index)
  // CHECK:         %[[C384:.*]] = arith.constant 384
  // CHECK:         %[[BEHIND:.*]] = arith.muli %[[C384]], %[[TOKENS]]
  // CHECK:         %[[A:.*]] = memref.view %[[ARENA]][%[[BEHIND]]][%[[TOKENS]]] : memref<1xi8> to memref<?x32xf32>
  // CHECK:         %[[B:.*]] = memref.view %[[ARENA]][%{{.*}}][%[[TOKENS]]] : memref<1xi8> to memref<?x96xf32>
  // CHECK:         %[[C:.*]] = memref.view %[[ARENA]][%{{.*}}][%[[TOKENS]]] : memref<1xi8> to memref<?x32xf32>
  // CHECK-NOT:     memref.alloc
  func.func @chain(%source: memref<1xi8>, %section: memref<1xi8>, %batch: index, %sequence: index, %tokens: index) attributes {heddle.entry} {
    %a = memref.alloc(%tokens) : memref<?x32xf32>
    %a_any = memref.cast %a : memref<?x32xf32> to memref<?x?xf32>
    %b = memref.alloc(%tokens) : memref<?x96xf32>
    %b_any = memref.cast %b : memref<?x96xf32> to memref<?x?xf32>
    %c = memref.alloc(%tokens) : memref<?x32xf32>
    %c_any = memref.cast %c : memref<?x32xf32> to memref<?x?xf32>
    call @kernel(%a_any, %b_any) : (memref<?x?xf32>, memref<?x?xf32>) -> ()
    call @kernel(%b_any, %c_any) : (memref<?x?xf32>, memref<?x?xf32>) -> ()
    return
  }
}

// -----

// Extents are read from arithmetic: batch * sequence * (sequence + 1) bools, whose place is no multiple of 64 bytes by itself: the buffer behind it is
// rounded up at run time, and the arena has room for that. A buffer that nobody uses has no place. ceil(sequence / 2) is bounded from above.
#entry = {name = "products", documentation = "", arguments = [], results = [], bytes = [], calls = [], arena = [], dimensions = [
  {name = "batch", kind = 0, of = -1, bound = 0}, {name = "sequence", kind = 1, of = 0, bound = 0}]}
// CHECK: arena = [{coefficient = 65 : i64, dimensions = []}, {coefficient = 1 : i64, dimensions = [0, 1]}, {coefficient = 1 : i64, dimensions = [0, 1, 1]},
// CHECK-SAME:     {coefficient = 2 : i64, dimensions = [1]}]
module attributes {heddle.model = {name = "", documentation = "", section_bytes = 0, entries = [#entry], kernels = [], weights = [], tokenizers = [], tasks = []}} {
  func.func private @kernel(memref<?x?x?xi1>, memref<?xf32>)
  // CHECK-LABEL: func.func @products
  // CHECK:         %[[C63:.*]] = arith.constant 63
  // CHECK:         %[[PAST:.*]] = arith.addi %{{.*}}, %[[C63]]
  // CHECK:         %[[MASK:.*]] = arith.constant -64
  // CHECK:         %[[ROUNDED:.*]] = arith.andi %[[PAST]], %[[MASK]]
  // CHECK:         memref.view %{{.*}}[%[[ROUNDED]]]{{.*}} to memref<?xf32>
  func.func @products(%section: memref<1xi8>, %batch: index, %sequence: index) attributes {heddle.entry} {
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %more = arith.addi %sequence, %one : index
    %half = arith.ceildivsi %sequence, %two : index
    %unused = memref.alloc(%sequence) : memref<?xi64>
    %pairs = memref.alloc(%batch, %sequence, %more) : memref<?x?x?xi1>
    %behind = memref.alloc(%half) : memref<?xf32>
    call @kernel(%pairs, %behind) : (memref<?x?x?xi1>, memref<?xf32>) -> ()
    return
  }
}

// -----

// An entry without buffers has an arena of 0 bytes, which is not the same as no plan.
#entry = {name = "nothing", documentation = "", arguments = [], results = [], bytes = [], calls = [], arena = [], dimensions = []}
// CHECK: arena = [{coefficient = 0 : i64, dimensions = []}]
module attributes {heddle.model = {name = "", documentation = "", section_bytes = 0, entries = [#entry], kernels = [], weights = [], tokenizers = [], tasks = []}} {
  // CHECK-LABEL: func.func @nothing(%{{.*}}: memref<1xi8>, %{{.*}}: memref<1xi8>)
  func.func @nothing(%section: memref<1xi8>) attributes {heddle.entry} {
    return
  }
}

// -----

#entry = {name = "no_plan", documentation = "", arguments = [], results = [], bytes = [], calls = [], arena = [], dimensions = [{name = "n", kind = 0, of = -1, bound = 0}]}
module attributes {heddle.model = {name = "", documentation = "", section_bytes = 0, entries = [#entry], kernels = [], weights = [], tokenizers = [], tasks = []}} {
  func.func private @kernel(memref<?xf32>)
  func.func @no_plan(%section: memref<1xi8>, %n: index) attributes {heddle.entry} {
    %rest = arith.remsi %n, %n : index
    // expected-error @+1 {{extent 0 is not a polynomial of the entry's dimensions}}
    %a = memref.alloc(%rest) : memref<?xf32>
    call @kernel(%a) : (memref<?xf32>) -> ()
    return
  }
}

// -----

#entry = {name = "no_plan_overflow", documentation = "", arguments = [], results = [], bytes = [], calls = [], arena = [], dimensions = [{name = "n", kind = 0, of = -1, bound = 0}]}
module attributes {heddle.model = {name = "", documentation = "", section_bytes = 0, entries = [#entry], kernels = [], weights = [], tokenizers = [], tasks = []}} {
  func.func private @kernel(memref<?x4611686018427387904xf32>)
  func.func @no_plan_overflow(%section: memref<1xi8>, %n: index) attributes {heddle.entry} {
    // expected-error @+1 {{bytes of 'memref<?x4611686018427387904xf32>' overflow 64 bits}}
    %a = memref.alloc(%n) : memref<?x4611686018427387904xf32>
    call @kernel(%a) : (memref<?x4611686018427387904xf32>) -> ()
    return
  }
}

// -----

// Each buffer fits, all of them together do not.
#entry = {name = "no_plan_sum", documentation = "", arguments = [], results = [], bytes = [], calls = [], arena = [], dimensions = [{name = "n", kind = 0, of = -1, bound = 0}]}
module attributes {heddle.model = {name = "", documentation = "", section_bytes = 0, entries = [#entry], kernels = [], weights = [], tokenizers = [], tasks = []}} {
  func.func private @kernel(memref<?x2305843009213693951xi16>, memref<?x2305843009213693951xi16>, memref<?x2305843009213693951xi16>)
  // expected-error @+1 {{size of the arena overflows 64 bits}}
  func.func @no_plan_sum(%section: memref<1xi8>, %n: index) attributes {heddle.entry} {
    %a = memref.alloc(%n) : memref<?x2305843009213693951xi16>
    %b = memref.alloc(%n) : memref<?x2305843009213693951xi16>
    %c = memref.alloc(%n) : memref<?x2305843009213693951xi16>
    call @kernel(%a, %b, %c) : (memref<?x2305843009213693951xi16>, memref<?x2305843009213693951xi16>, memref<?x2305843009213693951xi16>) -> ()
    return
  }
}

// -----

#entry = {name = "no_plan_degree", documentation = "", arguments = [], results = [], bytes = [], calls = [], arena = [], dimensions = [{name = "n", kind = 0, of = -1, bound = 0}]}
module attributes {heddle.model = {name = "", documentation = "", section_bytes = 0, entries = [#entry], kernels = [], weights = [], tokenizers = [], tasks = []}} {
  func.func private @kernel(memref<?x?x?x?x?xf32>)
  func.func @no_plan_degree(%section: memref<1xi8>, %n: index) attributes {heddle.entry} {
    // expected-error @+1 {{size is of degree 5 in the entry's dimensions, expected at most 4}}
    %a = memref.alloc(%n, %n, %n, %n, %n) : memref<?x?x?x?x?xf32>
    call @kernel(%a) : (memref<?x?x?x?x?xf32>) -> ()
    return
  }
}

// -----

#entry = {name = "no_plan_arguments", documentation = "", arguments = [], results = [], bytes = [], calls = [], arena = [], dimensions = [{name = "n", kind = 0, of = -1, bound = 0}]}
module attributes {heddle.model = {name = "", documentation = "", section_bytes = 0, entries = [#entry], kernels = [], weights = [], tokenizers = [], tasks = []}} {
  // expected-error @+1 {{expected argument 1 of type 'index', got 'memref<1xi8>'}}
  func.func @no_plan_arguments(%x: memref<1xi8>, %section: memref<1xi8>) attributes {heddle.entry} {
    return
  }
}

// -----

module attributes {heddle.model = {name = "", documentation = "", section_bytes = 0, entries = [], kernels = [], weights = [], tokenizers = [], tasks = []}} {
  // expected-error @+1 {{is an entry that the attribute 'heddle.model' does not list}}
  func.func @no_plan_unknown(%section: memref<1xi8>) attributes {heddle.entry} {
    return
  }
}

// -----

// expected-error @+1 {{expected a whole attribute 'heddle.model'; the linalg stage writes it}}
module {
}
