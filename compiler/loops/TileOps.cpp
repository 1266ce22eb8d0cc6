// Small predicates on linalg ops: which loops, which maps, which bodies become vectors.
#include "compiler/loops/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;
using linalg::GenericOp;

LoopRoles heddle::loopRoles(TileKind kind) {
  switch (kind) {
  case TileKind::Fill:
    return {};
  case TileKind::Scalars:
    return {0, std::nullopt, std::nullopt};
  case TileKind::Values:
    return {std::nullopt, 0, std::nullopt};
  case TileKind::Elementwise:
  case TileKind::RowReduction:
    return {0, 1, std::nullopt};
  case TileKind::Transposed:
    return {1, 0, std::nullopt};
  case TileKind::Product:
    return {0, 1, 2};
  }
  llvm_unreachable("all kinds are handled");
}

//===---- loops and maps ------------------------------------------------------------------------------------------===//

static bool isFew(int64_t rows) { return !ShapedType::isDynamic(rows) && rows <= fewRows; }

bool heddle::isTall(Operation *op) {
  auto ranges = cast<linalg::LinalgOp>(op).getStaticLoopRanges();
  return ranges.size() >= 2 && !isFew(ranges[0]) && (ShapedType::isDynamic(ranges[1]) || ranges[1] > panelColumns);
}

static std::optional<TileKind> kindOfLoops(GenericOp op) {
  using utils::IteratorType;
  auto loops = op.getIteratorTypesArray();
  constexpr IteratorType par = IteratorType::parallel, red = IteratorType::reduction;
  if (loops == SmallVector<IteratorType>{par})
    return isFew(op.getStaticLoopRanges()[0]) ? TileKind::Scalars : TileKind::Values;
  if (loops == SmallVector<IteratorType>{par, par})
    return TileKind::Elementwise;
  if (loops == SmallVector<IteratorType>{par, red})
    return TileKind::RowReduction;
  if (loops == SmallVector<IteratorType>{par, par, red})
    return TileKind::Product;
  return std::nullopt;
}

/// Rows are written out, so they are known and few; only elementwise ops can loop over them. Columns of rows may be of unknown number.
static bool fitsRegisters(GenericOp op, TileKind kind) {
  auto ranges = op.getStaticLoopRanges();
  if (kind == TileKind::Values)
    return true;
  if (ShapedType::isDynamic(ranges[0]) || (kind != TileKind::Elementwise && ranges[0] > mostTileRows))
    return false;
  return kind != TileKind::Product || (!ShapedType::isDynamicShape(ranges) && ranges[1] <= mostProductColumns);
}

static bool isDimension(AffineExpr expr, unsigned dimension) {
  auto dim = dyn_cast<AffineDimExpr>(expr);
  return dim && dim.getPosition() == dimension;
}

bool heddle::isInPlace(OpOperand &operand, TileKind kind) {
  AffineMap map = cast<linalg::LinalgOp>(operand.getOwner()).getMatchingIndexingMap(&operand);
  LoopRoles loops = loopRoles(kind);
  unsigned rank = map.getNumResults();
  if (rank == 0 || rank > 2 || kind == TileKind::Fill)
    return false;
  if (rank == 1)
    return isDimension(map.getResult(0), loops.row ? *loops.row : *loops.column);
  return loops.row && loops.column && isDimension(map.getResult(0), *loops.row) && isDimension(map.getResult(1), *loops.column);
}

/// Columns may only be read along the last dimension of a tensor, where they are neighbours.
static bool readsRows(OpOperand &operand, const LoopRoles &loops) {
  AffineMap map = cast<linalg::LinalgOp>(operand.getOwner()).getMatchingIndexingMap(&operand);
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (!isa<AffineDimExpr, AffineConstantExpr>(expr))
      return false;
    if (loops.column && isDimension(expr, *loops.column) && i + 1 != map.getNumResults())
      return false;
  }
  return true;
}

OpOperand *heddle::operandAlongInner(GenericOp product) {
  LoopRoles loops = loopRoles(TileKind::Product);
  for (OpOperand *operand : product.getDpsInputOperands()) {
    AffineMap map = product.getMatchingIndexingMap(operand);
    if (map.getNumResults() == 2 && isDimension(map.getResult(0), *loops.column) && isDimension(map.getResult(1), *loops.inner))
      return operand;
  }
  return nullptr;
}

/// Sixteen columns and sixteen k at a time: whole vectors, and nothing else that goes by k.
static bool mayReadAlongInner(GenericOp product) {
  return product.getStaticLoopRanges()[1] % vectorLanes == 0 && product.getBody()->getOps<memref::PrefetchOp>().empty();
}

//===---- bodies --------------------------------------------------------------------------------------------------===//

LaneShape heddle::laneShape(Value value, GenericOp op, unsigned columnLoop) {
  if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == op.getBody())
    return op.getMatchingIndexingMap(op.getMatchingOpOperand(argument)).isFunctionOfDim(columnLoop) ? LaneShape::Other : LaneShape::Same;
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != op.getBody())
    return LaneShape::Same;
  if (auto index = dyn_cast<linalg::IndexOp>(def))
    return index.getDim() == columnLoop ? LaneShape::Ascending : LaneShape::Same;
  SmallVector<LaneShape, 3> operands;
  for (Value operand : def->getOperands())
    operands.push_back(laneShape(operand, op, columnLoop));
  if (llvm::all_of(operands, [](LaneShape shape) { return shape == LaneShape::Same; }))
    return LaneShape::Same;
  if (isa<arith::AddIOp>(def) && llvm::count(operands, LaneShape::Ascending) == 1 && llvm::count(operands, LaneShape::Same) == 1)
    return LaneShape::Ascending;
  if (isa<arith::SubIOp>(def) && operands[0] == LaneShape::Ascending && operands[1] == LaneShape::Same)
    return LaneShape::Ascending;
  return LaneShape::Other;
}

/// A computed place in a tensor: one for all columns, or neighbours along the columns. Truth values have no vector layout in memory.
static bool readsNeighbours(tensor::ExtractOp extract, GenericOp op, unsigned columnLoop) {
  auto indices = extract.getIndices();
  auto isSame = [&](Value index) { return laneShape(index, op, columnLoop) == LaneShape::Same; };
  if (llvm::all_of(indices, isSame))
    return true;
  return llvm::all_of(indices.drop_back(), isSame) && laneShape(indices.back(), op, columnLoop) == LaneShape::Ascending &&
         !extract.getType().isInteger(1);
}

static bool hasVectorBody(GenericOp op, TileKind kind) {
  std::optional<unsigned> column = loopRoles(kind).column;
  return llvm::all_of(op.getBody()->without_terminator(), [&](Operation &inner) {
    if (isa<memref::PrefetchOp>(inner))
      return kind == TileKind::Product;
    if (inner.getNumResults() != 1 || inner.getNumRegions() != 0 || !VectorType::isValidElementType(inner.getResult(0).getType()))
      return false;
    if (isa<linalg::IndexOp, arith::ConstantOp>(inner))
      return true;
    if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
      return !column || readsNeighbours(extract, op, *column);
    return OpTrait::hasElementwiseMappableTraits(&inner) && isPure(&inner); // masked lanes compute too: a division of integers must not trap there
  });
}

/// The greatest common divisor of all p in `arith.divui k, p` that `value` takes from the body; 1 where it takes k itself, 0 without any k.
static int64_t periodOf(Value value, Block *body) {
  Operation *maker = value.getDefiningOp();
  if (!maker || maker->getBlock() != body)
    return 0;
  if (auto index = dyn_cast<linalg::IndexOp>(maker))
    return index.getDim() == loopRoles(TileKind::Product).inner ? 1 : 0;
  if (auto quotient = dyn_cast<arith::DivUIOp>(maker); quotient && quotient.getLhs().getDefiningOp<linalg::IndexOp>())
    if (std::optional<int64_t> period = getConstantIntValue(quotient.getRhs()))
      return periodOf(quotient.getLhs(), body) * *period;
  int64_t period = 0;
  for (Value operand : maker->getOperands())
    period = std::gcd(period, periodOf(operand, body));
  return period;
}

int64_t heddle::fetchPeriod(memref::PrefetchOp prefetch) {
  int64_t period = 0;
  for (Value operand : prefetch->getOperands())
    period = std::gcd(period, periodOf(operand, prefetch->getBlock()));
  return std::max<int64_t>(period, 1);
}

int64_t heddle::fetchPeriod(GenericOp product) {
  int64_t common = 0;
  for (auto prefetch : product.getBody()->getOps<memref::PrefetchOp>())
    if (int64_t period = fetchPeriod(prefetch); period > 1)
      common = std::gcd(common ? common : productBlock, period);
  return std::max<int64_t>(common, 1);
}

//===---- reductions ----------------------------------------------------------------------------------------------===//

namespace {
/// Looks at a reduction's body from its accumulator.
struct CombinerMatcher {
  GenericOp op;
  Value accumulator = op.getRegionOutputArgs()[0];
  Value element = {};

  bool isOutside(Value value) { return value.getParentBlock() != op.getBody(); }
  bool usesAccumulator(Value value) {
    if (value == accumulator)
      return true;
    Operation *def = value.getDefiningOp();
    return def && def->getBlock() == op.getBody() && llvm::any_of(def->getOperands(), [&](Value operand) { return usesAccumulator(operand); });
  }
  /// accumulator + x, fma(x, y, accumulator), or one of these where a condition holds
  bool isSum(Value value) {
    Operation *def = value.getDefiningOp();
    if (auto fma = dyn_cast_or_null<math::FmaOp>(def))
      return fma.getC() == accumulator && !usesAccumulator(fma.getA()) && !usesAccumulator(fma.getB());
    if (isa_and_nonnull<arith::AddFOp, arith::AddIOp>(def))
      return (def->getOperand(0) == accumulator && !usesAccumulator(def->getOperand(1))) ||
             (def->getOperand(1) == accumulator && !usesAccumulator(def->getOperand(0)));
    if (auto select = dyn_cast_or_null<arith::SelectOp>(def))
      return !usesAccumulator(select.getCondition()) && ((select.getTrueValue() == accumulator && isSum(select.getFalseValue())) ||
                                                         (select.getFalseValue() == accumulator && isSum(select.getTrueValue())));
    return false;
  }
  bool isElement(Value value) {
    if (usesAccumulator(value) || (element && element != value))
      return false;
    element = value;
    return true;
  }
  /// The accumulator, the element, or either of them by a condition on both: idempotent, so every lane may start from the initial value.
  bool isChoice(Value value) {
    if (value == accumulator)
      return true;
    if (!usesAccumulator(value))
      return isElement(value);
    Operation *def = value.getDefiningOp();
    if (auto select = dyn_cast<arith::SelectOp>(def))
      return isChoice(select.getTrueValue()) && isChoice(select.getFalseValue());
    if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(
            def))
      return isChoice(def->getOperand(0)) && isChoice(def->getOperand(1));
    return false;
  }
  /// Built from accumulator, element and values of outside alone.
  bool isClosed(Value value) {
    if (value == accumulator || value == element || isOutside(value))
      return true;
    Operation *def = value.getDefiningOp();
    return def && llvm::all_of(def->getOperands(), [&](Value operand) { return isClosed(operand); });
  }
};
} // namespace

std::optional<Combiner> heddle::matchCombiner(GenericOp op) {
  CombinerMatcher matcher{op};
  Value result = op.getBody()->getTerminator()->getOperand(0);
  if (matcher.isSum(result))
    return Combiner{true, {}};
  if (matcher.isChoice(result) && matcher.element && matcher.element.getType() == result.getType() && matcher.isClosed(result))
    return Combiner{false, matcher.element};
  return std::nullopt;
}

/// Every lane of a reduction starts from the initial value: it must be neutral.
static bool startsNeutral(GenericOp op, const Combiner &combiner) {
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  return fill && (!combiner.isSum || matchPattern(fill.value(), m_AnyZeroFloat()) || matchPattern(fill.value(), m_Zero()));
}

//===---- the kind of an op -----------------------------------------------------------------------------------------===//

static std::optional<TileKind> kindOfFill(linalg::FillOp op) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  bool isTile = type.getRank() == 1 || (type.getRank() == 2 && !type.isDynamicDim(0));
  return isTile ? std::optional(TileKind::Fill) : std::nullopt;
}

/// All of it vectors in the directions of the kind, its result apart.
static bool readsVectors(GenericOp op, TileKind kind) {
  LoopRoles loops = loopRoles(kind);
  OpOperand *along = kind == TileKind::Product && mayReadAlongInner(op) ? operandAlongInner(op) : nullptr;
  return hasVectorBody(op, kind) && llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
           return op.isDpsInit(&operand) || &operand == along || readsRows(operand, loops);
         });
}

/// An elementwise op that would be one if its loops were exchanged; its destination is not read, and made of whole vectors. A few rows are few
/// scalars.
static bool isTransposed(GenericOp op) {
  auto ranges = op.getStaticLoopRanges();
  bool isWhole = !ShapedType::isDynamicShape(ranges) && !isFew(ranges[0]) && ranges[1] % vectorLanes == 0;
  return isWhole && op.getRegionOutputArgs()[0].use_empty() && !getElementTypeOrSelf(op.getResult(0).getType()).isInteger(1) &&
         readsVectors(op, TileKind::Transposed);
}

std::optional<TileKind> heddle::tileKind(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics() || op->getNumResults() != 1)
    return std::nullopt;
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return kindOfFill(fill);
  auto generic = dyn_cast<GenericOp>(op);
  std::optional<TileKind> kind = generic ? kindOfLoops(generic) : std::nullopt;
  if (!kind || !fitsRegisters(generic, *kind))
    return std::nullopt;
  OpOperand &init = generic.getDpsInitsMutable()[0];
  unsigned resultRank = *kind == TileKind::Elementwise || *kind == TileKind::Product ? 2 : 1;
  if (!isInPlace(init, *kind) || generic.getMatchingIndexingMap(&init).getNumResults() != resultRank)
    return std::nullopt;
  if (!readsVectors(generic, *kind))
    return *kind == TileKind::Elementwise && isTransposed(generic) ? std::optional(TileKind::Transposed) : std::nullopt;
  if (*kind == TileKind::RowReduction || *kind == TileKind::Product) {
    std::optional<Combiner> combiner = matchCombiner(generic);
    if (!combiner || (*kind == TileKind::RowReduction && !startsNeutral(generic, *combiner)))
      return std::nullopt;
  }
  return kind;
}
