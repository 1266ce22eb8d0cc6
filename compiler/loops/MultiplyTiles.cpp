// Matrix products of static tiles: one accumulator per row and sixteen columns, a loop over k, in blocks of the size that the arithmetic contract
// fixes.
#include "compiler/loops/TileEvaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

namespace {

/// Vectors of a result that may stay in registers until they are used, as many as a register tile of AVX-512 has; others are written.
constexpr int64_t mostKeptVectors = 16;

/// LLVM leaves `loop` a loop: written out, accumulators would move from copy to copy, through memory.
void stayLoop(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
  LLVM::LoopUnrollAttr unroll = LLVM::LoopUnrollAttr::get(context, /*disable=*/BoolAttr::get(context, true), {}, {}, {}, {}, {}, {});
  auto annotation = LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
  loop->setAttr("loop_annotation", annotation); // by this name it becomes that of llvm.br
}

/// One register tile: the accumulators of some rows and groups of columns, row by row.
struct RegisterTile {
  TileEvaluator &evaluator;
  linalg::GenericOp op;
  ArrayRef<int64_t> rows;
  ArrayRef<Lanes> groups;

  /// fn(place) for each accumulator.
  SmallVector<Value> each(function_ref<Value(const TilePlace &, size_t)> fn) const {
    SmallVector<Value> values;
    for (int64_t row : rows)
      for (const Lanes &lanes : groups)
        values.push_back(fn({evaluator.builder.getIndexAttr(row), lanes, {}}, values.size()));
    return values;
  }
  SmallVector<Value> initial() {
    OpOperand &init = op.getDpsInitsMutable()[0];
    return each([&](const TilePlace &place, size_t) { return evaluator.splat(evaluator.evaluateOperand(init, place)); });
  }
  /// One chain over k in [from, to) for each accumulator, and the prefetches on its way.
  SmallVector<Value> chain(Value from, Value to, ArrayRef<Value> start) {
    OpBuilder &b = evaluator.builder;
    int64_t period = fetchPeriod(op);
    if (period == 1)
      return steps(from, to, start);
    Value step = evaluator.index(period);
    auto loop = scf::ForOp::create(b, evaluator.loc, from, to, step, start);
    stayLoop(loop);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value k = loop.getInductionVar(), end = arith::MinUIOp::create(b, evaluator.loc, to, arith::AddIOp::create(b, evaluator.loc, k, step));
    evaluator.fetch(op, {b.getIndexAttr(rows.front()), groups.front(), k});
    scf::YieldOp::create(b, evaluator.loc, steps(k, end, SmallVector<Value>(loop.getRegionIterArgs())));
    return SmallVector<Value>(loop.getResults());
  }
  SmallVector<Value> steps(Value from, Value to, ArrayRef<Value> start) const {
    if (OpOperand *along = operandAlongInner(op))
      return stepsAlong(*along, from, to, start);
    OpBuilder &b = evaluator.builder;
    auto loop = scf::ForOp::create(b, evaluator.loc, from, to, evaluator.index(1), start);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> next = each([&](TilePlace place, size_t i) {
      place.inner = loop.getInductionVar();
      place.fetches = i == 0;
      return evaluator.splat(evaluator.evaluate(op, place, loop.getRegionIterArgs()[i]));
    });
    scf::YieldOp::create(b, evaluator.loc, next);
    return SmallVector<Value>(loop.getResults());
  }
  /// The same where columns are transposed in registers, sixteen k at a time. Where `to` is no multiple of sixteen, it is a constant.
  SmallVector<Value> stepsAlong(OpOperand &operand, Value from, Value to, ArrayRef<Value> start) const {
    OpBuilder &b = evaluator.builder;
    int64_t rest = getConstantIntValue(to).value_or(0) % vectorLanes;
    Value whole = rest ? evaluator.index(*getConstantIntValue(to) - rest) : to;
    auto loop = scf::ForOp::create(b, evaluator.loc, from, whole, evaluator.index(vectorLanes), start);
    stayLoop(loop);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      SmallVector<Value> carried(loop.getRegionIterArgs());
      scf::YieldOp::create(b, evaluator.loc, transposedSteps(operand, loop.getInductionVar(), vectorLanes, carried));
    }
    SmallVector<Value> done(loop.getResults());
    return rest ? transposedSteps(operand, whole, rest, done) : done;
  }
  /// k, k + 1 ... , `count` of them, of one group after the other: a loop, whose carried values move up by one group each time. The registers hold
  /// one block of columns, and the chains of different groups overlap.
  SmallVector<Value> transposedSteps(OpOperand &operand, Value k, int64_t count, ArrayRef<Value> start) const {
    OpBuilder &b = evaluator.builder;
    Value first = evaluator.asValue(groups.front().start), step = evaluator.index(vectorLanes);
    Value end = evaluator.index(*getConstantIntValue(groups.back().start) + vectorLanes);
    auto loop = scf::ForOp::create(b, evaluator.loc, first, end, step, start);
    stayLoop(loop);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> values(loop.getRegionIterArgs());
    Lanes lanes{OpFoldResult(loop.getInductionVar()), {}};
    SmallVector<Value> columns = evaluator.alongInner(operand, lanes, k, count);
    for (int64_t i = 0; i < count; ++i) {
      Value inner = arith::AddIOp::create(b, evaluator.loc, k, evaluator.index(i));
      evaluator.columnsAlongInner = columns[i];
      for (auto [row, index] : llvm::enumerate(rows)) {
        Value &value = values[row * groups.size()];
        value = evaluator.splat(evaluator.evaluate(op, {b.getIndexAttr(index), lanes, inner}, value));
      }
    }
    evaluator.columnsAlongInner = Value();
    for (size_t row = 0; row < rows.size(); ++row) {
      auto ofRow = values.begin() + row * groups.size();
      std::rotate(ofRow, ofRow + 1, ofRow + groups.size());
    }
    scf::YieldOp::create(b, evaluator.loc, values);
    return SmallVector<Value>(loop.getResults());
  }
  /// sums + (a chain that starts from zero), for each accumulator.
  SmallVector<Value> addBlock(Value from, Value to, ValueRange sums) {
    OpBuilder &b = evaluator.builder;
    Value zero = arith::ConstantOp::create(b, evaluator.loc, b.getZeroAttr(sums[0].getType()));
    SmallVector<Value> block = chain(from, to, SmallVector<Value>(sums.size(), zero));
    for (auto [sum, part] : llvm::zip_equal(sums, block))
      part = arith::AddFOp::create(b, evaluator.loc, sum, part);
    return block;
  }
  SmallVector<Value> compute() {
    int64_t depth = op.getStaticLoopRanges()[2];
    bool isInBlocks = depth > productBlock && matchCombiner(op)->isSum && isa<FloatType>(getElementTypeOrSelf(op.getResult(0).getType()));
    if (!isInBlocks)
      return chain(evaluator.index(0), evaluator.index(depth), initial());
    OpBuilder &b = evaluator.builder;
    Value block = evaluator.index(productBlock), whole = evaluator.index(depth - depth % productBlock);
    auto loop = scf::ForOp::create(b, evaluator.loc, evaluator.index(0), whole, block, initial());
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value from = loop.getInductionVar(), to = arith::AddIOp::create(b, evaluator.loc, from, block);
      scf::YieldOp::create(b, evaluator.loc, addBlock(from, to, loop.getRegionIterArgs()));
    }
    if (depth % productBlock == 0)
      return SmallVector<Value>(loop.getResults());
    return addBlock(whole, evaluator.index(depth), loop.getResults());
  }
};

} // namespace

/// Rows in equal parts of at most the target's tile; then as many columns as there are accumulators left: one row alone needs several to keep the
/// multipliers busy.
Value heddle::multiplyTiles(TileEvaluator &evaluator, linalg::GenericOp op, Value destination) {
  const Target &target = evaluator.target;
  auto ranges = op.getStaticLoopRanges();
  SmallVector<int64_t> rows = llvm::to_vector(llvm::seq<int64_t>(0, ranges[0]));
  SmallVector<Lanes> groups = evaluator.groupsOf(ranges[1]);
  int64_t parts = llvm::divideCeil(ranges[0], target.tileRows), rowStep = llvm::divideCeil(ranges[0], parts);
  int64_t accumulators = target.tileRows * target.tileColumns / vectorLanes;
  int64_t groupStep = std::max<int64_t>(1, accumulators / rowStep), groupCount = groups.size();
  bool isKept = !isTall(op) && ranges[0] * groupCount <= mostKeptVectors && !evaluator.endsInLoop(op);
  if (!isKept)
    evaluator.overwritten = evaluator.current = destination;
  SmallVector<SmallVector<Value>> kept(ranges[0], SmallVector<Value>(groupCount));
  for (int64_t group = 0; group < groupCount; group += groupStep)
    for (int64_t row = 0; row < ranges[0]; row += rowStep) {
      RegisterTile tile{evaluator, op, ArrayRef(rows).slice(row, std::min(rowStep, ranges[0] - row)),
                        ArrayRef(groups).slice(group, std::min(groupStep, groupCount - group))};
      SmallVector<Value> values = tile.compute();
      (void)tile.each([&](const TilePlace &place, size_t i) -> Value {
        if (isKept)
          kept[*getConstantIntValue(place.row)][*getConstantIntValue(place.lanes->start) / vectorLanes] = values[i];
        else
          evaluator.current = evaluator.write(values[i], evaluator.current, place);
        return {};
      });
    }
  if (isKept)
    evaluator.keptTiles[op.getResult(0)] = std::move(kept);
  evaluator.overwritten = Value();
  return std::exchange(evaluator.current, Value());
}
