// What a value of pairs [.., query, key] says in positions: which axes it depends on, sums of positions, distances that are bounded. FuseMasks asks.
#pragma once
#include "compiler/graph/Formula.h"
#include "mlir/IR/Builders.h"

namespace heddle {

/// constant + query * (position of the query) + key * (position of the key) + other terms
struct PositionSum {
  double constant = 0, query = 0, key = 0;
  llvm::SmallVector<std::pair<double, Term>> others;

  void add(const PositionSum &sum, double times);
  bool isWhole() const; // of whole numbers alone
};

/// least <= key position - query position <= most
struct DistanceBounds {
  std::optional<int64_t> least, most;
};

/// A value [query, key], [batch, query, key] or [batch, heads, query, key].
class PairFormula : public Formula {
public:
  explicit PairFormula(mlir::Value root);
  DimsAttr dims;
  int64_t queryAxis, keyAxis;
  std::optional<int64_t> batchAxis, headAxis;

  /// The axes that a term depends on, seen through elementwise ops: bit i for axis i.
  uint64_t axesOf(const Term &term) const;
  uint64_t bit(std::optional<int64_t> axis) const { return axis ? uint64_t(1) << *axis : 0; }
  /// A sum of positions, or nothing.
  std::optional<PositionSum> positions(const Term &term) const;
  /// The distances where a comparison (or its opposite) holds, or nothing.
  std::optional<DistanceBounds> distances(const Term &comparison, bool opposite) const;
  /// A matrix known when compiling that is true in a band along the diagonal, and nowhere else.
  std::optional<DistanceBounds> band(const Term &comparison, bool opposite) const;
  /// The term over the axes `kept` alone, whose extents are `to`; null where it is arranged in a way that is not understood.
  mlir::Value over(mlir::OpBuilder &b, const Term &term, llvm::ArrayRef<int64_t> kept, DimsAttr to) const;
  std::optional<double> numberOf(const Term &term) const;

private:
  uint64_t axesOf(const Term &term, int &budget) const;
  std::optional<PositionSum> positions(const Term &term, int &budget) const;
  mlir::Value over(mlir::OpBuilder &b, const Term &term, llvm::ArrayRef<int64_t> kept, DimsAttr to, int &budget) const;
  std::optional<PositionSum> ramp(const Term &term) const;
};

/// How a comparison of two numbers ends, for floats and ints alike; none for unsigned ones.
enum class Order { Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual };
std::optional<Order> orderOf(mlir::Operation *comparison);
Order opposite(Order order);
/// The order of y and x, where `order` is that of x and y.
Order exchanged(Order order);
bool holds(Order order, double x, double y);

} // namespace heddle
