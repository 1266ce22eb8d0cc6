// The ops of one block that become vectors together, and how they use each other's results.
#pragma once
#include "compiler/loops/TileOps.h"
#include "llvm/ADT/MapVector.h"

namespace heddle {

class BlockTiles {
public:
  explicit BlockTiles(mlir::Block &block);

  /// In the order of the block.
  llvm::SmallVector<mlir::linalg::LinalgOp> ops() const;
  std::optional<TileKind> kindOf(mlir::Operation *op) const;
  /// The kind of the op that makes `value`, if it is one of these.
  std::optional<TileKind> kindOf(mlir::Value value) const { return kindOf(value.getDefiningOp()); }

  /// Whether the user needs no tensor for this operand: it is evaluated in place, is a fill's value, or is not looked at.
  bool isInRegisters(mlir::OpOperand &use) const;

private:
  bool isWrittenAsVectors(mlir::Operation *op) const;
  bool readsTruthFromMemory(mlir::Operation *op) const;
  void dropTruthInMemory();
  void separateTruthInMemory();

  llvm::MapVector<mlir::Operation *, TileKind> kinds;
};

} // namespace heddle
