// Arithmetic in MLIR that reads as formulas: an Expression is a value of f32, f64, i32, i64 or i1, or a vector of them, and its operators make the op
// of arith or math. What compiler/loops/ElementaryFunctions.h needs of its type; LowerMath makes functions with it. A constant is written as a C++
// number.
#pragma once
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

namespace heddle {

class Expression {
public:
  Expression(mlir::OpBuilder &b, mlir::Value value, mlir::Location loc) : b(&b), value(value), loc(loc) {}
  operator mlir::Value() const { return value; }

  /// Constants of the same type. A real number is exact in f32 or rounds to it.
  Expression like(double number) const { return constant(b->getFloatAttr(element(), number)); }
  Expression like(float number) const { return like(static_cast<double>(number)); }
  Expression like(int64_t number) const { return constant(b->getIntegerAttr(element(), number)); }
  Expression like(int number) const { return like(static_cast<int64_t>(number)); }

  /// The right operand: an expression, or a number that becomes a constant like the left.
  class Operand {
  public:
    Operand(Expression x) : value(x.value) {}
    Operand(double x) : number(x) {}
    Operand(float x) : number(x) {}
    Operand(int64_t x) : integer(x) {}
    Operand(int x) : integer(x) {}
    Expression as(Expression left) const { return value ? left.wrap(value) : number ? left.like(*number) : left.like(*integer); }

  private:
    mlir::Value value;
    std::optional<double> number;
    std::optional<int64_t> integer;
  };

  friend Expression operator+(Expression x, Operand y) {
    return x.isReal() ? x.make<mlir::arith::AddFOp>(y.as(x)) : x.make<mlir::arith::AddIOp>(y.as(x));
  }
  friend Expression operator-(Expression x, Operand y) {
    return x.isReal() ? x.make<mlir::arith::SubFOp>(y.as(x)) : x.make<mlir::arith::SubIOp>(y.as(x));
  }
  friend Expression operator*(Expression x, Operand y) { return x.make<mlir::arith::MulFOp>(y.as(x)); }
  friend Expression operator/(Expression x, Operand y) { return x.make<mlir::arith::DivFOp>(y.as(x)); }
  friend Expression operator+(double x, Expression y) { return y.like(x) + y; }
  friend Expression operator-(double x, Expression y) { return y.like(x) - y; }
  friend Expression operator/(double x, Expression y) { return y.like(x) / y; }
  friend Expression operator-(Expression x) { return x.make<mlir::arith::NegFOp>(); }
  friend Expression operator&(Expression x, Operand y) { return x.make<mlir::arith::AndIOp>(y.as(x)); }
  friend Expression operator|(Expression x, Operand y) { return x.make<mlir::arith::OrIOp>(y.as(x)); }
  friend Expression operator^(Expression x, Operand y) { return x.make<mlir::arith::XOrIOp>(y.as(x)); }
  friend Expression operator<<(Expression x, Operand y) { return x.make<mlir::arith::ShLIOp>(y.as(x)); }
  friend Expression operator>>(Expression x, Operand y) { return x.make<mlir::arith::ShRSIOp>(y.as(x)); }
  friend Expression fma(Expression x, Operand y, Operand z) { return x.make<mlir::math::FmaOp>(y.as(x), z.as(x)); }

  friend Expression sqrt(Expression x) { return x.make<mlir::math::SqrtOp>(); }

  /// Comparisons are false where an operand is NaN.
  friend Expression operator<(Expression x, Operand y) { return x.compare(mlir::arith::CmpFPredicate::OLT, mlir::arith::CmpIPredicate::slt, y); }
  friend Expression operator>(Expression x, Operand y) { return x.compare(mlir::arith::CmpFPredicate::OGT, mlir::arith::CmpIPredicate::sgt, y); }
  friend Expression operator==(Expression x, Operand y) { return x.compare(mlir::arith::CmpFPredicate::OEQ, mlir::arith::CmpIPredicate::eq, y); }
  friend Expression select(Expression condition, Expression x, Expression y) { return condition.make<mlir::arith::SelectOp>(x, y); }

  /// The bits of a number as a whole number, and back.
  friend Expression bits(Expression x) { return x.convert<mlir::arith::BitcastOp>(x.b->getIntegerType(x.element().getIntOrFloatBitWidth())); }
  friend Expression number(Expression x) {
    return x.convert<mlir::arith::BitcastOp>(x.element().getIntOrFloatBitWidth() == 64 ? x.b->getF64Type() : x.b->getF32Type());
  }
  friend Expression toNumber(Expression x) { return x.convert<mlir::arith::SIToFPOp>(x.b->getF32Type()); }
  friend Expression widen(Expression x) { return x.convert<mlir::arith::ExtFOp>(x.b->getF64Type()); }
  friend Expression narrow(Expression x) { return x.convert<mlir::arith::TruncFOp>(x.b->getF32Type()); }

private:
  mlir::Type element() const { return mlir::getElementTypeOrSelf(value.getType()); }
  bool isReal() const { return mlir::isa<mlir::FloatType>(element()); }
  Expression wrap(mlir::Value result) const { return {*b, result, loc}; }
  Expression constant(mlir::TypedAttr number) const {
    auto shaped = mlir::dyn_cast<mlir::ShapedType>(value.getType());
    return wrap(
        mlir::arith::ConstantOp::create(*b, loc, shaped ? mlir::cast<mlir::TypedAttr>(mlir::DenseElementsAttr::get(shaped, number)) : number));
  }
  template <typename Op, typename... Rest> Expression make(Rest... rest) const {
    return wrap(Op::create(*b, loc, value, static_cast<mlir::Value>(rest)...));
  }
  template <typename Op> Expression convert(mlir::Type to) const {
    auto shaped = mlir::dyn_cast<mlir::ShapedType>(value.getType());
    return wrap(Op::create(*b, loc, shaped ? mlir::Type(shaped.clone(to)) : to, value));
  }
  Expression compare(mlir::arith::CmpFPredicate real, mlir::arith::CmpIPredicate whole, Operand y) const {
    return isReal() ? wrap(mlir::arith::CmpFOp::create(*b, loc, real, value, y.as(*this)))
                    : wrap(mlir::arith::CmpIOp::create(*b, loc, whole, value, y.as(*this)));
  }

  mlir::OpBuilder *b;
  mlir::Value value;
  mlir::Location loc;
};

} // namespace heddle
