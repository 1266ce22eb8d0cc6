// One function for each op: operands in, result out, float64, as directly as the op's description says it. Operands are in the order of the op's
// arguments, null where an optional one is absent; Interpreter.cpp has checked their shapes and the result's extents before.
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
/// The result of an arith or math op, gelu or silu on tensors or scalars, none for an op that is not one of them.
std::optional<Tensor> evaluateElementwise(mlir::Operation *op, Tensors operands, Site &site);

// Movement.cpp
Tensor evaluate(BroadcastOp op, Tensors operands, Site &site);
Tensor evaluate(ReshapeOp op, Tensors operands, Site &site);
Tensor evaluate(TransposeOp op, Tensors operands, Site &site);
Tensor evaluate(SliceOp op, Tensors operands, Site &site);
Tensor evaluate(ConcatOp op, Tensors operands, Site &site);
Tensor evaluate(GatherOp op, Tensors operands, Site &site);
Tensor evaluate(PickOp op, Tensors operands, Site &site);
Tensor evaluate(SpreadOp op, Tensors operands, Site &site);
Tensor evaluate(WindowsOp op, Tensors operands, Site &site);
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
Tensor evaluate(RmsNormOp op, Tensors operands, Site &site);

// Positions.cpp
Tensor evaluate(PositionsOp op, Tensors operands, Site &site);
Tensor evaluate(SinusoidalPositionsOp op, Tensors operands, Site &site);
Tensor evaluate(RotaryEmbeddingOp op, Tensors operands, Site &site);
/// Offsets or starts of a ragged dimension from an operand.
std::vector<int64_t> wholeNumbers(const Tensor &tensor);
/// Whether offsets cut this many tokens, all of them, into rows.
bool cutsTokens(llvm::ArrayRef<int64_t> offsets, int64_t tokens);
/// Whether offsets give each row of a padded array [batch, width, ..] a length within it.
bool cutsPadded(llvm::ArrayRef<int64_t> offsets, int64_t batch, int64_t width);

// Masks.cpp
MaskFunction evaluateMaskCausal();
MaskFunction evaluateMaskWindow(MaskWindowOp op);
MaskFunction evaluateMaskTensor(Tensor values);
MaskFunction evaluateMaskPrefix(Tensor lengths);
MaskFunction evaluateMaskSegments(Tensor queries, Tensor keys);
/// Null for a side that is not given.
MaskFunction evaluateMaskTokens(const Tensor *queries, const Tensor *keys);
MaskFunction evaluateBiasAlibi(Tensor slopes);
MaskFunction evaluateSoftcap(SoftcapOp op);
MaskFunction evaluateBiasTensor(Tensor values);
MaskFunction evaluateBiasTokens(Tensor keys);
MaskFunction evaluateBiasRelative(Tensor table);
MaskFunction evaluateMaskAnd(MaskFunction lhs, MaskFunction rhs);
Tensor evaluate(MaskValuesOp op, const MaskFunction *mask, Tensors operands, Site &site);
Tensor evaluate(MaskScoresOp op, const MaskFunction *mask, Tensors operands, Site &site);

/// The tokens of one side (queries or keys) of one batch row: how many are real, and the position of the first.
struct Side {
  std::vector<int64_t> lengths, starts; // for each batch row; empty: every row is whole and begins at 0
  std::vector<int64_t> offsets;         // which token each row begins with; empty: rows are no tokens
  int64_t width = 0;

  int64_t length(int64_t batch) const { return lengths.empty() ? width : lengths[static_cast<size_t>(batch)]; }
  int64_t start(int64_t batch) const { return starts.empty() ? 0 : starts[static_cast<size_t>(batch)]; }
  int64_t offset(int64_t batch) const { return offsets.empty() ? 0 : offsets[static_cast<size_t>(batch)]; }

  /// From offsets and starts, or from the rows of a ragged dimension `name` (which may be null).
  static Side make(const Tensor *offsets, const Tensor *starts, mlir::StringAttr name, int64_t width, const Environment &environment);
};
/// Query i and key j of a batch row.
MaskPair pairOf(const Side &queries, const Side &keys, int64_t batch, int64_t head, int64_t i, int64_t j);

// Attention.cpp
Tensor evaluate(AttentionOp op, const MaskFunction *mask, Tensors operands, Site &site);

} // namespace heddle
