// What a value computes, as a matcher wants to see it: through views, products and sums flattened, numbers collected. So a formula is met in whatever
// spelling: factors in any order, divisions as products, constants before or after, reductions repeated along the axes they had.
#pragma once
#include "dialect/View.h"

namespace heddle {

/// A value in the index space of a formula's root: element (i..) is element map(i..) of `base`. `whole` is a value that lies in that space as it is,
/// or null.
struct Term {
  View view;
  mlir::Value whole;
  bool operator==(const Term &other) const { return view == other.view; }
  template <typename Op> Op op() const { return view.base.getDefiningOp<Op>(); }
};

/// number * factors / divisors
struct Product {
  double number = 1;
  llvm::SmallVector<Term> factors, divisors;
};
/// number + sum of coefficient * term
struct Sum {
  double number = 0;
  llvm::SmallVector<std::pair<double, Term>> terms;
};

/// Reads the formula that ends in `root`.
class Formula {
public:
  explicit Formula(mlir::Value root);
  Term root;
  /// Of the root.
  llvm::ArrayRef<int64_t> shape() const { return extents; }

  /// `value`, which lies in the index space of `of`'s base.
  Term operand(const Term &of, mlir::Value value) const;
  /// An operand of a reduction along the last axis (`of` is its result, which repeats along the root's last axis): its element in the same place.
  std::optional<Term> reduced(const Term &of, mlir::Value source) const;
  std::optional<double> number(const Term &term) const;
  /// Flattened down to what is no product, or is one of `leaves`.
  Product product(const Term &term, llvm::ArrayRef<Term> leaves = {}) const;
  Sum sum(const Term &term, llvm::ArrayRef<Term> leaves = {}) const;
  /// Coefficients by power of `x`, where the term is a polynomial in it; nothing otherwise.
  std::optional<llvm::SmallVector<double>> polynomial(const Term &term, const Term &x) const;
  /// A vector along the root's last axis, the same for all rows: its value, or null.
  mlir::Value vector(const Term &term) const;

private:
  DimsAttr dims; // of the root
  llvm::SmallVector<int64_t> extents;
  /// `value` or else the base, where it lies in the root's space as it is: a view may be the first columns of a wider base.
  mlir::Value wholeOf(const View &view, mlir::AffineMap map, mlir::Value value) const;
  /// Ops a question may still look through. Formulas are small, and a value that is used twice at every step has exponentially many paths.
  mutable int budget = 0;
  static constexpr int budgetOfOne = 64;
  std::optional<llvm::SmallVector<double>> coefficients(const Term &term, const Term &x) const;
  void addFactors(const Term &term, llvm::ArrayRef<Term> leaves, bool divide, Product &to) const;
  void addTerms(const Term &term, llvm::ArrayRef<Term> leaves, double coefficient, Sum &to) const;
};

/// Whether a product takes this one: then it is no formula of its own, and what it lacks may still come.
bool isPartOfProduct(mlir::Operation *op);

/// Equal but for the rounding of how a text may have computed them.
bool isClose(double a, double b);

} // namespace heddle
