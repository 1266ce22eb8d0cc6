// RUN: heddle-opt %s --heddle-verify-memory --split-input-file --verify-diagnostics

module attributes {heddle.model = {name = "", documentation = "", section_bytes = 0, entries = [
    {name = "good", documentation = "", dimensions = [], arguments = [], results = [], bytes = [], calls = [], arena = [{coefficient = 0, dimensions = []}]}],
    kernels = [], weights = [], tokenizers = [], tasks = []}} {
  func.func private @heddle_parallel.kernel.region0(memref<1xi8>, vector<16xf32>, index)
  func.func private @kernel.region0(%context: memref<1xi8>, %captured: vector<16xf32>, %begin: index, %end: index) {
    %tile = memref.alloca() : memref<65536xf32>
    return
  }
  func.func private @kernel(%context: memref<1xi8>, %base: memref<1xi8>, %offset: index) {
    return
  }
  func.func @good(%context: memref<1xi8>, %section: memref<1xi8>, %arena: memref<1xi8>) attributes {heddle.entry} {
    return
  }
}

// -----

module attributes {heddle.model = {name = "", documentation = "", section_bytes = 0, entries = [
    {name = "no_verify_arena", documentation = "", dimensions = [], arguments = [], results = [], bytes = [], calls = [], arena = []}],
    kernels = [], weights = [], tokenizers = [], tasks = []}} {
  // expected-error @+1 {{is an entry whose arena nobody has planned}}
  func.func @no_verify_arena(%context: memref<1xi8>, %section: memref<1xi8>) attributes {heddle.entry} {
    return
  }
  // expected-error @+1 {{expected the run-time context as first argument, got 'index'}}
  func.func private @no_verify_context(%n: index) {
    return
  }
  // expected-error @+1 {{expected the run-time context as first argument, got none}}
  func.func private @no_verify_arguments() {
    return
  }
  // expected-error @+1 {{expected argument 1 to be a raw base or an index, got 'memref<8xf32>'}}
  func.func private @no_verify_argument(%context: memref<1xi8>, %x: memref<8xf32>) {
    return
  }
  func.func private @heddle_parallel.no_verify_captured(memref<1xi8>, index)
  // expected-error @+1 {{expected argument 1 to be one pointer, got 'memref<?xf32>'}}
  func.func private @no_verify_captured(%context: memref<1xi8>, %x: memref<?xf32>, %begin: index, %end: index) {
    return
  }
  // expected-error @+1 {{returns 'index', expected nothing}}
  func.func private @no_verify_result(%context: memref<1xi8>, %n: index) -> index {
    return %n : index
  }
  // expected-error @+1 {{has stack buffers of 1048580 bytes, expected at most 1048576}}
  func.func private @no_verify_stack(%context: memref<1xi8>) {
    %a = memref.alloca() : memref<512x512xf32>
    %b = memref.alloca() : memref<f32>
    return
  }
  func.func private @no_verify_operations(%context: memref<1xi8>, %base: memref<1xi8>, %n: index) {
    // expected-error @+1 {{has a tensor, expected buffers}}
    %t = tensor.empty() : tensor<8xf32>
    // expected-error @+1 {{allocates 'memref<8xf32>' at run time; expected a view of the arena or a stack buffer of static shape}}
    %a = memref.alloc() : memref<8xf32>
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %f = arith.constant 0.0 : f32
    %x = memref.view %base[%zero][] : memref<1xi8> to memref<8xf32>
    %y = memref.view %base[%n][] : memref<1xi8> to memref<8xf32>
    // expected-error @+1 {{is left by the memory stage}}
    memref.copy %x, %y : memref<8xf32> to memref<8xf32>
    // expected-error @+1 {{is left by the memory stage}}
    linalg.fill ins(%f : f32) outs(%x : memref<8xf32>)
    // expected-error @+1 {{is left by the memory stage}}
    scf.forall (%i) in (%n) {
    }
    scf.for %i = %zero to %n step %one {
      // expected-error @+1 {{expected a static shape and a place in the first block of its function, where the stack cannot grow}}
      %b = memref.alloca() : memref<8xf32>
    }
    return
  }
}

// -----

// expected-error @+1 {{expected a whole attribute 'heddle.model'; the linalg stage writes it}}
module {
}
