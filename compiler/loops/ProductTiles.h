// The loops over tiles of one size that compute a chain of linalg ops with a matrix product in it. TileKernels chooses the sizes.
#pragma once
#include "compiler/loops/RowChain.h"
#include "compiler/support/Target.h"

namespace heddle {

struct ProductTiles {
  mlir::RewriterBase &rewriter;
  const RowChain &chain;
  mlir::Value rows; // of the result, `tileRows` at least
  int64_t tileRows;
  const Target &target;

  /// The whole result, at the insertion point of the rewriter.
  mlir::Value compute();

private:
  using Tiles = llvm::DenseMap<mlir::Value, mlir::Value>;
  using Step = llvm::function_ref<mlir::Value(mlir::Value, TileWindow, mlir::Value)>;
  /// fn(first row of a tile among whole tiles, the tile, carried) over all tiles.
  mlir::Value overTiles(mlir::Value carried, std::optional<TileWindow::Range> inner, Step fn);
  mlir::Value computeInBlocks(mlir::linalg::GenericOp product, int64_t mostRows);
  mlir::Value addTiles(mlir::Value sum, mlir::Value part, mlir::Value out);
  void prefetchAhead(mlir::Value product, mlir::Value wholeTileRow, const TileWindow &window);
  void prefetchInPlace(mlir::Value product, mlir::Value into, const TileWindow &window);
  mlir::Value bufferOf(mlir::Value tensor);
  mlir::Value index(int64_t value) const;
};

} // namespace heddle
