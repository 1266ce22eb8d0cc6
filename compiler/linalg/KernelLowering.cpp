#include "compiler/linalg/KernelLowering.h"
#include "compiler/linalg/KernelGroups.h"
#include "compiler/support/Target.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;

static int64_t wholePanels(int64_t columns) { return llvm::divideCeilSigned(columns, panelColumns) * panelColumns; }

/// Rows of `columns`, all leading axes one: slices of a row then never drop an axis, which for extents of 1 may be the wrong one.
static RankedTensorType rowsOf(RankedTensorType type, int64_t columns) {
  int64_t rows = 1;
  for (int64_t extent : type.getShape().drop_back())
    rows = ShapedType::isDynamic(extent) || ShapedType::isDynamic(rows) ? ShapedType::kDynamic : rows * extent;
  return RankedTensorType::get({rows, columns}, type.getElementType());
}

RankedTensorType heddle::exactType(Type logical) {
  auto type = cast<RankedTensorType>(logical);
  int64_t rank = type.getRank();
  if (rank > 2 && !type.isDynamicDim(rank - 1))
    return rowsOf(type, type.getDimSize(rank - 1));
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

RankedTensorType heddle::internalType(Type logical) {
  auto type = cast<RankedTensorType>(logical);
  int64_t rank = type.getRank();
  if (rank == 0 || type.isDynamicDim(rank - 1))
    return exactType(logical);
  int64_t columns = wholePanels(type.getDimSize(rank - 1));
  return rank == 1 ? RankedTensorType::get({columns}, type.getElementType()) : rowsOf(type, columns);
}

RankedTensorType heddle::panelType(Type logical) {
  auto type = cast<RankedTensorType>(logical);
  return RankedTensorType::get({wholePanels(type.getDimSize(1)) / panelColumns, type.getDimSize(0), panelColumns}, type.getElementType());
}

RankedTensorType heddle::argumentType(BlockArgument argument) {
  for (Operation *user : argument.getUsers()) {
    if (auto linear = dyn_cast<LinearOp>(user); linear && linear.getWeight() == argument)
      return panelType(argument.getType());
    if (auto gather = dyn_cast<GatherOp>(user); gather && gather.getTransposed() && gather.getTable() == argument)
      return panelType(argument.getType());
  }
  auto kernel = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return kernel.getArgAttr(argument.getArgNumber(), exactAttr) ? exactType(argument.getType()) : internalType(argument.getType());
}

RankedTensorType heddle::resultType(func::FuncOp kernel) {
  Value result = kernel.getBody().front().getTerminator()->getOperand(0);
  return kernel->hasAttr(exactAttr) ? exactType(result.getType()) : internalType(result.getType());
}

SmallVector<StringAttr> heddle::dimensionsOf(func::FuncOp kernel) {
  llvm::SetVector<StringAttr> names;
  auto add = [&](Type type) {
    if (DimsAttr dims = dimsOf(type))
      names.insert(dims.getNames().begin(), dims.getNames().end());
  };
  for (Type type : kernel.getArgumentTypes())
    add(type);
  for (Type type : kernel.getResultTypes())
    add(type);
  for (Operation &op : kernel.getBody().front()) {
    if (!isa<AttentionOp, PositionsOp, SpreadOp>(op))
      continue;
    StringAttr first = dimsOf(op.getResult(0)).nameOf(0);
    StringRef tokens = first ? first.getValue() : "";
    if (tokens.consume_back(".tokens"))
      names.insert(StringAttr::get(kernel.getContext(), tokens)); // how many query tiles there can be
  }
  return names.takeVector();
}

Value KernelLowering::extent(LinalgBuilder &b, DimsAttr dims, int64_t axis) const {
  SmallVector<Value> symbols;
  for (StringAttr name : dims.getNames())
    symbols.push_back(dimensions.lookup(name));
  return affine::expandAffineExpr(b, b.loc, dims.getMap().getResult(axis), {}, symbols);
}

SmallVector<Value> KernelLowering::physicalIndices(LinalgBuilder &b, Value base, ArrayRef<Value> indices) const {
  DimsAttr dims = dimsOf(base);
  auto type = cast<RankedTensorType>(argument(base).getType());
  if (type.getRank() == dims.getRank())
    return SmallVector<Value>(indices);
  Value row = indices[0];
  for (int64_t i = 1; i + 1 < dims.getRank(); ++i)
    row = b.add(b.multiply(row, extent(b, dims, i)), indices[i]);
  return {row, indices.back()};
}

MaskSite KernelLowering::siteOf(Value batch, Value head, const Row &queries, const Row &keys) const {
  MaskSite site{batch, head, queries.start, keys.start, queries.offset, keys.offset, {}, {}};
  site.read = [this](OpBuilder &builder, Location loc, Value operand, ArrayRef<Value> indices) -> Value {
    LinalgBuilder b(builder, loc);
    return b.extract(argument(operand), physicalIndices(b, operand, indices));
  };
  site.extent = [this](OpBuilder &builder, Location loc, Value operand, int64_t axis) -> Value {
    LinalgBuilder b(builder, loc);
    return extent(b, dimsOf(operand), axis);
  };
  return site;
}

FailureOr<Value> KernelLowering::readElement(LinalgBuilder &b, Value value, ArrayRef<Value> indices) const {
  auto view = viewOf(value);
  if (!view)
    return value.getDefiningOp()->emitOpError("moves elements across an extent that is not static; not built yet");
  if (!isa<RankedTensorType>(view->base.getType()))
    return b.literal(view->base.getDefiningOp(), elementOf(value));
  SmallVector<Value> at;
  for (AffineExpr e : view->map.getResults())
    at.push_back(affine::expandAffineExpr(b, b.loc, e, indices, {}));
  return b.extract(argument(view->base), physicalIndices(b, view->base, at));
}

SmallVector<Value> KernelLowering::outputIndices(LinalgBuilder &b, ArrayRef<Value> indices) const {
  DimsAttr dims = dimsOf(resultOp()->getResult(0));
  if (cast<RankedTensorType>(out.getType()).getRank() == dims.getRank())
    return SmallVector<Value>(indices);
  Value row = indices[0];
  for (int64_t i = 1; i + 1 < dims.getRank(); ++i)
    row = b.add(b.multiply(row, extent(b, dims, i)), indices[i]);
  return {row, indices.back()};
}

scf::ForallOp KernelLowering::overAxes(LinalgBuilder &b, DimsAttr dims, ArrayRef<int64_t> axes) const {
  SmallVector<OpFoldResult> bounds;
  for (int64_t axis : axes)
    bounds.push_back(dims.isStatic(axis) ? OpFoldResult(b.attr(dims.shape()[axis])) : extent(b, dims, axis));
  if (bounds.empty())
    bounds.push_back(b.attr(1));
  auto forall = scf::ForallOp::create(b, b.loc, bounds, ValueRange{out}, std::nullopt);
  b.setInsertionPoint(forall.getTerminator());
  return forall;
}

KernelLowering::Row KernelLowering::rowOf(LinalgBuilder &b, Value offsets, Value starts, Value row) const {
  auto at = [&](Value tensor, Value i) { return b.make<arith::IndexCastOp>(b.getIndexType(), b.extract(argument(tensor), i)); };
  Value offset = at(offsets, row), next = at(offsets, b.add(row, b.index(1)));
  return {offset, b.subtract(next, offset), starts ? at(starts, row) : Value()};
}

/// With NaN handled as IEEE 754 maximum does: a NaN on either side is the result. Against a constant, which is none, one comparison does.
static Value emitExtremum(LinalgBuilder &b, Value x, Value y, arith::CmpFPredicate wins) {
  if (matchPattern(x, m_Constant()))
    std::swap(x, y);
  Value chosen = b.choose(b.make<arith::CmpFOp>(wins, y, x), y, x); // y where it wins; x, also where x is NaN
  if (matchPattern(y, m_Constant()))
    return chosen;
  return b.choose(b.make<arith::CmpFOp>(arith::CmpFPredicate::UNO, y, y), y, chosen);
}

/// erf: 0.5 x erfc(-x / sqrt(2)). tanh: 0.5 (1 + tanh(u)) = 1 / (1 + exp(-2u)), so x / (1 + 2^(c u)). Neither loses places where x is negative.
static Value emitGelu(LinalgBuilder &b, Value x, GeluForm form) {
  auto number = [&](double v) { return b.number(x.getType(), v); };
  auto multiply = [&](Value u, Value v) { return b.make<arith::MulFOp>(u, v); };
  if (form == GeluForm::erf)
    return multiply(multiply(number(0.5), x), b.make<math::ErfcOp>(multiply(x, number(-0.70710678118654752440))));
  constexpr double slope = -2 * 0.79788456080286535588 * llvm::numbers::log2e;
  Value inner = multiply(x, b.make<math::FmaOp>(multiply(x, x), number(0.044715 * slope), number(slope)));
  return b.make<arith::DivFOp>(x, b.make<arith::AddFOp>(b.make<math::Exp2Op>(inner), number(1)));
}

Value heddle::emitElement(LinalgBuilder &b, Operation *op, ValueRange operands) {
  if (auto gelu = dyn_cast<GeluOp>(op))
    return emitGelu(b, operands[0], gelu.getForm());
  if (isa<SiluOp>(op)) {
    Value x = operands[0], power = b.make<math::ExpOp>(b.make<arith::NegFOp>(x));
    return b.make<arith::DivFOp>(x, b.make<arith::AddFOp>(b.number(x.getType(), 1), power));
  }
  if (isa<arith::MaximumFOp>(op))
    return emitExtremum(b, operands[0], operands[1], arith::CmpFPredicate::OGT);
  if (isa<arith::MinimumFOp>(op))
    return emitExtremum(b, operands[0], operands[1], arith::CmpFPredicate::OLT);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(getElementTypeOrSelf(op->getResult(0).getType()));
  state.addAttributes(op->getAttrs());
  return b.create(state)->getResult(0);
}

FailureOr<Value> KernelLowering::lowerBody(LinalgBuilder &b) {
  for (Operation &op : kernel.getBody().front()) {
    if (auto x = dyn_cast<LinearOp>(op))
      return lowerLinear(b, x);
    if (auto x = dyn_cast<AttentionOp>(op))
      return lowerAttention(b, x);
    if (auto x = dyn_cast<PositionsOp>(op); x && x.getOffsets())
      return lowerPositions(b, x);
    if (auto x = dyn_cast<FlattenOp>(op); x && x.getOffsets() && &op == resultOp()) // else attention reads its source in place
      return lowerFlatten(b, x);
    if (auto x = dyn_cast<UnflattenOp>(op); x && dimsOf(x.getSource()) != dimsOf(x.getType()))
      return lowerUnflatten(b, x);
    if (auto x = dyn_cast<MatmulOp>(op))
      return lowerMatmul(b, x);
    if (auto x = dyn_cast<ConcatOp>(op))
      return lowerConcat(b, x);
    if (auto x = dyn_cast<WindowsOp>(op))
      return lowerWindows(b, x);
    if (auto x = dyn_cast<PickOp>(op))
      return lowerPick(b, x);
    if (auto x = dyn_cast<SpreadOp>(op))
      return lowerSpread(b, x);
    if (isReduction(&op) && !isRowOp(&op))
      return lowerReduction(b, &op);
    if (auto x = dyn_cast<SoftmaxOp>(op); x && !isRowOp(&op))
      return lowerSoftmax(b, x);
  }
  return lowerRows(b);
}

LogicalResult KernelLowering::run(func::FuncOp kernel) {
  KernelLowering lowering(kernel);
  SmallVector<Type> types;
  for (BlockArgument argument : kernel.getArguments())
    types.push_back(argumentType(argument));
  RankedTensorType result = resultType(kernel);
  types.push_back(result);
  SmallVector<StringAttr> names = dimensionsOf(kernel);
  OpBuilder before(kernel);
  types.append(names.size(), before.getIndexType());
  auto made = func::FuncOp::create(before, kernel.getLoc(), kernel.getName(), before.getFunctionType(types, result));
  made.setPrivate();
  Block *block = made.addEntryBlock();
  unsigned count = kernel.getNumArguments();
  for (BlockArgument argument : kernel.getArguments())
    lowering.arguments.map(argument, block->getArgument(argument.getArgNumber()));
  lowering.out = block->getArgument(count);
  for (auto [i, name] : llvm::enumerate(names))
    lowering.dimensions[name] = block->getArgument(count + 1 + i);
  LinalgBuilder b(OpBuilder::atBlockBegin(block), kernel.getLoc());
  auto value = lowering.lowerBody(b);
  if (failed(value)) {
    made.erase();
    return failure();
  }
  b.setInsertionPointToEnd(block);
  func::ReturnOp::create(b, b.loc, *value);
  kernel.erase();
  return success();
}
