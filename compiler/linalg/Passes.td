// The linalg stage: heddle on rows of tokens -> kernels of linalg on tensors. Comes after graph, before loops.
#ifndef HEDDLE_LINALG_PASSES
#define HEDDLE_LINALG_PASSES
include "mlir/Pass/PassBase.td"

def OutlineKernels : Pass<"heddle-outline-kernels", "mlir::ModuleOp"> {
  let summary = "outline fused regions into private functions of tensors and weights";
  let description = [{
    Each entry becomes a straight list of calls. A kernel is one product with the elementwise ops that consume it (its epilogue), one attention with the
    reshape that joins its heads, or one chain of row ops with the same rows (elementwise, gathers, reductions, softmax, norms). It has one result: a group
    with a second use inside is cut there. Views, masks and constants are cloned into each kernel that uses them; a view that its consumer cannot read
    through becomes a copy. Arrays of the caller that lie as the same values do inside (no ragged axis; rows of whole panels, or of a length known at run
    time) are read and written in place, a result where it has a kernel of its own. Weights, like tensors, are arguments, so equal regions give equal
    functions, which `duplicate-function-elimination` merges. Source places are taken from before the merge.

    Takes entries on rows of tokens, as VerifyGraph checks them. Leaves entries with calls and uses of weights alone, and private functions of heddle ops.
    Example: test/linalg/outline-kernels.mlir.
  }];
  let dependentDialects = ["::heddle::HeddleDialect", "::mlir::func::FuncDialect"];
  let statistics = [Statistic<"outlined", "outlined", "kernels outlined">];
}

def OutlineChecks : Pass<"heddle-outline-checks", "mlir::ModuleOp"> {
  let summary = "outline one call of each kernel into an entry of its own";
  let description = [{
    In a module with the attribute `heddle.checks`, which goes: each kernel gets an entry `check.KERNEL` of its first call. The call's weights stay those of
    the model, its other operands become arguments; where a kernel reads or writes padded columns, kernels of their own copy them. An executable checks
    itself by these entries (heddle_check). A kernel whose shapes divide or multiply dimensions gets none: an executable's table has no form for them.

    Takes what OutlineKernels left, equal functions merged. Leaves entries and private functions of the same kind. Example: test/linalg/outline-checks.mlir.
  }];
  let dependentDialects = ["::heddle::HeddleDialect", "::mlir::func::FuncDialect"];
  let statistics = [Statistic<"outlined", "outlined", "checks outlined">];
}

def LowerKernels : Pass<"heddle-lower-kernels", "mlir::ModuleOp"> {
  let summary = "lower kernels and entries to linalg on plain tensors";
  let description = [{
    Kernels become functions in destination-passing style, `(tensors.., out, dimensions..) -> tensor`, of scf.forall over rows, panels or queries and linalg
    on static tiles; one index argument for each dimension their types name, in order of first use. Activations are [rows, columns padded to whole panels].
    Entries become functions of raw buffers and dimensions (runtime/heddle_model.h). Weights get their packed layout from the kernel that reads them, and
    move with everything else that is no code into the module attribute `heddle.model`.

    Takes the functions that OutlineKernels made; ops without a lowering are an error. Leaves no heddle op. Example: test/linalg/lower-kernels.mlir.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect",
    "::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect", "::mlir::math::MathDialect", "::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"lowered", "lowered", "kernels lowered">];
}

def VerifyLinalg : Pass<"heddle-verify-linalg", "mlir::ModuleOp"> {
  let summary = "verify what the linalg stage promises";
  let description = [{
    No heddle op, type or encoding is left, so no mask value either; a kernel has one result and its output is its last tensor argument; entries are straight
    lists of calls; `heddle.model` is whole.

    Takes what the linalg stage made. Leaves it as it is; a promise that is not kept is an error. Example: test/linalg/verify-linalg.mlir.
  }];
}
#endif
