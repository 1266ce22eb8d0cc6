// The weights of a module by recipe: passes that edit recipes find or make weights here, so that equal recipes share one.
#pragma once
#include "dialect/Heddle.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace heddle {

class WeightTable {
public:
  explicit WeightTable(mlir::ModuleOp module);
  /// The weight with this recipe and the storage class of `like` (constant if null), made with a name that starts with `name` where there is none
  /// yet.
  WeightOp get(mlir::Location loc, llvm::StringRef name, mlir::Attribute recipe, WeightOp like = {});
  WeightOp lookup(mlir::FlatSymbolRefAttr name) { return symbols.lookup<WeightOp>(name.getValue()); }
  /// A use of `weight` where the builder stands.
  static mlir::Value use(mlir::OpBuilder &builder, mlir::Location loc, WeightOp weight);
  /// Erases weights that nobody uses.
  void eraseUnused();

private:
  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  llvm::DenseMap<std::pair<mlir::Attribute, int>, WeightOp> byRecipe;
};

/// `source` under another shape, or with axes in another order: a chain of either is one, and none where nothing changes.
mlir::Attribute reshapedRecipe(mlir::Attribute source, llvm::ArrayRef<int64_t> shape);
mlir::Attribute transposedRecipe(mlir::Attribute source, llvm::ArrayRef<int64_t> permutation);

/// The numbers that a recipe makes of the text alone, in double and not yet rounded; nothing where it reads a checkpoint.
std::optional<llvm::SmallVector<double>> numbersOfText(mlir::Attribute recipe);

} // namespace heddle
