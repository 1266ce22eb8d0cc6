// Results that are needed in memory, written to the tensor of their destination style.
#include "compiler/loops/TileEvaluator.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

/// The columns of one row, or values if there is no row.
static Value storeRow(TileEvaluator &evaluator, Value result, OpFoldResult row, OpFoldResult columns, bool mayLoop, Value destination) {
  return evaluator.overColumns(columns, mayLoop, destination, [&](const Lanes &lanes, Value tensor) {
    evaluator.current = tensor;
    TilePlace place{row, lanes, {}};
    return evaluator.write(evaluator.lanesOf(result, place), tensor, place);
  });
}

static Value storeScalars(TileEvaluator &evaluator, ArrayRef<Value> scalars, Value destination) {
  for (auto [row, scalar] : llvm::enumerate(scalars))
    destination = tensor::InsertOp::create(evaluator.builder, evaluator.loc, scalar, destination, ValueRange{evaluator.index(row)});
  return destination;
}

Value heddle::storeTile(TileEvaluator &evaluator, linalg::LinalgOp op, Value destination) {
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  auto fill = dyn_cast<linalg::FillOp>(op.getOperation());
  if (auto kept = evaluator.keptScalars.find(result); kept != evaluator.keptScalars.end())
    return storeScalars(evaluator, kept->second, destination);
  if (fill && type.getRank() == 1 && !type.isDynamicDim(0) && type.getDimSize(0) <= fewRows)
    return storeScalars(evaluator, SmallVector<Value>(type.getDimSize(0), fill.value()), destination);
  evaluator.overwritten = destination;
  bool isKept = evaluator.keptTiles.contains(result);
  bool mayLoopRows = !isKept && (!generic || !evaluator.needsConstantRow(generic));
  bool mayLoopColumns = !isKept && (!generic || !evaluator.needsConstantColumns(generic));
  int64_t last = type.getRank() - 1;
  OpFoldResult columns = evaluator.builder.getIndexAttr(type.getDimSize(last));
  if (type.isDynamicDim(last))
    columns = Value(tensor::DimOp::create(evaluator.builder, evaluator.loc, destination, last));
  auto row = [&](OpFoldResult at, Value tensor) { return storeRow(evaluator, result, at, columns, mayLoopColumns, tensor); };
  Value stored = type.getRank() == 1 ? row({}, destination) : evaluator.overRows(type.getDimSize(0), mayLoopRows, destination, row);
  evaluator.overwritten = evaluator.current = Value();
  return stored;
}
