// RUN: heddle-opt %s --heddle-verify-linalg --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a whole attribute 'heddle.model'; the linalg stage writes it}}
module {
}

// -----
module attributes {heddle.model = {name = "m", documentation = "", section_bytes = 0 : i64, entries = [], kernels = [], weights = [], tokenizers = [], tasks = []}} {
  // expected-error @+1 {{after the linalg stage: expected the output as last tensor argument}}
  func.func private @kernel(%x: tensor<4xf32>, %n: index) -> tensor<8xf32> {
    %0 = tensor.empty() : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----
module attributes {heddle.model = {name = "m", documentation = "", section_bytes = 0 : i64, entries = [], kernels = [], weights = [], tokenizers = [], tasks = []}} {
  func.func private @kernel(%out: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+2 {{after the linalg stage: an op of heddle is left}}
    // expected-error @+1 {{after the linalg stage: a type of heddle is left}}
    %m = heddle.mask_causal
    return %out : tensor<4xf32>
  }
}

// -----
module attributes {heddle.model = {name = "m", documentation = "", section_bytes = 0 : i64, entries = [], kernels = [], weights = [], tokenizers = [], tasks = []}} {
  func.func @entry(%x: memref<1xi8>, %n: index) attributes {heddle.entry} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{after the linalg stage: expected a straight list of calls}}
    scf.for %i = %c0 to %n step %c1 {
    }
    return
  }
}
