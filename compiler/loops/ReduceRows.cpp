// Row reductions as the arithmetic contract writes them: sixteen lanes, then a tree.
#include "compiler/loops/TileEvaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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
static Value reduceRow(TileEvaluator &evaluator, linalg::GenericOp op, OpFoldResult row) {
  OpBuilder &b = evaluator.builder;
  bool mayLoop = !evaluator.needsConstantColumns(op);
  Value start = evaluator.splat(op.getDpsInits()[0].getDefiningOp<linalg::FillOp>().value());
  Value lanes = evaluator.overColumns(evaluator.columnsOf(op), mayLoop, start, [&](const Lanes &group, Value accumulator) -> Value {
    Value next = evaluator.splat(evaluator.evaluate(op, {row, group, {}}, accumulator));
    return group.mask ? arith::SelectOp::create(b, evaluator.loc, group.mask, next, accumulator) : next;
  });
  return joinLanes(evaluator, op, *matchCombiner(op), lanes);
}

void heddle::reduceRows(TileEvaluator &evaluator, linalg::GenericOp op) {
  SmallVector<Value> scalars;
  for (int64_t row = 0, rows = op.getStaticLoopRanges()[0]; row < rows; ++row)
    scalars.push_back(reduceRow(evaluator, op, evaluator.builder.getIndexAttr(row)));
  evaluator.keptScalars[op.getResult(0)] = scalars;
}

Value heddle::reduceTallRows(TileEvaluator &evaluator, linalg::GenericOp op, Value destination) {
  return evaluator.overRows(op.getStaticLoopRanges()[0], !evaluator.needsConstantRow(op), destination, [&](OpFoldResult row, Value tensor) -> Value {
    Value scalar = reduceRow(evaluator, op, row);
    return tensor::InsertOp::create(evaluator.builder, evaluator.loc, scalar, tensor, ValueRange{evaluator.asValue(row)});
  });
}
