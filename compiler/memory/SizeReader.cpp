// Sizes from arithmetic; SizeReader.h says what for.
#include "compiler/memory/SizeReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

SizeReader::SizeReader(ValueRange dimensions) {
  for (auto [index, dimension] : llvm::enumerate(dimensions))
    indices[dimension] = index;
}

static bool hasNegative(const Polynomial &polynomial) {
  return llvm::any_of(polynomial.terms(), [](const auto &term) { return term.second < 0; });
}

std::optional<SizeReader::Bound> SizeReader::read(Value extent) const {
  if (auto found = indices.find(extent); found != indices.end())
    return Bound{Polynomial::dimension(found->second)};
  APInt constant;
  if (matchPattern(extent, m_ConstantInt(&constant)))
    return Bound{Polynomial::constant(constant.getSExtValue())};
  Operation *op = extent.getDefiningOp();
  return op && op->getNumOperands() == 2 ? readOperation(op) : std::nullopt;
}

std::optional<SizeReader::Bound> SizeReader::readOperation(Operation *op) const {
  std::optional<Bound> left = read(op->getOperand(0)), right = read(op->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  if (isa<arith::AddIOp, index::AddOp>(op))
    return add(*left, *right);
  if (isa<arith::SubIOp, index::SubOp>(op)) {
    if (right->divisor != 1) // minus an upper bound is no upper bound
      return std::nullopt;
    std::optional<Bound> negative = multiply(*right, Bound{Polynomial::constant(-1)});
    return negative ? add(*left, *negative) : std::nullopt;
  }
  if (isa<arith::MulIOp, index::MulOp>(op))
    return multiply(*left, *right);
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp, index::DivSOp, index::DivUOp, index::FloorDivSOp>(op))
    return divide(*left, *right, /*roundUp=*/false);
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp, index::CeilDivSOp, index::CeilDivUOp>(op))
    return divide(*left, *right, /*roundUp=*/true);
  return std::nullopt;
}

std::optional<SizeReader::Bound> SizeReader::add(const Bound &left, const Bound &right) {
  std::optional<Polynomial> a = left.numerator.times(Polynomial::constant(right.divisor));
  std::optional<Polynomial> b = right.numerator.times(Polynomial::constant(left.divisor));
  std::optional<Polynomial> sum = a && b ? a->plus(*b) : std::nullopt;
  int64_t divisor;
  if (!sum || llvm::MulOverflow(left.divisor, right.divisor, divisor))
    return std::nullopt;
  return Bound{*sum, divisor};
}

std::optional<SizeReader::Bound> SizeReader::multiply(const Bound &left, const Bound &right) {
  // An upper bound times something that may be negative is no upper bound.
  if ((left.divisor != 1 && hasNegative(right.numerator)) || (right.divisor != 1 && hasNegative(left.numerator)))
    return std::nullopt;
  std::optional<Polynomial> product = left.numerator.times(right.numerator);
  int64_t divisor;
  if (!product || llvm::MulOverflow(left.divisor, right.divisor, divisor))
    return std::nullopt;
  return Bound{*product, divisor};
}

std::optional<SizeReader::Bound> SizeReader::divide(const Bound &left, const Bound &right, bool roundUp) {
  std::optional<int64_t> by = right.numerator.asConstant();
  int64_t divisor, rounding;
  if (!by || *by <= 0 || right.divisor != 1 || llvm::MulOverflow(left.divisor, *by, divisor) || llvm::MulOverflow(left.divisor, *by - 1, rounding))
    return std::nullopt;
  std::optional<Polynomial> numerator = left.numerator.plus(Polynomial::constant(roundUp ? rounding : 0));
  return numerator ? std::optional<Bound>(Bound{*numerator, divisor}) : std::nullopt;
}

static std::optional<int64_t> bytesOfElement(Type type) {
  if (isa<IndexType>(type))
    return 8;
  if (type.isIntOrFloat())
    return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  return std::nullopt;
}

FailureOr<Polynomial> SizeReader::readBytes(memref::AllocOp alloc) const {
  MemRefType type = alloc.getType();
  std::optional<int64_t> element = bytesOfElement(type.getElementType());
  if (!element || !type.getLayout().isIdentity())
    return alloc.emitOpError("expected a buffer of numbers without a layout, got ") << type;
  std::optional<Bound> bytes = Bound{Polynomial::constant(*element)};
  unsigned nextDynamic = 0;
  for (auto [axis, extent] : llvm::enumerate(type.getShape())) {
    bool dynamic = ShapedType::isDynamic(extent);
    std::optional<Bound> factor = dynamic ? read(alloc.getDynamicSizes()[nextDynamic++]) : Bound{Polynomial::constant(extent)};
    if (!factor)
      return alloc.emitOpError("extent ") << axis << " is not a polynomial of the entry's dimensions";
    bytes = multiply(*bytes, *factor);
    if (!bytes)
      return alloc.emitOpError("bytes of ") << type << " overflow 64 bits";
  }
  Polynomial bound = bytes->numerator.dividedUp(bytes->divisor);
  if (bound.degree() > 4) // heddle_term in the executable's table
    return alloc.emitOpError("size is of degree ") << bound.degree() << " in the entry's dimensions, expected at most 4";
  return bound.maximum(Polynomial()); // without negative coefficients places can be compared term by term
}
