// The passes of the stage `native`: buffers and loops -> the LLVM dialect, ready to become one object per CPU variant.
#ifndef HEDDLE_NATIVE_PASSES
#define HEDDLE_NATIVE_PASSES

include "mlir/Pass/PassBase.td"

def LinkEntries : Pass<"heddle-link-entries", "::mlir::ModuleOp"> {
  let summary = "give each entry the C interface of the executable's table";
  let description = [{
    An entry arrives as an `llvm.func` with the attribute `heddle.entry`, whose parameters are pointers (the context first, then the buffers in the
    order of `heddle_entry_function`) and 64-bit dimensions. Table and runtime know one type only, so this pass adds, for each entry `@name`, a function

        llvm.func @entry.name(%context: !llvm.ptr, %buffers: !llvm.ptr, %dimensions: !llvm.ptr)

    that loads the i-th pointer after the context from `buffers[i]` and the j-th integer from `dimensions[j]`, and calls the entry. The entry itself
    is renamed to `@body.name`: a model may call its entry `memset`, and no symbol of the executable may be at the mercy of a model's text. Before each
    call of a kernel that the entry's description lists, the entry says `heddle_mark(context, index of the call)`, for profiles.

    Takes entries in the LLVM dialect; parameters that are neither pointers nor i64 are an error. Leaves functions without the attribute. Example:
    test/native/link-entries.mlir.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let statistics = [Statistic<"linked", "linked", "entries given a C interface">];
}

def LinkParallel : Pass<"heddle-link-parallel", "::mlir::ModuleOp"> {
  let summary = "give parallel regions a thunk and a call of the runtime's pool";
  let description = [{
    The memory stage leaves a parallel region as a function `@R(captured..., begin, end)` and a call of the declaration
    `@heddle_parallel.R(captured..., count)`; the first captured value is the run-time context. This pass gives each such declaration a body, which
    stores the captured values into a record on the stack and calls

        heddle_parallel(context, @R.thunk, record, count)

    and makes the thunk, which loads the record and calls `@R`.

    Takes the LLVM dialect, where all types are final and the address of a function can be taken. Leaves other functions, those with a body among them.
    Example: test/native/link-parallel.mlir.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let statistics = [Statistic<"linked", "linked", "parallel regions linked">];
}

def SplitAddresses : Pass<"heddle-split-addresses", "::mlir::func::FuncOp"> {
  let summary = "make where a view starts a value of its own";
  let description = [{
    The offset of a view is an expression with minima and maxima in it: the last tile of a chunk starts at `min(row, rows - 8)`, a chunk at
    `max(0, min(...))`. LLVM's loop strength reduction writes that expression out again for every load of the innermost loop of a product (200 instructions
    for 16 multiply-adds, a third of the speed). So each offset passes through an assembly of no instructions, behind which LLVM sees a plain value.

    Takes views after `expand-strided-metadata`. Leaves offsets that are constants. Example: test/native/split-addresses.mlir.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"];
  let statistics = [Statistic<"split", "split", "offsets made values of their own">];
}

def VerifyNative : Pass<"heddle-verify-native", "::mlir::ModuleOp"> {
  let summary = "check what the native stage promises to the code generator";
  let description = [{
    Every operation is of the LLVM dialect; every function without a body is one that the runtime or the C library gives an executable; no operation has
    a fast-math flag and none is `llvm.intr.fmuladd`, whose rounding the target chooses, or an elementary function that would become a
    call of libm (the arithmetic contract).

    Takes what the native stage made. Leaves it as it is; a promise that is not kept is an error. Example: test/native/verify-native.mlir.
  }];
  let statistics = [Statistic<"checked", "checked", "operations checked">];
}

#endif
