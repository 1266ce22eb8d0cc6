// RUN: heddle-opt %s --split-input-file --heddle-lower-math --verify-diagnostics | FileCheck %s
// RUN: heddle-opt %s --split-input-file --heddle-lower-math=cpu=x86-64-v3 --verify-diagnostics | FileCheck %s --check-prefix=V3

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
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// V3-LABEL: @exp_vector
// V3: arith.shrsi %{{.*}} : vector<16xi32>
// V3-NOT: scalef
func.func @exp_vector(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
}
// Several are computed side by side, where the first stands; what the second takes moves before it. One that takes the result of another waits.
// CHECK-LABEL: @two_exps
// CHECK: %[[NEGATED:.*]] = arith.negf %[[Y:.*]] : vector<16xf32>
// CHECK-COUNT-2: arith.cmpf olt, %{{.*}} : vector<16xf32>
// CHECK: %[[FIRST:.*]] = llvm.call_intrinsic
// CHECK: %[[SECOND:.*]] = llvm.call_intrinsic
// CHECK: arith.addf %[[FIRST]], %[[FIRST]]
// CHECK: arith.cmpf olt, %[[SECOND]], %{{.*}} : vector<16xf32>
func.func @two_exps(%x: vector<16xf32>, %y: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>) {
  %a = math.exp %x : vector<16xf32>
  %b = arith.addf %a, %a : vector<16xf32>
  %c = arith.negf %y : vector<16xf32>
  %d = math.exp %c : vector<16xf32>
  %e = math.exp %d : vector<16xf32>
  return %b, %e : vector<16xf32>, vector<16xf32>
}
// CHECK-LABEL: @instructions_stay
// CHECK: math.sqrt
// CHECK: math.absf
// CHECK: math.roundeven
// CHECK: math.fma
func.func @instructions_stay(%x: f32) -> f32 {
  %a = math.sqrt %x : f32
  %b = math.absf %a : f32
  %n = math.roundeven %x : f32
  %c = math.fma %a, %b, %n : f32
  return %c : f32
}

// The functions that are computed on |x| get the sign of x back.
// CHECK-LABEL: @tanh_vector
// CHECK-NOT: math.tanh
// CHECK: arith.andi %{{.*}} : vector<16xi32>
// CHECK: arith.divf %{{.*}} : vector<16xf32>
// CHECK: %[[SIGN:.*]] = arith.andi
// CHECK: arith.ori %{{.*}}, %[[SIGN]] : vector<16xi32>
func.func @tanh_vector(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.tanh %x : vector<16xf32>
  return %y : vector<16xf32>
}
// CHECK-LABEL: @erf_scalar
// CHECK-NOT: math.erf
// CHECK: math.fma %{{.*}} : f32
// CHECK: arith.ori %{{.*}} : i32
func.func @erf_scalar(%x: f32) -> f32 {
  %y = math.erf %x : f32
  return %y : f32
}
// erfc takes 2^x, not exp, and no sign back.
// CHECK-LABEL: @erfc_vector
// CHECK-NOT: math.erfc
// CHECK-COUNT-12: math.fma %{{.*}} : vector<16xf32>
// CHECK-NOT: math.fma
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// CHECK: arith.subf
// CHECK-NEXT: arith.select
func.func @erfc_vector(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.erfc %x : vector<16xf32>
  return %y : vector<16xf32>
}
// Where instructions split any number at a whole one, nothing has to be kept within bounds first.
// CHECK-LABEL: @exp2_vector
// CHECK-NOT: arith.cmpf
// CHECK: %[[WHOLE:.*]] = math.roundeven %arg0 : vector<16xf32>
// CHECK: %[[REST:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.reduce.ps.512"(%arg0
// CHECK: math.fma
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%{{.*}}, %[[WHOLE]]
// V3-LABEL: @exp2_vector
// V3-COUNT-2: arith.cmpf
// V3-NOT: llvm.call_intrinsic
// V3: return
func.func @exp2_vector(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp2 %x : vector<16xf32>
  return %y : vector<16xf32>
}
// CHECK-LABEL: @exp2_of_eight
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.reduce.ps.256"
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.256"
func.func @exp2_of_eight(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.exp2 %x : vector<8xf32>
  return %y : vector<8xf32>
}
// CHECK-LABEL: @exp2_scalar
// CHECK-NOT: math.exp2
// CHECK-COUNT-5: math.fma %{{.*}} : f32
// CHECK-NOT: math.fma
// CHECK: return
func.func @exp2_scalar(%x: f32) -> f32 {
  %y = math.exp2 %x : f32
  return %y : f32
}
// CHECK-LABEL: @log_vector
// CHECK-NOT: math.log
// CHECK: arith.sitofp %{{.*}} : vector<8xi32> to vector<8xf32>
func.func @log_vector(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.log %x : vector<8xf32>
  return %y : vector<8xf32>
}
// CHECK-LABEL: @sine_and_cosine
// CHECK-NOT: math.sin
// CHECK: arith.extf %{{.*}} : vector<16xf32> to vector<16xf64>
// CHECK: math.fma %{{.*}} : vector<16xf64>
// CHECK: arith.truncf %{{.*}} : vector<16xf64> to vector<16xf32>
// CHECK-NOT: math.cos
func.func @sine_and_cosine(%x: vector<16xf32>) -> vector<16xf32> {
  %s = math.sin %x : vector<16xf32>
  %c = math.cos %s : vector<16xf32>
  return %c : vector<16xf32>
}
// x^-3 = 1 / (x * x * x)
// CHECK-LABEL: @power_minus_three
// CHECK-SAME: %[[X:.*]]: vector<16xf32>
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK: %[[CUBE:.*]] = arith.mulf %[[SQUARE]], %[[X]]
// CHECK: arith.divf %{{.*}}, %[[CUBE]]
func.func @power_minus_three(%x: vector<16xf32>) -> vector<16xf32> {
  %e = arith.constant dense<-3.0> : vector<16xf32>
  %y = math.powf %x, %e : vector<16xf32>
  return %y : vector<16xf32>
}
// CHECK-LABEL: @power_half
// CHECK: math.sqrt
// CHECK: arith.select
func.func @power_half(%x: f32) -> f32 {
  %e = arith.constant 0.5 : f32
  %y = math.powf %x, %e : f32
  return %y : f32
}

// -----
func.func @no_tan(%x: f32) -> f32 {
  // expected-error @+1 {{has no arithmetic of ours yet on 'f32'}}
  %y = math.tan %x : f32
  return %y : f32
}

// -----
func.func @no_power_fraction(%x: f32) -> f32 {
  %e = arith.constant 0.6 : f32
  // expected-error @+1 {{has no arithmetic of ours yet on 'f32'; expected a constant exponent: whole and at most 16, 0.5 or -0.5}}
  %y = math.powf %x, %e : f32
  return %y : f32
}

// -----
func.func @no_power_unknown(%x: f32, %e: f32) -> f32 {
  // expected-error @+1 {{expected a constant exponent}}
  %y = math.powf %x, %e : f32
  return %y : f32
}

// -----
func.func @no_exp_f64(%x: f64) -> f64 {
  // expected-error @+1 {{has no arithmetic of ours yet on 'f64'}}
  %y = math.exp %x : f64
  return %y : f64
}
