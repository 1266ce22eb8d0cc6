// The float64 interpreter of heddle ops: the judge of every rewrite. Direct and slow on purpose; it shares nothing with the stages it judges but the
// dialect. It runs modules as the frontend makes them (padded arrays, ragged axes known by name) and as the graph stage leaves them (tokens as rows,
// offsets and starts as operands; also outlined into kernels), and single ops on whatever values a test wants to feed them.
#pragma once
#include "compiler/reference/Environment.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/support/Location.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <memory>
#include <optional>

namespace heddle {

class Checkpoint;

/// The result of one op with one result. `operands`: one for each operand of the op, in order. Sizes of plain dimensions that `environment` does not
/// give are taken from the operands. `checkpoint` is read by heddle.use alone and may be null. None after a message.
std::optional<Datum> evaluate(mlir::Operation *op, llvm::ArrayRef<Datum> operands, const Environment &environment, const Checkpoint *checkpoint,
                              Diagnostics &diagnostics);

/// Sees each result of an entry before others read it, and may change it.
using Observer = std::function<void(mlir::Operation *op, llvm::ArrayRef<const Datum *> operands, Datum &result)>;

/// Weights by their recipes, for evaluations that share them.
using EvaluatedWeights = llvm::DenseMap<mlir::Attribute, std::shared_ptr<const Datum>>;

/// The results of an entry. `arguments`: one for each argument that is not offsets or starts (those come from `environment`). Ragged dimensions that
/// `environment` does not give have full rows from 0. Rows beyond a length are 0 in results.
std::optional<std::vector<Tensor>> evaluateEntry(mlir::func::FuncOp entry, llvm::ArrayRef<Tensor> arguments, Environment environment,
                                                 const Checkpoint *checkpoint, Diagnostics &diagnostics, const Observer &observer = {},
                                                 EvaluatedWeights *weights = nullptr);

/// The dimensions of an entry from its arguments' shapes: sizes, and full rows for ragged dimensions that have none yet. False after a message.
bool bindDimensions(mlir::func::FuncOp entry, llvm::ArrayRef<llvm::SmallVector<int64_t>> shapes, Environment &environment, Diagnostics &diagnostics);

} // namespace heddle
