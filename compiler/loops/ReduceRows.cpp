// Row reductions as the arithmetic contract writes them: sixteen lanes, then a tree.
#include "compiler/loops/TileEvaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

/// 16 -> 8 -> 4 -> 2 -> 1, each time the low half with the high half.
static Value joinLanes(TileEvaluator &evaluator, linalg::GenericOp op, const Combiner &combiner, Value lanes) {
  OpBuilder &b = evaluator.builder;
  auto half = [&](int64_t start, int64_t width) -> Value {
    return vector::ExtractStridedSliceOp::create(b, evaluator.loc, lanes, ArrayRef(start), ArrayRef(width), ArrayRef<int64_t>{1});
  };
  for (int64_t width = reductionLanes / 2; width >= 1; width /= 2) {
    Value low = half(0, width), high = half(width, width);
    lanes = evaluator.combine(op, combiner, low, high);
  }
  return vector::ExtractOp::create(b, evaluator.loc, lanes, ArrayRef<int64_t>{0});
}

/// Element i joins lane i mod 16; where the mask of the last columns is off, a lane keeps its old value.
SmallVector<Value> heddle::reduceRows(TileEvaluator &evaluator, linalg::GenericOp op) {
  Combiner combiner = *matchCombiner(op);
  bool mayLoop = !evaluator.needsConstantColumns(op);
  OpFoldResult columns = evaluator.columnsOf(op);
  Value start = evaluator.splat(op.getDpsInits()[0].getDefiningOp<linalg::FillOp>().value());
  SmallVector<Value> results;
  for (int64_t row = 0, rows = op.getStaticLoopRanges()[0]; row < rows; ++row) {
    Value lanes = evaluator.overColumns(columns, mayLoop, start, [&](const Lanes &group, Value accumulator) -> Value {
      Value next = evaluator.splat(evaluator.evaluate(op, {evaluator.builder.getIndexAttr(row), group, {}}, accumulator));
      return group.mask ? arith::SelectOp::create(evaluator.builder, evaluator.loc, group.mask, next, accumulator) : next;
    });
    results.push_back(joinLanes(evaluator, op, combiner, lanes));
  }
  return results;
}
