// Tiles whose sources lie side by side along the rows of the result: attention's keys become columns. Sixteen vectors are read and transposed in
// registers; written by scalar loops, the copy would take as long as the product that needs it.
#include "compiler/loops/TileEvaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

/// Step d exchanges what differs in bit d of i and j.
void heddle::transposeVectors(TileEvaluator &evaluator, MutableArrayRef<Value> vectors) {
  OpBuilder &b = evaluator.builder;
  for (int64_t d = vectorLanes / 2; d >= 1; d /= 2) {
    SmallVector<int64_t> low, high; // lanes of the first vector, then of the second
    for (int64_t lane = 0; lane < vectorLanes; ++lane) {
      low.push_back(lane & d ? vectorLanes + lane - d : lane);
      high.push_back(lane & d ? vectorLanes + lane : lane + d);
    }
    for (int64_t i = 0; i < vectorLanes; ++i) {
      if (i & d)
        continue;
      Value first = vectors[i], second = vectors[i + d];
      vectors[i] = vector::ShuffleOp::create(b, evaluator.loc, first, second, low);
      vectors[i + d] = vector::ShuffleOp::create(b, evaluator.loc, first, second, high);
    }
  }
}

/// Rows [rows.start, + valid), columns [column, + 16).
static Value transposeBlock(TileEvaluator &evaluator, linalg::GenericOp op, const Lanes &rows, int64_t valid, Value column, Value destination) {
  OpBuilder &b = evaluator.builder;
  auto after = [&](Value start, int64_t i) -> Value { return arith::AddIOp::create(b, evaluator.loc, start, evaluator.index(i)); };
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < vectorLanes; ++i)
    vectors.push_back(evaluator.splat(evaluator.evaluate(op, {OpFoldResult(after(column, i)), rows, {}})));
  transposeVectors(evaluator, vectors);
  Value first = evaluator.asValue(rows.start);
  for (int64_t i = 0; i < valid; ++i)
    destination = evaluator.write(vectors[i], destination, {OpFoldResult(after(first, i)), Lanes{OpFoldResult(column), {}}, {}});
  return destination;
}

Value heddle::transposeTile(TileEvaluator &evaluator, linalg::GenericOp op, Value destination) {
  auto ranges = op.getStaticLoopRanges();
  auto columnsOf = [&](const Lanes &rows, int64_t valid, Value to) {
    return evaluator.inLoop(ranges[1], vectorLanes, to,
                            [&](Value column, Value state) { return transposeBlock(evaluator, op, rows, valid, column, state); });
  };
  int64_t whole = ranges[0] - ranges[0] % vectorLanes;
  destination =
      evaluator.inLoop(whole, vectorLanes, destination, [&](Value row, Value to) { return columnsOf({OpFoldResult(row), {}}, vectorLanes, to); });
  if (whole == ranges[0])
    return destination;
  Lanes rest = evaluator.groupsOf(ranges[0]).back();
  return columnsOf(rest, ranges[0] - whole, destination);
}
