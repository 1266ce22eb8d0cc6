// The kinds of wrong rewrites. See BadRewrites.h.
#include "compiler/graph/BadRewrites.h"
#include "compiler/graph/WeightTable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

namespace {

/// The parts of a value along an axis, the second one first: rolled by `by` places.
Value rolled(OpBuilder &b, Value value, int64_t axis, int64_t by) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t extent = type.getDimSize(axis);
  auto part = [&](int64_t first, int64_t size) -> Value {
    DimsAttr dims = dimsOf(value);
    DimsAttr cut = DimsAttr::fixed(b.getContext(), {size});
    DimsAttr all = axis == 0 ? cut.concat(dims.dropFront()) : dims.dropBack(dims.getRank() - axis).concat(cut).concat(dims.dropFront(axis + 1));
    return SliceOp::create(b, value.getLoc(), all.tensorOf(type.getElementType()), value, axis, first);
  };
  return ConcatOp::create(b, value.getLoc(), type, ValueRange{part(by, extent - by), part(0, by)}, axis);
}

/// Rolls an operand along a static axis.
Value roll(OpOperand &operand, int64_t axis) {
  auto type = cast<RankedTensorType>(operand.get().getType());
  if (type.isDynamicDim(axis) || type.getDimSize(axis) < 2)
    return {};
  OpBuilder b(operand.getOwner());
  operand.set(rolled(b, operand.get(), axis, 1));
  return operand.getOwner()->getResult(0);
}

Value keysPermuted(Operation *op) {
  auto attention = dyn_cast<AttentionOp>(op);
  return attention ? roll(attention.getKeyMutable(), attention.rank(true) - 1) : Value();
}

Value keysForValues(Operation *op) {
  auto attention = dyn_cast<AttentionOp>(op);
  if (!attention || attention.getKey().getType() != attention.getValue().getType() || attention.getKey() == attention.getValue())
    return {};
  Value key = attention.getKey();
  attention.getKeyMutable().set(attention.getValue());
  attention.getValueMutable().set(key);
  return attention;
}

Value headOrder(Operation *op) {
  auto attention = dyn_cast<AttentionOp>(op);
  return attention ? roll(attention.getValueMutable(), attention.headAxis(true)) : Value();
}

Value maskDropped(Operation *op) {
  auto attention = dyn_cast<AttentionOp>(op);
  if (!attention || !attention.getMask())
    return {};
  attention.getMaskMutable().clear();
  return attention;
}

Value scaleTwice(Operation *op) {
  auto attention = dyn_cast<AttentionOp>(op);
  double scale = attention ? attention.getScale().convertToDouble() : 1;
  if (scale == 1)
    return {};
  attention.setScale(APFloat(scale * scale));
  return attention;
}

/// A tensor of one number.
Value filled(OpBuilder &b, Location place, Type type, double number) {
  Value scalar = arith::ConstantOp::create(b, place, b.getFloatAttr(getElementTypeOrSelf(type), number));
  return BroadcastOp::create(b, place, cast<RankedTensorType>(type), scalar, ArrayRef<int64_t>());
}

/// Hidden scores become large finite numbers: a row that sees nothing then sees everything.
Value maskedRow(Operation *op) {
  OpBuilder b(op);
  if (auto softmax = dyn_cast<SoftmaxOp>(op)) {
    Value low = filled(b, op->getLoc(), softmax.getType(), -1e30);
    softmax.getSourceMutable().set(arith::MaximumFOp::create(b, op->getLoc(), softmax.getSource(), low));
    return softmax;
  }
  auto mask = dyn_cast<MaskTensorOp>(op);
  if (!mask)
    return {};
  Type type = dimsOf(mask.getValues()).tensorOf(b.getF32Type());
  Value values = arith::SelectOp::create(b, op->getLoc(), mask.getValues(), filled(b, op->getLoc(), type, 0), filled(b, op->getLoc(), type, -1e30));
  return BiasTensorOp::create(b, op->getLoc(), mask.getType(), values);
}

Value windowOffByOne(Operation *op) {
  auto window = dyn_cast<MaskWindowOp>(op);
  if (!window)
    return {};
  if (window.getLeft())
    window.setLeft(*window.getLeft() + 1);
  else
    window.setRight(*window.getRight() + 1);
  return window;
}

/// A query sees the key behind it.
Value causalOffByOne(Operation *op) {
  OpBuilder b(op);
  return isa<MaskCausalOp>(op) ? MaskWindowOp::create(b, op->getLoc(), op->getResult(0).getType(), IntegerAttr(), b.getI64IntegerAttr(2)) : Value();
}

Value softmaxAxis(Operation *op) {
  auto softmax = dyn_cast<SoftmaxOp>(op);
  if (!softmax || dimsOf(softmax.getType()).getRank() < 2)
    return {};
  softmax.setAxis(softmax.getAxis() ? softmax.getAxis() - 1 : 1);
  return softmax;
}

Value epsilon(Operation *op) {
  auto larger = [](auto norm) -> Value {
    norm.setEpsilon(APFloat(norm.getEpsilon().convertToDouble() * 10 + 1e-30));
    return norm;
  };
  return llvm::TypeSwitch<Operation *, Value>(op).Case<LayerNormOp, RmsNormOp>(larger).Default(Value());
}

/// Drops an operand that is there.
Value drop(Operation *op, MutableOperandRange operand) {
  if (operand.empty())
    return {};
  operand.clear();
  return op->getResult(0);
}

Value gainDropped(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([](LayerNormOp norm) { return norm.getBias() ? Value() : drop(norm, norm.getGainMutable()); })
      .Case([](RmsNormOp norm) { return drop(norm, norm.getGainMutable()); })
      .Default(Value());
}

Value biasDropped(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op).Case<LayerNormOp, LinearOp>([](auto o) { return drop(o, o.getBiasMutable()); }).Default(Value());
}

/// The rows themselves are added to their product.
Value residual(Operation *op) {
  auto linear = dyn_cast<LinearOp>(op);
  if (!linear || linear.getX().getType() != linear.getType())
    return {};
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  return arith::AddFOp::create(b, op->getLoc(), linear, linear.getX());
}

/// q, k, v -> k, q, v
Value joinedOrder(Operation *op) {
  auto linear = dyn_cast<LinearOp>(op);
  auto use = linear ? linear.getWeight().getDefiningOp<UseOp>() : UseOp();
  if (!use)
    return {};
  WeightTable weights(op->getParentOfType<ModuleOp>());
  WeightOp weight = weights.lookup(use.getWeightAttr());
  auto concat = dyn_cast<ConcatRecipeAttr>(weight.getRecipe());
  if (!concat || recipeType(concat.getSources()[0]) != recipeType(concat.getSources()[1]))
    return {};
  SmallVector<Attribute> sources(concat.getSources());
  std::swap(sources[0], sources[1]);
  Attribute recipe = ConcatRecipeAttr::get(op->getContext(), concat.getAxis(), sources);
  OpBuilder b(op);
  linear.getWeightMutable().set(WeightTable::use(b, op->getLoc(), weights.get(weight.getLoc(), weight.getSymName(), recipe, weight)));
  return linear;
}

Value geluForm(Operation *op) {
  auto gelu = dyn_cast<GeluOp>(op);
  if (!gelu)
    return {};
  gelu.setForm(gelu.getForm() == GeluForm::erf ? GeluForm::tanh : GeluForm::erf);
  return gelu;
}

/// A slice of a product that was made of several takes the columns of the next one.
Value projectionOrder(Operation *op) {
  auto slice = dyn_cast<SliceOp>(op);
  auto product = slice ? slice.getSource().getDefiningOp<LinearOp>() : LinearOp();
  if (!product)
    return {};
  int64_t all = dimsOf(product.getType()).shape().back(), own = dimsOf(slice.getType()).shape().back();
  slice.setFirst(slice.getFirst() + 2 * own <= static_cast<uint64_t>(all) ? slice.getFirst() + own : 0);
  return slice;
}

/// Pairs are taken at other places.
Value pairLayout(Operation *op) {
  auto rotary = dyn_cast<RotaryEmbeddingOp>(op);
  if (!rotary)
    return {};
  rotary.setLayout(rotary.getLayout() == PairLayout::halves ? PairLayout::interleaved : PairLayout::halves);
  return rotary;
}

constexpr llvm::StringLiteral spoiledAttr = "heddle.spoiled"; // on an op of a replacement

constexpr BadRewrite kinds[] = {
    {"keys-permuted", "an attention whose keys have two channels at least", keysPermuted},
    {"keys-for-values", "an attention whose keys and values are two values of one type", keysForValues},
    {"head-order", "an attention with two heads at least", headOrder},
    {"mask-dropped", "an attention with a mask", maskDropped},
    {"masked-row", "a softmax, or an attention with a mask_tensor", maskedRow},
    {"causal-off-by-one", "an attention with a mask_causal", causalOffByOne},
    {"window-off-by-one", "an attention with a mask_window", windowOffByOne},
    {"scale-twice", "an attention with a scale other than 1", scaleTwice},
    {"softmax-axis", "a softmax of two axes at least", softmaxAxis},
    {"epsilon", "a layer_norm or rms_norm", epsilon},
    {"gain-dropped", "a layer_norm or rms_norm with a gain and no bias", gainDropped},
    {"bias-dropped", "a layer_norm or linear with a bias", biasDropped},
    {"residual", "a linear with as many columns as its rows have", residual},
    {"joined-order", "joined products whose first two weights are of one type", joinedOrder},
    {"gelu-form", "a gelu", geluForm},
    {"projection-order", "a linear of several products", projectionOrder},
    {"pair-layout", "a rotary_embedding of four channels at least", pairLayout},
};
} // namespace

ArrayRef<BadRewrite> heddle::badRewrites() { return kinds; }

unsigned heddle::spoilRewrite(const BadRewrite &bad, const Rewrite &rewrite, Value &by) {
  SmallVector<Operation *> ops(rewrite.made.begin(), rewrite.made.end());
  llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  llvm::DenseSet<Operation *> own(ops.begin(), ops.end());
  for (Operation *&op : llvm::reverse(ops)) { // users first
    bool isShared = llvm::any_of(op->getUsers(), [&](Operation *user) { return !own.contains(user); });
    if (!isShared || op == by.getDefiningOp())
      continue;
    Operation *copy = OpBuilder(op).clone(*op);
    op->replaceUsesWithIf(copy, [&](OpOperand &use) { return own.contains(use.getOwner()); });
    own.erase(op);
    own.insert(copy);
    op = copy;
  }
  unsigned spoiled = 0;
  for (Operation *op : ops) {
    Value before = op->getResult(0), after = op->hasAttr(spoiledAttr) ? Value() : bad.spoil(op); // twice may be right again
    if (!after)
      continue;
    ++spoiled;
    after.getDefiningOp()->setAttr(spoiledAttr, UnitAttr::get(op->getContext()));
    op->setAttr(spoiledAttr, UnitAttr::get(op->getContext()));
    if (after == before)
      continue;
    before.replaceAllUsesExcept(after, after.getDefiningOp());
    by = by == before ? after : by;
  }
  return spoiled;
}

const BadRewrite *heddle::findBadRewrite(StringRef kind) {
  const auto *found = llvm::find_if(kinds, [&](const BadRewrite &bad) { return bad.kind == kind; });
  return found == std::end(kinds) ? nullptr : found;
}
