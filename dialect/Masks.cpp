// The masks and what they answer.
#include "dialect/Heddle.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;
using Answer = std::pair<Value, Value>;

static Value atMost(OpBuilder &b, Location loc, Value x, Value y) { return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, x, y); }
static Value truth(OpBuilder &b, Location loc, bool value) { return arith::ConstantIntOp::create(b, loc, value, 1); }
static MaskOpInterface maskOf(Value mask) { return mask.getDefiningOp<MaskOpInterface>(); }
static Value index(OpBuilder &b, Location loc, int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
static Value below(OpBuilder &b, Location loc, Value x, Value y) { return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y); }
static Value plus(OpBuilder &b, Location loc, Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
static Value minus(OpBuilder &b, Location loc, Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
static Value larger(OpBuilder &b, Location loc, Value x, Value y) { return arith::MaxSIOp::create(b, loc, x, y); }
static Value clamp(OpBuilder &b, Location loc, Value x, Value least, Value most) {
  return larger(b, loc, least, arith::MinSIOp::create(b, loc, x, most));
}
static Value both(OpBuilder &b, Location loc, Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
/// Positions are i32: a limit beyond them is as good as this one, and sums with it stay within 64 bits.
static int64_t limitOf(uint64_t limit) { return std::min<int64_t>(limit, int64_t(1) << 40); }

Answer MaskCausalOp::classifyTile(OpBuilder &b, Location loc, const MaskSite &, Value q0, Value q1, Value k0, Value k1) {
  return {atMost(b, loc, k0, q1), atMost(b, loc, k1, q0)};
}
Answer MaskCausalOp::emitScore(OpBuilder &b, Location loc, const MaskSite &, Value query, Value key, Value score) {
  return {atMost(b, loc, key, query), score};
}

Answer MaskCausalOp::keyRange(OpBuilder &b, Location loc, const MaskSite &, Value, Value q1) { return {Value(), plus(b, loc, q1, index(b, loc, 1))}; }

LogicalResult MaskWindowOp::verify() {
  for (auto limit : {getLeft(), getRight()})
    if (limit && static_cast<int64_t>(*limit) < 0)
      return emitOpError("expected a limit of 0 or more, got ") << static_cast<int64_t>(*limit); // (C1)
  return success();
}
/// Each side: some pair is visible where the nearest is, every pair where the farthest is.
Answer MaskWindowOp::classifyTile(OpBuilder &b, Location loc, const MaskSite &, Value q0, Value q1, Value k0, Value k1) {
  Value some = truth(b, loc, true), all = some;
  if (getLeft()) {
    Value left = index(b, loc, limitOf(*getLeft()));
    some = both(b, loc, some, below(b, loc, minus(b, loc, q0, k1), left));
    all = both(b, loc, all, below(b, loc, minus(b, loc, q1, k0), left));
  }
  if (getRight()) {
    Value right = index(b, loc, limitOf(*getRight()));
    some = both(b, loc, some, below(b, loc, minus(b, loc, k0, q1), right));
    all = both(b, loc, all, below(b, loc, minus(b, loc, k1, q0), right));
  }
  return {some, all};
}
Answer MaskWindowOp::emitScore(OpBuilder &b, Location loc, const MaskSite &, Value query, Value key, Value score) {
  Value visible = truth(b, loc, true);
  if (getLeft())
    visible = both(b, loc, visible, below(b, loc, minus(b, loc, query, key), index(b, loc, limitOf(*getLeft()))));
  if (getRight())
    visible = both(b, loc, visible, below(b, loc, minus(b, loc, key, query), index(b, loc, limitOf(*getRight()))));
  return {visible, score};
}
Answer MaskWindowOp::keyRange(OpBuilder &b, Location loc, const MaskSite &, Value q0, Value q1) {
  Answer range;
  if (getLeft())
    range.first = plus(b, loc, q0, index(b, loc, 1 - limitOf(*getLeft())));
  if (getRight())
    range.second = plus(b, loc, q1, index(b, loc, limitOf(*getRight())));
  return range;
}

LogicalResult MaskPrefixOp::verify() {
  auto type = cast<RankedTensorType>(getLengths().getType());
  if (type.getRank() == 1 && type.getElementType().isInteger(32) && dimsOf(type))
    return success();
  return emitOpError("expected lengths [batch] of i32 with a named extent, got ") << type; // (C1)
}
/// Position of the last token of the row's prefix.
static Value lastOfPrefix(MaskPrefixOp op, OpBuilder &b, Location loc, const MaskSite &site) {
  Value length = arith::IndexCastOp::create(b, loc, b.getIndexType(), site.read(b, loc, op.getLengths(), site.batch));
  return minus(b, loc, length, index(b, loc, 1));
}
Answer MaskPrefixOp::classifyTile(OpBuilder &b, Location loc, const MaskSite &site, Value q0, Value q1, Value k0, Value k1) {
  Value last = lastOfPrefix(*this, b, loc, site);
  return {atMost(b, loc, k0, larger(b, loc, q1, last)), atMost(b, loc, k1, larger(b, loc, q0, last))};
}
Answer MaskPrefixOp::emitScore(OpBuilder &b, Location loc, const MaskSite &site, Value query, Value key, Value score) {
  Value inPrefix = atMost(b, loc, key, lastOfPrefix(*this, b, loc, site));
  return {arith::OrIOp::create(b, loc, atMost(b, loc, key, query), inPrefix), score};
}
Answer MaskPrefixOp::keyRange(OpBuilder &b, Location loc, const MaskSite &site, Value, Value q1) {
  return {Value(), plus(b, loc, larger(b, loc, q1, lastOfPrefix(*this, b, loc, site)), index(b, loc, 1))};
}

/// [batch, tokens], or [tokens] of rows.
static bool isOfTokens(Value values, function_ref<bool(Type)> isElement) {
  auto type = cast<RankedTensorType>(values.getType());
  return isElement(type.getElementType()) && dimsOf(type) && (type.getRank() == 1 || type.getRank() == 2);
}
/// The number of one token: of a query or a key, at its position. Kept within the tensor, as in pairValue.
static Value tokenValue(OpBuilder &b, Location loc, const MaskSite &site, Value operand, Value position, bool ofKey) {
  Value place = minus(b, loc, position, ofKey ? site.keyStart : site.queryStart), zero = index(b, loc, 0);
  bool rows = cast<RankedTensorType>(operand.getType()).getRank() == 1;
  if (rows)
    place = plus(b, loc, place, ofKey ? site.keyOffset : site.queryOffset);
  place = clamp(b, loc, place, zero, minus(b, loc, site.extent(b, loc, operand, rows ? 0 : 1), index(b, loc, 1)));
  return rows ? site.read(b, loc, operand, place) : site.read(b, loc, operand, {site.batch, place});
}

LogicalResult MaskSegmentsOp::verify() {
  for (Value side : {getQueries(), getKeys()})
    if (!isOfTokens(side, [](Type element) { return element.isInteger(32); }))
      return emitOpError("expected i32 of [batch, tokens] or [tokens] with named extents, got ") << side.getType(); // (C1)
  return success();
}
Answer MaskSegmentsOp::classifyTile(OpBuilder &b, Location loc, const MaskSite &, Value, Value, Value, Value) {
  return {truth(b, loc, true), truth(b, loc, false)};
}
Answer MaskSegmentsOp::emitScore(OpBuilder &b, Location loc, const MaskSite &site, Value query, Value key, Value score) {
  Value mine = tokenValue(b, loc, site, getQueries(), query, false), other = tokenValue(b, loc, site, getKeys(), key, true);
  return {arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, mine, other), score};
}
bool MaskSegmentsOp::readsPairs() { return true; }

LogicalResult MaskTokensOp::verify() {
  if (!getQueries() && !getKeys())
    return emitOpError("expected queries or keys"); // (C1)
  for (Value side : getOperands())
    if (!isOfTokens(side, [](Type element) { return element.isInteger(1); }))
      return emitOpError("expected i1 of [batch, tokens] or [tokens] with named extents, got ") << side.getType(); // (C1)
  return success();
}
Answer MaskTokensOp::classifyTile(OpBuilder &b, Location loc, const MaskSite &, Value, Value, Value, Value) {
  return {truth(b, loc, true), truth(b, loc, false)};
}
Answer MaskTokensOp::emitScore(OpBuilder &b, Location loc, const MaskSite &site, Value query, Value key, Value score) {
  Value seen = truth(b, loc, true);
  if (getQueries())
    seen = both(b, loc, seen, tokenValue(b, loc, site, getQueries(), query, false));
  if (getKeys())
    seen = both(b, loc, seen, tokenValue(b, loc, site, getKeys(), key, true));
  return {seen, score};
}
bool MaskTokensOp::readsPairs() { return true; }

/// Score changes hide nothing.
static Answer everything(OpBuilder &b, Location loc) { return {truth(b, loc, true), truth(b, loc, true)}; }

LogicalResult SoftcapOp::verify() {
  if (getCap().convertToDouble() > 0)
    return success();
  return emitOpError("expected a cap above 0"); // (C1)
}
Answer SoftcapOp::classifyTile(OpBuilder &b, Location loc, const MaskSite &, Value, Value, Value, Value) { return everything(b, loc); }
Answer SoftcapOp::emitScore(OpBuilder &b, Location loc, const MaskSite &, Value, Value, Value score) {
  Value cap = arith::ConstantOp::create(b, loc, b.getFloatAttr(score.getType(), getCap().convertToDouble()));
  Value turned = math::TanhOp::create(b, loc, arith::DivFOp::create(b, loc, score, cap));
  return {truth(b, loc, true), arith::MulFOp::create(b, loc, cap, turned)};
}
bool SoftcapOp::changesScores() { return true; }

LogicalResult BiasAlibiOp::verify() {
  auto type = cast<RankedTensorType>(getSlopes().getType());
  if (type.getRank() == 1 && dimsOf(type) && type.hasStaticShape() && isa<FloatType>(type.getElementType()))
    return success();
  return emitOpError("expected static slopes [heads] of floats with a named extent, got ") << type; // (C1)
}
Answer BiasAlibiOp::classifyTile(OpBuilder &b, Location loc, const MaskSite &, Value, Value, Value, Value) { return everything(b, loc); }
Answer BiasAlibiOp::emitScore(OpBuilder &b, Location loc, const MaskSite &site, Value query, Value key, Value score) {
  // Positions are i32, and so are their distances: CPUs without AVX-512 have no conversion of 64 bits.
  Value distance = arith::IndexCastOp::create(b, loc, b.getI32Type(), minus(b, loc, key, query));
  Value slope = site.read(b, loc, getSlopes(), site.head);
  Value bias = arith::MulFOp::create(b, loc, slope, arith::SIToFPOp::create(b, loc, score.getType(), distance));
  return {truth(b, loc, true), arith::AddFOp::create(b, loc, score, bias)};
}
bool BiasAlibiOp::changesScores() { return true; }

static LogicalResult verifyPairs(Operation *op, Value values, bool flags) {
  auto type = cast<RankedTensorType>(values.getType());
  bool right = flags ? type.getElementType().isInteger(1) : isa<FloatType>(type.getElementType());
  if (!right)
    return op->emitOpError("expected elements of ") << (flags ? "i1" : "floats") << ", got " << type.getElementType(); // (C1)
  if (type.getRank() < 2 || type.getRank() > 4 || !dimsOf(type))
    return op->emitOpError("expected 2 to 4 named axes, got ") << type; // (C2)
  return success();
}
/// values[batch, head, query, key], as many of them as it has. Indices are kept within the tensor: a tile may ask about keys beyond a row's end,
/// whose answer nobody reads.
static Value pairValue(OpBuilder &b, Location loc, const MaskSite &site, Value operand, Value query, Value key) {
  int64_t rank = cast<RankedTensorType>(operand.getType()).getRank();
  auto within = [&](Value position, Value start, int64_t axis) -> Value {
    Value last = minus(b, loc, site.extent(b, loc, operand, axis), index(b, loc, 1));
    return clamp(b, loc, minus(b, loc, position, start), index(b, loc, 0), last);
  };
  SmallVector<Value> indices;
  if (rank >= 3)
    indices.push_back(site.batch);
  if (rank == 4)
    indices.push_back(site.head);
  indices.push_back(within(query, site.queryStart, rank - 2));
  indices.push_back(within(key, site.keyStart, rank - 1));
  return site.read(b, loc, operand, indices);
}

LogicalResult MaskTensorOp::verify() { return verifyPairs(*this, getValues(), true); }
Answer MaskTensorOp::classifyTile(OpBuilder &b, Location loc, const MaskSite &, Value, Value, Value, Value) {
  return {truth(b, loc, true), truth(b, loc, false)};
}
Answer MaskTensorOp::emitScore(OpBuilder &b, Location loc, const MaskSite &site, Value query, Value key, Value score) {
  return {pairValue(b, loc, site, getValues(), query, key), score};
}
bool MaskTensorOp::readsPairs() { return true; }

LogicalResult BiasTensorOp::verify() { return verifyPairs(*this, getValues(), false); }
Answer BiasTensorOp::classifyTile(OpBuilder &b, Location loc, const MaskSite &, Value, Value, Value, Value) {
  return {truth(b, loc, true), truth(b, loc, false)}; // -infinity hides
}
/// -infinity added to a score hides it, whatever it is.
static Answer addOrHide(OpBuilder &b, Location loc, Value score, Value bias) {
  Value lowest = arith::ConstantOp::create(b, loc, b.getFloatAttr(bias.getType(), -std::numeric_limits<double>::infinity()));
  Value seen = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, bias, lowest);
  return {seen, arith::AddFOp::create(b, loc, score, bias)};
}
Answer BiasTensorOp::emitScore(OpBuilder &b, Location loc, const MaskSite &site, Value query, Value key, Value score) {
  return addOrHide(b, loc, score, pairValue(b, loc, site, getValues(), query, key));
}
bool BiasTensorOp::readsPairs() { return true; }
bool BiasTensorOp::changesScores() { return true; }

LogicalResult BiasTokensOp::verify() {
  if (isOfTokens(getKeys(), [](Type element) { return isa<FloatType>(element); }))
    return success();
  return emitOpError("expected floats of [batch, tokens] or [tokens] with named extents, got ") << getKeys().getType(); // (C1)
}
Answer BiasTokensOp::classifyTile(OpBuilder &b, Location loc, const MaskSite &, Value, Value, Value, Value) {
  return {truth(b, loc, true), truth(b, loc, false)}; // -infinity hides
}
Answer BiasTokensOp::emitScore(OpBuilder &b, Location loc, const MaskSite &site, Value, Value key, Value score) {
  return addOrHide(b, loc, score, tokenValue(b, loc, site, getKeys(), key, true));
}
bool BiasTokensOp::readsPairs() { return true; }
bool BiasTokensOp::changesScores() { return true; }

LogicalResult BiasRelativeOp::verify() {
  auto type = cast<RankedTensorType>(getTable().getType());
  if (type.getRank() == 2 && dimsOf(type) && type.hasStaticShape() && type.getDimSize(1) % 2 && isa<FloatType>(type.getElementType()))
    return success();
  return emitOpError("expected a static table [heads, 2 reach + 1] of floats with named extents, got ") << type; // (C1)
}
Answer BiasRelativeOp::classifyTile(OpBuilder &b, Location loc, const MaskSite &, Value, Value, Value, Value) { return everything(b, loc); }
Answer BiasRelativeOp::emitScore(OpBuilder &b, Location loc, const MaskSite &site, Value query, Value key, Value score) {
  int64_t reach = cast<RankedTensorType>(getTable().getType()).getDimSize(1) / 2;
  Value distance = clamp(b, loc, minus(b, loc, key, query), index(b, loc, -reach), index(b, loc, reach));
  Value place = arith::AddIOp::create(b, loc, distance, index(b, loc, reach));
  Value bias = site.read(b, loc, getTable(), {site.head, place});
  return {truth(b, loc, true), arith::AddFOp::create(b, loc, score, bias)};
}
bool BiasRelativeOp::readsPairs() { return true; }
bool BiasRelativeOp::changesScores() { return true; }

static Answer both(OpBuilder &b, Location loc, Answer x, Answer y) { return {both(b, loc, x.first, y.first), both(b, loc, x.second, y.second)}; }
Answer MaskAndOp::classifyTile(OpBuilder &b, Location loc, const MaskSite &site, Value q0, Value q1, Value k0, Value k1) {
  Answer left = maskOf(getLhs()).classifyTile(b, loc, site, q0, q1, k0, k1);
  return both(b, loc, left, maskOf(getRhs()).classifyTile(b, loc, site, q0, q1, k0, k1));
}
Answer MaskAndOp::emitScore(OpBuilder &b, Location loc, const MaskSite &site, Value query, Value key, Value score) {
  Answer left = maskOf(getLhs()).emitScore(b, loc, site, query, key, score);
  Answer right = maskOf(getRhs()).emitScore(b, loc, site, query, key, left.second);
  return {arith::AndIOp::create(b, loc, left.first, right.first), right.second};
}
bool MaskAndOp::readsPairs() { return maskOf(getLhs()).readsPairs() || maskOf(getRhs()).readsPairs(); }
bool MaskAndOp::changesScores() { return maskOf(getLhs()).changesScores() || maskOf(getRhs()).changesScores(); }
Answer MaskAndOp::keyRange(OpBuilder &b, Location loc, const MaskSite &site, Value q0, Value q1) {
  Answer left = maskOf(getLhs()).keyRange(b, loc, site, q0, q1), right = maskOf(getRhs()).keyRange(b, loc, site, q0, q1);
  auto tighter = [&](Value x, Value y, bool end) -> Value {
    if (!x || !y)
      return x ? x : y;
    return end ? arith::MinSIOp::create(b, loc, x, y).getResult() : arith::MaxSIOp::create(b, loc, x, y).getResult();
  };
  return {tighter(left.first, right.first, false), tighter(left.second, right.second, true)};
}

/// m and m -> m
OpFoldResult MaskAndOp::fold(FoldAdaptor) { return getLhs() == getRhs() ? getLhs() : Value(); }

/// Rows of queries and keys of [batch, .., query, key].
template <typename Op> static LogicalResult verifyPairRows(Op op) {
  if (static_cast<bool>(op.getQueryOffsets()) != static_cast<bool>(op.getQueryStarts()) ||
      static_cast<bool>(op.getKeyOffsets()) != static_cast<bool>(op.getKeyStarts()))
    return op.emitOpError("offsets and starts come together"); // (C2)
  DimsAttr dims = dimsOf(op.getResult());
  for (Value offsets : {op.getQueryOffsets(), op.getKeyOffsets()})
    if (offsets && (dims.getRank() < 3 || dimsOf(offsets) != dims.extent(0).offsets())) // (C3)
      return op.emitOpError("expected offsets of the batch of ") << dims << ", got " << dimsOf(offsets);
  return success();
}

LogicalResult MaskValuesOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (type.getRank() != 3 || !type.getElementType().isInteger(1) || !dimsOf(type))
    return emitOpError("expected [batch, query, key] of i1 with named extents, got ") << type; // (C1)
  return verifyPairRows(*this);
}

LogicalResult MaskScoresOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (type.getRank() < 2 || type.getRank() > 4 || !isa<FloatType>(type.getElementType()) || !dimsOf(type)) // (C1)
    return emitOpError("expected 2 to 4 named axes of floats, got ") << type;
  return verifyPairRows(*this);
}
