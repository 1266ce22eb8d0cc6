#include "compiler/linalg/LinalgBuilder.h"

using namespace mlir;
using namespace heddle;

static SmallVector<OpFoldResult> ones(OpBuilder &b, size_t count) { return SmallVector<OpFoldResult>(count, b.getIndexAttr(1)); }

Value LinalgBuilder::slice(Value tensor, ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides, int64_t rank) {
  SmallVector<OpFoldResult> steps = strides.empty() ? ones(*this, offsets.size()) : SmallVector<OpFoldResult>(strides);
  if (rank < 0 || rank == static_cast<int64_t>(offsets.size()))
    return make<tensor::ExtractSliceOp>(tensor, offsets, sizes, steps);
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes.take_back(rank))
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  auto type = RankedTensorType::get(shape, cast<ShapedType>(tensor.getType()).getElementType());
  return make<tensor::ExtractSliceOp>(type, tensor, offsets, sizes, steps);
}

Value LinalgBuilder::insert(Value part, Value tensor, ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) {
  return make<tensor::InsertSliceOp>(part, tensor, offsets, sizes, ones(*this, offsets.size()));
}

AffineMap LinalgBuilder::map(unsigned dims, ArrayRef<int64_t> results) {
  SmallVector<AffineExpr> exprs;
  for (int64_t r : results)
    exprs.push_back(getAffineDimExpr(r));
  return AffineMap::get(dims, 0, exprs, getContext());
}

Value LinalgBuilder::generic(ArrayRef<Value> inputs, Value out, ArrayRef<AffineMap> maps, unsigned reductions, Body body) {
  unsigned loops = maps.back().getNumDims();
  SmallVector<utils::IteratorType> iterators(loops - reductions, utils::IteratorType::parallel);
  iterators.append(reductions, utils::IteratorType::reduction);
  auto emit = [&](OpBuilder &b, Location l, ValueRange arguments) {
    LinalgBuilder inner(b, l);
    Value result = body(inner, arguments);
    linalg::YieldOp::create(inner, l, result);
  };
  return linalg::GenericOp::create(*this, loc, TypeRange{out.getType()}, inputs, ValueRange{out}, maps, iterators, emit).getResult(0);
}

void LinalgBuilder::yieldSlice(scf::ForallOp forall, Value part, ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                               ArrayRef<OpFoldResult> strides) {
  SmallVector<OpFoldResult> steps = strides.empty() ? ones(*this, offsets.size()) : SmallVector<OpFoldResult>(strides);
  setInsertionPointToEnd(forall.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(*this, loc, part, forall.getRegionIterArgs()[0], offsets, sizes, steps);
}
