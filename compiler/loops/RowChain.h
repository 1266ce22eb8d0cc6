// A chain of linalg ops that ends in one result [rows, columns] (a matrix product and its epilogue), and how to compute any tile of that result.
// TileKernels uses it; VectorizeTiles then evaluates the static tiles.
#pragma once
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"
#include <optional>

namespace heddle {

/// A tile of the result: rows [row, row + rows), columns [column, column + columns); of the product's k, those of `inner`.
struct TileWindow {
  struct Range {
    mlir::OpFoldResult from;
    int64_t count;
  };
  mlir::OpFoldResult row;
  int64_t rows;
  int64_t column;
  int64_t columns;
  std::optional<Range> inner = std::nullopt; // all of them where there is none
};

class RowChain {
public:
  /// The chain that ends in `last`, or none: `last` is no result of [rows, columns], or reads what it overwrites.
  static std::optional<RowChain> endingIn(mlir::linalg::GenericOp last);

  /// Whether some op of the chain is a matrix product: loops (m, n, k), multiplied and accumulated over k.
  bool hasProduct() const;
  /// The product if it is the only one and all it takes from the chain is the number it starts from.
  mlir::linalg::GenericOp onlyProduct() const;
  mlir::linalg::GenericOp getLast() const { return last; }
  /// What the chain writes into: the initial value of its last op, seen through fills.
  mlir::Value getDestination() const { return destination; }
  /// Tensors from elsewhere of which a tile of [rows, columns] of the result takes the same rows and columns: residuals.
  llvm::SetVector<mlir::Value> getInputsInPlace() const;

  /// Computes a tile of the result and inserts it into `into`, which stands for the destination. Tiles of the chain's ops are added to `tiled`;
  /// those that it has already are taken from there.
  mlir::Value computeTile(mlir::RewriterBase &rewriter, mlir::Value into, const TileWindow &window,
                          llvm::DenseMap<mlir::Value, mlir::Value> &tiled) const;
  /// Computes a tile of onlyProduct() alone, into a tensor of its own.
  mlir::Value computeProduct(mlir::RewriterBase &rewriter, const TileWindow &window) const;
  /// Erases the ops of the chain that nobody uses any more.
  void eraseUnused(mlir::RewriterBase &rewriter) const;

private:
  /// What a loop of an op runs over, in terms of the result of the chain. Inner: the k of a product. Whole: all of it, whatever tile
  /// is computed.
  enum class Role { Row, Column, Inner, Whole };
  using Roles = llvm::SmallVector<Role, 3>;

  void collect();
  static mlir::OpFoldResult startOf(mlir::RewriterBase &rewriter, Role role, const TileWindow &window);
  mlir::Value tileOp(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op, mlir::Value into, const TileWindow &window,
                     const llvm::DenseMap<mlir::Value, mlir::Value> &tiled) const;
  std::optional<Roles> rolesOfProducer(mlir::OpOperand &use, const Roles &userRoles) const;
  mlir::Value tileOperand(mlir::RewriterBase &rewriter, mlir::OpOperand &operand, const Roles &roles, const TileWindow &window, mlir::Value into,
                          const llvm::DenseMap<mlir::Value, mlir::Value> &tiled) const;

  mlir::linalg::GenericOp last;
  mlir::Value destination;
  llvm::SmallVector<mlir::linalg::LinalgOp> ops; // in the order of the block
  llvm::DenseMap<mlir::Operation *, Roles> roles;
};

/// Whether `op` is a matrix product: one result, loops (m, n, k), accumulated by math.fma over k.
bool isMatrixProduct(mlir::Operation *op);

} // namespace heddle
