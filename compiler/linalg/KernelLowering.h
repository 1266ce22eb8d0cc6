// One kernel on its way from heddle ops to linalg: the new function, its arguments and dimensions. Each kind of kernel has a file of its own.
#pragma once
#include "compiler/linalg/KernelViews.h"
#include "compiler/linalg/LinalgBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace heddle {

/// How a value lies in memory inside: rows of all leading axes times columns padded to whole panels, where the last extent is static; else as its
/// shape.
mlir::RankedTensorType internalType(mlir::Type logical);
/// On an argument or a kernel: it is an array of the caller's, an entry's argument or result. Set by OutlineKernels.
inline constexpr llvm::StringLiteral exactAttr = "heddle.exact";
/// How the caller's arrays lie.
mlir::RankedTensorType exactType(mlir::Type logical);
/// The packed panels of a weight matrix.
mlir::RankedTensorType panelType(mlir::Type logical);
/// The type with which a kernel (still of heddle ops) takes its argument or gives its result.
mlir::RankedTensorType argumentType(mlir::BlockArgument argument);
mlir::RankedTensorType resultType(mlir::func::FuncOp kernel);

/// The dimensions a kernel takes as index arguments: those its types name, in order of first use (kernels that differ in names alone then merge), and
/// the widths that no type of a flattened kernel names but its ops need.
llvm::SmallVector<mlir::StringAttr> dimensionsOf(mlir::func::FuncOp kernel);

class KernelLowering {
public:
  /// Replaces `kernel` by its lowering; an error on the op that has none.
  static mlir::LogicalResult run(mlir::func::FuncOp kernel);

  // What the files of the kinds share.
  mutable mlir::func::FuncOp kernel; // of heddle ops
  mlir::IRMapping arguments;         // heddle argument -> tensor argument
  llvm::DenseMap<mlir::StringAttr, mlir::Value> dimensions;
  mlir::Value out;

  explicit KernelLowering(mlir::func::FuncOp kernel) : kernel(kernel) {}
  mlir::Value extent(LinalgBuilder &b, DimsAttr dims, int64_t axis) const;
  mlir::Value dimension(llvm::StringRef name) const { return dimensions.lookup(mlir::StringAttr::get(kernel.getContext(), name)); }
  mlir::Value argument(mlir::Value heddleValue) const { return arguments.lookupOrNull(heddleValue); }
  mlir::Operation *resultOp() const { return kernel.getBody().front().getTerminator()->getOperand(0).getDefiningOp(); }
  /// Index of element `indices` of `base` (heddle value) in its tensor, whose leading axes may be one.
  llvm::SmallVector<mlir::Value> physicalIndices(LinalgBuilder &b, mlir::Value base, llvm::ArrayRef<mlir::Value> indices) const;

  /// First token, number of tokens and first position of batch row `row` (index) under offsets and starts (heddle values).
  struct Row {
    mlir::Value offset, length, start;
  };
  Row rowOf(LinalgBuilder &b, mlir::Value offsets, mlir::Value starts, mlir::Value row) const;

  /// A mask's site; its operands are arguments of the kernel.
  MaskSite siteOf(mlir::Value batch, mlir::Value head, const Row &queries, const Row &keys) const;
  /// Element `indices` of a value that is a constant, an argument or a view of one.
  mlir::FailureOr<mlir::Value> readElement(LinalgBuilder &b, mlir::Value value, llvm::ArrayRef<mlir::Value> indices) const;
  /// Where element `indices` of the kernel's result lies in its output.
  llvm::SmallVector<mlir::Value> outputIndices(LinalgBuilder &b, llvm::ArrayRef<mlir::Value> indices) const;
  /// A parallel loop over the axes [0, count) of `dims`.
  mlir::scf::ForallOp overAxes(LinalgBuilder &b, DimsAttr dims, llvm::ArrayRef<int64_t> axes) const;

  mlir::FailureOr<mlir::Value> lowerRows(LinalgBuilder &b);
  mlir::FailureOr<mlir::Value> lowerReduction(LinalgBuilder &b, mlir::Operation *op);
  mlir::FailureOr<mlir::Value> lowerSoftmax(LinalgBuilder &b, SoftmaxOp op);
  mlir::FailureOr<mlir::Value> lowerMatmul(LinalgBuilder &b, MatmulOp op);
  mlir::FailureOr<mlir::Value> lowerPick(LinalgBuilder &b, PickOp op);
  mlir::FailureOr<mlir::Value> lowerSpread(LinalgBuilder &b, SpreadOp op);
  mlir::FailureOr<mlir::Value> lowerConcat(LinalgBuilder &b, ConcatOp op);
  mlir::FailureOr<mlir::Value> lowerWindows(LinalgBuilder &b, WindowsOp op);
  mlir::FailureOr<mlir::Value> lowerLinear(LinalgBuilder &b, LinearOp op);
  mlir::FailureOr<mlir::Value> lowerAttention(LinalgBuilder &b, AttentionOp op);
  mlir::FailureOr<mlir::Value> lowerFlatten(LinalgBuilder &b, FlattenOp op);
  mlir::FailureOr<mlir::Value> lowerUnflatten(LinalgBuilder &b, UnflattenOp op);
  mlir::FailureOr<mlir::Value> lowerPositions(LinalgBuilder &b, PositionsOp op);

private:
  mlir::FailureOr<mlir::Value> lowerBody(LinalgBuilder &b);
};

/// The scalar op that elementwise `op` is on each element. Maxima are compare and select.
mlir::Value emitElement(LinalgBuilder &b, mlir::Operation *op, mlir::ValueRange operands);

} // namespace heddle
