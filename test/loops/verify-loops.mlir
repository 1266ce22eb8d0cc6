// RUN: heddle-opt %s --heddle-verify-loops --split-input-file --verify-diagnostics

func.func @good(%x: vector<16xf32>, %y: vector<32xf32>, %z: vector<32xi1>) -> vector<16xf32> {
  %0 = math.fma %x, %x, %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// -----

func.func @fast_math(%x: f32) -> f32 {
  // expected-error @+1 {{has fast-math flags, which the arithmetic contract excludes}}
  %0 = arith.addf %x, %x fastmath<contract> : f32
  return %0 : f32
}

// -----

func.func @too_wide(%x: f32) {
  // expected-error @+1 {{has a value of type 'vector<48xf32>'; expected vectors of one dimension and at most 32 lanes}}
  %0 = vector.broadcast %x : f32 to vector<48xf32>
  return
}

// -----

func.func @two_dimensions(%x: f32) {
  // expected-error @+1 {{has a value of type 'vector<8x16xf32>'; expected vectors of one dimension}}
  %0 = vector.broadcast %x : f32 to vector<8x16xf32>
  return
}

// -----

func.func @reduction(%x: vector<16xf32>) -> f32 {
  // expected-error @+1 {{leaves the order of its additions to the target; expected lanes and a written-out tree}}
  %0 = vector.reduction <add>, %x : vector<16xf32> into f32
  return %0 : f32
}

// -----

func.func @vector_fma(%x: vector<16xf32>) -> vector<16xf32> {
  // expected-error @+1 {{rounds twice on some targets; expected math.fma}}
  %0 = vector.fma %x, %x, %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// -----

#mn = affine_map<(m, n) -> (m, n)>
func.func @static_tile(%x: tensor<1x64xf32>, %out: tensor<1x64xf32>) -> tensor<1x64xf32> {
  // expected-error @+1 {{is a static tile left to scalar loops; expected vectors}}
  %result = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x64xf32>) outs(%out : tensor<1x64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.mulf %a, %a : f32
      linalg.yield %0 : f32
  } -> tensor<1x64xf32>
  return %result : tensor<1x64xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @long_product(%x: tensor<?x513xf32>, %panel: tensor<513x?xf32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{is a product left to scalar loops, over more than a block of 512 k}}
  %product = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %panel : tensor<?x513xf32>, tensor<513x?xf32>) outs(%out : tensor<?x?xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %next = math.fma %a, %b, %c : f32
      linalg.yield %next : f32
  } -> tensor<?x?xf32>
  return %product : tensor<?x?xf32>
}

// -----

// Truth values have no vector layout in memory: who touches them may stay.
#mn = affine_map<(m, n) -> (m, n)>
func.func @truth(%x: tensor<1x64xi1>, %out: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %result = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x64xi1>) outs(%out : tensor<1x64xf32>) {
    ^bb0(%a: i1, %o: f32):
      %0 = arith.uitofp %a : i1 to f32
      linalg.yield %0 : f32
  } -> tensor<1x64xf32>
  return %result : tensor<1x64xf32>
}
