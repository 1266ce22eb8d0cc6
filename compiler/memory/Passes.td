// The passes of the stage `memory`: tensors -> buffers in one arena, kernels on raw bases, parallel loops as functions.
#ifndef HEDDLE_MEMORY_PASSES
#define HEDDLE_MEMORY_PASSES

include "mlir/Pass/PassBase.td"

def SplitDestinations : Pass<"heddle-split-destinations", "::mlir::ModuleOp"> {
  let summary = "give each kernel call of an entry a destination of its own";
  let description = [{
    CSE makes one `tensor.empty` of all that have the same shape. Bufferization then makes one buffer of them where it can, which lives from the first
    kernel that writes it to the last that reads it. In functions with `heddle.entry` this pass clones each `tensor.empty` before each of its uses, so
    that every intermediate result is a buffer of its own and the arena's plan sees its true live range.

    Takes entries after the last CSE on tensors. Leaves kernels: their tiles are reused on purpose. Example: test/memory/split-destinations.mlir.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"split", "split", "destinations made">];
}

def InjectOffsets : Pass<"heddle-inject-offsets", "::mlir::func::FuncOp"> {
  let summary = "keep bufferization from taking a write of one row for a write of all";
  let description = [{
    MLIR 22.1 takes a `vector.transfer_write` at constant indices 0 for one that overwrites the whole tensor if each axis of the vector is at least as long
    as the axis of the tensor at the same place, even where the vector has fewer axes: a row of 16 lanes in a tile of 8 rows. The rest of the tile is then
    not copied where the write needs a buffer of its own, and what was in it is lost. This pass writes such a zero as a sum of two, which the analysis does
    not see through and the canonicalizer after bufferization does.

    Takes kernels just before bufferization. Leaves writes whose vector has as many axes as the tensor. Example: test/memory/inject-offsets.mlir.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"injected", "injected", "offsets hidden">];
}

def LowerCopies : Pass<"heddle-lower-copies", "::mlir::ModuleOp"> {
  let summary = "turn memref.copy into linalg loops";
  let description = [{
    A `memref.copy` of strided buffers would become a call of `memrefCopy`, a function of MLIR's own runtime library, which no executable has. This pass
    makes a `linalg.generic` that copies element by element.

    Takes buffers after CSE and canonicalization, which delete copies of a buffer to itself. Leaves no `memref.copy`. Example: test/memory/lower-copies.mlir.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
  let statistics = [Statistic<"lowered", "lowered", "copies lowered">];
}

def PlanArena : Pass<"heddle-plan-arena", "::mlir::ModuleOp"> {
  let summary = "place the buffers of each entry in one arena";
  let description = [{
    In a function with `heddle.entry` each `memref.alloc` lives from the first operation that uses it to the last. This pass
    adds an argument for the arena (`memref<1xi8>`, after the section base and before the dimensions), replaces each allocation by a `memref.view` of it
    and writes the arena's size into `EntryInfo::arena` of the attribute `heddle.model`.

    Sizes are polynomials of the entry's dimension arguments (`batch * source * 4`), recognised from the arithmetic before the allocation. Offsets are
    such polynomials too: where a place is used by several buffers, one after the other, it is as large as the maximum per coefficient, so that no
    maximum is computed at run time. Every offset is a multiple of 64 bytes when it is used. Sizes that are no polynomial, or overflow 64 bits, are errors.

    Takes entries that are straight lists of calls. Leaves allocations of other functions to heddle-map-stack. Example: test/memory/plan-arena.mlir; the
    placement itself is tested in test/unit/memory.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
  let statistics = [Statistic<"planned", "planned", "buffers placed in arenas">];
}

def FlattenBuffers : Pass<"heddle-flatten-buffers", "::mlir::ModuleOp"> {
  let summary = "pass buffers to kernels as base, byte offset and sizes";
  let description = [{
    Each buffer among the arguments of a kernel (a function with a body and without `heddle.entry`) becomes

        %base: memref<1xi8>, %offset: index, %size: index for each dynamic dimension

    and a `memref.view` at the start of the kernel. `memref<1xi8>` has a static shape, so it is one plain pointer under the bare-pointer convention.
    Calls are rewritten: their operands are views of arguments, possibly through memref.cast, collapse_shape and expand_shape. Kernels and entries
    get the run-time context, `%context: memref<1xi8>`, as first argument and hand it on; heddle_parallel needs it.

    Takes kernels whose buffers have neither a layout nor a memory space, called with whole views; anything else is an error. Leaves functions without a
    body. Example: test/memory/flatten-buffers.mlir.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
  let statistics = [Statistic<"flattened", "flattened", "buffer arguments flattened">];
}

def OutlineParallel : Pass<"heddle-outline-parallel", "::mlir::ModuleOp"> {
  let summary = "outline scf.forall into a function over a range of tasks";
  let description = [{
    The i-th outermost `scf.forall` of a function @k becomes

        func.func private @k.region<i>(%context, captured..., %begin: index, %end: index)   // a loop over tasks begin .. end-1
        func.func private @heddle_parallel.k.region<i>(%context, captured..., %count: index) // the native stage gives it a body

    and a call of the second. Tasks are numbered in row-major order of the loop's dimensions. Operations without effects, and reads of buffers that the
    function never writes, are cloned into the region, so that what is captured are the kernel's own arguments; what cannot be cloned is captured as
    a value. A forall inside another becomes a serial loop.

    Takes kernels after FlattenBuffers. Leaves no `scf.forall`. Example: test/memory/outline-parallel.mlir.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"outlined", "outlined", "parallel regions outlined">];
}

def MapStack : Pass<"heddle-map-stack", "::mlir::func::FuncOp"> {
  let summary = "put static buffers of kernels on the stack, once per function";
  let description = [{
    A `memref.alloc` of static shape becomes a `memref.alloca`, aligned to 64 bytes, at the start of its function: in a loop the stack would grow. Two
    allocations of one type whose blocks never run one inside the other (the branches of an `scf.if`, two loops one after the other) share one.

    Takes kernels and regions after OutlineParallel: a tile belongs to the task that fills it. Leaves allocations of dynamic shape, which
    heddle-verify-memory reports. Example: test/memory/map-stack.mlir.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
  let statistics = [Statistic<"mapped", "mapped", "buffers put on the stack">];
}

def VerifyMemory : Pass<"heddle-verify-memory", "::mlir::ModuleOp"> {
  let summary = "check what the memory stage promises to the native stage";
  let description = [{
    No tensor, no linalg op, no scf.forall, no memref.alloc or memref.copy; every memref.alloca has a static shape and stands in the first block of its
    function, at most 1 MiB a function; entries and kernels take `memref<1xi8>` and `index` alone, the context first, and return nothing (an
    outlined region may also capture scalars, vectors and stack buffers); the arena of every entry is known.

    Takes what the memory stage made. Leaves it as it is; a promise that is not kept is an error. Example: test/memory/verify-memory.mlir.
  }];
  let statistics = [Statistic<"checked", "checked", "functions checked">];
}

#endif
