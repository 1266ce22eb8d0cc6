// Rotations written out, x * cos + rotate_half(x) * sin and its kin, become rotary_embedding, whose angles are a table. Runs before FuseAttention,
// which takes the rotated queries and keys.
#include "compiler/graph/Angles.h"
#include "compiler/graph/Fusion.h"
#include "compiler/graph/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include <algorithm>

namespace heddle {
#define GEN_PASS_DEF_FUSEROTARYEMBEDDING
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

class RotationFuser {
public:
  RotationFuser(Operation *root, const Waves &waves) : root(root), waves(waves), dims(dimsOf(root->getResult(0))) {}
  ArrayRef<Value> parts() const { return cone; }

  LogicalResult run(bool told) {
    findCone();
    for (int64_t pairs : widths)
      for (PairLayout layout : {PairLayout::halves, PairLayout::interleaved})
        if (2 * pairs <= width() && succeeded(fuse(pairs, layout)))
          return success();
    return told ? failure() : nearMiss();
  }

private:
  Operation *root;
  const Waves &waves;
  DimsAttr dims;
  SmallVector<Value> cone;                 // what the root is made of, itself left out
  llvm::SmallSetVector<int64_t, 4> widths; // how many pairs there may be

  int64_t width() { return dims.shape().back(); }

  void findCone() {
    SmallVector<Operation *> work{root};
    llvm::DenseSet<Value> seen;
    for (size_t i = 0; i < work.size() && cone.size() < 200; ++i)
      for (Value value : work[i]->getOperands()) {
        if (!dimsOf(value) || !seen.insert(value).second)
          continue;
        cone.push_back(value);
        Operation *op = value.getDefiningOp();
        bool isWave = isa_and_nonnull<math::SinOp, math::CosOp, SinusoidalPositionsOp>(op);
        if (int64_t w = cast<RankedTensorType>(value.getType()).getShape().back(); isWave && !ShapedType::isDynamic(w)) {
          widths.insert(w);
          if (w % 2 == 0)
            widths.insert(w / 2);
        }
        if (op && !isWave && (waves.contains(op) || isView(op) || isa<ConcatOp, arith::NegFOp>(op)))
          work.push_back(op);
      }
  }

  /// number * wave * (what is turned)
  struct Turned {
    double number;
    Wave wave;
    View source;
  };
  std::optional<Turned> turnedOf(const Channels &channels, const Addend &addend) {
    if (addend.factors.size() != 2 || !addend.divisors.empty())
      return std::nullopt;
    auto first = channels.wave(addend.factors[0]), second = channels.wave(addend.factors[1]);
    if (first.has_value() == second.has_value())
      return std::nullopt;
    return Turned{addend.number, first ? *first : *second, addend.factors[first ? 1 : 0]};
  }
  /// The addend with the cosine, then the one with the sine.
  std::optional<std::pair<Turned, Turned>> turnedAt(const Channels &channels, AffineExpr channel) {
    auto addends = channels.expand(channels.read(root->getResult(0), channel));
    if (!addends || addends->size() != 2)
      return std::nullopt;
    auto first = turnedOf(channels, (*addends)[0]), second = turnedOf(channels, (*addends)[1]);
    if (!first || !second || first->wave.isSine == second->wave.isSine || !(first->wave.angles == second->wave.angles))
      return std::nullopt;
    return first->wave.isSine ? std::pair(*second, *first) : std::pair(*first, *second);
  }

  LogicalResult fuse(int64_t pairs, PairLayout layout) {
    Channels channels(waves, dims.dropBack(), pairs), rest(waves, dims.dropBack(), std::max<int64_t>(width() - 2 * pairs, 1));
    bool halves = layout == PairLayout::halves;
    AffineExpr i = channels.index(), a = halves ? i : i * 2, b = halves ? i + pairs : i * 2 + 1;
    auto first = turnedAt(channels, a), second = turnedAt(channels, b);
    if (!first || !second)
      return failure();
    auto &[aCos, bSin] = *first;
    auto &[bCos, aSin] = *second;
    double gain = aCos.number;
    bool turns = bSin.number == -gain && bCos.number == gain && aSin.number == gain && aCos.source == aSin.source && bCos.source == bSin.source &&
                 aCos.wave.angles == bCos.wave.angles;
    if (!turns)
      return failure();
    auto isSource = [&](Value source, ArrayRef<int64_t> order) {
      return channels.read(source, a, order) == aCos.source && channels.read(source, b, order) == bCos.source &&
             (2 * pairs == width() || rest.read(source, i + 2 * pairs, order) == rest.read(root->getResult(0), i + 2 * pairs));
    };
    for (Value source : cone) {
      SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, dims.getRank()));
      if (dimsOf(source).getRank() != dims.getRank())
        continue;
      do
        if (dimsOf(source).select(order) == dims && isSource(source, order))
          return make(source, order, aCos.wave.angles, layout, gain);
      while (std::next_permutation(order.begin(), order.end() - 1)); // heads may have been cut before they were moved
    }
    return failure();
  }

  Value moved(OpBuilder &b, Value value, ArrayRef<int64_t> order) {
    return llvm::is_sorted(order) ? value
                                  : b.createOrFold<TransposeOp>(root->getLoc(), dimsOf(value).select(order).tensorOf(elementOf(value)), value, order);
  }

  /// `source` has the channels of the root, its axes in this order.
  LogicalResult make(Value source, ArrayRef<int64_t> sourceOrder, const Angles &angles, PairLayout layout, double gain) {
    int64_t rank = dims.getRank(), counted = angles.at.getNumResults();
    auto tokens = dyn_cast<AffineDimExpr>(angles.at.getResults().back());
    bool batch = counted == 1 || angles.at.getResult(0) == getAffineDimExpr(0, root->getContext());
    if (!tokens || !batch || counted > 2)
      return failure();
    if (std::string reason = whyNoTable(angles); !reason.empty())
      return reportMissed(root, "rotary_embedding", reason, "write '<= N' after the axis in the signature");
    OpBuilder b(root);
    Location place = root->getLoc();
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::swap(order[tokens.getPosition()], order[rank - 2]); // the op has tokens before channels
    Value from = moved(b, moved(b, source, sourceOrder), order);
    Value table = makeSinusoids(b, place, angles, PairLayout::halves, 2 * angles.frequencies.size());
    auto made =
        RotaryEmbeddingOp::create(b, place, from.getType(), from, table, PairLayoutAttr::get(b.getContext(), layout), b.getF64FloatAttr(gain));
    return replaceFused(root, made, moved(b, made, order));
  }

  /// A sum of something times a sine and something times a cosine that is no rotation.
  LogicalResult nearMiss() {
    if (!isa<arith::AddFOp, arith::SubFOp>(root) || root->hasAttr(missedAttr))
      return failure();
    Channels whole(waves, dims.dropBack(), width());
    auto addends = whole.expand(whole.read(root->getResult(0), whole.index()));
    auto isTurned = [&](const Addend &addend) {
      return addend.factors.size() == 2 && llvm::count_if(addend.factors, [&](const View &v) { return waves.contains(v.base.getDefiningOp()); }) == 1;
    };
    if (!addends || addends->size() != 2 || !llvm::all_of(*addends, isTurned))
      return failure();
    for (Value value : cone)
      if (Operation *op = value.getDefiningOp(); isa_and_nonnull<math::SinOp, math::CosOp>(op)) {
        DimsAttr own = dimsOf(value);
        Channels channels(waves, own.dropBack(), own.isStatic(own.getRank() - 1) ? own.shape().back() : 1);
        if (!channels.wave(channels.read(value, channels.index())))
          return missed("the angles are not positions times frequencies that are known when compiling");
      }
    return missed("the channels are turned in another way than a * cos - b * sin, b * cos + a * sin for the pairs (i, n + i) or (2i, 2i + 1)");
  }
  LogicalResult missed(const char *reason) { return reportMissed(root, "rotary_embedding", reason, "write rotary(x, frequencies)"); }
};

struct FuseRotaryEmbedding : heddle::impl::FuseRotaryEmbeddingBase<FuseRotaryEmbedding> {
  void runOnOperation() override {
    Waves waves = findWaves(getOperation());
    SmallVector<Operation *> ops;
    if (!waves.empty())
      getOperation().walk([&](Operation *op) { ops.push_back(op); });
    llvm::DenseSet<Operation *> dead, told;    // read by what was replaced only; part of a formula that was told
    for (Operation *op : llvm::reverse(ops)) { // the whole row before its parts
      bool unread =
          isMemoryEffectFree(op) && op->getNumResults() > 0 && llvm::all_of(op->getUsers(), [&](Operation *user) { return dead.contains(user); });
      if (unread)
        dead.insert(op);
      if (unread || !mayBeRoot(op, waves))
        continue;
      RotationFuser fuser(op, waves);
      if (succeeded(fuser.run(told.contains(op)))) {
        dead.insert(op);
        ++fused;
      } else if (op->hasAttr(missedAttr))
        for (Value part : fuser.parts())
          told.insert(part.getDefiningOp());
    }
    if (failed(finishFusion(getOperation())))
      signalPassFailure();
  }
  static bool mayBeRoot(Operation *op, const Waves &waves) {
    if (!isa<arith::AddFOp, arith::SubFOp, ConcatOp, ReshapeOp>(op) || !waves.contains(op))
      return false;
    DimsAttr dims = dimsOf(op->getResult(0));
    return dims.getRank() >= 2 && dims.isStatic(dims.getRank() - 1);
  }
};
} // namespace
