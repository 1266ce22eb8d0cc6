// Kernels that only move: concat, windows, the first or last token of rows, a value of each row for all its tokens.
#include "compiler/linalg/KernelLowering.h"
#include "mlir/Dialect/Affine/Utils.h"

using namespace mlir;
using namespace heddle;

namespace {

/// A task writes one row of the result: all its columns, or one element where it has none.
struct RowTask {
  const KernelLowering &kernel;
  LinalgBuilder &b;
  scf::ForallOp forall;
  DimsAttr dims;
  SmallVector<Value> row;
  int64_t columns; // 0: none
  SmallVector<OpFoldResult> offsets, sizes;
  Value slot;

  RowTask(const KernelLowering &kernel, LinalgBuilder &b) : kernel(kernel), b(b), dims(dimsOf(kernel.resultOp()->getResult(0))) {
    int64_t rank = dims.getRank();
    bool hasColumns = rank > 0 && dims.isStatic(rank - 1);
    columns = hasColumns ? dims.shape()[rank - 1] : 0;
    SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, hasColumns ? rank - 1 : rank));
    forall = kernel.overAxes(b, dims, axes);
    if (!axes.empty())
      row = llvm::to_vector_of<Value>(forall.getInductionVars());
    SmallVector<Value> at(row);
    if (hasColumns)
      at.push_back(b.index(0));
    at = kernel.outputIndices(b, at);
    offsets.assign(at.begin(), at.end());
    sizes.assign(at.size(), b.attr(1));
    if (hasColumns)
      sizes.back() = b.attr(columns);
    slot = b.slice(forall.getRegionIterArgs()[0], offsets, sizes, {}, 1);
  }
  /// One element, or a column, of the row from scalars; in the builder given.
  Value fill(LinalgBuilder &i, Value into, int64_t first, int64_t count, llvm::function_ref<FailureOr<Value>(LinalgBuilder &, Value)> element,
             bool &ok) const {
    if (columns == 0) {
      auto value = element(i, i.index(0));
      ok &= succeeded(value);
      return ok ? i.make<tensor::InsertOp>(*value, into, ValueRange{i.index(0)}) : into;
    }
    SmallVector<OpFoldResult> at{i.attr(first)}, size{i.attr(count)};
    Value part = i.slice(into, at, size);
    Value made = i.generic({}, part, {i.map(1, {0})}, 0, [&](LinalgBuilder &g, ValueRange) {
      auto value = element(g, g.position(0));
      ok &= succeeded(value);
      return ok ? *value : g.zero(cast<ShapedType>(part.getType()).getElementType());
    });
    return i.insert(made, into, at, size);
  }
  Value finish(Value value) {
    b.yieldSlice(forall, value, offsets, sizes);
    b.setInsertionPointAfter(forall);
    return forall.getResult(0);
  }
};

SmallVector<Value> withColumn(ArrayRef<Value> row, Value column, int64_t columns) {
  SmallVector<Value> at(row);
  if (columns)
    at.push_back(column);
  return at;
}
} // namespace

FailureOr<Value> KernelLowering::lowerConcat(LinalgBuilder &b, ConcatOp op) {
  int64_t axis = op.getAxis(), rank = dimsOf(op.getType()).getRank();
  RowTask task(*this, b);
  bool ok = true, alongColumns = task.columns && axis == rank - 1;
  Value value = task.slot, before = b.index(0);
  int64_t first = 0;
  for (Value source : op.getSources()) {
    DimsAttr dims = dimsOf(source);
    if (alongColumns) {
      int64_t count = dims.shape()[axis];
      value = task.fill(
          b, value, first, count, [&](LinalgBuilder &g, Value column) { return readElement(g, source, withColumn(task.row, column, 1)); }, ok);
      first += count;
      continue;
    }
    Value size = extent(b, dims, axis), place = b.subtract(task.row[axis], before), zero = b.index(0);
    Value inside = b.both(b.compare(arith::CmpIPredicate::sge, place, zero), b.compare(arith::CmpIPredicate::slt, place, size));
    auto choice = scf::IfOp::create(b, b.loc, TypeRange{value.getType()}, inside, true);
    LinalgBuilder t(OpBuilder::atBlockBegin(choice.thenBlock()), b.loc), e(OpBuilder::atBlockBegin(choice.elseBlock()), b.loc);
    SmallVector<Value> row(task.row);
    row[axis] = place;
    scf::YieldOp::create(t, b.loc,
                         task.fill(
                             t, value, 0, task.columns,
                             [&](LinalgBuilder &g, Value column) { return readElement(g, source, withColumn(row, column, task.columns)); }, ok));
    scf::YieldOp::create(e, b.loc, value);
    value = choice.getResult(0);
    before = b.add(before, size);
  }
  if (!ok)
    return failure();
  return task.finish(value);
}

FailureOr<Value> KernelLowering::lowerWindows(LinalgBuilder &b, WindowsOp op) {
  int64_t axis = op.getAxis();
  DimsAttr source = dimsOf(op.getSource());
  RowTask task(*this, b);
  bool ok = true;
  Value first = b.subtract(b.multiply(task.row[axis], b.index(op.getStride())), b.index(op.getPadding()));
  Value value = task.fill(
      b, task.slot, 0, task.columns,
      [&](LinalgBuilder &g, Value column) -> FailureOr<Value> {
        Value place = g.add(first, column), zero = g.index(0), last = g.subtract(extent(g, source, axis), g.index(1));
        SmallVector<Value> at(task.row);
        at[axis] = g.largest(zero, g.least(place, last));
        auto element = readElement(g, op.getSource(), at);
        if (failed(element))
          return failure();
        return g.choose(g.compare(arith::CmpIPredicate::eq, at[axis], place), *element, g.zero(elementOf(op.getResult())));
      },
      ok);
  if (!ok)
    return failure();
  return task.finish(value);
}

FailureOr<Value> KernelLowering::lowerPick(LinalgBuilder &b, PickOp op) {
  if (!op.getOffsets())
    return op.emitOpError("of an axis that is not ragged is not built yet");
  RowTask task(*this, b);
  bool ok = true;
  Row row = rowOf(b, op.getOffsets(), {}, task.row.front());
  Value zero = b.index(0), real = b.compare(arith::CmpIPredicate::sgt, row.length, zero);
  Value token = op.getLast() ? b.subtract(b.add(row.offset, row.length), b.index(1)) : row.offset;
  auto choice = scf::IfOp::create(b, b.loc, TypeRange{task.slot.getType()}, real, true);
  LinalgBuilder t(OpBuilder::atBlockBegin(choice.thenBlock()), b.loc), e(OpBuilder::atBlockBegin(choice.elseBlock()), b.loc);
  SmallVector<Value> at(task.row);
  at.front() = token;
  scf::YieldOp::create(t, b.loc,
                       task.fill(
                           t, task.slot, 0, task.columns,
                           [&](LinalgBuilder &g, Value column) { return readElement(g, op.getSource(), withColumn(at, column, task.columns)); }, ok));
  scf::YieldOp::create(e, b.loc, e.fill(e.zero(elementOf(op.getResult())), task.slot));
  if (!ok)
    return failure();
  return task.finish(choice.getResult(0));
}

/// Tasks over batch rows: each writes all its tokens.
FailureOr<Value> KernelLowering::lowerSpread(LinalgBuilder &b, SpreadOp op) {
  DimsAttr dims = dimsOf(op.getType());
  int64_t rank = dims.getRank();
  if (rank > 2 || (rank == 2 && !dims.isStatic(1)))
    return op.emitOpError("with more than one axis behind the tokens is not built yet");
  int64_t columns = rank == 2 ? dims.shape()[1] : 0;
  Value rows = b.subtract(extent(b, dimsOf(op.getOffsets()), 0), b.index(1));
  auto forall = scf::ForallOp::create(b, b.loc, SmallVector<OpFoldResult>{rows}, ValueRange{out}, std::nullopt);
  b.setInsertionPoint(forall.getTerminator());
  Value batch = forall.getInductionVar(0);
  Row row = rowOf(b, op.getOffsets(), {}, batch);
  SmallVector<OpFoldResult> at{row.offset}, sizes{row.length};
  if (columns) {
    at.push_back(b.attr(0));
    sizes.push_back(b.attr(columns));
  }
  Value slice = b.slice(forall.getRegionIterArgs()[0], at, sizes), source = argument(op.getSource());
  auto loop = scf::ForOp::create(b, b.loc, b.index(0), row.length, b.index(1), ValueRange{slice});
  LinalgBuilder i(OpBuilder::atBlockBegin(loop.getBody()), b.loc);
  Value into = loop.getRegionIterArgs()[0], next;
  if (!columns)
    next = i.make<tensor::InsertOp>(i.extract(source, {batch}), into, ValueRange{loop.getInductionVar()});
  else {
    SmallVector<OpFoldResult> from{batch, i.attr(0)}, to{loop.getInductionVar(), i.attr(0)}, one{i.attr(1), i.attr(columns)};
    Value copy = i.generic({i.slice(source, from, one)}, i.slice(into, to, one), {i.map(2, {0, 1}), i.map(2, {0, 1})}, 0,
                           [](LinalgBuilder &, ValueRange v) { return v[0]; });
    next = i.insert(copy, into, to, one);
  }
  scf::YieldOp::create(i, b.loc, next);
  b.yieldSlice(forall, loop.getResult(0), at, sizes);
  b.setInsertionPointAfter(forall);
  return forall.getResult(0);
}
