// Functions of one number become the arithmetic they are, so that kernels call no libm, whose versions differ (arithmetic contract, rule 5). Comes
// after VectorizeTiles: scalars and vectors get the same operations, hence the same bits.
#include "compiler/loops/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace heddle {
#define GEN_PASS_DEF_LOWERMATH
#include "compiler/loops/Passes.h.inc"
} // namespace heddle

using namespace mlir;

namespace {

/// Arithmetic on f32 or a vector of it.
struct Arithmetic {
  OpBuilder b;
  Location loc;
  Type type; // f32 or vector of f32

  Type integers() const {
    Type i32 = IntegerType::get(type.getContext(), 32);
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(VectorType::get(vector.getShape(), i32)) : i32;
  }
  Value constant(Type of, Attribute element) {
    auto vector = dyn_cast<VectorType>(of);
    return arith::ConstantOp::create(b, loc, of, cast<TypedAttr>(vector ? DenseElementsAttr::get(vector, element) : element));
  }
  Value number(float v) { return constant(type, b.getF32FloatAttr(v)); }
  Value integer(int32_t v) { return constant(integers(), b.getI32IntegerAttr(v)); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value subtract(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value multiply(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value fma(Value x, Value y, Value z) { return math::FmaOp::create(b, loc, x, y, z); }
  /// x where the comparison with `bound` holds, else bound; a NaN stays.
  Value limit(Value x, arith::CmpFPredicate beyond, float bound) {
    Value limitValue = number(bound);
    return arith::SelectOp::create(b, loc, arith::CmpFOp::create(b, loc, beyond, x, limitValue), limitValue, x);
  }
  Value bits(Value x) { return arith::BitcastOp::create(b, loc, integers(), x); }
  /// 2^n for n in [-126, 127].
  Value power(Value n) {
    Value shifted = arith::ShLIOp::create(b, loc, arith::AddIOp::create(b, loc, n, integer(127)), integer(23));
    return arith::BitcastOp::create(b, loc, type, shifted);
  }
};

/// exp(x) = 2^n * exp(r), n the nearest whole number to x / ln 2, r = x - n ln 2 in two parts (Cody, Waite 1980), exp(r) = 1 + (r + r^2 q(r)) with
/// the polynomial of Cephes' expf. Over all f32: error at most 0.88 ulp, monotone, exp(0) = 1, exp(-infinity) = 0, overflow to infinity, NaN stays
/// (checked by test/unit/loops over a sample, by hand over all). 2^n is applied in two halves, so that results below the normal range round once.
Value expandExp(OpBuilder builder, math::ExpOp op) {
  Arithmetic a{builder, op.getLoc(), op.getType()};
  Value x = a.limit(a.limit(op.getOperand(), arith::CmpFPredicate::OLT, -105.0f), arith::CmpFPredicate::OGT, 89.5f);
  Value magic = a.number(12582912.0f); // 1.5 * 2^23: adding it rounds to a whole number that stands in the low bits
  Value shifted = a.fma(x, a.number(1.44269504088896341f), magic), n = a.subtract(shifted, magic);
  Value whole = arith::SubIOp::create(a.b, a.loc, a.bits(shifted), a.integer(0x4B400000)); // of the bits, so that a NaN is never converted
  Value high = a.fma(n, a.number(-0.693145751953125f), x), lowPart = a.number(-1.42860682030941723212e-6f);
  Value r = a.fma(n, lowPart, high), rest = a.fma(n, lowPart, a.subtract(high, r));
  Value q = a.number(1.9875691500E-4f);
  for (float c : {1.3981999507E-3f, 8.3334519073E-3f, 4.1665795894E-2f, 1.6666665459E-1f, 5.0000001201E-1f})
    q = a.fma(q, r, a.number(c));
  Value y = a.add(a.number(1.0f), a.add(r, a.fma(q, a.multiply(r, r), rest)));
  Value half = arith::ShRSIOp::create(a.b, a.loc, whole, a.integer(1));
  Value other = arith::SubIOp::create(a.b, a.loc, whole, half);
  return a.multiply(a.multiply(y, a.power(half)), a.power(other));
}

struct LowerMath : heddle::impl::LowerMathBase<LowerMath> {
  void runOnOperation() override {
    bool broken = false;
    getOperation()->walk([&](Operation *op) {
      if (op->getDialect() != getContext().getLoadedDialect<math::MathDialect>() || isa<math::FmaOp, math::SqrtOp, math::AbsFOp>(op))
        return; // one instruction each
      auto exp = dyn_cast<math::ExpOp>(op);
      if (!exp || !getElementTypeOrSelf(exp.getType()).isF32()) {
        op->emitOpError("has no arithmetic of ours yet on ") << op->getResult(0).getType();
        broken = true;
        return;
      }
      exp.replaceAllUsesWith(expandExp(OpBuilder(op), exp));
      exp.erase();
      ++lowered;
    });
    if (broken)
      signalPassFailure();
  }
};
} // namespace
