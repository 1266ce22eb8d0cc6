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

/// The groups of a block in an order that respects uses, the views that have to be copied (each is in a group), and the arguments that attention
/// reads where they lie, padding among them, instead of rows of tokens.
struct KernelGroups {
  std::vector<KernelGroup> groups;
  Stops copied, readInPlace;
  explicit KernelGroups(mlir::Block &block);
  /// No work of its own: every kernel that needs it gets its own copy.
  bool isFreeHere(mlir::Operation *op) const { return (isFree(op) && !copied.contains(op)) || readInPlace.contains(op); }

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
  bool onlyAttends(mlir::Operation *op) const;
};

} // namespace heddle
