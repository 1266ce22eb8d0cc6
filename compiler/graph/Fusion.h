// What a fusion says at the place in the model text: what it made, or what it nearly made, why not, and what would help. The remark engine of MLIR
// carries it: `heddle explain` listens, and `heddle-opt --remarks-filter=fusion` prints.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"
#include <string>

namespace heddle {

/// `made` replaces the formula that ended in `root`, at its place.
void reportFused(mlir::Operation *made, mlir::Location root);

/// `what` ("attention") was not made of the formula that ends in `root`. Always a failure, so that matchers can return it. VerifyFused reads what is
/// noted at the op.
mlir::LogicalResult reportMissed(mlir::Operation *root, llvm::StringRef what, const std::string &reason, const std::string &remedy = {});

/// What reportMissed notes at an op: "no attention was made: ...", and perhaps a remedy. Gone after VerifyFused.
inline constexpr llvm::StringLiteral missedAttr = "heddle.missed";

/// Erases what a fusion has left without a reader: the next one would take it for a second use.
void eraseDeadFormulas(mlir::ModuleOp module);

} // namespace heddle
