// RUN: heddle-opt %s --heddle-verify-native --split-input-file --verify-diagnostics

llvm.func @heddle_parallel(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64)
llvm.func @good(%x: f32, %y: f32) -> f32 {
  %0 = llvm.intr.fma(%x, %y, %x) : (f32, f32, f32) -> f32
  llvm.return %0 : f32
}

// -----

// expected-error @+1 {{has no body, and no executable provides it}}
llvm.func @expf(f32) -> f32

// -----

llvm.func @no_target_choice(%x: f32) -> f32 {
  // expected-error @+1 {{lets the target choose how often it rounds; expected llvm.intr.fma}}
  %0 = llvm.intr.fmuladd(%x, %x, %x) : (f32, f32, f32) -> f32
  llvm.return %0 : f32
}

// -----

llvm.func @no_libm(%x: vector<16xf32>) -> vector<16xf32> {
  // expected-error @+1 {{would call the C library's mathematics, which no kernel may; expected it to be lowered to arithmetic}}
  %0 = llvm.intr.exp(%x) : (vector<16xf32>) -> vector<16xf32>
  llvm.return %0 : vector<16xf32>
}

// -----

llvm.func @no_fast_math(%x: f32) -> f32 {
  // expected-error @+1 {{has fast-math flags, which the arithmetic contract excludes}}
  %0 = llvm.fadd %x, %x {fastmathFlags = #llvm.fastmath<reassoc>} : f32
  llvm.return %0 : f32
}

// -----

// expected-error @+1 {{is left after the conversion to the LLVM dialect}}
func.func private @no_func()
