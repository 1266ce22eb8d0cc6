// Where padding goes and comes: arguments to rows of tokens, rows of tokens to results, and the positions of tokens.
#include "compiler/linalg/KernelLowering.h"

using namespace mlir;
using namespace heddle;

/// Tokens a task copies: enough to pay for the task, few enough to share one long row.
static constexpr int64_t tokenChunk = 64;

namespace {
/// Tasks over (batch row, chunk of its tokens): the tokens [first, first + count) of the row; count may be 0.
struct TokenTasks {
  scf::ForallOp forall;
  Value batch, first, count;
  KernelLowering::Row row;

  TokenTasks(const KernelLowering &kernel, LinalgBuilder &b, Value offsets, Value starts, Value width) {
    Value chunk = b.index(tokenChunk), chunks = b.make<arith::CeilDivUIOp>(width, chunk);
    Value rows = b.subtract(kernel.extent(b, dimsOf(offsets), 0), b.index(1)); // offsets are [batch + 1]
    forall = scf::ForallOp::create(b, b.loc, SmallVector<OpFoldResult>{rows, chunks}, ValueRange{kernel.out}, std::nullopt);
    b.setInsertionPoint(forall.getTerminator());
    batch = forall.getInductionVar(0);
    row = kernel.rowOf(b, offsets, starts, batch);
    first = b.least(row.length, b.multiply(forall.getInductionVar(1), chunk));
    count = b.least(chunk, b.subtract(row.length, first));
  }
  /// A loop over the tokens of the task that writes into `slice`; `body` gives its new value from the token and the old one.
  Value loop(LinalgBuilder &b, Value slice, llvm::function_ref<Value(LinalgBuilder &, Value, Value)> body) {
    auto loop = scf::ForOp::create(b, b.loc, b.index(0), count, b.index(1), ValueRange{slice});
    LinalgBuilder inner(OpBuilder::atBlockBegin(loop.getBody()), b.loc);
    scf::YieldOp::create(inner, b.loc, body(inner, loop.getInductionVar(), loop.getRegionIterArgs()[0]));
    return loop.getResult(0);
  }
};
} // namespace

/// Index of each axis behind the ragged one but the last, from their one index.
static SmallVector<Value> innerIndices(LinalgBuilder &b, DimsAttr dims, Value linear) {
  SmallVector<Value> indices;
  for (int64_t axis = dims.getRank() - 2; axis >= 2; --axis) {
    Value extent = b.index(dims.shape()[axis]);
    indices.insert(indices.begin(), axis > 2 ? b.make<arith::RemUIOp>(linear, extent) : linear);
    linear = b.make<arith::DivUIOp>(linear, extent);
  }
  return indices;
}

FailureOr<Value> KernelLowering::lowerFlatten(LinalgBuilder &b, FlattenOp op) {
  DimsAttr dims = dimsOf(op.getSource());
  int64_t rank = dims.getRank(), rowsPerToken = 1;
  bool columns = rank > 2;
  for (int64_t axis = 2; axis < rank; ++axis) {
    if (!dims.isStatic(axis))
      return op.emitOpError("of an argument with a second run-time axis is not built yet");
    if (axis + 1 < rank)
      rowsPerToken *= dims.shape()[axis];
  }
  int64_t width = columns ? dims.shape()[rank - 1] : 0;
  TokenTasks tasks(*this, b, op.getOffsets(), {}, extent(b, dims, 1));
  Value source = argument(op.getSource()), each = b.index(rowsPerToken);
  tasks.count = b.multiply(tasks.count, each); // rows of the task
  SmallVector<OpFoldResult> at{b.multiply(b.add(tasks.row.offset, tasks.first), each)}, sizes{tasks.count};
  if (columns) {
    at.push_back(b.attr(0));
    sizes.push_back(b.attr(width));
  }
  Value slice = b.slice(tasks.forall.getRegionIterArgs()[0], at, sizes);
  Value result = tasks.loop(b, slice, [&](LinalgBuilder &i, Value row, Value into) -> Value {
    Value token = rowsPerToken == 1 ? row : i.make<arith::DivUIOp>(row, i.index(rowsPerToken));
    SmallVector<Value> place{tasks.batch, i.add(tasks.first, token)};
    if (!columns)
      return i.make<tensor::InsertOp>(i.extract(source, place), into, ValueRange{row});
    if (rank > 3)
      place.append(innerIndices(i, dims, i.make<arith::RemUIOp>(row, i.index(rowsPerToken))));
    place.push_back(i.index(0));
    place = physicalIndices(i, op.getSource(), place);
    SmallVector<OpFoldResult> to{row, i.attr(0)}, one{i.attr(1), i.attr(width)}, offsets(place.begin(), place.end()),
        extents(place.size(), i.attr(1));
    extents.back() = i.attr(width);
    Value from = i.slice(source, offsets, extents, {}, 2);
    Value copy =
        i.generic({from}, i.slice(into, to, one), {i.map(2, {0, 1}), i.map(2, {0, 1})}, 0, [](LinalgBuilder &, ValueRange v) { return v[0]; });
    return i.insert(copy, into, to, one);
  });
  b.yieldSlice(tasks.forall, result, at, sizes);
  b.setInsertionPointAfter(tasks.forall);
  return tasks.forall.getResult(0);
}

FailureOr<Value> KernelLowering::lowerPositions(LinalgBuilder &b, PositionsOp op) {
  StringRef tokens = op.getOffsets() ? dimsOf(op.getType()).nameOf(0).getValue() : "";
  if (!tokens.consume_back(".tokens"))
    return op.emitOpError("of an axis that is not ragged is not built yet");
  TokenTasks tasks(*this, b, op.getOffsets(), op.getStarts(), dimension(tokens));
  SmallVector<OpFoldResult> at{b.add(tasks.row.offset, tasks.first)}, sizes{tasks.count};
  Value slice = b.slice(tasks.forall.getRegionIterArgs()[0], at, sizes), start = b.add(tasks.row.start, tasks.first);
  Value result = tasks.loop(b, slice, [&](LinalgBuilder &i, Value token, Value into) -> Value {
    Value position = i.make<arith::IndexCastOp>(elementOf(op.getResult()), i.add(start, token));
    return i.make<tensor::InsertOp>(position, into, ValueRange{token});
  });
  b.yieldSlice(tasks.forall, result, at, sizes);
  b.setInsertionPointAfter(tasks.forall);
  return tasks.forall.getResult(0);
}

/// One task a row of the result, padding rows included: they are 0.
FailureOr<Value> KernelLowering::lowerUnflatten(LinalgBuilder &b, UnflattenOp op) {
  DimsAttr dims = dimsOf(op.getType());
  int64_t rank = dims.getRank();
  bool columns = rank > 2;
  if (columns && !dims.isStatic(rank - 1))
    return op.emitOpError("with a second run-time axis is not built yet");
  SmallVector<OpFoldResult> bounds;
  for (int64_t i = 0; i < (columns ? rank - 1 : rank); ++i)
    bounds.push_back(extent(b, dims, i));
  auto forall = scf::ForallOp::create(b, b.loc, bounds, ValueRange{out}, std::nullopt);
  b.setInsertionPoint(forall.getTerminator());
  SmallVector<Value> at = llvm::to_vector_of<Value>(forall.getInductionVars());
  Row row = rowOf(b, op.getOffsets(), {}, at[0]);
  Value real = b.compare(arith::CmpIPredicate::slt, at[1], row.length);
  SmallVector<Value> from{b.add(row.offset, at[1])};
  from.append(at.begin() + 2, at.end());
  if (columns)
    from.push_back(b.index(0));
  int64_t width = columns ? dims.shape()[rank - 1] : 1;
  SmallVector<Value> place(at);
  if (columns)
    place.push_back(b.index(0));
  place = outputIndices(b, place);
  SmallVector<OpFoldResult> offsets(place.begin(), place.end()), sizes(place.size(), b.attr(1));
  sizes.back() = b.attr(width);
  Value slot = b.slice(forall.getRegionIterArgs()[0], offsets, sizes, {}, columns ? 2 : 1), zero = b.zero(elementOf(op.getResult()));
  auto choice = scf::IfOp::create(b, b.loc, TypeRange{slot.getType()}, real, true);
  LinalgBuilder t(OpBuilder::atBlockBegin(choice.thenBlock()), b.loc), e(OpBuilder::atBlockBegin(choice.elseBlock()), b.loc);
  auto view = columns ? rowViewOf(op.getSource(), cast<RankedTensorType>(op.getSource().getType()).getRank() - 1) : std::nullopt;
  Value source = argument(op.getSource());
  if (!source || (view && view->kind != RowView::Contiguous))
    return op.emitOpError("of a view is not built yet");
  place = physicalIndices(t, op.getSource(), from);
  if (columns) {
    Value tile = t.slice(source, {place[0], t.attr(0)}, {t.attr(1), t.attr(width)});
    scf::YieldOp::create(t, b.loc,
                         t.generic({tile}, slot, {t.map(2, {0, 1}), t.map(2, {0, 1})}, 0, [](LinalgBuilder &, ValueRange v) { return v[0]; }));
    scf::YieldOp::create(e, b.loc, e.fill(zero, slot));
  } else {
    scf::YieldOp::create(t, b.loc, t.make<tensor::InsertOp>(t.extract(source, place), slot, ValueRange{t.index(0)}));
    scf::YieldOp::create(e, b.loc, e.make<tensor::InsertOp>(zero, slot, ValueRange{e.index(0)}));
  }
  b.yieldSlice(forall, choice.getResult(0), offsets, sizes);
  b.setInsertionPointAfter(forall);
  return forall.getResult(0);
}
