// Evaluates the bodies of linalg ops on vectors, on demand: an operand that another op of the block makes is evaluated where it is used, unless it
// was kept in registers or written to its tensor. VectorizeTiles drives it; products, reductions and stores are written with it.
#pragma once
#include "compiler/loops/BlockTiles.h"
#include "compiler/support/Target.h"
#include "mlir/IR/Builders.h"

namespace heddle {

/// Sixteen columns of a row; or a few values, as many as a shorter vector has.
struct Lanes {
  mlir::OpFoldResult start; // a constant, or a loop's variable
  mlir::Value mask;         // of those that exist; null if all do
  int64_t width = vectorLanes;
};

/// Where a body is evaluated. Without lanes: one scalar per row; without a row: values.
struct TilePlace {
  mlir::OpFoldResult row;
  std::optional<Lanes> lanes;
  mlir::Value inner;    // the k of a product
  bool fetches = false; // whether prefetches of the body without a period are made here: once for all vectors of a tile
};

class TileEvaluator {
public:
  TileEvaluator(const BlockTiles &tiles, const Target &target, mlir::MLIRContext *context)
      : tiles(tiles), target(target), builder(context), loc(mlir::UnknownLoc::get(context)) {}

  //--- values of ops
  /// The body of `op` at `place`: a vector, or a scalar where it is the same in all lanes. `accumulator` stands for the initial value.
  mlir::Value evaluate(mlir::linalg::GenericOp op, const TilePlace &place, mlir::Value accumulator = {});
  mlir::Value evaluateOperand(mlir::OpOperand &operand, const TilePlace &place);
  /// The prefetches of a product's body that have a period (fetchPeriod), at this k.
  void fetch(mlir::linalg::GenericOp op, const TilePlace &place);
  /// The lanes of `place` of a result of this block.
  mlir::Value lanesOf(mlir::Value result, const TilePlace &place);
  /// Two vectors (or scalars) joined as the reduction `op` joins its accumulator, `low`, with an element, `high`.
  mlir::Value combine(mlir::linalg::GenericOp op, const Combiner &combiner, mlir::Value low, mlir::Value high);

  /// Columns [columns.start, + 16) of an operandAlongInner at k, k + 1 ..., `count` of them: sixteen vectors, the others of no meaning.
  llvm::SmallVector<mlir::Value> alongInner(mlir::OpOperand &operand, const Lanes &columns, mlir::Value k, int64_t count);

  //--- how an op may be evaluated
  /// Some operand, or operand of an operand evaluated on demand, is in registers: its columns are constants (tiles), its row is (tiles and scalars).
  bool needsConstantColumns(mlir::linalg::GenericOp op) const;
  bool needsConstantRow(mlir::linalg::GenericOp op) const;
  /// Contains a function or a division, or evaluates one on demand.
  bool isCostly(mlir::linalg::GenericOp op) const;
  /// Whether an op [rows, N], which others may be evaluated with, ends in a loop over rows: it is costly, or what is evaluated with its result is.
  bool endsInLoop(mlir::linalg::GenericOp op) const;

  //--- building blocks
  mlir::Value index(int64_t value);
  mlir::Value asValue(mlir::OpFoldResult value);
  mlir::Value splat(mlir::Value scalarOrVector, int64_t width = vectorLanes);
  mlir::Value write(mlir::Value vector, mlir::Value tensor, const TilePlace &place);
  /// Groups of sixteen columns written out; the last one masked if need be.
  llvm::SmallVector<Lanes> groupsOf(int64_t columns);
  /// `state` carried over all groups of a row, by a loop where there are many and `mayLoop`, with so many groups `atOnce` in its body.
  mlir::Value overColumns(mlir::OpFoldResult columns, bool mayLoop, int64_t atOnce, mlir::Value state,
                          llvm::function_ref<mlir::Value(const Lanes &, mlir::Value)> step);
  /// Groups of `op` that are evaluated side by side in a loop: as many as hide the latency of its functions, or one.
  int64_t groupsAtOnce(mlir::linalg::GenericOp op) const { return isCostly(op) ? target.functionsAtOnce : 1; }
  /// `state` carried over 0, step, 2 step ... below `end`.
  mlir::Value inLoop(int64_t end, int64_t step, mlir::Value state, llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> body);
  /// The same over rows.
  mlir::Value overRows(int64_t rows, bool mayLoop, mlir::Value state, llvm::function_ref<mlir::Value(mlir::OpFoldResult, mlir::Value)> step);
  mlir::OpFoldResult columnsOf(mlir::linalg::GenericOp op);

  const BlockTiles &tiles;
  const Target &target;
  mlir::OpBuilder builder;
  mlir::Location loc;
  /// Results that stay in registers: [row][group], or [row].
  llvm::DenseMap<mlir::Value, llvm::SmallVector<llvm::SmallVector<mlir::Value>>> keptTiles;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> keptScalars;
  /// Results that were written: the tensor they are in.
  llvm::DenseMap<mlir::Value, mlir::Value> written;
  /// While a tile is written: the tensor as it was, and as it is by now. Reads in place take the latter, or the former would have to be copied.
  mlir::Value overwritten, current;
  /// While a product with an operandAlongInner is evaluated: that operand's vector at this place.
  mlir::Value columnsAlongInner;

private:
  using Values = llvm::DenseMap<mlir::Value, mlir::Value>;
  struct Body; // one evaluation of one body

  mlir::Value emit(mlir::Operation *op, mlir::ValueRange operands);
  mlir::Value joined(mlir::Value value, Values &values);
  mlir::Value read(mlir::Value tensor, mlir::ValueRange indices, const Lanes &lanes);
  mlir::Value maskOf(int64_t valid);
  llvm::SmallVector<mlir::Value> indicesOf(const TilePlace &place);
  /// `op` and the ops evaluated with it, because their results are in registers, but neither kept nor written.
  llvm::SetVector<mlir::linalg::GenericOp> evaluatedWith(mlir::linalg::GenericOp op) const;
  bool usesKept(mlir::linalg::GenericOp op, const std::function<bool(mlir::Value)> &isKept) const;

  /// Results evaluated on demand at the place of the outermost evaluation: each once, however often it is used.
  Values atThisPlace;
  unsigned depth = 0;
};

/// [R, N] -> [R]: one scalar per row, kept.
void reduceRows(TileEvaluator &evaluator, mlir::linalg::GenericOp op);
/// The same for a tall tile, written to `destination`; returns what was written.
mlir::Value reduceTallRows(TileEvaluator &evaluator, mlir::linalg::GenericOp op, mlir::Value destination);

/// [R, K], [K, N] -> [R, N]: kept in registers if the result is small, else written to `destination`; returns what was written, or null.
mlir::Value multiplyTiles(TileEvaluator &evaluator, mlir::linalg::GenericOp op, mlir::Value destination);

/// Sixteen vectors of sixteen lanes: lane j of vector i and lane i of vector j change places.
void transposeVectors(TileEvaluator &evaluator, llvm::MutableArrayRef<mlir::Value> vectors);

/// [R, N], read in vectors along R: transposed in registers, written to `destination`.
mlir::Value transposeTile(TileEvaluator &evaluator, mlir::linalg::GenericOp op, mlir::Value destination);

/// Writes a result to `destination`, evaluating it if it is not kept.
mlir::Value storeTile(TileEvaluator &evaluator, mlir::linalg::LinalgOp op, mlir::Value destination);

} // namespace heddle
