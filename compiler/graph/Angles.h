// Sines and cosines of positions times frequencies, read channel by channel through views, concatenations and sums: what rotations and sinusoidal
// positions are made of, in whatever layout a text writes them.
#pragma once
#include "dialect/View.h"
#include "llvm/ADT/DenseSet.h"

namespace heddle {

/// (position + shift) * frequencies[i], for each i of an index space.
struct Angles {
  PositionsOp positions;
  mlir::AffineMap at; // of the positions, in the index space
  int64_t shift = 0;
  llvm::SmallVector<double> frequencies;
  bool operator==(const Angles &other) const;
};
/// The sine, or the cosine, of angles.
struct Wave {
  bool isSine;
  Angles angles;
};

/// number * factors / divisors
struct Addend {
  double number = 1;
  llvm::SmallVector<View> factors, divisors;
};

/// Ops that sines and cosines reach through elementwise mathematics, views and concatenations; empty in most modules.
using Waves = llvm::DenseSet<mlir::Operation *>;
Waves findWaves(mlir::ModuleOp module);

/// Reads values at the places of an index space: leading axes, then i below a count.
class Channels {
public:
  Channels(const Waves &waves, DimsAttr leading, int64_t count);
  mlir::AffineExpr index() const;
  /// Element `channel`, an expression of i, along the last axis of a value that has the leading axes; in another order where its axis order[k] is
  /// axis k of the space.
  View read(mlir::Value value, mlir::AffineExpr channel, llvm::ArrayRef<int64_t> order = {}) const;
  /// As a sum of products of what no wave reaches, and of waves; nothing where they are too many.
  std::optional<llvm::SmallVector<Addend>> expand(const View &view) const { return expand(view, false); }
  std::optional<Wave> wave(const View &view) const;

private:
  const Waves &waves;
  mlir::MLIRContext *context;
  llvm::SmallVector<int64_t> shape;
  mutable int budget = 0; // ops that a question may still look through

  View readAt(mlir::Value value, mlir::AffineMap map) const;
  View operand(const View &of, unsigned i) const { return readAt(of.base.getDefiningOp()->getOperand(i), of.map); }
  std::optional<llvm::SmallVector<Addend>> expand(const View &view, bool everything) const;
  bool add(const View &view, double number, bool everything, llvm::SmallVector<Addend> &to) const;
  bool addProducts(const View &view, double number, bool everything, llvm::SmallVector<Addend> &to) const;
  std::optional<Wave> tableWave(SinusoidalPositionsOp table, mlir::AffineMap map) const;
  std::optional<Angles> angles(const View &view) const;
  bool readPositions(const View &view, Angles &to, int64_t &shift) const;
  std::optional<llvm::SmallVector<double>> numbers(const View &view) const;
  std::optional<std::pair<int64_t, int64_t>> rangeOf(mlir::AffineExpr e) const;
  /// Nothing where an expression depends on more than i.
  std::optional<int64_t> valueAt(mlir::AffineExpr e, int64_t i) const;
};

/// Why there can be no table of these angles, with as many rows as there can be positions; empty if there can.
std::string whyNoTable(const Angles &angles);

/// Sines and cosines of the angles, [.., tokens, width].
mlir::Value makeSinusoids(mlir::OpBuilder &b, mlir::Location place, const Angles &angles, PairLayout layout, int64_t width);

} // namespace heddle
