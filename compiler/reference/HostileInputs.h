// Small inputs that wrong rewrites do not survive: rows that see nothing, NaN and infinities, large logits, equal rows, rows with a large mean and a
// small variance, length 0 and 1, other lengths of queries than of keys. Static extents stay what they are; named ones are tiny.
#pragma once
#include "compiler/reference/Environment.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

struct HostileInput {
  std::string name; // "hidden rows"
  Environment environment;
  std::vector<Tensor> arguments; // those of the pair that have no recipe hold what the name says
  /// "batch = 2, s = 3, lengths of s: 3, 0, 1"
  std::string sizes() const;
};

/// The inputs of two functions with the same arguments, made one by one.
class HostileInputs {
public:
  HostileInputs(mlir::func::FuncOp formula, mlir::func::FuncOp replacement);
  size_t count() const { return plans.size(); }
  /// `recipes`: the values of arguments that carry a recipe, empty tensors for the others.
  HostileInput make(size_t number, llvm::ArrayRef<Tensor> recipes);

private:
  enum class Sizes { distinct, ones, ragged };
  enum class Fill { ordinary, large, equalRows, largeMean, hiddenRows, minusInfinity, firstNan, lastNan };
  struct Plan {
    std::string name;
    Fill fill;
    Sizes sizes;
    int argument; // that minusInfinity and NaN go into
  };

  void plan();
  void look(mlir::func::FuncOp function);
  Environment environmentOf(Sizes sizes) const;
  Tensor argument(unsigned number, const Plan &plan, llvm::ArrayRef<int64_t> shape);

  mlir::func::FuncOp formula;
  std::vector<std::string> names; // of plain dimensions, batches first
  std::vector<DimensionAttr> raggedDimensions;
  std::vector<int64_t> ints; // worth trying where an argument holds ints
  bool hasSoftmax = false, hasProduct = false;
  std::vector<Plan> plans;
};

} // namespace heddle
