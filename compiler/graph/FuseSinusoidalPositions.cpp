// Sines and cosines of positions, side by side or in turn, become sinusoidal_positions: a table in double instead of sines at run time. Runs after
// FuseRotaryEmbedding, which takes those that turn something.
#include "compiler/graph/Angles.h"
#include "compiler/graph/Fusion.h"
#include "compiler/graph/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace heddle {
#define GEN_PASS_DEF_FUSESINUSOIDALPOSITIONS
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

class SinusoidFuser {
public:
  SinusoidFuser(Operation *root, const Waves &waves) : root(root), waves(waves), dims(dimsOf(root->getResult(0))) {}

  /// concat(sin(p * f), cos(p * f)), and both in turn
  LogicalResult run() {
    int64_t width = dims.shape().back(), sines = (width + 1) / 2;
    Channels first(waves, dims.dropBack(), sines), second(waves, dims.dropBack(), width - sines);
    AffineExpr i = first.index();
    for (PairLayout layout : {PairLayout::halves, PairLayout::interleaved}) {
      bool halves = layout == PairLayout::halves;
      auto a = waveAt(first, halves ? i : i * 2), b = waveAt(second, halves ? i + sines : i * 2 + 1);
      if (!a || !b || !isOwn(a->angles) || a->isSine == b->isSine)
        continue;
      if (!a->isSine)
        return missed("the cosines come before the sines", "write sinusoidal(positions(x), frequencies)");
      Angles all = a->angles;
      all.frequencies.truncate(b->angles.frequencies.size());
      if (!(all == b->angles))
        return missed("the sines and the cosines are of different angles", "write sinusoidal(positions(x), frequencies)");
      if (std::string reason = whyNoTable(a->angles); !reason.empty())
        return missed(reason, "write '<= N' after the axis in the signature");
      OpBuilder builder(root);
      Value made = makeSinusoids(builder, root->getLoc(), a->angles, layout, width);
      return replaceFused(root, made.getDefiningOp());
    }
    return failure();
  }

private:
  Operation *root;
  const Waves &waves;
  DimsAttr dims;

  LogicalResult missed(const std::string &reason, const std::string &remedy) { return reportMissed(root, "sinusoidal_positions", reason, remedy); }
  /// Of the table's own rows.
  bool isOwn(const Angles &angles) {
    return angles.at == AffineMap::getMultiDimIdentityMap(dims.getRank(), root->getContext()).dropResult(dims.getRank() - 1);
  }

  std::optional<Wave> waveAt(const Channels &channels, AffineExpr channel) {
    View view = channels.read(root->getResult(0), channel);
    return isa_and_nonnull<math::SinOp, math::CosOp>(view.base.getDefiningOp()) ? channels.wave(view) : std::nullopt;
  }
};

struct FuseSinusoidalPositions : heddle::impl::FuseSinusoidalPositionsBase<FuseSinusoidalPositions> {
  void runOnOperation() override {
    Waves waves = findWaves(getOperation());
    SmallVector<Operation *> roots;
    getOperation().walk([&](Operation *op) {
      DimsAttr dims = op->getNumResults() == 1 ? dimsOf(op->getResult(0)) : DimsAttr();
      if (isa<ConcatOp, ReshapeOp, SliceOp>(op) && waves.contains(op) && dims.getRank() >= 2 && dims.isStatic(dims.getRank() - 1) &&
          dims.shape().back() > 1)
        roots.push_back(op);
    });
    llvm::DenseSet<Operation *> dead;              // read by what was replaced only
    for (Operation *root : llvm::reverse(roots)) { // an odd width is cut from an even one
      bool unread = llvm::all_of(root->getUsers(), [&](Operation *user) { return dead.contains(user); });
      bool made = !unread && succeeded(SinusoidFuser(root, waves).run());
      if (unread || made)
        dead.insert(root);
      fused += made;
    }
    if (failed(finishFusion(getOperation())))
      signalPassFailure();
  }
};
} // namespace
