// The passes of the stage `loops`: kernels of linalg on tensors -> register tiles and one-dimensional vectors, still on tensors.
#ifndef HEDDLE_LOOPS_PASSES
#define HEDDLE_LOOPS_PASSES

include "mlir/Pass/PassBase.td"

def TileKernels : Pass<"heddle-tile-kernels", "::mlir::func::FuncOp"> {
  let summary = "cut matrix products and their epilogues into register tiles";
  let description = [{
    A matrix product is a `linalg.generic` over (m, n, k) whose body accumulates by `math.fma`; its epilogue is whatever elementwise `linalg.generic`s
    over (m, n) follow. The last op of such a chain, over an unknown number of rows, is replaced by

        if rows >= R:          for m in 0..rows step R:   the whole chain on rows [min(m, rows - R), + R)
        else if rows >= R / 2: for m in 0..rows step R/2: the same with half as many rows
        ..                     down to one row

    once per T of its columns, where R x T is the register tile of the CPU. All tiles have static sizes. The last tile overlaps the one before: rows
    are computed twice with equal bits, so no remainder of another size exists. The elements of a tile are independent of each other, hence R and T
    decide no bits.

    Where the panel of weights is large, and the number of rows is known to have a bound, R rows and more are computed as

        for blocks of 512 k: for m in 0..rows step R: sums[m, + R) += the product of rows [min(m, rows - R), + R) and the block

    with the rest of the chain in the last block: a block stays in L2 while all rows pass. Tiles do not overlap in the sums, or rows would be added to
    twice. The sums are those that VectorizeTiles makes of a product that is not cut: same bits.

    The product of a tile also fetches weights that later tiles read (`memref.prefetch` in its body): a panel read once is as fast as memory. Whole
    register tiles also fetch the rows that they will write and those of the residuals they will take, row k / p, where p of 16 and more is left for each.

    Takes kernels of linalg on tensors, where the result of a chain is not read by its own last op and inputs do not alias it. Leaves products whose rows
    are few and known (VectorizeTiles takes them as they are), chains without a product, results wider than eight panels. Example:
    test/loops/tile-kernels.mlir.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let options = [Option<"cpu", "cpu", "std::string", "\"x86-64-v4\"", "the CPU whose register tile is used (x86-64-v3, x86-64-v4)">];
  let statistics = [Statistic<"tiled", "tiled", "products tiled">];
}

def VectorizeTiles : Pass<"heddle-vectorize-tiles", "::mlir::func::FuncOp"> {
  let summary = "evaluate static tiles as one-dimensional vectors";
  let description = [{
    A tile of R rows is R one-dimensional vectors of 16 lanes per 16 columns; the last columns may be a masked vector of the same width. Within a block
    each op on a static tile becomes vectors:

    - elementwise: its body, once per row and 16 columns. An operand that another tile op of the block makes is evaluated on demand, at its use, so it
      goes through no memory and an epilogue runs on the accumulators. What is costly (a function, a division) and used twice is kept: in
      registers if the tile is small, else in its tensor.
    - over (m, n, k): a loop over k with one accumulator per row and 16 columns, in register tiles of the CPU; over blocks of 512 k each sum starts at
      zero and is added to the result in ascending order. The body may select between the accumulator and its successor. A `memref.prefetch` of
      the body which depends on k only as k / p is made once in p of them, in a loop outside of that.
      An operand whose columns lie one behind the other (keys in place) is read sixteen columns by sixteen k, and transposed by shuffles.
    - rows reduced to one value each: element i goes to lane i mod 16, lanes beyond the row keep their value; then 16 -> 8 -> 4 -> 2 -> 1, low half with
      high half. The rows of a tile share these steps, and their values are one vector.
    - elementwise, but reading side by side along the rows (keys copied as columns): sixteen by sixteen, transposed by shuffles.
    - one value per row: a scalar each if the rows are few, one vector of 4 or 8 lanes if there are as many, else vectors of 16 along them.

    More rows of more columns than registers hold are a loop over rows: written out they would be no faster, and their code many times as long.
    So is what follows a product and contains a function or a division: the product's tile is then written, and read back row by row.

    Afterwards values that do not change leave their loops, tensors excepted: an initial value moved out of a loop would have to be copied in every round.

    Takes linalg ops on static tiles whose bodies read a tensor at computed places only if they are neighbours along the columns (or along the rows), or
    one place. Leaves to scalar loops: other gathers, rows of unknown number, reductions that are neither a sum nor a choice, and truth values that
    would have to be read or written in memory (tensors of i1 have no vector layout). Example: test/loops/vectorize-tiles.mlir,
    and for products vectorize-products.mlir.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::vector::VectorDialect"];
  let options = [Option<"cpu", "cpu", "std::string", "\"x86-64-v4\"", "the CPU whose register tile is used (x86-64-v3, x86-64-v4)">];
  let statistics = [Statistic<"vectorized", "vectorized", "linalg ops turned into vectors">];
}

def LowerMath : Pass<"heddle-lower-math", "::mlir::func::FuncOp"> {
  let summary = "expand functions of one number into arithmetic of ours";
  let description = [{
    exp, exp2, tanh, erf, erfc, log, sin and cos of f32 become range reductions and polynomials of fused multiply-adds (sin and cos in f64), powf with
    a constant whole exponent up to 16 or 0.5 products, a root, a division; on scalars and vectors alike: no kernel calls libm, and the bits are the
    same on every CPU, which may apply a power of two in one instruction. Several of one function in a block are computed side by side, where the first
    stands. The formulas and their errors stand in ElementaryFunctions.h.

    Takes scalars and vectors of f32; any other op of math is an error: it has no arithmetic of ours yet. Leaves fma, sqrt and absf, which are instructions.
    Example: test/loops/lower-math.mlir.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect"];
  let options = [Option<"cpu", "cpu", "std::string", "\"x86-64-v4\"", "the CPU whose instructions are used (x86-64-v3, x86-64-v4)">];
  let statistics = [Statistic<"lowered", "lowered", "functions expanded">];
}

def VerifyLoops : Pass<"heddle-verify-loops", "::mlir::func::FuncOp"> {
  let summary = "check what the loops stage promises to the memory stage";
  let description = [{
    The arithmetic contract, as far as loops and vectors decide it: no operation has a fast-math flag (so nobody may fuse, reorder or drop one);
    vectors have one dimension and at most 32 lanes; there is no `vector.reduction`, `vector.contract`, `vector.multi_reduction`, `vector.outerproduct`
    (their order is the target's) and no `vector.fma` (which may round twice); no linalg op is left that VectorizeTiles takes, and no product
    whose chain would be longer than a block of 512.

    Takes what the loops stage made. Leaves it as it is; a promise that is not kept is an error. Example: test/loops/verify-loops.mlir.
  }];
  let statistics = [Statistic<"checked", "checked", "operations checked">];
}

#endif
