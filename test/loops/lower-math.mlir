// RUN: heddle-opt %s --split-input-file --heddle-lower-math --verify-diagnostics | FileCheck %s

// The same operations on scalars and vectors.
// CHECK-LABEL: @exp_scalar
// CHECK-NOT: math.exp
// CHECK: math.fma %{{.*}} : f32
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK: arith.shrsi
func.func @exp_scalar(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}
// CHECK-LABEL: @exp_vector
// CHECK-NOT: math.exp
// CHECK: math.fma %{{.*}} : vector<16xf32>
// CHECK: arith.bitcast %{{.*}} : vector<16xf32> to vector<16xi32>
func.func @exp_vector(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
}
// CHECK-LABEL: @instructions_stay
// CHECK: math.sqrt
// CHECK: math.absf
// CHECK: math.fma
func.func @instructions_stay(%x: f32) -> f32 {
  %a = math.sqrt %x : f32
  %b = math.absf %a : f32
  %c = math.fma %a, %b, %x : f32
  return %c : f32
}

// -----
func.func @no_tanh(%x: f32) -> f32 {
  // expected-error @+1 {{has no arithmetic of ours yet on 'f32'}}
  %y = math.tanh %x : f32
  return %y : f32
}

// -----
func.func @no_exp_f64(%x: f64) -> f64 {
  // expected-error @+1 {{has no arithmetic of ours yet on 'f64'}}
  %y = math.exp %x : f64
  return %y : f64
}
