// Row reductions as the arithmetic contract writes them: sixteen lanes, then a tree.
#include "compiler/loops/TileEvaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

/// 16 -> 8 -> 4 -> 2 -> 1, each time the low half of a row's lanes with the high half. Rows share the steps: two vectors of rows with n lanes each
/// become one of twice as many rows with n / 2. In the end lane i is row i.
static Value joinLanes(TileEvaluator &evaluator, linalg::GenericOp op, SmallVector<Value> vectors) {
  OpBuilder &b = evaluator.builder;
  Combiner combiner = *matchCombiner(op);
  for (int64_t lanes = reductionLanes; lanes > 1; lanes /= 2) {
    SmallVector<Value> joined;
    for (size_t i = 0; i < vectors.size(); i += 2) {
      Value first = vectors[i], second = vectors[std::min(i + 1, vectors.size() - 1)];
      int64_t width = cast<VectorType>(first.getType()).getDimSize(0);
      int64_t both = first == second ? width : width + cast<VectorType>(second.getType()).getDimSize(0);
      SmallVector<int64_t> low, high; // places in the first vector, then in the second
      for (int64_t place = 0; place < both; ++place)
        (place % lanes < lanes / 2 ? low : high).push_back(place);
      Value lows = vector::ShuffleOp::create(b, evaluator.loc, first, second, low);
      Value highs = vector::ShuffleOp::create(b, evaluator.loc, first, second, high);
      joined.push_back(evaluator.combine(op, combiner, lows, highs));
    }
    vectors = joined;
  }
  return vectors.front();
}

/// Element i joins lane i mod 16; where the mask of the last columns is off, a lane keeps its old value.
static Value lanesOfRow(TileEvaluator &evaluator, linalg::GenericOp op, OpFoldResult row) {
  OpBuilder &b = evaluator.builder;
  bool mayLoop = !evaluator.needsConstantColumns(op);
  Value start = evaluator.splat(op.getDpsInits()[0].getDefiningOp<linalg::FillOp>().value());
  return evaluator.overColumns(evaluator.columnsOf(op), mayLoop, evaluator.groupsAtOnce(op), start,
                               [&](const Lanes &group, Value accumulator) -> Value {
                                 Value next = evaluator.splat(evaluator.evaluate(op, {row, group, {}}, accumulator));
                                 return group.mask ? arith::SelectOp::create(b, evaluator.loc, group.mask, next, accumulator) : next;
                               });
}

static Value reduceAll(TileEvaluator &evaluator, linalg::GenericOp op) {
  SmallVector<Value> rows;
  for (int64_t row = 0; row < op.getStaticLoopRanges()[0]; ++row)
    rows.push_back(lanesOfRow(evaluator, op, evaluator.builder.getIndexAttr(row)));
  return joinLanes(evaluator, op, rows);
}

void heddle::reduceRows(TileEvaluator &evaluator, linalg::GenericOp op) {
  Value all = reduceAll(evaluator, op);
  SmallVector<Value> scalars;
  for (int64_t row = 0; row < op.getStaticLoopRanges()[0]; ++row)
    scalars.push_back(vector::ExtractOp::create(evaluator.builder, evaluator.loc, all, ArrayRef<int64_t>{row}));
  evaluator.keptScalars[op.getResult(0)] = scalars;
}

Value heddle::reduceTallRows(TileEvaluator &evaluator, linalg::GenericOp op, Value destination) {
  return evaluator.write(reduceAll(evaluator, op), destination, {{}, Lanes{evaluator.builder.getIndexAttr(0), {}}, {}});
}
