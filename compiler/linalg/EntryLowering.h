// Entries on their way from heddle ops to calls on raw buffers, and the model's table.
#pragma once
#include "compiler/support/ModelInfo.h"
#include "dialect/Heddle.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// What an entry needs of its kernels, taken before they are lowered.
struct KernelSignature {
  llvm::SmallVector<mlir::RankedTensorType> arguments;
  mlir::RankedTensorType result;
  llvm::SmallVector<mlir::StringAttr> dimensions;
};
using KernelSignatures = llvm::StringMap<KernelSignature>;

/// Places weights in the section as kernels want them: panels for matrix products, rows of whole panels for the rest.
class WeightPlacer {
public:
  WeightPlacer(mlir::ModuleOp module, ModelInfo &info) : module(module), info(info) {}
  /// The offset of a weight in this layout, a multiple of 64; placed at its first use.
  int64_t offsetOf(WeightOp weight, mlir::RankedTensorType layout);
  WeightOp lookup(UseOp use) { return module.lookupSymbol<WeightOp>(use.getWeight()); }

private:
  mlir::ModuleOp module;
  ModelInfo &info;
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Type>, int64_t> placed;
};

/// Replaces `entry`, of this description, by a function of raw buffers and dimensions.
mlir::LogicalResult lowerEntry(mlir::func::FuncOp entry, const KernelSignatures &kernels, WeightPlacer &weights, EntryInfo &info);

/// What module attributes say of the model: name, tasks, tokenizers.
mlir::LogicalResult describeModel(mlir::ModuleOp module, ModelInfo &info);
/// Arguments, results and dimensions of an entry.
mlir::FailureOr<EntryInfo> describeEntry(mlir::func::FuncOp entry);
/// An extent over the dimensions of an entry; divisions have no form.
mlir::FailureOr<Form> formOf(DimsAttr dims, int64_t axis, const EntryInfo &entry);
/// The calls of an entry and their work, while kernels are still of heddle ops.
void countWork(mlir::func::FuncOp entry, EntryInfo &info);

} // namespace heddle
