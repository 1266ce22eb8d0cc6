#include "compiler/graph/Angles.h"
#include "compiler/graph/Formula.h"
#include "compiler/graph/WeightTable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;
using namespace heddle;

bool Angles::operator==(const Angles &other) const {
  return positions == other.positions && at == other.at && shift == other.shift && frequencies == other.frequencies;
}

static bool isArithmetic(Operation *op) { return isa_and_nonnull<arith::AddFOp, arith::SubFOp, arith::NegFOp, arith::MulFOp, arith::DivFOp>(op); }

Waves heddle::findWaves(ModuleOp module) {
  Waves waves;
  module.walk([&](Operation *op) { // in program order: operands come first
    bool reached = (isArithmetic(op) || isView(op) || isa<ConcatOp>(op)) &&
                   llvm::any_of(op->getOperands(), [&](Value v) { return waves.contains(v.getDefiningOp()); });
    if (reached || isa<math::SinOp, math::CosOp, SinusoidalPositionsOp>(op))
      waves.insert(op);
  });
  return waves;
}

Channels::Channels(const Waves &waves, DimsAttr leading, int64_t count) : waves(waves), context(leading.getContext()), shape(leading.shape()) {
  shape.push_back(count);
}

AffineExpr Channels::index() const { return getAffineDimExpr(shape.size() - 1, context); }

View Channels::read(Value value, AffineExpr channel, ArrayRef<int64_t> order) const {
  SmallVector<AffineExpr> at(shape.size(), channel);
  for (size_t i = 0; i + 1 < shape.size(); ++i)
    at[order.empty() ? i : order[i]] = getAffineDimExpr(i, context);
  return readAt(value, AffineMap::get(shape.size(), 0, at, context));
}

View Channels::readAt(Value value, AffineMap map) const {
  if (!isa<RankedTensorType>(value.getType()))
    return {value, AffineMap::get(shape.size(), 0, {}, context)};
  View view = viewAt(value, map, shape);
  while (auto concat = view.base.getDefiningOp<ConcatOp>()) {
    SmallVector<AffineExpr> at(view.map.getResults());
    AffineExpr &along = at[concat.getAxis()];
    auto range = rangeOf(along);
    int64_t first = 0;
    Value inside;
    for (Value source : concat.getSources()) {
      int64_t size = cast<RankedTensorType>(source.getType()).getDimSize(concat.getAxis());
      if (ShapedType::isDynamic(size))
        break;
      if (range && range->first >= first && range->second < first + size) {
        inside = source;
        break;
      }
      first += size;
    }
    if (!inside)
      break;
    along = simplifyAffineExpr(along - first, shape.size(), 0);
    view = viewAt(inside, AffineMap::get(shape.size(), 0, at, context), shape);
  }
  return view;
}

std::optional<std::pair<int64_t, int64_t>> Channels::rangeOf(AffineExpr e) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(e))
    return std::pair(constant.getValue(), constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(e)) {
    int64_t extent = shape[dim.getPosition()];
    return ShapedType::isDynamic(extent) ? std::nullopt : std::optional(std::pair(int64_t(0), extent - 1));
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(e);
  auto left = binary ? rangeOf(binary.getLHS()) : std::nullopt, right = binary ? rangeOf(binary.getRHS()) : std::nullopt;
  if (!left || !right)
    return std::nullopt;
  if (e.getKind() == AffineExprKind::Add)
    return std::pair(left->first + right->first, left->second + right->second);
  if (e.getKind() == AffineExprKind::Mul && right->first == right->second && right->first >= 0)
    return std::pair(left->first * right->first, left->second * right->first);
  return std::nullopt;
}

std::optional<int64_t> Channels::valueAt(AffineExpr e, int64_t i) const {
  for (size_t axis = 0; axis + 1 < shape.size(); ++axis)
    if (e.isFunctionOfDim(axis))
      return std::nullopt;
  SmallVector<AffineExpr> at(shape.size(), getAffineConstantExpr(i, context));
  auto constant = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(e.replaceDims(at), 0, 0));
  return constant ? std::optional(constant.getValue()) : std::nullopt;
}

std::optional<SmallVector<Addend>> Channels::expand(const View &view, bool everything) const {
  SmallVector<Addend> result;
  budget = 64;
  return add(view, 1, everything, result) ? std::optional(result) : std::nullopt;
}

bool Channels::add(const View &view, double number, bool everything, SmallVector<Addend> &to) const {
  Operation *op = view.base.getDefiningOp();
  FloatAttr constant;
  if (--budget < 0 || to.size() > 8)
    return false;
  if (op && matchPattern(op, m_Constant(&constant)))
    to.push_back({number * constant.getValueAsDouble(), {}, {}});
  else if (!isArithmetic(op) || !(everything || waves.contains(op) || isa<arith::NegFOp>(op)))
    to.push_back({number, {view}, {}});
  else if (isa<arith::NegFOp>(op))
    return add(operand(view, 0), -number, everything, to);
  else if (isa<arith::AddFOp, arith::SubFOp>(op))
    return add(operand(view, 0), number, everything, to) && add(operand(view, 1), isa<arith::SubFOp>(op) ? -number : number, everything, to);
  else
    return addProducts(view, number, everything, to);
  return true;
}

/// (a + b) * (c + d), and (a + b) / c
bool Channels::addProducts(const View &view, double number, bool everything, SmallVector<Addend> &to) const {
  SmallVector<Addend> left, right;
  if (!add(operand(view, 0), number, everything, left) || !add(operand(view, 1), 1, everything, right))
    return false;
  if (isa<arith::DivFOp>(view.base.getDefiningOp())) {
    if (right.size() != 1)
      return false;
    std::swap(right[0].factors, right[0].divisors);
    right[0].number = 1 / right[0].number;
  }
  for (const Addend &a : left)
    for (const Addend &b : right) {
      Addend product{a.number * b.number, a.factors, a.divisors};
      product.factors.append(b.factors);
      product.divisors.append(b.divisors);
      to.push_back(product);
    }
  return to.size() <= 8;
}

std::optional<Wave> Channels::wave(const View &view) const {
  Operation *op = view.base.getDefiningOp();
  if (auto table = dyn_cast_or_null<SinusoidalPositionsOp>(op))
    return tableWave(table, view.map);
  if (!isa_and_nonnull<math::SinOp, math::CosOp>(op))
    return std::nullopt;
  auto angles = this->angles(operand(view, 0));
  return angles ? std::optional(Wave{isa<math::SinOp>(op), *angles}) : std::nullopt;
}

/// A column of sinusoidal positions for each i: all sines or all cosines.
std::optional<Wave> Channels::tableWave(SinusoidalPositionsOp table, AffineMap map) const {
  auto positions = table.getPositions().getDefiningOp<PositionsOp>();
  int64_t width = cast<RankedTensorType>(table.getType()).getShape().back(), half = (width + 1) / 2;
  bool halves = table.getLayout() == PairLayout::halves, isSine = false;
  Angles angles{positions, map.dropResult(map.getNumResults() - 1), static_cast<int64_t>(table.getShift()), {}};
  for (int64_t i = 0; i < shape.back(); ++i) {
    auto column = valueAt(map.getResults().back(), i);
    if (!positions || !column)
      return std::nullopt;
    bool sine = halves ? *column < half : *column % 2 == 0;
    if (i > 0 && sine != isSine)
      return std::nullopt;
    isSine = sine;
    angles.frequencies.push_back(table.getFrequencies()[halves ? *column % half : *column / 2]);
  }
  return Wave{isSine, angles};
}

/// (positions + shift) * number * frequencies, in whatever spelling
std::optional<Angles> Channels::angles(const View &view) const {
  auto addends = expand(view, true);
  if (!addends)
    return std::nullopt;
  Angles result;
  SmallVector<double> slope(shape.back(), 0.0), offset(shape.back(), 0.0);
  for (const Addend &addend : *addends) {
    SmallVector<double> product(shape.back(), addend.number);
    int64_t shift = 0;
    bool moves = false;
    for (const View &factor : addend.factors) {
      if (!moves && readPositions(factor, result, shift)) {
        moves = true;
        continue;
      }
      auto known = numbers(factor);
      if (!known)
        return std::nullopt;
      for (auto [p, n] : llvm::zip_equal(product, *known))
        p *= n;
    }
    for (const View &divisor : addend.divisors) {
      auto known = numbers(divisor);
      if (!known)
        return std::nullopt;
      for (auto [p, n] : llvm::zip_equal(product, *known))
        p /= n;
    }
    for (auto [i, p] : llvm::enumerate(product)) {
      slope[i] += moves ? p : 0;
      offset[i] += moves ? p * static_cast<double>(shift) : p;
    }
  }
  if (!result.positions || !llvm::all_of(slope, [](double f) { return std::isfinite(f); }))
    return std::nullopt;
  auto turning = llvm::find_if(slope, [](double f) { return f != 0; });
  double shift = turning == slope.end() ? 0 : offset[turning - slope.begin()] / *turning;
  if (!(shift >= 0 && shift < 1 << 24) || !isClose(shift, std::round(shift)))
    return std::nullopt;
  result.shift = std::llround(shift);
  for (auto [f, o] : llvm::zip_equal(slope, offset))
    if (!isClose(o, f * static_cast<double>(result.shift)))
      return std::nullopt;
  result.frequencies = slope;
  return result;
}

/// positions, or positions + int, as f32
bool Channels::readPositions(const View &view, Angles &to, int64_t &shift) const {
  auto convert = view.base.getDefiningOp<arith::SIToFPOp>();
  if (!convert)
    return false;
  View ints = operand(view, 0);
  if (auto sum = ints.base.getDefiningOp<arith::AddIOp>()) {
    View left = operand(ints, 0), right = operand(ints, 1);
    if (matchPattern(left.base, m_Constant()))
      std::swap(left, right);
    APInt number;
    if (!matchPattern(right.base, m_ConstantInt(&number)))
      return false;
    shift = number.getSExtValue();
    ints = left;
  }
  auto positions = ints.base.getDefiningOp<PositionsOp>();
  if (!positions || (to.positions && (to.positions != positions || to.at != ints.map)))
    return false;
  to.positions = positions, to.at = ints.map;
  return true;
}

std::optional<SmallVector<double>> Channels::numbers(const View &view) const {
  auto use = view.base.getDefiningOp<UseOp>();
  auto weight = use ? SymbolTable::lookupNearestSymbolFrom<WeightOp>(use, use.getWeightAttr()) : WeightOp();
  auto all = weight ? numbersOfText(weight.getRecipe()) : std::nullopt;
  if (!all)
    return std::nullopt;
  SmallVector<double> result;
  for (int64_t i = 0; i < shape.back(); ++i) {
    int64_t place = 0;
    for (auto [e, extent] : llvm::zip_equal(view.map.getResults(), weight.getTensorType().getShape())) {
      auto at = valueAt(e, i);
      if (!at)
        return std::nullopt;
      place = place * extent + *at;
    }
    result.push_back((*all)[place]);
  }
  return result;
}

std::string heddle::whyNoTable(const Angles &angles) {
  PositionsOp positions = angles.positions;
  DimsAttr dims = dimsOf(positions.getType());
  int64_t last = dims.getRank() - 1;
  if (dims.isStatic(last))
    return "";
  auto dimensions = positions->getParentOfType<func::FuncOp>()->getAttrOfType<ArrayAttr>(dimensionsAttr);
  StringAttr name = dims.nameOf(last);
  for (Attribute attribute : dimensions ? dimensions.getValue() : ArrayRef<Attribute>())
    if (auto dimension = cast<DimensionAttr>(attribute); dimension.getName() == name && dimension.getBound())
      return "";
  return "a table of the angles needs a bound on '" + (name ? name.getValue().str() : "the positions") + "'";
}

Value heddle::makeSinusoids(OpBuilder &b, Location place, const Angles &angles, PairLayout layout, int64_t width) {
  PositionsOp positions = angles.positions;
  Type type = dimsOf(positions.getType()).concat(DimsAttr::fixed(b.getContext(), {width})).tensorOf(b.getF32Type());
  return SinusoidalPositionsOp::create(b, place, type, positions, b.getDenseF64ArrayAttr(angles.frequencies),
                                       PairLayoutAttr::get(b.getContext(), layout), b.getI64IntegerAttr(angles.shift));
}
