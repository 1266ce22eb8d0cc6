#include "compiler/graph/PairFormula.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include <cmath>

using namespace mlir;
using namespace heddle;

/// Ops a question may look through: a value used twice at every step has exponentially many paths.
static constexpr int mostSteps = 256;

static bool isElementwise(Operation *op) { return op && op->getNumResults() == 1 && OpTrait::hasElementwiseMappableTraits(op); }

//===---- comparisons -----------------------------------------------------------------------------------------------===//

std::optional<Order> heddle::orderOf(Operation *comparison) {
  if (auto ints = dyn_cast_or_null<arith::CmpIOp>(comparison))
    switch (ints.getPredicate()) {
    case arith::CmpIPredicate::slt:
      return Order::Less;
    case arith::CmpIPredicate::sle:
      return Order::LessEqual;
    case arith::CmpIPredicate::sgt:
      return Order::Greater;
    case arith::CmpIPredicate::sge:
      return Order::GreaterEqual;
    case arith::CmpIPredicate::eq:
      return Order::Equal;
    case arith::CmpIPredicate::ne:
      return Order::NotEqual;
    default:
      return std::nullopt;
    }
  auto floats = dyn_cast_or_null<arith::CmpFOp>(comparison);
  if (!floats)
    return std::nullopt;
  switch (floats.getPredicate()) {
  case arith::CmpFPredicate::OLT:
    return Order::Less;
  case arith::CmpFPredicate::OLE:
    return Order::LessEqual;
  case arith::CmpFPredicate::OGT:
    return Order::Greater;
  case arith::CmpFPredicate::OGE:
    return Order::GreaterEqual;
  case arith::CmpFPredicate::OEQ:
    return Order::Equal;
  case arith::CmpFPredicate::UNE:
    return Order::NotEqual;
  default:
    return std::nullopt;
  }
}

Order heddle::opposite(Order order) {
  constexpr Order of[] = {Order::GreaterEqual, Order::Greater, Order::LessEqual, Order::Less, Order::NotEqual, Order::Equal};
  return of[static_cast<int>(order)];
}

Order heddle::exchanged(Order order) {
  constexpr Order of[] = {Order::Greater, Order::GreaterEqual, Order::Less, Order::LessEqual, Order::Equal, Order::NotEqual};
  return of[static_cast<int>(order)];
}

bool heddle::holds(Order order, double x, double y) {
  switch (order) {
  case Order::Less:
    return x < y;
  case Order::LessEqual:
    return x <= y;
  case Order::Greater:
    return x > y;
  case Order::GreaterEqual:
    return x >= y;
  case Order::Equal:
    return x == y;
  case Order::NotEqual:
    return x != y;
  }
  llvm_unreachable("all orders are handled");
}

//===---- sums of positions -----------------------------------------------------------------------------------------===//

static bool isWholeNumber(double x) { return std::floor(x) == x && std::abs(x) <= 0x1p31; }

void PositionSum::add(const PositionSum &sum, double times) {
  constant += times * sum.constant;
  query += times * sum.query;
  key += times * sum.key;
  for (auto [coefficient, term] : sum.others)
    others.push_back({times * coefficient, term});
}

bool PositionSum::isWhole() const { return others.empty() && isWholeNumber(constant) && isWholeNumber(query) && isWholeNumber(key); }

PairFormula::PairFormula(Value root) : Formula(root), dims(dimsOf(root)), queryAxis(dims.getRank() - 2), keyAxis(dims.getRank() - 1) {
  if (dims.getRank() >= 3)
    batchAxis = 0;
  if (dims.getRank() == 4)
    headAxis = 1;
}

std::optional<double> PairFormula::numberOf(const Term &term) const {
  IntegerAttr whole;
  if (isa<RankedTensorType>(term.view.base.getType()) || !matchPattern(term.view.base, m_Constant(&whole)))
    return number(term);
  return whole.getType().isInteger(1) ? whole.getValue().getZExtValue() : whole.getValue().getSExtValue();
}

uint64_t PairFormula::axesOf(const Term &term, int &budget) const {
  if (!isa<RankedTensorType>(term.view.base.getType()))
    return 0;
  uint64_t direct = 0;
  for (AffineExpr e : term.view.map.getResults())
    for (int64_t axis = 0; axis < dims.getRank(); ++axis)
      direct |= e.isFunctionOfDim(axis) ? bit(axis) : 0;
  Operation *op = term.view.base.getDefiningOp();
  if (!isElementwise(op) || --budget < 0)
    return direct;
  uint64_t through = 0;
  for (Value operand : op->getOperands())
    through |= axesOf(this->operand(term, operand), budget);
  return through;
}

uint64_t PairFormula::axesOf(const Term &term) const {
  int budget = mostSteps;
  return axesOf(term, budget);
}

/// Numbers known when compiling, by index.
static DenseElementsAttr constantOf(const Term &term) {
  auto use = term.op<UseOp>();
  auto weight = use ? SymbolTable::lookupNearestSymbolFrom<WeightOp>(use, use.getWeightAttr()) : WeightOp();
  auto cast = weight ? dyn_cast<CastRecipeAttr>(weight.getRecipe()) : CastRecipeAttr();
  auto constant = cast ? dyn_cast<ConstantRecipeAttr>(cast.getSource()) : ConstantRecipeAttr();
  return constant && constant.getValue().getElementType().isF64() ? constant.getValue() : DenseElementsAttr();
}

/// iota(n), moved and scaled, along queries or keys: on an axis of known extent a position is an index.
std::optional<PositionSum> PairFormula::ramp(const Term &term) const {
  DenseElementsAttr numbers = constantOf(term);
  if (!numbers || numbers.getType().getRank() != 1 || numbers.getNumElements() < 2)
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(term.view.map.getResult(0));
  auto values = llvm::to_vector(numbers.getValues<double>());
  double step = values[1] - values[0];
  if (!dim || (dim.getPosition() != queryAxis && dim.getPosition() != keyAxis) || dims.shape()[dim.getPosition()] != std::ssize(values))
    return std::nullopt;
  for (auto [i, value] : llvm::enumerate(values))
    if (value != values[0] + static_cast<double>(i) * step)
      return std::nullopt;
  PositionSum sum;
  sum.constant = values[0];
  (dim.getPosition() == queryAxis ? sum.query : sum.key) = step;
  return sum;
}

std::optional<PositionSum> PairFormula::positions(const Term &term, int &budget) const {
  PositionSum sum;
  if (auto n = numberOf(term)) {
    sum.constant = *n;
    return sum;
  }
  if (auto found = ramp(term))
    return found;
  Operation *op = term.view.base.getDefiningOp();
  AffineMap map = term.view.map;
  if (isa_and_nonnull<PositionsOp>(op)) {
    auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
    bool ownRow = map.getNumResults() == 1 || (batchAxis && map.getResult(0) == getAffineDimExpr(*batchAxis, map.getContext()));
    if (!dim || !ownRow || (dim.getPosition() != queryAxis && dim.getPosition() != keyAxis))
      return std::nullopt;
    (dim.getPosition() == queryAxis ? sum.query : sum.key) = 1;
    return sum;
  }
  auto of = [&](unsigned i) { return --budget < 0 ? std::nullopt : positions(operand(term, op->getOperand(i)), budget); };
  if (isa_and_nonnull<arith::AddIOp, arith::AddFOp, arith::SubIOp, arith::SubFOp>(op)) {
    auto left = of(0), right = left ? of(1) : std::nullopt;
    if (!right)
      return std::nullopt;
    left->add(*right, isa<arith::SubIOp, arith::SubFOp>(op) ? -1 : 1);
    return left;
  }
  if (isa_and_nonnull<arith::SIToFPOp>(op))
    return of(0);
  if (isa_and_nonnull<arith::NegFOp>(op)) {
    if (auto inside = of(0)) {
      sum.add(*inside, -1);
      return sum;
    }
    return std::nullopt;
  }
  if (isa_and_nonnull<arith::FPToSIOp>(op)) {
    auto inside = of(0);
    return inside && inside->isWhole() ? inside : std::nullopt;
  }
  if (isa_and_nonnull<arith::MulIOp, arith::MulFOp>(op))
    for (unsigned i : {0, 1})
      if (auto n = numberOf(operand(term, op->getOperand(i)))) {
        auto inside = of(1 - i);
        if (inside)
          sum.add(*inside, *n);
        return inside ? std::optional(sum) : std::nullopt;
      }
  if (axesOf(term) & (bit(queryAxis) | bit(keyAxis)))
    return std::nullopt;
  sum.others.push_back({1, term});
  return sum;
}

std::optional<PositionSum> PairFormula::positions(const Term &term) const {
  int budget = mostSteps;
  return positions(term, budget);
}

//===---- distances -------------------------------------------------------------------------------------------------===//

/// The whole distances d for which `d order x`.
static std::optional<DistanceBounds> boundsOf(Order order, double x) {
  if (!(std::abs(x) < 0x1p31))
    return std::nullopt;
  auto below = static_cast<int64_t>(std::floor(x)), above = static_cast<int64_t>(std::ceil(x));
  switch (order) {
  case Order::Less:
    return DistanceBounds{{}, above - 1};
  case Order::LessEqual:
    return DistanceBounds{{}, below};
  case Order::Greater:
    return DistanceBounds{below + 1, {}};
  case Order::GreaterEqual:
    return DistanceBounds{above, {}};
  case Order::Equal:
    return below == above ? std::optional(DistanceBounds{below, above}) : std::nullopt;
  case Order::NotEqual:
    return std::nullopt;
  }
  llvm_unreachable("all orders are handled");
}

std::optional<DistanceBounds> PairFormula::distances(const Term &comparison, bool isOpposite) const {
  Operation *op = comparison.view.base.getDefiningOp();
  auto found = orderOf(op);
  if (!found)
    return std::nullopt;
  Order order = isOpposite ? opposite(*found) : *found;
  Term left = operand(comparison, op->getOperand(0)), right = operand(comparison, op->getOperand(1));
  for (bool swapped : {false, true}) { // |distance| at most
    const Term &inside = swapped ? right : left, &limit = swapped ? left : right;
    Order of = swapped ? exchanged(order) : order;
    auto absolute = inside.op<math::AbsFOp>();
    auto distance = absolute ? positions(operand(inside, absolute.getOperand())) : std::nullopt;
    auto most = distance ? numberOf(limit) : std::nullopt;
    if (!most || !distance->others.empty() || distance->constant != 0 || std::abs(distance->key) != 1 || distance->query != -distance->key)
      continue;
    auto bounds = of == Order::Less || of == Order::LessEqual ? boundsOf(of, *most) : std::nullopt;
    return bounds ? std::optional(DistanceBounds{-*bounds->most, bounds->most}) : std::nullopt;
  }
  auto sum = positions(left), other = sum ? positions(right) : std::nullopt;
  if (!other)
    return std::nullopt;
  sum->add(*other, -1);
  if (!sum->others.empty() || sum->key == 0 || sum->query != -sum->key)
    return std::nullopt;
  return boundsOf(sum->key > 0 ? order : exchanged(order), -sum->constant / sum->key);
}

std::optional<DistanceBounds> PairFormula::band(const Term &comparison, bool isOpposite) const {
  Operation *op = comparison.view.base.getDefiningOp();
  auto order = orderOf(op);
  if (!order)
    return std::nullopt;
  Term matrix = operand(comparison, op->getOperand(0));
  DenseElementsAttr numbers = constantOf(matrix);
  auto than = numberOf(operand(comparison, op->getOperand(1)));
  auto axis = [&](unsigned i) {
    auto dim = dyn_cast<AffineDimExpr>(matrix.view.map.getResult(i));
    return dim ? static_cast<int64_t>(dim.getPosition()) : -1;
  };
  if (!numbers || !than || numbers.getType().getRank() != 2 || axis(0) != queryAxis || axis(1) != keyAxis)
    return std::nullopt;
  ArrayRef<int64_t> shape = numbers.getType().getShape();
  if (shape[0] != dims.shape()[queryAxis] || shape[1] != dims.shape()[keyAxis])
    return std::nullopt;
  std::optional<int64_t> least, most;
  SmallVector<bool> seen;
  for (auto [place, number] : llvm::enumerate(numbers.getValues<double>())) {
    seen.push_back(holds(*order, number, *than) != isOpposite);
    int64_t distance = static_cast<int64_t>(place) % shape[1] - static_cast<int64_t>(place) / shape[1];
    if (seen.back())
      least = std::min(least.value_or(distance), distance), most = std::max(most.value_or(distance), distance);
  }
  if (!least)
    return std::nullopt;
  for (auto [place, is] : llvm::enumerate(seen))
    if (int64_t distance = static_cast<int64_t>(place) % shape[1] - static_cast<int64_t>(place) / shape[1];
        is != (distance >= *least && distance <= *most))
      return std::nullopt;
  DistanceBounds bounds;
  if (*least > 1 - shape[0])
    bounds.least = least;
  if (*most < shape[1] - 1)
    bounds.most = most;
  return bounds;
}

//===---- a term over fewer axes ------------------------------------------------------------------------------------===//

/// The base itself, arranged: none where it depends on other axes, or is cut.
static Value arranged(OpBuilder &b, const Term &term, ArrayRef<int64_t> kept, DimsAttr to) {
  Value value = term.view.base;
  Location loc = value.getLoc();
  DimsAttr base = dimsOf(value);
  SmallVector<std::pair<int64_t, int64_t>> places; // of the result, of the base
  for (auto [i, e] : llvm::enumerate(term.view.map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(e);
    auto *at = dim ? llvm::find(kept, dim.getPosition()) : kept.end();
    if (at != kept.end() && base.extent(i) == to.extent(at - kept.begin()))
      places.push_back({at - kept.begin(), static_cast<int64_t>(i)});
    else if (!isa<AffineConstantExpr>(e) || !base.isStatic(i) || base.shape()[i] != 1)
      return {};
  }
  auto own = llvm::map_to_vector(places, [](auto place) { return place.second; });
  if (std::ssize(own) < base.getRank())
    value = ReshapeOp::create(b, loc, base.select(own).tensorOf(elementOf(value)), value);
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, places.size()));
  llvm::sort(order, [&](int64_t x, int64_t y) { return places[x].first < places[y].first; });
  if (!llvm::is_sorted(order))
    value = TransposeOp::create(b, loc, dimsOf(value).select(order).tensorOf(elementOf(value)), value, order);
  auto axes = llvm::map_to_vector(places, [](auto place) { return place.first; });
  llvm::sort(axes);
  if (axes.size() == kept.size())
    return value;
  return BroadcastOp::create(b, loc, to.tensorOf(elementOf(value)), value, axes);
}

Value PairFormula::over(OpBuilder &b, const Term &term, ArrayRef<int64_t> kept, DimsAttr to) const {
  int budget = mostSteps;
  return over(b, term, kept, to, budget);
}

Value PairFormula::over(OpBuilder &b, const Term &term, ArrayRef<int64_t> kept, DimsAttr to, int &budget) const {
  Value base = term.view.base;
  if (!isa<RankedTensorType>(base.getType())) {
    Type element = base.getType().isF64() ? b.getF32Type() : base.getType(); // numbers of the text are f64 until they meet a tensor
    return BroadcastOp::create(b, base.getLoc(), to.tensorOf(element), base, ArrayRef<int64_t>());
  }
  if (Value value = arranged(b, term, kept, to))
    return value;
  Operation *op = base.getDefiningOp();
  if (!isElementwise(op) || --budget < 0)
    return {};
  IRMapping operands;
  for (Value operand : op->getOperands()) {
    Value inside = over(b, this->operand(term, operand), kept, to, budget);
    if (!inside)
      return {};
    operands.map(operand, inside);
  }
  Operation *made = b.clone(*op, operands);
  made->getResult(0).setType(to.tensorOf(elementOf(base)));
  return made->getResult(0);
}
