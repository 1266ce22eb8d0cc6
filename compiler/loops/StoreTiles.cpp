// Results that are needed in memory, written to the tensor of their destination style.
#include "compiler/loops/TileEvaluator.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

/// As many values as a shorter vector has: read back at once, or one by one, they come from the store, which a masked one does not allow.
static bool areShortVector(RankedTensorType type) {
  int64_t count = type.getDimSize(0);
  return type.getRank() == 1 && !type.isDynamicDim(0) && count < vectorLanes && llvm::isPowerOf2_64(count);
}

/// The columns of one row, or values if there is no row.
static Value storeRow(TileEvaluator &evaluator, Value result, OpFoldResult row, OpFoldResult columns, bool mayLoop, Value destination) {
  auto store = [&](const Lanes &lanes, Value tensor) {
    evaluator.current = tensor;
    TilePlace place{row, lanes, {}};
    return evaluator.write(evaluator.lanesOf(result, place), tensor, place);
  };
  if (auto type = cast<RankedTensorType>(result.getType()); areShortVector(type))
    return store({evaluator.builder.getIndexAttr(0), {}, type.getDimSize(0)}, destination);
  auto generic = result.getDefiningOp<linalg::GenericOp>();
  return evaluator.overColumns(columns, mayLoop, generic ? evaluator.groupsAtOnce(generic) : 1, destination, store);
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
