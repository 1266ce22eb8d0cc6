// Wrong rewrites on purpose, to see that --validate-rewrites and bisect find them: each kind is a mistake that a fusion could make.
#pragma once
#include "compiler/graph/Rewrite.h"

namespace heddle {

struct BadRewrite {
  llvm::StringLiteral kind;  // "mask-dropped"
  llvm::StringLiteral needs; // the rewrite that it spoils: "an attention with a mask"
  /// Spoils an op of a replacement; null where it is none of the kind's, else what stands for its result now.
  mlir::Value (*spoil)(mlir::Operation *op);
};

llvm::ArrayRef<BadRewrite> badRewrites();
/// Spoils what it can in a replacement, whose value may become another one; how many ops that were. What the formula reads too is copied first.
unsigned spoilRewrite(const BadRewrite &bad, const Rewrite &rewrite, mlir::Value &by);
/// None where there is no such kind.
const BadRewrite *findBadRewrite(llvm::StringRef kind);

} // namespace heddle
