#include "compiler/graph/Formula.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace heddle;

bool heddle::isClose(double a, double b) { return std::abs(a - b) <= 8 * 0x1p-53 * std::max(std::abs(a), std::abs(b)); }

bool heddle::isPartOfProduct(Operation *op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) { return isa<arith::MulFOp, arith::DivFOp, BroadcastOp>(user); });
}

Formula::Formula(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  dims = dimsOf(value);
  extents.assign(type.getShape().begin(), type.getShape().end());
  root = operand({{value, AffineMap::getMultiDimIdentityMap(type.getRank(), value.getContext())}, value}, value);
}

Value Formula::wholeOf(const View &view, AffineMap map, Value value) const {
  auto fits = [&](AffineMap at, Value v) { return at.isIdentity() && at.getNumResults() == extents.size() && dimsOf(v) == dims; };
  return fits(map, value) ? value : fits(view.map, view.base) ? view.base : Value();
}

Term Formula::operand(const Term &of, Value value) const {
  AffineMap map = isa<RankedTensorType>(value.getType()) ? of.view.map : AffineMap::get(extents.size(), 0, {}, value.getContext());
  View view = viewAt(value, map, extents);
  return {view, wholeOf(view, map, value)};
}

std::optional<Term> Formula::reduced(const Term &of, Value source) const {
  auto over = of.view.base.getDefiningOp()->getAttrOfType<DenseI64ArrayAttr>("over");
  int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
  if (!over || over.size() != 1 || over[0] != rank - 1)
    return std::nullopt;
  SmallVector<AffineExpr> at(of.view.map.getResults());
  if (llvm::any_of(at, [&](AffineExpr e) { return e.isFunctionOfDim(extents.size() - 1); }) ||
      cast<RankedTensorType>(source.getType()).getShape().back() != extents.back())
    return std::nullopt; // it differs along the axis it was reduced over
  at.push_back(getAffineDimExpr(extents.size() - 1, source.getContext()));
  AffineMap map = AffineMap::get(extents.size(), 0, at, source.getContext());
  View view = viewAt(source, map, extents);
  return Term{view, wholeOf(view, map, source)};
}

std::optional<double> Formula::number(const Term &term) const {
  FloatAttr value;
  if (!matchPattern(term.view.base, m_Constant(&value)))
    return std::nullopt;
  return value.getValueAsDouble();
}

void Formula::addFactors(const Term &term, ArrayRef<Term> leaves, bool divide, Product &to) const {
  if (auto n = number(term)) {
    to.number = divide ? to.number / *n : to.number * *n;
    return;
  }
  Operation *op = --budget < 0 ? nullptr : term.view.base.getDefiningOp();
  if (!llvm::is_contained(leaves, term) && isa_and_nonnull<arith::MulFOp, arith::DivFOp>(op)) {
    addFactors(operand(term, op->getOperand(0)), leaves, divide, to);
    addFactors(operand(term, op->getOperand(1)), leaves, divide != isa<arith::DivFOp>(op), to);
  } else if (!llvm::is_contained(leaves, term) && isa_and_nonnull<arith::NegFOp>(op)) {
    to.number = -to.number;
    addFactors(operand(term, op->getOperand(0)), leaves, divide, to);
  } else
    (divide ? to.divisors : to.factors).push_back(term);
}

Product Formula::product(const Term &term, ArrayRef<Term> leaves) const {
  Product result;
  budget = budgetOfOne;
  addFactors(term, leaves, false, result);
  return result;
}

void Formula::addTerms(const Term &term, ArrayRef<Term> leaves, double coefficient, Sum &to) const {
  if (auto n = number(term)) {
    to.number += coefficient * *n;
    return;
  }
  Operation *op = --budget < 0 ? nullptr : term.view.base.getDefiningOp();
  if (llvm::is_contained(leaves, term) || !isa_and_nonnull<arith::AddFOp, arith::SubFOp, arith::NegFOp, arith::MulFOp, arith::DivFOp>(op)) {
    to.terms.push_back({coefficient, term});
  } else if (isa<arith::NegFOp>(op)) {
    addTerms(operand(term, op->getOperand(0)), leaves, -coefficient, to);
  } else if (isa<arith::AddFOp, arith::SubFOp>(op)) {
    addTerms(operand(term, op->getOperand(0)), leaves, coefficient, to);
    addTerms(operand(term, op->getOperand(1)), leaves, isa<arith::SubFOp>(op) ? -coefficient : coefficient, to);
  } else { // a number times a sum is a sum
    Term left = operand(term, op->getOperand(0)), right = operand(term, op->getOperand(1));
    if (auto n = number(right))
      addTerms(left, leaves, isa<arith::DivFOp>(op) ? coefficient / *n : coefficient * *n, to);
    else if (auto m = number(left); m && isa<arith::MulFOp>(op))
      addTerms(right, leaves, coefficient * *m, to);
    else
      to.terms.push_back({coefficient, term});
  }
}

Sum Formula::sum(const Term &term, ArrayRef<Term> leaves) const {
  Sum result;
  budget = budgetOfOne;
  addTerms(term, leaves, 1, result);
  return result;
}

std::optional<SmallVector<double>> Formula::polynomial(const Term &term, const Term &x) const {
  budget = budgetOfOne;
  return coefficients(term, x);
}

std::optional<SmallVector<double>> Formula::coefficients(const Term &term, const Term &x) const {
  using Coefficients = SmallVector<double>;
  if (term == x)
    return Coefficients{0, 1};
  if (auto n = number(term))
    return Coefficients{*n};
  Operation *op = --budget < 0 ? nullptr : term.view.base.getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::SubFOp, arith::NegFOp, arith::MulFOp, arith::DivFOp>(op))
    return std::nullopt;
  auto left = coefficients(operand(term, op->getOperand(0)), x);
  if (isa<arith::NegFOp>(op) && left) {
    for (double &c : *left)
      c = -c;
    return left;
  }
  auto right = left ? coefficients(operand(term, op->getOperand(1)), x) : std::nullopt;
  if (!right)
    return std::nullopt;
  if (isa<arith::DivFOp>(op)) {
    if (right->size() != 1)
      return std::nullopt;
    for (double &c : *left)
      c /= right->front();
    return left;
  }
  bool times = isa<arith::MulFOp>(op);
  Coefficients result(times ? left->size() + right->size() - 1 : std::max(left->size(), right->size()), 0.0);
  for (size_t i = 0; times && i < left->size(); ++i)
    for (size_t j = 0; j < right->size(); ++j)
      result[i + j] += (*left)[i] * (*right)[j];
  for (size_t i = 0; !times && i < result.size(); ++i)
    result[i] = (i < left->size() ? (*left)[i] : 0) + (i < right->size() ? (isa<arith::SubFOp>(op) ? -1 : 1) * (*right)[i] : 0);
  return result;
}

Value Formula::vector(const Term &term) const {
  AffineMap map = term.view.map;
  bool last = map.getNumResults() == 1 && map.getResult(0) == getAffineDimExpr(extents.size() - 1, map.getContext());
  return last && dimsOf(term.view.base) == dims.extent(extents.size() - 1) ? term.view.base : Value();
}
