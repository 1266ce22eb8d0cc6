// What an outlined region needs from around its loop: operations to clone into it, and values to hand over.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace heddle {

/// The buffers of a function that something in it writes, by the argument or allocation they are views of. A function's arguments are different
/// buffers.
class WrittenBuffers {
public:
  explicit WrittenBuffers(mlir::func::FuncOp function);
  bool contains(mlir::Value buffer) const;

private:
  llvm::DenseSet<mlir::Value> roots;
  bool everything = false; // some operation does not say what it writes
};

/// The values that `loop`, an operation with regions, uses from around it.
struct Captures {
  llvm::SetVector<mlir::Value> values;         // handed over, in order of first use
  llvm::SmallVector<mlir::Operation *> cloned; // made again inside, operands before users
};

/// Prefers cloning (operations without effects, reads of buffers that are never written) to handing over; loops are not run again.
Captures findCaptures(mlir::Operation *loop, const WrittenBuffers &written);

} // namespace heddle
