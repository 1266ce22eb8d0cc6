// The kinds of wrong rewrites. See BadRewrites.h.
#include "compiler/graph/BadRewrites.h"
#include "dialect/Heddle.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

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
bool roll(OpOperand &operand, int64_t axis) {
  auto type = cast<RankedTensorType>(operand.get().getType());
  if (type.isDynamicDim(axis) || type.getDimSize(axis) < 2)
    return false;
  OpBuilder b(operand.getOwner());
  operand.set(rolled(b, operand.get(), axis, 1));
  return true;
}

bool keysPermuted(Operation *op) {
  auto attention = dyn_cast<AttentionOp>(op);
  return attention && roll(attention.getKeyMutable(), attention.rank(true) - 1);
}

bool keysForValues(Operation *op) {
  auto attention = dyn_cast<AttentionOp>(op);
  if (!attention || attention.getKey().getType() != attention.getValue().getType() || attention.getKey() == attention.getValue())
    return false;
  Value key = attention.getKey();
  attention.getKeyMutable().set(attention.getValue());
  attention.getValueMutable().set(key);
  return true;
}

bool headOrder(Operation *op) {
  auto attention = dyn_cast<AttentionOp>(op);
  return attention && roll(attention.getValueMutable(), attention.headAxis(true));
}

bool maskDropped(Operation *op) {
  auto attention = dyn_cast<AttentionOp>(op);
  if (!attention || !attention.getMask())
    return false;
  attention.getMaskMutable().clear();
  return true;
}

bool scaleTwice(Operation *op) {
  auto attention = dyn_cast<AttentionOp>(op);
  double scale = attention ? attention.getScale().convertToDouble() : 1;
  if (scale == 1)
    return false;
  attention.setScale(APFloat(scale * scale));
  return true;
}

/// A tensor of one number.
Value filled(OpBuilder &b, Location place, Type type, double number) {
  Value scalar = arith::ConstantOp::create(b, place, b.getFloatAttr(getElementTypeOrSelf(type), number));
  return BroadcastOp::create(b, place, cast<RankedTensorType>(type), scalar, ArrayRef<int64_t>());
}

/// Hidden scores become large finite numbers: a row that sees nothing then sees everything.
bool maskedRow(Operation *op) {
  OpBuilder b(op);
  if (auto softmax = dyn_cast<SoftmaxOp>(op)) {
    Value low = filled(b, op->getLoc(), softmax.getType(), -1e30);
    softmax.getSourceMutable().set(arith::MaximumFOp::create(b, op->getLoc(), softmax.getSource(), low));
    return true;
  }
  auto mask = dyn_cast<MaskTensorOp>(op);
  if (!mask)
    return false;
  Type type = dimsOf(mask.getValues()).tensorOf(b.getF32Type());
  Value values = arith::SelectOp::create(b, op->getLoc(), mask.getValues(), filled(b, op->getLoc(), type, 0), filled(b, op->getLoc(), type, -1e30));
  op->getResult(0).replaceAllUsesWith(BiasTensorOp::create(b, op->getLoc(), mask.getType(), values));
  return true;
}

bool windowOffByOne(Operation *op) {
  auto window = dyn_cast<MaskWindowOp>(op);
  if (!window)
    return false;
  if (window.getLeft())
    window.setLeft(*window.getLeft() + 1);
  else
    window.setRight(*window.getRight() + 1);
  return true;
}

bool softmaxAxis(Operation *op) {
  auto softmax = dyn_cast<SoftmaxOp>(op);
  if (!softmax || dimsOf(softmax.getType()).getRank() < 2)
    return false;
  softmax.setAxis(softmax.getAxis() ? softmax.getAxis() - 1 : 1);
  return true;
}

bool epsilon(Operation *op) {
  auto larger = [](APFloat number) { return APFloat(number.convertToDouble() * 10 + 1e-30); };
  if (auto norm = dyn_cast<LayerNormOp>(op))
    return norm.setEpsilon(larger(norm.getEpsilon())), true;
  if (auto norm = dyn_cast<RmsNormOp>(op))
    return norm.setEpsilon(larger(norm.getEpsilon())), true;
  return false;
}

bool gainDropped(Operation *op) {
  auto clear = [](MutableOperandRange gain) {
    bool has = !gain.empty();
    gain.clear();
    return has;
  };
  if (auto norm = dyn_cast<LayerNormOp>(op))
    return !norm.getBias() && clear(norm.getGainMutable());
  auto norm = dyn_cast<RmsNormOp>(op);
  return norm && clear(norm.getGainMutable());
}

bool biasDropped(Operation *op) {
  auto clear = [](MutableOperandRange bias) {
    bool has = !bias.empty();
    bias.clear();
    return has;
  };
  if (auto norm = dyn_cast<LayerNormOp>(op))
    return clear(norm.getBiasMutable());
  auto linear = dyn_cast<LinearOp>(op);
  return linear && clear(linear.getBiasMutable());
}

bool geluForm(Operation *op) {
  auto gelu = dyn_cast<GeluOp>(op);
  if (!gelu)
    return false;
  gelu.setForm(gelu.getForm() == GeluForm::erf ? GeluForm::tanh : GeluForm::erf);
  return true;
}

/// A slice of a product that was made of several takes the columns of the next one.
bool projectionOrder(Operation *op) {
  auto slice = dyn_cast<SliceOp>(op);
  auto product = slice ? slice.getSource().getDefiningOp<LinearOp>() : LinearOp();
  if (!product)
    return false;
  int64_t all = dimsOf(product.getType()).shape().back(), own = dimsOf(slice.getType()).shape().back();
  slice.setFirst(slice.getFirst() + 2 * own <= static_cast<uint64_t>(all) ? slice.getFirst() + own : 0);
  return true;
}

/// Pairs are taken at other places.
bool pairLayout(Operation *op) {
  auto turn = [](PairLayout layout) { return layout == PairLayout::halves ? PairLayout::interleaved : PairLayout::halves; };
  if (auto rotary = dyn_cast<RotaryEmbeddingOp>(op))
    return rotary.setLayout(turn(rotary.getLayout())), true;
  return false;
}

constexpr BadRewrite kinds[] = {
    {"keys-permuted", "an attention whose keys have two channels at least", keysPermuted},
    {"keys-for-values", "an attention whose keys and values are two values of one type", keysForValues},
    {"head-order", "an attention with two heads at least", headOrder},
    {"mask-dropped", "an attention with a mask", maskDropped},
    {"masked-row", "a softmax, or an attention with a mask_tensor", maskedRow},
    {"window-off-by-one", "an attention with a mask_window", windowOffByOne},
    {"scale-twice", "an attention with a scale other than 1", scaleTwice},
    {"softmax-axis", "a softmax of two axes at least", softmaxAxis},
    {"epsilon", "a layer_norm or rms_norm", epsilon},
    {"gain-dropped", "a layer_norm or rms_norm with a gain and no bias", gainDropped},
    {"bias-dropped", "a layer_norm or linear with a bias", biasDropped},
    {"gelu-form", "a gelu", geluForm},
    {"projection-order", "a linear of several products", projectionOrder},
    {"pair-layout", "a rotary_embedding of four channels at least", pairLayout},
};
} // namespace

ArrayRef<BadRewrite> heddle::badRewrites() { return kinds; }

unsigned heddle::spoilRewrite(const BadRewrite &bad, const Rewrite &rewrite) {
  SmallVector<Operation *> ops(rewrite.made.begin(), rewrite.made.end());
  llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  llvm::DenseSet<Operation *> own(ops.begin(), ops.end());
  for (Operation *&op : llvm::reverse(ops)) { // users first
    bool isShared = llvm::any_of(op->getUsers(), [&](Operation *user) { return !own.contains(user); });
    if (!isShared || op == rewrite.by.getDefiningOp())
      continue;
    Operation *copy = OpBuilder(op).clone(*op);
    op->replaceUsesWithIf(copy, [&](OpOperand &use) { return own.contains(use.getOwner()); });
    own.erase(op);
    own.insert(copy);
    op = copy;
  }
  return llvm::count_if(ops, bad.spoil);
}

const BadRewrite *heddle::findBadRewrite(StringRef kind) {
  const auto *found = llvm::find_if(kinds, [&](const BadRewrite &bad) { return bad.kind == kind; });
  return found == std::end(kinds) ? nullptr : found;
}
