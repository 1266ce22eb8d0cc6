// One body, evaluated on vectors; what it reads and what it needs.
#include "compiler/loops/TileEvaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;
using linalg::GenericOp;

//===---- building blocks -----------------------------------------------------------------------------------------===//

Value TileEvaluator::index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

Value TileEvaluator::asValue(OpFoldResult value) {
  if (auto known = dyn_cast<Value>(value))
    return known;
  return index(*getConstantIntValue(value));
}

Value TileEvaluator::splat(Value value, int64_t width) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(builder, loc, VectorType::get({width}, value.getType()), value);
}

Value TileEvaluator::maskOf(int64_t valid) {
  SmallVector<bool> bits(vectorLanes, false);
  std::fill_n(bits.begin(), valid, true);
  return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(VectorType::get({vectorLanes}, builder.getI1Type()), ArrayRef<bool>(bits)));
}

/// The last dimension of a tensor, from `indices` on.
Value TileEvaluator::read(Value tensor, ValueRange indices, const Lanes &lanes) {
  auto type = VectorType::get({lanes.width}, cast<RankedTensorType>(tensor.getType()).getElementType());
  auto map = AffineMapAttr::get(AffineMap::getMinorIdentityMap(indices.size(), 1, builder.getContext()));
  Value padding = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type.getElementType()));
  return vector::TransferReadOp::create(builder, loc, type, tensor, indices, map, padding, lanes.mask, builder.getBoolArrayAttr({true}));
}

SmallVector<Value> TileEvaluator::indicesOf(const TilePlace &place) {
  SmallVector<Value> indices;
  if (place.row)
    indices.push_back(asValue(place.row));
  indices.push_back(asValue(place.lanes->start));
  return indices;
}

Value TileEvaluator::write(Value vector, Value tensor, const TilePlace &place) {
  SmallVector<Value> indices = indicesOf(place);
  auto map = AffineMapAttr::get(AffineMap::getMinorIdentityMap(indices.size(), 1, builder.getContext()));
  ArrayAttr inBounds = builder.getBoolArrayAttr({true});
  return vector::TransferWriteOp::create(builder, loc, splat(vector, place.lanes->width), tensor, indices, map, place.lanes->mask, inBounds)
      ->getResult(0);
}

SmallVector<Lanes> TileEvaluator::groupsOf(int64_t columns) {
  SmallVector<Lanes> groups;
  for (int64_t start = 0; start < columns; start += vectorLanes)
    groups.push_back({builder.getIndexAttr(start), columns - start < vectorLanes ? maskOf(columns - start) : Value()});
  return groups;
}

OpFoldResult TileEvaluator::columnsOf(GenericOp op) {
  unsigned column = *loopRoles(*tiles.kindOf(op)).column;
  int64_t known = op.getStaticLoopRanges()[column];
  if (!ShapedType::isDynamic(known))
    return builder.getIndexAttr(known);
  for (OpOperand &operand : op->getOpOperands())
    for (auto [i, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (expr == builder.getAffineDimExpr(column))
        return Value(tensor::DimOp::create(builder, loc, operand.get(), i));
  llvm_unreachable("every loop of a linalg op has an operand that bounds it");
}

Value TileEvaluator::overColumns(OpFoldResult columns, bool mayLoop, int64_t atOnce, Value state, function_ref<Value(const Lanes &, Value)> step) {
  constexpr int64_t fewGroups = 4; // cheaper written out
  std::optional<int64_t> known = getConstantIntValue(columns);
  auto writtenOut = [&](int64_t from) {
    SmallVector<Lanes> groups = groupsOf(*known);
    for (const Lanes &lanes : ArrayRef(groups).drop_front(from / vectorLanes))
      state = step(lanes, state);
    return state;
  };
  if (known && (!mayLoop || *known < (fewGroups + 1) * vectorLanes))
    return writtenOut(0);
  auto loop = [&](Value from, Value to, int64_t groups) {
    auto rounds = scf::ForOp::create(builder, loc, from, to, index(groups * vectorLanes), ValueRange{state});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(rounds.getBody());
    Value inner = rounds.getRegionIterArgs()[0];
    for (int64_t group = 0; group < groups; ++group) {
      Value start = rounds.getInductionVar();
      if (group > 0)
        start = arith::AddIOp::create(builder, loc, start, index(group * vectorLanes));
      inner = step({OpFoldResult(start), {}}, inner);
    }
    scf::YieldOp::create(builder, loc, inner);
    state = rounds.getResult(0);
  };
  if (known) {
    int64_t inRounds = *known - *known % (atOnce * vectorLanes);
    loop(index(0), index(inRounds), atOnce);
    return writtenOut(inRounds);
  }
  Value count = asValue(columns), from = index(0);
  auto restOf = [&](int64_t groups) { return arith::RemUIOp::create(builder, loc, count, index(groups * vectorLanes)); };
  if (atOnce > 1) {
    Value inRounds = arith::SubIOp::create(builder, loc, count, restOf(atOnce));
    loop(from, inRounds, atOnce);
    from = inRounds;
  }
  Value rest = restOf(1), whole = arith::SubIOp::create(builder, loc, count, rest);
  loop(from, whole, 1);
  Value mask = vector::CreateMaskOp::create(builder, loc, VectorType::get({vectorLanes}, builder.getI1Type()), rest);
  return step({OpFoldResult(whole), mask}, state);
}

Value TileEvaluator::overRows(int64_t rows, bool mayLoop, Value state, function_ref<Value(OpFoldResult, Value)> step) {
  if (!mayLoop || rows <= fewRows) {
    for (int64_t row = 0; row < rows; ++row)
      state = step(builder.getIndexAttr(row), state);
    return state;
  }
  return inLoop(rows, 1, state, [&](Value row, Value carried) { return step(OpFoldResult(row), carried); });
}

Value TileEvaluator::inLoop(int64_t end, int64_t step, Value state, function_ref<Value(Value, Value)> body) {
  if (end == 0)
    return state;
  auto loop = scf::ForOp::create(builder, loc, index(0), index(end), index(step), ValueRange{state});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(builder, loc, body(loop.getInductionVar(), loop.getRegionIterArgs()[0]));
  return loop.getResult(0);
}

//===---- one body ------------------------------------------------------------------------------------------------===//

struct TileEvaluator::Body {
  TileEvaluator &evaluator;
  GenericOp op;
  const TilePlace &place;
  Values values;

  OpFoldResult loopIndex(unsigned loop) const {
    LoopRoles loops = loopRoles(*evaluator.tiles.kindOf(op));
    return loop == loops.row ? place.row : loop == loops.inner ? OpFoldResult(place.inner) : place.lanes->start;
  }
  bool isColumn(unsigned loop) const { return place.lanes && loop == loopRoles(*evaluator.tiles.kindOf(op)).column; }
  Value get(Value value) const {
    Value known = values.lookup(value);
    return known ? known : value;
  }
  /// The scalar that `value` is in the first lane: itself, or what ascends along the columns taken at their start.
  Value firstLane(Value value) {
    if (!place.lanes || laneShape(value, op, *loopRoles(*evaluator.tiles.kindOf(op)).column) == LaneShape::Same)
      return get(value);
    if (isa<linalg::IndexOp>(value.getDefiningOp()))
      return evaluator.asValue(place.lanes->start);
    SmallVector<Value> operands;
    for (Value operand : value.getDefiningOp()->getOperands())
      operands.push_back(firstLane(operand));
    return evaluator.emit(value.getDefiningOp(), operands);
  }
  Value indexOp(linalg::IndexOp index) {
    OpBuilder &b = evaluator.builder;
    Value start = evaluator.asValue(loopIndex(index.getDim()));
    if (!isColumn(index.getDim()))
      return start;
    int64_t width = place.lanes->width;
    Value steps = vector::StepOp::create(b, evaluator.loc, VectorType::get({width}, b.getIndexType()));
    return arith::AddIOp::create(b, evaluator.loc, steps, evaluator.splat(start, width));
  }
  Value extract(tensor::ExtractOp extract) {
    SmallVector<Value> indices;
    for (Value index : extract.getIndices())
      indices.push_back(firstLane(index));
    bool isSame = !place.lanes || laneShape(extract, op, *loopRoles(*evaluator.tiles.kindOf(op)).column) == LaneShape::Same;
    if (isSame)
      return tensor::ExtractOp::create(evaluator.builder, evaluator.loc, get(extract.getTensor()), indices);
    return evaluator.read(get(extract.getTensor()), indices, *place.lanes);
  }
  void prefetch(Operation *prefetch) {
    Operation *copy = evaluator.builder.clone(*prefetch);
    for (OpOperand &operand : copy->getOpOperands())
      operand.set(get(operand.get()));
  }
  /// Evaluates what `value` takes from the body, and it.
  void demand(Value value) {
    Operation *maker = value.getDefiningOp();
    if (values.contains(value) || !maker || maker->getBlock() != op.getBody())
      return;
    llvm::for_each(maker->getOperands(), [&](Value operand) { demand(operand); });
    values[value] = inner(maker);
  }
  Value inner(Operation *inner) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      return indexOp(index);
    if (auto read = dyn_cast<tensor::ExtractOp>(inner))
      return extract(read);
    SmallVector<Value> operands;
    for (Value operand : inner->getOperands())
      operands.push_back(get(operand));
    return evaluator.emit(inner, operands);
  }
};

Value TileEvaluator::evaluate(GenericOp op, const TilePlace &place, Value accumulator) {
  if (depth++ == 0)
    atThisPlace.clear();
  Body body{*this, op, place, Values()};
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (!argument.use_empty())
      body.values[argument] = accumulator && op.isDpsInit(&operand) ? accumulator : evaluateOperand(operand, place);
  }
  for (Operation &inner : op.getBody()->without_terminator())
    if (auto prefetch = dyn_cast<memref::PrefetchOp>(inner)) {
      if (place.fetches && (fetchPeriod(prefetch) == 1 || fetchPeriod(op) == 1))
        body.prefetch(prefetch);
    } else
      body.values[inner.getResult(0)] = body.inner(&inner);
  --depth;
  return body.get(op.getBody()->getTerminator()->getOperand(0));
}

void TileEvaluator::fetch(GenericOp op, const TilePlace &place) {
  Body body{*this, op, place, Values()};
  for (auto prefetch : op.getBody()->getOps<memref::PrefetchOp>())
    if (fetchPeriod(prefetch) > 1) {
      llvm::for_each(prefetch->getOperands(), [&](Value operand) { body.demand(operand); });
      body.prefetch(prefetch);
    }
}

Value TileEvaluator::evaluateOperand(OpOperand &operand, const TilePlace &place) {
  Value source = operand.get();
  auto op = cast<GenericOp>(operand.getOwner());
  if (!isa<RankedTensorType>(source.getType()))
    return source;
  if (tiles.isInRegisters(operand)) {
    if (auto fill = source.getDefiningOp<linalg::FillOp>())
      return fill.value();
    if (auto kept = keptScalars.find(source); kept != keptScalars.end())
      return kept->second[*getConstantIntValue(place.row)];
    return lanesOf(source, place);
  }
  if (columnsAlongInner && &operand == operandAlongInner(op))
    return columnsAlongInner;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  unsigned rank = place.row && place.lanes ? 2 : 1;
  if (source == overwritten && map.getNumResults() == rank && isInPlace(operand, *tiles.kindOf(op)))
    source = current;
  Body body{*this, op, place, Values()};
  SmallVector<Value> indices;
  bool isVector = false;
  for (AffineExpr expr : map.getResults()) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      indices.push_back(index(constant.getValue()));
      continue;
    }
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    indices.push_back(asValue(body.loopIndex(loop)));
    isVector |= body.isColumn(loop);
  }
  if (isVector)
    return read(source, indices, *place.lanes);
  return tensor::ExtractOp::create(builder, loc, source, indices);
}

SmallVector<Value> TileEvaluator::alongInner(OpOperand &operand, const Lanes &columns, Value k, int64_t count) {
  SmallVector<Value> vectors;
  Lanes lanes{OpFoldResult(k), count < vectorLanes ? maskOf(count) : Value()};
  for (int64_t i = 0; i < vectorLanes; ++i) {
    Value column = arith::AddIOp::create(builder, loc, asValue(columns.start), index(i));
    vectors.push_back(read(operand.get(), {column, k}, lanes));
  }
  transposeVectors(*this, vectors);
  return vectors;
}

Value TileEvaluator::lanesOf(Value result, const TilePlace &place) {
  if (auto kept = keptTiles.find(result); kept != keptTiles.end())
    return kept->second[*getConstantIntValue(place.row)][*getConstantIntValue(place.lanes->start) / vectorLanes];
  if (Value tensor = written.lookup(result)) {
    if (tensor == overwritten)
      tensor = current;
    return read(tensor, indicesOf(place), *place.lanes);
  }
  if (auto fill = result.getDefiningOp<linalg::FillOp>())
    return splat(fill.value(), place.lanes->width);
  if (Value known = depth ? atThisPlace.lookup(result) : Value())
    return known;
  Value value = splat(evaluate(result.getDefiningOp<GenericOp>(), {place.row, place.lanes, {}}), place.lanes->width);
  return atThisPlace[result] = value;
}

/// Clones one op of a body; scalars become vectors where any operand is one.
Value TileEvaluator::emit(Operation *op, ValueRange operands) {
  auto vector = llvm::find_if(operands, [](Value operand) { return isa<VectorType>(operand.getType()); });
  SmallVector<Value> arguments(operands);
  Type type = op->getResult(0).getType();
  if (vector != operands.end()) {
    int64_t width = cast<VectorType>((*vector).getType()).getDimSize(0);
    bool choosesWhole = isa<arith::SelectOp>(op) && !isa<VectorType>(arguments[0].getType()); // a mask is long made of one truth value
    for (Value &argument : MutableArrayRef(arguments).drop_front(choosesWhole))
      argument = splat(argument, width);
    type = VectorType::get({width}, type);
  }
  OperationState state(op->getLoc(), op->getName(), arguments, type, op->getAttrs());
  return builder.create(state)->getResult(0);
}

//===---- reductions ----------------------------------------------------------------------------------------------===//

/// `value` of a reduction's body, with accumulator and element replaced by what `values` has for them.
Value TileEvaluator::joined(Value value, Values &values) {
  if (Value known = values.lookup(value))
    return known;
  Operation *def = value.getDefiningOp();
  if (!def || !isa<linalg::LinalgOp>(def->getParentOp()))
    return value;
  SmallVector<Value> operands;
  for (Value operand : def->getOperands())
    operands.push_back(joined(operand, values));
  return values[value] = emit(def, operands);
}

Value TileEvaluator::combine(GenericOp op, const Combiner &combiner, Value low, Value high) {
  if (combiner.isSum) {
    if (isa<FloatType>(getElementTypeOrSelf(low.getType())))
      return arith::AddFOp::create(builder, loc, low, high);
    return arith::AddIOp::create(builder, loc, low, high);
  }
  Values values{{op.getRegionOutputArgs()[0], low}, {combiner.element, high}};
  return joined(op.getBody()->getTerminator()->getOperand(0), values);
}

//===---- how an op may be evaluated ----------------------------------------------------------------------------------===//

llvm::SetVector<GenericOp> TileEvaluator::evaluatedWith(GenericOp op) const {
  llvm::SetVector<GenericOp> result;
  result.insert(op);
  for (size_t i = 0; i < result.size(); ++i) {
    GenericOp user = result[i];
    for (OpOperand &operand : user->getOpOperands()) {
      Value value = operand.get();
      auto maker = value.getDefiningOp<GenericOp>();
      bool isHere = keptTiles.contains(value) || keptScalars.contains(value) || written.contains(value);
      if (maker && !isHere && !user.getMatchingBlockArgument(&operand).use_empty() && tiles.isInRegisters(operand))
        result.insert(maker);
    }
  }
  return result;
}

bool TileEvaluator::usesKept(GenericOp op, const std::function<bool(Value)> &isKept) const {
  return llvm::any_of(evaluatedWith(op), [&](GenericOp user) {
    return llvm::any_of(user->getOpOperands(), [&](OpOperand &operand) {
      return !user.getMatchingBlockArgument(&operand).use_empty() && tiles.isInRegisters(operand) && isKept(operand.get());
    });
  });
}

bool TileEvaluator::needsConstantColumns(GenericOp op) const {
  return usesKept(op, [&](Value value) { return keptTiles.contains(value); });
}

bool TileEvaluator::needsConstantRow(GenericOp op) const {
  return usesKept(op, [&](Value value) { return keptTiles.contains(value) || keptScalars.contains(value); });
}

bool TileEvaluator::endsInLoop(GenericOp op) const {
  if (op.getStaticLoopRanges()[0] <= fewRows)
    return false;
  if (*tiles.kindOf(op) == TileKind::Elementwise && isCostly(op))
    return true;
  return llvm::any_of(op->getUses(), [&](OpOperand &use) {
    std::optional<TileKind> user = tiles.kindOf(use.getOwner());
    return user == TileKind::Elementwise && tiles.isInRegisters(use) && endsInLoop(cast<GenericOp>(use.getOwner()));
  });
}

bool TileEvaluator::isCostly(GenericOp op) const {
  return llvm::any_of(evaluatedWith(op), [](GenericOp each) {
    return llvm::any_of(each.getBody()->without_terminator(), [](Operation &inner) {
      return isa<arith::DivFOp, arith::RemFOp>(inner) || (isa<math::MathDialect>(inner.getDialect()) && !isa<math::FmaOp, math::AbsFOp>(inner));
    });
  });
}
