// Arithmetic in MLIR that reads as formulas: an Expression is a value of f32, f64, i32, i64 or i1, or a vector of them, or several of these, and its
// operators make the op of arith or math. What compiler/loops/ElementaryFunctions.h needs of its type; LowerMath makes functions with it. A constant
// is written as a C++ number.
#pragma once
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

namespace heddle {

class Expression {
public:
  /// `values`: several of one type, on which every operator works side by side, so that one's latency hides behind the others. `hasScale`: vectors of
  /// eight and of sixteen f32 are split at a whole number, and scaled by powers of two, in one instruction each.
  Expression(mlir::OpBuilder &b, mlir::ValueRange values, mlir::Location loc, bool hasScale) : b(&b), values(values), loc(loc), hasScale(hasScale) {}
  mlir::ValueRange results() const { return values; }

  /// Constants of the same type. A real number is exact in f32 or rounds to it.
  Expression like(double number) const { return constant(b->getFloatAttr(element(), number)); }
  Expression like(float number) const { return like(static_cast<double>(number)); }
  Expression like(int64_t number) const { return constant(b->getIntegerAttr(element(), number)); }
  Expression like(int number) const { return like(static_cast<int64_t>(number)); }

  /// The right operand: an expression, or a number that becomes a constant like the left.
  class Operand {
  public:
    Operand(const Expression &x) : values(x.values) {}
    Operand(double x) : number(x) {}
    Operand(float x) : number(x) {}
    Operand(int64_t x) : integer(x) {}
    Operand(int x) : integer(x) {}
    Expression as(const Expression &left) const {
      return !values.empty() ? Expression(*left.b, values, left.loc, left.hasScale) : number ? left.like(*number) : left.like(*integer);
    }

  private:
    llvm::SmallVector<mlir::Value, 4> values;
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
  /// Whether the instructions of AVX-512 for powers of two take x.
  friend bool hasPowersOfTwo(const Expression &x) {
    auto vector = mlir::dyn_cast<mlir::VectorType>(x.type());
    return x.hasScale && vector && x.element().isF32() && (vector.getDimSize(0) == 16 || vector.getDimSize(0) == 8);
  }
  /// x * 2^n, rounded once.
  friend Expression scale(const Expression &x, const Expression &n) {
    return x.each([&](size_t i) { return x.call("scalef", x.values[i], n.values[i]); });
  }
  /// The nearest whole number, the even one of two.
  friend Expression nearest(Expression x) { return x.make<mlir::math::RoundEvenOp>(); }
  /// x less the nearest whole number; 0 where x is infinite.
  friend Expression fraction(const Expression &x) {
    mlir::Value toNearest = x.integer(8, 32);
    return x.each([&](size_t i) { return x.call("reduce", x.values[i], toNearest); });
  }
  friend Expression toNumber(Expression x) { return x.convert<mlir::arith::SIToFPOp>(x.b->getF32Type()); }
  friend Expression widen(Expression x) { return x.convert<mlir::arith::ExtFOp>(x.b->getF64Type()); }
  friend Expression narrow(Expression x) { return x.convert<mlir::arith::TruncFOp>(x.b->getF32Type()); }

private:
  mlir::Value integer(int64_t value, unsigned width) const { return mlir::arith::ConstantIntOp::create(*b, loc, value, width); }
  /// An instruction of AVX-512 with an instance of itself for masked lanes, of which there are none; of whole registers also with a rounding: the
  /// current one.
  mlir::Value call(llvm::StringRef instruction, mlir::Value x, mlir::Value y) const {
    int64_t lanes = mlir::cast<mlir::VectorType>(type()).getDimSize(0);
    llvm::SmallVector<mlir::Value> operands{x, y, x, integer(-1, lanes)};
    if (lanes == 16)
      operands.push_back(integer(4, 32));
    std::string name = ("llvm.x86.avx512.mask." + instruction + ".ps." + llvm::Twine(32 * lanes)).str();
    return mlir::LLVM::CallIntrinsicOp::create(*b, loc, type(), b->getStringAttr(name), operands).getResult(0);
  }
  mlir::Type type() const { return values.front().getType(); }
  mlir::Type element() const { return mlir::getElementTypeOrSelf(type()); }
  bool isReal() const { return mlir::isa<mlir::FloatType>(element()); }
  Expression each(llvm::function_ref<mlir::Value(size_t)> make) const {
    llvm::SmallVector<mlir::Value, 4> made;
    for (size_t i = 0; i < values.size(); ++i)
      made.push_back(make(i));
    return {*b, made, loc, hasScale};
  }
  Expression constant(mlir::TypedAttr number) const {
    auto shaped = mlir::dyn_cast<mlir::ShapedType>(type());
    mlir::Value made =
        mlir::arith::ConstantOp::create(*b, loc, shaped ? mlir::cast<mlir::TypedAttr>(mlir::DenseElementsAttr::get(shaped, number)) : number);
    return each([&](size_t) { return made; });
  }
  template <typename Op, typename... Rest> Expression make(const Rest &...rest) const {
    return each([&](size_t i) -> mlir::Value { return Op::create(*b, loc, values[i], rest.values[i]...); });
  }
  template <typename Op> Expression convert(mlir::Type to) const {
    auto shaped = mlir::dyn_cast<mlir::ShapedType>(type());
    return each([&](size_t i) -> mlir::Value { return Op::create(*b, loc, shaped ? mlir::Type(shaped.clone(to)) : to, values[i]); });
  }
  Expression compare(mlir::arith::CmpFPredicate real, mlir::arith::CmpIPredicate whole, const Operand &y) const {
    Expression right = y.as(*this);
    return each([&](size_t i) -> mlir::Value {
      return isReal() ? mlir::arith::CmpFOp::create(*b, loc, real, values[i], right.values[i]).getResult()
                      : mlir::arith::CmpIOp::create(*b, loc, whole, values[i], right.values[i]).getResult();
    });
  }

  mlir::OpBuilder *b;
  llvm::SmallVector<mlir::Value, 4> values;
  mlir::Location loc;
  bool hasScale;
};

} // namespace heddle
