// What is computed element by element, directly from its definition: products of two activations, reductions and softmax along any axis. The fast
// forms of these are linear, attention and row kernels; what arrives here was written out and not fused, or is small.
#include "compiler/linalg/KernelGroups.h"
#include "compiler/linalg/KernelLowering.h"
#include "compiler/support/BitSizes.h"

using namespace mlir;
using namespace heddle;

namespace {

/// A loop from 0 to `count` that carries one number.
Value accumulate(LinalgBuilder &b, Value from, Value count, Value start, llvm::function_ref<FailureOr<Value>(LinalgBuilder &, Value, Value)> body,
                 bool &ok) {
  auto loop = scf::ForOp::create(b, b.loc, from, count, b.index(1), ValueRange{start});
  LinalgBuilder inner(OpBuilder::atBlockBegin(loop.getBody()), b.loc);
  auto next = body(inner, loop.getInductionVar(), loop.getRegionIterArgs()[0]);
  ok &= succeeded(next);
  scf::YieldOp::create(inner, b.loc, ok ? *next : loop.getRegionIterArgs()[0]);
  return loop.getResult(0);
}

/// The one element of a task, written where it belongs.
Value finishElement(const KernelLowering &kernel, LinalgBuilder &b, scf::ForallOp forall, Value value, ArrayRef<Value> indices) {
  SmallVector<Value> at = kernel.outputIndices(b, indices);
  SmallVector<OpFoldResult> offsets(at.begin(), at.end()), sizes(at.size(), b.attr(1));
  Value slot = b.slice(forall.getRegionIterArgs()[0], offsets, sizes, {}, at.empty() ? 0 : 1);
  Value written = b.make<tensor::InsertOp>(value, slot, at.empty() ? ValueRange() : ValueRange{b.index(0)});
  b.yieldSlice(forall, written, offsets, sizes);
  b.setInsertionPointAfter(forall);
  return forall.getResult(0);
}

SmallVector<int64_t> allAxes(DimsAttr dims) { return llvm::to_vector(llvm::seq<int64_t>(0, dims.getRank())); }
SmallVector<Value> indicesOf(scf::ForallOp forall, DimsAttr dims) {
  if (dims.getRank() == 0)
    return {};
  return llvm::to_vector_of<Value>(forall.getInductionVars());
}

/// A reduction of one result element over the axes `over` of the source, in ascending order, the last one innermost.
struct DirectReduction {
  const KernelLowering &kernel;
  Operation *op;
  ArrayRef<int64_t> over;
  Value offsets;           // of the ragged axis that is read, if any
  SmallVector<Value> kept; // indices of the axes that stay, in the source's order
  KernelLowering::Row row; // with offsets
  bool tokens = false;     // the source is [s.tokens, ..], read over axis 0
  bool ok = true;

  Value source() const { return op->getOperand(0); }
  Value countOf(LinalgBuilder &b, int64_t axis) const {
    bool ragged = offsets && (tokens ? axis == 0 : axis == over.back());
    return ragged ? row.length : kernel.extent(b, dimsOf(source()), axis);
  }
  FailureOr<Value> read(LinalgBuilder &b, ArrayRef<Value> places) const {
    SmallVector<Value> indices;
    size_t nextKept = 0, nextOver = 0;
    for (int64_t axis = 0; axis < dimsOf(source()).getRank(); ++axis) {
      if (!llvm::is_contained(over, axis))
        indices.push_back(kept[nextKept++]);
      else if (Value place = places[nextOver++]; tokens && axis == 0)
        indices.push_back(b.add(row.offset, place));
      else
        indices.push_back(place);
    }
    return kernel.readElement(b, source(), indices);
  }
  using Step = llvm::function_ref<Value(LinalgBuilder &, Value element, Value running)>;
  Value run(LinalgBuilder &b, Value start, Step step, SmallVector<Value> places = {}) {
    Value count = countOf(b, over[places.size()]);
    return accumulate(
        b, b.index(0), count, start,
        [&](LinalgBuilder &i, Value place, Value running) -> FailureOr<Value> {
          SmallVector<Value> now(places);
          now.push_back(place);
          if (now.size() < over.size())
            return run(i, running, step, now);
          auto element = read(i, now);
          if (failed(element))
            return failure();
          return step(i, *element, running);
        },
        ok);
  }
  /// How many elements are read, in the element type.
  Value count(LinalgBuilder &b, Type element) const {
    Value all = b.index(1);
    for (int64_t axis : over)
      all = b.multiply(all, countOf(b, axis));
    return b.make<arith::SIToFPOp>(element, b.make<arith::IndexCastOp>(b.getI64Type(), all));
  }
};

Value extremum(LinalgBuilder &b, arith::CmpFPredicate wins, Value element, Value running) {
  Value chosen = b.choose(b.make<arith::CmpFOp>(wins, element, running), element, running);
  return b.choose(b.make<arith::CmpFOp>(arith::CmpFPredicate::UNO, element, element), element, chosen);
}
Value addTo(LinalgBuilder &b, Value element, Value running) { return b.make<arith::AddFOp>(running, element); }

/// sum / n, 0 where nothing is read.
Value meanOf(LinalgBuilder &b, Value sum, Value count) {
  Value zero = b.zero(sum.getType()), none = b.make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, count, zero);
  return b.choose(none, zero, b.make<arith::DivFOp>(sum, count));
}

/// A sum or extremum of integers.
Value wholeNumber(LinalgBuilder &b, Operation *op, DirectReduction &reduction) {
  Type type = elementOf(op->getResult(0));
  unsigned bits = type.getIntOrFloatBitWidth();
  auto number = [&](const APInt &value) -> Value { return b.make<arith::ConstantOp>(b.getIntegerAttr(type, value)); };
  if (isa<SumOp>(op))
    return reduction.run(b, number(APInt::getZero(bits)), [](LinalgBuilder &i, Value x, Value r) { return i.make<arith::AddIOp>(r, x); });
  if (isa<MaxOp>(op))
    return reduction.run(b, number(APInt::getSignedMinValue(bits)), [](LinalgBuilder &i, Value x, Value r) { return i.make<arith::MaxSIOp>(r, x); });
  return reduction.run(b, number(APInt::getSignedMaxValue(bits)), [](LinalgBuilder &i, Value x, Value r) { return i.make<arith::MinSIOp>(r, x); });
}
} // namespace

FailureOr<Value> KernelLowering::lowerReduction(LinalgBuilder &b, Operation *op) {
  Type element = elementOf(op->getResult(0));
  bool whole = isa<IntegerType>(element);
  if (element.isInteger(1) || (whole && isa<MeanOp, VarOp>(op)))
    return op->emitOpError("is no reduction of ") << element;
  auto over = cast<DenseI64ArrayAttr>(op->getAttr("over")).asArrayRef();
  DirectReduction reduction{*this, op, over, op->getNumOperands() > 1 ? op->getOperand(1) : Value(), {}, {}};
  DimsAttr dims = dimsOf(op->getResult(0));
  auto forall = overAxes(b, dims, allAxes(dims));
  SmallVector<Value> indices = indicesOf(forall, dims);
  reduction.kept = indices;
  if (reduction.offsets) {
    reduction.tokens = over.front() == 0;
    reduction.row = rowOf(b, reduction.offsets, {}, indices.front());
    if (reduction.tokens)
      reduction.kept.erase(reduction.kept.begin()); // the batch row is no axis of the source
  }
  Value zero = b.zero(element), result;
  if (whole)
    result = wholeNumber(b, op, reduction);
  else if (isa<MaxOp>(op))
    result = reduction.run(b, b.lowest(element), [](LinalgBuilder &i, Value x, Value r) { return extremum(i, arith::CmpFPredicate::OGT, x, r); });
  else if (isa<MinOp>(op))
    result = reduction.run(b, b.number(element, INFINITY),
                           [](LinalgBuilder &i, Value x, Value r) { return extremum(i, arith::CmpFPredicate::OLT, x, r); });
  else
    result = reduction.run(b, zero, addTo);
  if (isa<MeanOp, VarOp>(op)) {
    Value count = reduction.count(b, element), mean = meanOf(b, result, count);
    result = mean;
    if (isa<VarOp>(op))
      result = meanOf(b,
                      reduction.run(b, zero,
                                    [&](LinalgBuilder &i, Value x, Value r) {
                                      Value c = i.make<arith::SubFOp>(x, mean);
                                      return i.make<math::FmaOp>(c, c, r);
                                    }),
                      count);
  }
  if (!reduction.ok)
    return failure();
  return finishElement(*this, b, forall, result, indices);
}

/// Each element is one chain of fused multiply-adds over blocks of k, as the arithmetic contract says of every product.
FailureOr<Value> KernelLowering::lowerMatmul(LinalgBuilder &b, MatmulOp op) {
  DimsAttr dims = dimsOf(op.getType()), lhs = dimsOf(op.getLhs());
  int64_t rank = dims.getRank(), inner = lhs.getRank() - 1;
  auto forall = overAxes(b, dims, allAxes(dims));
  SmallVector<Value> at = indicesOf(forall, dims);
  Value depth = op.getOffsets() ? rowOf(b, op.getOffsets(), {}, at.front()).length : extent(b, lhs, inner);
  Value zero = b.zero(elementOf(op.getResult())), block = b.index(productBlock);
  bool ok = true;
  auto step = [&](LinalgBuilder &i, Value k, Value running) -> FailureOr<Value> {
    SmallVector<Value> left(at), right(at);
    left.back() = k;
    right[rank - 2] = k;
    if (dimsOf(op.getRhs()).getRank() == 2)
      right = {k, at.back()};
    auto x = readElement(i, op.getLhs(), left), y = readElement(i, op.getRhs(), right);
    if (failed(x) || failed(y))
      return failure();
    return i.make<math::FmaOp>(*x, *y, running);
  };
  auto loop = scf::ForOp::create(b, b.loc, b.index(0), depth, block, ValueRange{zero});
  LinalgBuilder i(OpBuilder::atBlockBegin(loop.getBody()), b.loc);
  Value end = i.least(depth, i.add(loop.getInductionVar(), block));
  Value part = accumulate(i, loop.getInductionVar(), end, zero, step, ok);
  scf::YieldOp::create(i, b.loc, i.make<arith::AddFOp>(loop.getRegionIterArgs()[0], part));
  if (!ok)
    return failure();
  return finishElement(*this, b, forall, loop.getResult(0), at);
}

/// One task for each row along the axis: its maximum, its sum, its elements.
FailureOr<Value> KernelLowering::lowerSoftmax(LinalgBuilder &b, SoftmaxOp op) {
  DimsAttr dims = dimsOf(op.getType());
  int64_t axis = op.getAxis(), rank = dims.getRank();
  if (cast<RankedTensorType>(out.getType()).getRank() != rank)
    return op.emitOpError("along an axis that is not the last is not built yet for a static last axis");
  SmallVector<int64_t> others = allAxes(dims);
  others.erase(others.begin() + axis);
  auto forall = overAxes(b, dims, others);
  SmallVector<Value> row = others.empty() ? SmallVector<Value>() : llvm::to_vector_of<Value>(forall.getInductionVars());
  Value whole = extent(b, dims, axis), count = op.getOffsets() ? rowOf(b, op.getOffsets(), {}, row.front()).length : whole;
  Type element = elementOf(op.getResult());
  Value zero = b.zero(element);
  bool ok = true;
  auto read = [&](LinalgBuilder &i, Value place) -> FailureOr<Value> {
    SmallVector<Value> at(row);
    at.insert(at.begin() + axis, place);
    return readElement(i, op.getSource(), at);
  };
  auto reduce = [&](Value start, llvm::function_ref<Value(LinalgBuilder &, Value, Value)> step) {
    return accumulate(
        b, b.index(0), count, start,
        [&](LinalgBuilder &i, Value place, Value running) -> FailureOr<Value> {
          auto x = read(i, place);
          return failed(x) ? FailureOr<Value>(failure()) : FailureOr<Value>(step(i, *x, running));
        },
        ok);
  };
  Value largest = reduce(b.lowest(element), [](LinalgBuilder &i, Value x, Value r) { return i.larger(x, r); });
  largest = b.choose(b.make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, largest, b.lowest(element)), zero, largest);
  auto power = [&](LinalgBuilder &i, Value x) { return i.make<math::ExpOp>(i.make<arith::SubFOp>(x, largest)); };
  Value total = reduce(zero, [&](LinalgBuilder &i, Value x, Value r) { return i.make<arith::AddFOp>(r, power(i, x)); });
  Value none = b.make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, total, zero);
  SmallVector<OpFoldResult> offsets(row.begin(), row.end()), sizes(rank, b.attr(1));
  offsets.insert(offsets.begin() + axis, b.attr(0));
  sizes[axis] = whole;
  Value strip = b.slice(forall.getRegionIterArgs()[0], offsets, sizes);
  SmallVector<Value> place(rank, b.index(0));
  auto write = scf::ForOp::create(b, b.loc, b.index(0), whole, b.index(1), ValueRange{strip});
  LinalgBuilder i(OpBuilder::atBlockBegin(write.getBody()), b.loc);
  Value here = write.getInductionVar();
  auto x = read(i, i.least(here, i.largest(i.index(0), i.subtract(whole, i.index(1)))));
  if (!ok || failed(x))
    return failure();
  Value share = i.choose(none, zero, i.make<arith::DivFOp>(power(i, *x), total));
  place[axis] = here;
  Value kept = i.choose(i.compare(arith::CmpIPredicate::slt, here, count), share, zero);
  scf::YieldOp::create(i, b.loc, i.make<tensor::InsertOp>(kept, write.getRegionIterArgs()[0], place));
  b.yieldSlice(forall, write.getResult(0), offsets, sizes);
  b.setInsertionPointAfter(forall);
  return forall.getResult(0);
}
