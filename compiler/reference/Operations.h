// One function for each op: operands in, result out, float64, as directly as the op's description says it. Operands are in the order of the op's arguments,
// null where an optional one is absent; Interpreter.cpp has checked their shapes and the result's extents before.
#pragma once
#include "compiler/reference/Environment.h"
#include <string>

namespace heddle {

/// What an evaluation sees: the tensors of the op's operands, the sizes of dimensions, and room for a refusal.
struct Site {
  const Environment &environment;
  std::string refusal; // set by a function that cannot give a result; what it returns is then not used

  /// The extents of a tensor type; all its names are known.
  llvm::SmallVector<int64_t> shape(mlir::Type type) const;
  RaggedAxes ragged(mlir::Value value) const { return RaggedAxes(dimsOf(value), environment); }
};

using Tensors = llvm::ArrayRef<const Tensor *>;

// Elementwise.cpp
/// The result of an arith or math op on tensors or scalars, none for an op that is not one of them.
std::optional<Tensor> evaluateElementwise(mlir::Operation *op, Tensors operands, Site &site);

// Movement.cpp
Tensor evaluate(BroadcastOp op, Tensors operands, Site &site);
Tensor evaluate(ReshapeOp op, Tensors operands, Site &site);
Tensor evaluate(TransposeOp op, Tensors operands, Site &site);
Tensor evaluate(SliceOp op, Tensors operands, Site &site);
Tensor evaluate(ConcatOp op, Tensors operands, Site &site);
Tensor evaluate(GatherOp op, Tensors operands, Site &site);
Tensor evaluate(FlattenOp op, Tensors operands, Site &site);
Tensor evaluate(UnflattenOp op, Tensors operands, Site &site);

// Products.cpp
Tensor evaluate(MatmulOp op, Tensors operands, Site &site);
Tensor evaluate(LinearOp op, Tensors operands, Site &site);

// Rows.cpp
Tensor evaluate(SumOp op, Tensors operands, Site &site);
Tensor evaluate(MaxOp op, Tensors operands, Site &site);
Tensor evaluate(MinOp op, Tensors operands, Site &site);
Tensor evaluate(MeanOp op, Tensors operands, Site &site);
Tensor evaluate(VarOp op, Tensors operands, Site &site);
Tensor evaluate(SoftmaxOp op, Tensors operands, Site &site);
Tensor evaluate(LayerNormOp op, Tensors operands, Site &site);

// Positions.cpp
Tensor evaluate(PositionsOp op, Tensors operands, Site &site);
Tensor evaluate(SinusoidalPositionsOp op, Tensors operands, Site &site);
/// Offsets or starts of a ragged dimension from an operand.
std::vector<int64_t> wholeNumbers(const Tensor &tensor);

// Attention.cpp
MaskFunction evaluateMaskCausal();
MaskFunction evaluateMaskTensor(Tensor values);
MaskFunction evaluateMaskAnd(MaskFunction lhs, MaskFunction rhs);
Tensor evaluate(MaskValuesOp op, const MaskFunction *mask, Tensors operands, Site &site);
Tensor evaluate(AttentionOp op, const MaskFunction *mask, Tensors operands, Site &site);

} // namespace heddle
