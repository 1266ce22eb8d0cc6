// Results that are needed in memory, written to the tensor of their destination style.
#include "compiler/loops/TileEvaluator.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

static Value storeScalars(TileEvaluator &evaluator, ArrayRef<Value> scalars, Value destination) {
  for (auto [row, scalar] : llvm::enumerate(scalars))
    destination = tensor::InsertOp::create(evaluator.builder, evaluator.loc, scalar, destination, ValueRange{evaluator.index(row)});
  return destination;
}

/// The columns of one row.
static Value storeRow(TileEvaluator &evaluator, Value result, OpFoldResult row, OpFoldResult columns, bool mayLoop, Value destination) {
  return evaluator.overColumns(columns, mayLoop, destination, [&](const Lanes &lanes, Value tensor) {
    evaluator.current = tensor;
    Place place{row, lanes, {}};
    return evaluator.write(evaluator.lanesOf(result, place), tensor, place);
  });
}

static Value storeRows(TileEvaluator &evaluator, Value result, int64_t rows, OpFoldResult columns, bool mayLoopRows, bool mayLoopColumns, Value destination) {
  OpBuilder &b = evaluator.builder;
  constexpr int64_t fewRows = 2; // cheaper written out
  if (!mayLoopRows || rows <= fewRows) {
    for (int64_t row = 0; row < rows; ++row)
      destination = storeRow(evaluator, result, b.getIndexAttr(row), columns, mayLoopColumns, destination);
    return destination;
  }
  auto loop = scf::ForOp::create(b, evaluator.loc, evaluator.index(0), evaluator.index(rows), evaluator.index(1), ValueRange{destination});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value stored = storeRow(evaluator, result, OpFoldResult(loop.getInductionVar()), columns, mayLoopColumns, loop.getRegionIterArgs()[0]);
  scf::YieldOp::create(b, evaluator.loc, stored);
  return loop.getResult(0);
}

Value heddle::storeTile(TileEvaluator &evaluator, linalg::LinalgOp op, Value destination) {
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (type.getRank() == 1) {
    auto kept = evaluator.keptScalars.find(result);
    if (kept != evaluator.keptScalars.end())
      return storeScalars(evaluator, kept->second, destination);
    return storeScalars(evaluator, SmallVector<Value>(type.getDimSize(0), cast<linalg::FillOp>(op.getOperation()).value()), destination);
  }
  evaluator.overwritten = destination;
  bool isKept = evaluator.keptTiles.contains(result);
  bool mayLoopRows = !isKept && (!generic || !evaluator.needsConstantRow(generic));
  bool mayLoopColumns = !isKept && (!generic || !evaluator.needsConstantColumns(generic));
  OpFoldResult columns = evaluator.builder.getIndexAttr(type.getDimSize(1));
  if (type.isDynamicDim(1))
    columns = Value(tensor::DimOp::create(evaluator.builder, evaluator.loc, destination, 1));
  Value stored = storeRows(evaluator, result, type.getDimSize(0), columns, mayLoopRows, mayLoopColumns, destination);
  evaluator.overwritten = evaluator.current = Value();
  return stored;
}
