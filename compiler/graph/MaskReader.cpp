#include "compiler/graph/MaskReader.h"
#include "compiler/graph/Fusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>
#include <fmt/format.h>

using namespace mlir;
using namespace heddle;

/// The tensor is over the pairs of its consumer.
bool MaskReader::fits() const {
  int64_t rank = space.getRank();
  return formula.dims.extent(formula.queryAxis) == space.extent(rank - 2) && formula.dims.extent(formula.keyAxis) == space.extent(rank - 1) &&
         (!formula.batchAxis || (rank == 3 && formula.dims.extent(0) == space.extent(0)));
}

Value MaskReader::inverted(Value condition) {
  Value truth = arith::ConstantOp::create(b, condition.getLoc(), b.getBoolAttr(true));
  Value all = BroadcastOp::create(b, condition.getLoc(), condition.getType(), truth, ArrayRef<int64_t>());
  return arith::XOrIOp::create(b, condition.getLoc(), condition, all);
}

/// A term that depends on the batch and perhaps on `axis`, as [batch, tokens] or [batch].
Value MaskReader::ofTokens(const Term &term, std::optional<int64_t> axis) {
  if (space.getRank() < 3)
    return {};
  SmallVector<int64_t> kept{formula.batchAxis.value_or(-1)};
  DimsAttr to = space.extent(0);
  if (axis) {
    kept.push_back(*axis);
    to = to.concat(formula.dims.extent(*axis));
  }
  return formula.over(b, term, kept, to);
}

/// Distances (key - query) within bounds, as masks of positions.
bool MaskReader::readDistances(Condition condition, const DistanceBounds &bounds) {
  if ((bounds.most && *bounds.most < -1) || (bounds.least && *bounds.least > 1))
    return false; // a window counts the query itself
  auto limit = [&](int64_t value) { return b.getI64IntegerAttr(value); };
  if (bounds.most == 0)
    make<MaskCausalOp>(condition.term);
  else if (bounds.most)
    make<MaskWindowOp>(condition.term, IntegerAttr(), limit(*bounds.most + 1));
  if (bounds.least)
    make<MaskWindowOp>(condition.term, limit(1 - *bounds.least), IntegerAttr());
  return true;
}

/// j <= i or j < n: the first of the two conditions is causal, the other a row's prefix.
bool MaskReader::readPrefix(Condition causal, Condition inside) {
  auto bounds = formula.distances(causal.term, causal.opposite);
  Operation *op = inside.term.view.base.getDefiningOp();
  auto order = orderOf(op);
  if (!bounds || bounds->least || bounds->most != 0 || space.getRank() < 3)
    return false;
  Location loc = inside.term.view.base.getLoc();
  auto ofRows = [&](int32_t value) {
    Value number = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
    return BroadcastOp::create(b, loc, space.extent(0).tensorOf(b.getI32Type()), number, ArrayRef<int64_t>()).getResult();
  };
  uint64_t ofRow = formula.bit(formula.batchAxis);
  if (!(formula.axesOf(inside.term) & ~ofRow)) { // of the row alone: all of it is the prefix, or nothing
    Value all = ofTokens(inside.term, {});
    if (!all)
      return false;
    Value whole = ofRows(std::numeric_limits<int32_t>::max()), none = ofRows(0);
    return make<MaskPrefixOp>(inside.term, arith::SelectOp::create(b, loc, all, inside.opposite ? none : whole, inside.opposite ? whole : none));
  }
  if (!order)
    return false;
  auto left = formula.positions(formula.operand(inside.term, op->getOperand(0)));
  auto right = left ? formula.positions(formula.operand(inside.term, op->getOperand(1))) : std::nullopt;
  if (!right)
    return false;
  left->add(*right, -1); // j - n + constant < 0
  Order of = inside.opposite ? opposite(*order) : *order;
  if (left->key == -1) {
    PositionSum sum;
    sum.add(*left, -1);
    left = sum;
    of = exchanged(of);
  }
  bool isLength = left->others.size() == 1 && left->others[0].first == -1 && elementOf(left->others[0].second.view.base).isInteger(32) &&
                  !(formula.axesOf(left->others[0].second) & ~ofRow);
  if (left->key != 1 || left->query != 0 || (of != Order::Less && of != Order::LessEqual) || std::floor(left->constant) != left->constant ||
      !(isLength || left->others.empty()))
    return false;
  auto more = static_cast<int32_t>(std::clamp(-left->constant + (of == Order::LessEqual), -0x1p30, 0x1p30));
  Value lengths = ofRows(more);
  if (isLength) {
    Value given = ofTokens(left->others[0].second, {});
    if (!given)
      return false;
    lengths = more == 0 ? given : arith::AddIOp::create(b, loc, given, lengths).getResult();
  }
  return make<MaskPrefixOp>(inside.term, lengths);
}

/// An id of the query equals an id of the key.
bool MaskReader::readSegments(Condition condition) {
  Operation *op = condition.term.view.base.getDefiningOp();
  auto order = orderOf(op);
  if (!order || (condition.opposite ? opposite(*order) : *order) != Order::Equal)
    return false;
  auto idOf = [&](unsigned i) {
    Term id = formula.operand(condition.term, op->getOperand(i));
    if (auto converted = id.op<arith::SIToFPOp>())
      id = formula.operand(id, converted.getIn());
    return id;
  };
  Term left = idOf(0), right = idOf(1);
  auto only = [&](const Term &term, int64_t axis) {
    return elementOf(term.view.base).isInteger(32) && (formula.axesOf(term) & ~formula.bit(formula.batchAxis)) == formula.bit(axis);
  };
  if (only(left, formula.keyAxis))
    std::swap(left, right);
  if (!only(left, formula.queryAxis) || !only(right, formula.keyAxis))
    return false;
  Value queries = ofTokens(left, formula.queryAxis), keys = ofTokens(right, formula.keyAxis);
  return queries && keys && make<MaskSegmentsOp>(condition.term, queries, keys);
}

/// A condition on the key alone, or on the query alone: padding.
bool MaskReader::readTokens(Condition condition) {
  uint64_t axes = formula.axesOf(condition.term) & ~formula.bit(formula.batchAxis);
  bool ofQuery = axes == formula.bit(formula.queryAxis);
  if (!ofQuery && (axes & ~formula.bit(formula.keyAxis)))
    return false;
  Value tokens = ofTokens(condition.term, ofQuery ? formula.queryAxis : formula.keyAxis);
  if (!tokens)
    return false;
  tokens = condition.opposite ? inverted(tokens) : tokens;
  return make<MaskTokensOp>(condition.term, ofQuery ? tokens : Value(), ofQuery ? Value() : tokens);
}

/// A number that is 1 where a condition holds, and 0 elsewhere.
bool MaskReader::isTruth(const Term &term) const {
  int steps = 64; // a value that is used twice at every step has exponentially many paths
  return isTruth(term, steps);
}

bool MaskReader::isTruth(const Term &term, int &steps) const {
  Operation *op = --steps < 0 ? nullptr : term.view.base.getDefiningOp();
  auto operand = [&](unsigned i) { return formula.operand(term, op->getOperand(i)); };
  if (isa_and_nonnull<arith::UIToFPOp, arith::ExtUIOp>(op))
    return elementOf(op->getOperand(0)).isInteger(1);
  if (isa_and_nonnull<arith::SIToFPOp>(op))
    return isTruth(operand(0), steps);
  if (isa_and_nonnull<arith::SelectOp>(op)) {
    auto yes = formula.numberOf(operand(1)), no = formula.numberOf(operand(2));
    return yes && no && ((*yes == 1 && *no == 0) || (*yes == 0 && *no == 1));
  }
  if (isa_and_nonnull<arith::SubFOp, arith::SubIOp>(op))
    return formula.numberOf(operand(0)) == 1.0 && isTruth(operand(1), steps);
  return isa_and_nonnull<arith::MulFOp, arith::MulIOp>(op) && isTruth(operand(0), steps) && isTruth(operand(1), steps);
}

/// Where a truth is 1, or 0: a product is `and`, 1 - x is `not`.
void MaskReader::readTruth(const Term &truth, bool opposite) {
  Operation *op = truth.view.base.getDefiningOp();
  auto operand = [&](unsigned i) { return formula.operand(truth, op->getOperand(i)); };
  if (isa<arith::SIToFPOp>(op))
    return readTruth(operand(0), opposite);
  if (isa<arith::SubFOp, arith::SubIOp>(op))
    return readTruth(operand(1), !opposite);
  if (isa<arith::MulFOp, arith::MulIOp>(op)) {
    readTruth(operand(0), opposite);
    return readTruth(operand(1), opposite);
  }
  if (auto select = dyn_cast<arith::SelectOp>(op))
    opposite = opposite != (formula.numberOf(operand(1)) == 0.0);
  readCondition({operand(0), opposite});
}

/// 0 or 1 compared with a number: the condition that was made a number, or its opposite.
bool MaskReader::readComparedTruth(Condition condition) {
  Operation *op = condition.term.view.base.getDefiningOp();
  auto order = orderOf(op);
  if (!order)
    return false;
  Term left = formula.operand(condition.term, op->getOperand(0)), right = formula.operand(condition.term, op->getOperand(1));
  bool swapped = isTruth(right);
  const Term &truth = swapped ? right : left;
  auto than = formula.numberOf(swapped ? left : right);
  if (!than || !isTruth(truth))
    return false;
  Order of = swapped ? exchanged(*order) : *order;
  bool ofTrue = holds(of, 1, *than) != condition.opposite, ofFalse = holds(of, 0, *than) != condition.opposite;
  bool product = isa<arith::MulFOp, arith::MulIOp>(truth.view.base.getDefiningOp());
  if (ofTrue == ofFalse || (product && ofFalse))
    return false; // nothing at all, or `or`
  readTruth(truth, ofFalse);
  return true;
}

void MaskReader::readCondition(Condition condition) {
  Operation *op = --budget < 0 ? nullptr : condition.term.view.base.getDefiningOp();
  auto side = [&](unsigned i, bool opposite) { return Condition{formula.operand(condition.term, op->getOperand(i)), opposite}; };
  bool isAnd = isa_and_nonnull<arith::AndIOp>(op), isOr = isa_and_nonnull<arith::OrIOp>(op);
  if (condition.opposite ? isOr : isAnd) {
    readCondition(side(0, condition.opposite));
    return readCondition(side(1, condition.opposite));
  }
  if (isa_and_nonnull<arith::XOrIOp>(op))
    for (unsigned i : {0, 1})
      if (auto n = formula.numberOf(formula.operand(condition.term, op->getOperand(i))))
        return readCondition(side(1 - i, condition.opposite != (*n != 0)));
  if (auto n = formula.numberOf(condition.term); n && (*n != 0) != condition.opposite)
    return; // hides nothing
  if (auto values = condition.term.op<MaskValuesOp>();
      values && !condition.opposite && condition.term.view.map.getNumResults() == 3 && fits() &&
      dimsOf(values.getType()).select({1, 2}) == space.select({space.getRank() - 2, space.getRank() - 1})) {
    auto at = [&](unsigned i) { return condition.term.view.map.getResult(i); };
    auto dim = [&](std::optional<int64_t> axis) { return getAffineDimExpr(axis.value_or(63), b.getContext()); };
    if (at(0) == dim(formula.batchAxis) && at(1) == dim(formula.queryAxis) && at(2) == dim(formula.keyAxis)) {
      if (values.getMask()) // padding is hidden anyway
        made.push_back(values.getMask());
      return;
    }
  }
  if ((isOr || isAnd) &&
      (readPrefix(side(0, condition.opposite), side(1, condition.opposite)) || readPrefix(side(1, condition.opposite), side(0, condition.opposite))))
    return;
  if (readComparedTruth(condition))
    return;
  if (auto bounds = formula.distances(condition.term, condition.opposite); bounds && readDistances(condition, *bounds))
    return;
  if (auto bounds = formula.band(condition.term, condition.opposite); bounds && readDistances(condition, *bounds))
    return;
  if (!readSegments(condition) && !readTokens(condition))
    rest.push_back(condition);
}

/// Query and key, and what else of the axes is depended on: [batch, heads, query, key], [batch, query, key] or [query, key].
SmallVector<int64_t> MaskReader::keptOf(uint64_t axes) const {
  SmallVector<int64_t> kept;
  bool heads = axes & formula.bit(formula.headAxis), batch = heads || (axes & formula.bit(formula.batchAxis));
  if (batch)
    kept.push_back(*formula.batchAxis);
  if (heads)
    kept.push_back(*formula.headAxis);
  kept.append({formula.queryAxis, formula.keyAxis});
  return kept;
}

SmallVector<Value> MaskReader::read(MaskTensorOp op) {
  if (!fits())
    return {};
  readCondition({formula.root, false});
  if (rest.empty() && made.empty())
    make<MaskWindowOp>(formula.root, IntegerAttr(), IntegerAttr()); // hides nothing
  if (rest.empty() || made.empty())
    return made;
  uint64_t axes = 0;
  for (const Condition &condition : rest)
    axes |= formula.axesOf(condition.term);
  SmallVector<int64_t> kept = keptOf(axes);
  Value all;
  for (const Condition &condition : rest) {
    Value one = formula.over(b, condition.term, kept, formula.dims.select(kept));
    if (!one)
      return {};
    one = condition.opposite ? inverted(one) : one;
    all = all ? arith::AndIOp::create(b, op.getLoc(), all, one).getResult() : one;
  }
  made.push_back(MaskTensorOp::create(b, op.getLoc(), maskType(), all));
  return made;
}

/// exp of it is 0 in f32, beside any scores one meets.
static constexpr double meantToHide = -1000;

static void reportFinite(Operation *op, double added) {
  (void)reportMissed(op, "mask", fmt::format("{} is added to hidden scores, a number like any other", added),
                     "add -infinity: a row that sees nothing then gives 0");
}

/// where(seen, 0, -infinity), log(seen): what is added hides.
bool MaskReader::readChoice(const Term &term) {
  if (auto log = term.op<math::LogOp>(); log && isTruth(formula.operand(term, log.getOperand()))) {
    readTruth(formula.operand(term, log.getOperand()), false); // log(1) and log(0)
    return true;
  }
  auto select = term.op<arith::SelectOp>();
  if (!select)
    return false;
  auto yes = formula.numberOf(formula.operand(term, select.getTrueValue())), no = formula.numberOf(formula.operand(term, select.getFalseValue()));
  if (!yes || !no || (*yes != 0 && *no != 0))
    return false;
  double added = *yes == 0 ? *no : *yes;
  if (added <= meantToHide && std::isfinite(added))
    reportFinite(select, added);
  if (added != -std::numeric_limits<double>::infinity())
    return false;
  readCondition({formula.operand(term, select.getCondition()), *yes != 0});
  return true;
}

/// slopes * (j - i)
bool MaskReader::readAlibi(const Addend &addend) {
  Product product = formula.product(addend.term);
  if (!formula.headAxis || product.factors.size() != 2 || !product.divisors.empty())
    return false;
  for (bool swapped : {false, true}) {
    const Term &slopes = product.factors[swapped], &distance = product.factors[!swapped];
    auto sum = formula.positions(distance);
    if (formula.axesOf(slopes) != formula.bit(formula.headAxis) || !sum || !sum->others.empty() || sum->constant != 0 || sum->key == 0 ||
        sum->query != -sum->key)
      continue;
    DimsAttr heads = formula.dims.extent(*formula.headAxis);
    Value each = formula.over(b, slopes, {*formula.headAxis}, heads);
    if (!each)
      return false;
    double times = (addend.negative ? -1 : 1) * product.number * sum->key;
    if (times != 1) {
      Value number = arith::ConstantOp::create(b, each.getLoc(), b.getF64FloatAttr(times));
      number = BroadcastOp::create(b, each.getLoc(), each.getType(), number, ArrayRef<int64_t>());
      each = arith::MulFOp::create(b, each.getLoc(), each, number);
    }
    return make<BiasAlibiOp>(addend.term, each);
  }
  return false;
}

/// What is added up, with its sign.
void MaskReader::collectAddends(const Term &term, bool negative, SmallVector<Addend> &to) {
  Operation *op = --budget < 0 ? nullptr : term.view.base.getDefiningOp();
  if (isa_and_nonnull<arith::NegFOp>(op))
    return collectAddends(formula.operand(term, op->getOperand(0)), !negative, to);
  if (!isa_and_nonnull<arith::AddFOp, arith::SubFOp>(op)) {
    to.push_back({term, negative});
    return;
  }
  collectAddends(formula.operand(term, op->getOperand(0)), negative, to);
  collectAddends(formula.operand(term, op->getOperand(1)), negative != isa<arith::SubFOp>(op), to);
}

/// The sum of addends over these axes; null where one is arranged in a way that is not understood.
Value MaskReader::sumOf(ArrayRef<Addend> addends, function_ref<Value(const Term &)> over) {
  Value sum;
  for (const Addend &addend : addends) {
    Value one = over(addend.term);
    if (!one)
      return {};
    one = addend.negative ? arith::NegFOp::create(b, one.getLoc(), one).getResult() : one;
    sum = sum ? arith::AddFOp::create(b, one.getLoc(), sum, one).getResult() : one;
  }
  return sum;
}

SmallVector<Value> MaskReader::read(BiasTensorOp op) {
  if (!fits())
    return {};
  SmallVector<Addend> addends, ofKeys, ofPairs;
  collectAddends(formula.root, false, addends);
  for (const Addend &addend : addends) {
    Product product = formula.product(addend.term); // (1 - seen) * -10000
    double added = addend.negative ? -product.number : product.number;
    if (product.factors.size() == 1 && product.divisors.empty() && added <= meantToHide && std::isfinite(added) && isTruth(product.factors[0]))
      reportFinite(op, added);
    if (formula.numberOf(addend.term) == 0.0 || (!addend.negative && readChoice(addend.term)) || readAlibi(addend))
      continue;
    bool isOfKeys = space.getRank() == 3 && !(formula.axesOf(addend.term) & ~(formula.bit(formula.batchAxis) | formula.bit(formula.keyAxis)));
    (isOfKeys ? ofKeys : ofPairs).push_back(addend);
  }
  if (!rest.empty() || ofPairs.size() == addends.size())
    return {}; // a part that is a tensor of pairs: so may the whole be
  uint64_t axes = 0;
  for (const Addend &addend : ofPairs)
    axes |= formula.axesOf(addend.term);
  SmallVector<int64_t> kept = keptOf(axes);
  if (!ofKeys.empty()) {
    Value keys = sumOf(ofKeys, [&](const Term &term) { return ofTokens(term, formula.keyAxis); });
    if (!keys)
      return {};
    made.insert(made.begin(), BiasTokensOp::create(b, op.getLoc(), maskType(), keys));
  }
  if (!ofPairs.empty()) {
    Value pairs = sumOf(ofPairs, [&](const Term &term) { return formula.over(b, term, kept, formula.dims.select(kept)); });
    if (!pairs)
      return {};
    made.insert(made.begin(), BiasTensorOp::create(b, op.getLoc(), maskType(), pairs));
  }
  if (made.empty())
    make<MaskWindowOp>(formula.root, IntegerAttr(), IntegerAttr()); // adds nothing
  return made;
}
