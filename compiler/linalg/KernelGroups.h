// Which ops of an entry run together: the grouping behind OutlineKernels.
#pragma once
#include "compiler/linalg/KernelViews.h"

namespace heddle {

/// The ops that join the heads of an attention into one row, where nothing else reads it: they become part of its kernel.
llvm::SmallVector<mlir::Operation *> joinOf(AttentionOp op);

struct KernelGroup {
  enum Kind { Rows, Linear, Attention, Alone } kind;
  llvm::SmallVector<mlir::Operation *> ops; // in program order
  DimsAttr rowDims;                         // Rows: the extents of its rows
};

/// Work on one row at a time.
bool isRowOp(mlir::Operation *op);
bool isReduction(mlir::Operation *op);
/// The rows of a kernel that starts with `op`: all axes but the columns, which are a static last axis.
DimsAttr rowDimsOf(mlir::Operation *op);

/// The groups of a block in an order that respects uses, and the views that have to be copied (each is in a group).
struct KernelGroups {
  std::vector<KernelGroup> groups;
  Stops copied;
  explicit KernelGroups(mlir::Block &block);

private:
  llvm::DenseMap<mlir::Operation *, int> groupOf;

  void findCopies(mlir::Block &block);
  void assign(mlir::Operation *op);
  void cutSecondResults();
  int lastGroup(mlir::Operation *op) const;
  bool joinsRows(mlir::Operation *op, int group) const;
  bool joinsLinear(mlir::Operation *op, int group) const;
  bool joinsAttention(mlir::Operation *op, int group) const;
  bool readsRowsOf(mlir::Value value, int group) const;
  bool usedOutside(mlir::Operation *op, int group) const;
  bool dependsOn(mlir::Value value, int group) const;
  bool isFreeHere(mlir::Operation *op) const { return isFree(op) && !copied.contains(op); }
};

} // namespace heddle
