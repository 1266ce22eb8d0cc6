// What a linalg op on a static tile is to VectorizeTiles, told from the op alone. VerifyLoops asks the same question of what is left.
#pragma once
#include "compiler/support/BitSizes.h"
#include "compiler/support/Target.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <optional>

namespace heddle {

/// Lanes of every vector of this stage: those of the contract's row reductions. A 512-bit register holds them, two 256-bit registers do.
inline constexpr int64_t vectorLanes = reductionLanes;

enum class TileKind {
  Fill,         // one scalar, everywhere
  Scalars,      // [R], R at most two: a scalar per row
  Values,       // [N]: vectors along the only dimension
  Elementwise,  // [R, N]
  Transposed,   // [R, N], but what it reads lies side by side along R
  RowReduction, // [R, N] -> [R]
  Product,      // [R, K], [K, N] -> [R, N]
};

/// Rows that are written out side by side; more are a loop, unless all of them fit the registers.
inline constexpr int64_t fewRows = 2;

/// Prefetches in the body of a product that depend on k only as `arith.divui k, p` stay the same for p of them. The p of one, or 1; and a number of k
/// that serves all of a body: it divides every p that is not 1, and the block of k at whose start counting begins.
int64_t fetchPeriod(mlir::memref::PrefetchOp prefetch);
int64_t fetchPeriod(mlir::linalg::GenericOp product);

/// Register tiles of a product are written out side by side, so a wide result would become much code; those of the linalg stage are one panel wide.
inline constexpr int64_t mostProductColumns = 8 * panelColumns;

/// The loops of an op by what becomes of them.
struct LoopRoles {
  std::optional<unsigned> row, column, inner; // inner: the k of a product
};
LoopRoles loopRoles(TileKind kind);

/// How a reduction joins its accumulator with an element.
struct Combiner {
  bool isSum;          // accumulator + element, or one fused multiply-add; else a choice between the two
  mlir::Value element; // of a choice
};
std::optional<Combiner> matchCombiner(mlir::linalg::GenericOp op);

/// How an integer in the body of an op varies along the columns.
enum class LaneShape { Same, Ascending, Other };
LaneShape laneShape(mlir::Value value, mlir::linalg::GenericOp op, unsigned columnLoop);

/// The kind of `op` if its tile can be evaluated as vectors, as far as the op alone decides it.
std::optional<TileKind> tileKind(mlir::Operation *op);

/// Whether an op on [R, N] goes row by row in a loop, over memory: its tile is larger than the registers. Written out it would be no faster, and its
/// code would be R times as long.
bool isTall(mlir::Operation *op);

/// The operand of a product whose map is (column, k): its columns lie one behind the other, the k of a column side by side. Or null.
mlir::OpOperand *operandAlongInner(mlir::linalg::GenericOp product);

/// Whether an operand is read or written in the place of the result: map (row, column), (row) for one value per row, (column) for values.
bool isInPlace(mlir::OpOperand &operand, TileKind kind);

} // namespace heddle
