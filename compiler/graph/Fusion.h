// What a fusion says at the place in the model text: what it made, or what it nearly made, why not, and what would help. The remark engine of MLIR
// carries it: `heddle explain` listens, and `heddle-opt --remarks-filter=fusion` prints.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"
#include <string>

namespace heddle {

/// A rewrite: `by` computes what the formula did that ends in `root`, and takes its place. Every fusion goes through here. The formula stays, dead,
/// until finishFusion. Always a success, so that matchers can return it.
mlir::LogicalResult replaceFormula(mlir::Operation *root, mlir::Value by);

/// replaceFormula, told at its place: a fusion made `made`, whose result (or `by`, a view of it) replaces the root. Where such fusions are turned
/// off, that is told, and a failure. `what` says what was made, where it is not the op.
mlir::LogicalResult replaceFused(mlir::Operation *root, mlir::Operation *made, mlir::Value by = {}, llvm::StringRef what = {});

/// `what` ("attention") was not made of the formula that ends in `root`. Always a failure, so that matchers can return it. VerifyFused reads what is
/// noted at the op.
mlir::LogicalResult reportMissed(mlir::Operation *root, llvm::StringRef what, const std::string &reason, const std::string &remedy = {});

/// What reportMissed notes at an op: "no attention was made: ...", and perhaps a remedy. Gone after VerifyFused.
inline constexpr llvm::StringLiteral missedAttr = "heddle.missed";

/// Whether the module turns off the fusion that makes `what` ("attention"), by its attribute noFuseAttr: names, of which "all" stands for every
/// fusion that kernels do without. A product by a weight becomes linear all the same: weights lie in panels, which only linear reads.
bool isFusionOff(mlir::Operation *op, llvm::StringRef what);
inline constexpr llvm::StringLiteral noFuseAttr = "heddle.no_fuse";

/// The end of each fusion pass, which fails if this does: erases what has no reader any more, as the next fusion would take it for a second use.
mlir::LogicalResult finishFusion(mlir::ModuleOp module);

} // namespace heddle
