  // x[i] = i in 5 rows of 32; the result must be 4 x. 1000 if all 160 values are right, else the first index that is wrong.
  llvm.func @main() -> i64 {
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %rows = llvm.mlir.constant(5 : i64) : i64
    %values = llvm.mlir.constant(160 : i64) : i64
    %arena_values = llvm.mlir.constant(320 : i64) : i64
    %four = llvm.mlir.constant(4.0 : f32) : f32
    %good = llvm.mlir.constant(1000 : i64) : i64
    %x = llvm.alloca %values x f32 {alignment = 64 : i64} : (i64) -> !llvm.ptr
    %result = llvm.alloca %values x f32 {alignment = 64 : i64} : (i64) -> !llvm.ptr
    %arena = llvm.alloca %arena_values x f32 {alignment = 64 : i64} : (i64) -> !llvm.ptr
    %buffers = llvm.alloca %rows x !llvm.ptr : (i64) -> !llvm.ptr
    %dimensions = llvm.alloca %one x i64 : (i64) -> !llvm.ptr
    %second = llvm.getelementptr %buffers[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %third = llvm.getelementptr %buffers[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %fourth = llvm.getelementptr %buffers[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    llvm.store %x, %buffers : !llvm.ptr, !llvm.ptr
    llvm.store %result, %second : !llvm.ptr, !llvm.ptr
    llvm.store %x, %third : !llvm.ptr, !llvm.ptr
    llvm.store %arena, %fourth : !llvm.ptr, !llvm.ptr
    llvm.store %rows, %dimensions : i64, !llvm.ptr
    llvm.br ^fill(%zero : i64)
  ^fill(%i: i64):
    %place = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %value = llvm.sitofp %i : i64 to f32
    llvm.store %value, %place : f32, !llvm.ptr
    %i_next = llvm.add %i, %one : i64
    %filled = llvm.icmp "eq" %i_next, %values : i64
    llvm.cond_br %filled, ^call, ^fill(%i_next : i64)
  ^call:
    llvm.call @entry.chain(%x, %buffers, %dimensions) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
    llvm.br ^compare(%zero : i64)
  ^compare(%j: i64):
    %got_place = llvm.getelementptr %result[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %got = llvm.load %got_place : !llvm.ptr -> f32
    %index = llvm.sitofp %j : i64 to f32
    %expected = llvm.fmul %index, %four : f32
    %same = llvm.fcmp "oeq" %got, %expected : f32
    %j_next = llvm.add %j, %one : i64
    %last = llvm.icmp "eq" %j_next, %values : i64
    llvm.cond_br %same, ^advance, ^done(%j : i64)
  ^advance:
    llvm.cond_br %last, ^done(%good : i64), ^compare(%j_next : i64)
  ^done(%r: i64):
    llvm.return %r : i64
  }
}
