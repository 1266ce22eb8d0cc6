// Which op of a graph a wrong rewrite made.
#pragma once
#include "compiler/reference/Interpreter.h"

namespace heddle {

/// The first op of `after`, in the order of evaluation, whose value nothing of that type at its place in the model text has in `before`: a line with
/// the place, the op and the numbers. Empty where there is none, as after a pass that changes the form of everything.
std::string findFirstDifference(mlir::func::FuncOp before, mlir::func::FuncOp after, llvm::ArrayRef<Tensor> arguments, const Environment &environment,
                                const Checkpoint *checkpoint);

} // namespace heddle
