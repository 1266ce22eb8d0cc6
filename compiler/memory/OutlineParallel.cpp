// Parallel loops become functions over a range of tasks. Comes after kernels have raw bases; the native stage makes thunks and calls the pool. Two
// small passes, because the address of a function can only be taken in the LLVM dialect.
#include "compiler/memory/Captures.h"
#include "compiler/memory/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_OUTLINEPARALLEL
#include "compiler/memory/Passes.h.inc"

namespace {

/// lower + step * i, i = 0 .. count-1, along one dimension of a forall.
struct Range {
  Value lower, step, count; // lower and step are null for 0 and 1
};

Value materialize(OpBuilder &builder, Location loc, OpFoldResult bound, const IRMapping &map) {
  if (std::optional<int64_t> constant = getConstantIntValue(bound))
    return arith::ConstantIndexOp::create(builder, loc, *constant);
  return map.lookupOrDefault(cast<Value>(bound));
}

/// One range per dimension, computed from bounds mapped by `map`.
SmallVector<Range> makeRanges(OpBuilder &builder, scf::ForallOp loop, const IRMapping &map) {
  SmallVector<Range> ranges;
  Location loc = loop.getLoc();
  for (auto [lower, upper, step] : llvm::zip_equal(loop.getMixedLowerBound(), loop.getMixedUpperBound(), loop.getMixedStep())) {
    Range range;
    range.count = materialize(builder, loc, upper, map);
    if (!isConstantIntValue(lower, 0)) {
      range.lower = materialize(builder, loc, lower, map);
      range.count = arith::SubIOp::create(builder, loc, range.count, range.lower);
    }
    if (!isConstantIntValue(step, 1)) {
      range.step = materialize(builder, loc, step, map);
      range.count = arith::CeilDivSIOp::create(builder, loc, range.count, range.step);
    }
    if (!getConstantIntValue(upper) || range.lower || range.step) // a range that ends before it begins has no tasks
      range.count = arith::MaxSIOp::create(builder, loc, range.count, arith::ConstantIndexOp::create(builder, loc, 0));
    ranges.push_back(range);
  }
  return ranges;
}

/// Task number -> the loop's induction variables, row-major: the last dimension runs fastest.
SmallVector<Value> makeIndices(OpBuilder &builder, Location loc, Value task, ArrayRef<Range> ranges) {
  SmallVector<Value> indices(ranges.size());
  for (size_t axis = ranges.size(); axis-- > 0;) {
    const Range &range = ranges[axis];
    Value index = task;
    if (axis > 0) {
      index = arith::RemUIOp::create(builder, loc, task, range.count);
      task = arith::DivUIOp::create(builder, loc, task, range.count);
    }
    if (range.step)
      index = arith::MulIOp::create(builder, loc, index, range.step);
    if (range.lower)
      index = arith::AddIOp::create(builder, loc, index, range.lower);
    indices[axis] = index;
  }
  return indices;
}

struct OutlineParallel : impl::OutlineParallelBase<OutlineParallel> {
  using OutlineParallelBase::OutlineParallelBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (!function.isExternal() && failed(outlineAll(function, symbols)))
        return signalPassFailure();
  }

  LogicalResult outlineAll(func::FuncOp function, SymbolTable &symbols) {
    SmallVector<scf::ForallOp> outer, inner;
    function.walk([&](scf::ForallOp loop) { (loop->getParentOfType<scf::ForallOp>() ? inner : outer).push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::ForallOp loop : inner) { // innermost first: walk is post-order
      rewriter.setInsertionPoint(loop);
      if (failed(scf::forallToForLoop(rewriter, loop)))
        return loop.emitOpError("cannot become a serial loop");
    }
    if (outer.empty())
      return success();
    WrittenBuffers written(function);
    for (auto [index, loop] : llvm::enumerate(outer))
      if (failed(outline(function, loop, index, written, symbols)))
        return failure();
    return success();
  }

  LogicalResult outline(func::FuncOp function, scf::ForallOp loop, unsigned index, const WrittenBuffers &written, SymbolTable &symbols) {
    if (loop->getNumResults() != 0)
      return loop.emitOpError("has tensors as results; expected buffers");
    if (function.getNumArguments() == 0 || function.getArgument(0).getType() != rawBaseType(&getContext()))
      return function.emitOpError("has parallel loops, expected the run-time context as first argument");
    Captures captures = findCaptures(loop, written);
    captures.values.remove(function.getArgument(0));
    SmallVector<Value> values{function.getArgument(0)};
    llvm::append_range(values, captures.values);
    for (Value value : values)
      if (auto type = dyn_cast<MemRefType>(value.getType()); type && !(type.hasStaticShape() && type.getLayout().isIdentity()))
        return loop.emitOpError("needs a buffer of type ") << type << " from around it, which is neither an argument nor of static shape";
    func::FuncOp region = makeRegion(function, loop, index, values, captures, symbols);
    makeCall(region, loop, values, symbols);
    loop.erase();
    ++outlined;
    return success();
  }

  /// func.func private @k.region0(captured..., %begin, %end) { for task = begin to end { body } }
  func::FuncOp makeRegion(func::FuncOp function, scf::ForallOp loop, unsigned index, ArrayRef<Value> values, const Captures &captures,
                          SymbolTable &symbols) {
    Location loc = loop.getLoc();
    OpBuilder builder(&getContext());
    SmallVector<Type> types = llvm::map_to_vector(values, [](Value value) { return value.getType(); });
    types.append(2, builder.getIndexType());
    std::string name = (function.getName() + ".region" + Twine(index)).str();
    auto region = func::FuncOp::create(loc, name, builder.getFunctionType(types, {}));
    region.setPrivate();
    symbols.insert(region, Block::iterator(function)); // may rename it
    Block *block = region.addEntryBlock();
    builder.setInsertionPointToStart(block);
    IRMapping map;
    map.map(values, block->getArguments().drop_back(2));
    for (Operation *op : captures.cloned)
      builder.clone(*op, map);
    SmallVector<Range> ranges = makeRanges(builder, loop, map);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    auto tasks = scf::ForOp::create(builder, loc, block->getArguments().end()[-2], block->getArguments().back(), one);
    func::ReturnOp::create(builder, loc);
    builder.setInsertionPointToStart(tasks.getBody());
    map.map(loop.getInductionVars(), makeIndices(builder, loc, tasks.getInductionVar(), ranges));
    for (Operation &op : loop.getBody()->without_terminator())
      builder.clone(op, map);
    return region;
  }

  /// call @heddle_parallel.k.region0(captured..., %count)
  void makeCall(func::FuncOp region, scf::ForallOp loop, ArrayRef<Value> values, SymbolTable &symbols) {
    Location loc = loop.getLoc();
    OpBuilder builder(loop);
    Value count;
    for (const Range &range : makeRanges(builder, loop, IRMapping()))
      count = count ? arith::MulIOp::create(builder, loc, count, range.count).getResult() : range.count;
    SmallVector<Value> operands(values);
    operands.push_back(count);
    auto type = builder.getFunctionType(ValueRange(operands).getTypes(), {});
    auto declaration = func::FuncOp::create(loc, (parallelPrefix + region.getName()).str(), type);
    declaration.setPrivate();
    symbols.insert(declaration, Block::iterator(region));
    func::CallOp::create(builder, loc, declaration, operands);
  }
};

} // namespace
} // namespace heddle
