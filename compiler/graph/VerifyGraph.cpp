// What the graph stage promises to the linalg stage.
#include "compiler/graph/Passes.h"
#include "dialect/Heddle.h"

namespace heddle {
#define GEN_PASS_DEF_VERIFYGRAPH
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {
struct VerifyGraph : heddle::impl::VerifyGraphBase<VerifyGraph> {
  bool broken = false;

  void runOnOperation() override {
    for (auto entry : getOperation().getOps<func::FuncOp>()) {
      if (!entry->hasAttr(entryAttr))
        complain(entry, "expected entries only");
      else if (!llvm::hasSingleElement(entry.getBody()))
        complain(entry, "expected an entry of one block");
      else
        entry.walk([&](Operation *op) { check(entry, op); });
    }
    if (broken)
      signalPassFailure();
  }
  void complain(Operation *op, const Twine &what) {
    op->emitOpError("after the graph stage: ") << what;
    broken = true;
  }
  void check(func::FuncOp entry, Operation *op) {
    if (isa<SinusoidalPositionsOp>(op))
      complain(op, "sinusoidal positions are left");
    if (auto attention = dyn_cast<AttentionOp>(op)) {
      DimsAttr query = dimsOf(attention.getQuery()), key = dimsOf(attention.getKey());
      auto built = [](bool rows, DimsAttr dims) { return rows || (dims.getRank() == 4 && dims.isStatic(2)); };
      if (!built(attention.hasQueryRows(), query) || !built(attention.hasKeyRows(), key))
        complain(op, "attention needs rows, or [batch, heads, n, d]");
    }
    for (Type type : op->getResultTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        continue;
      DimsAttr dims = dimsOf(type);
      if (!dims)
        complain(op, "a tensor without named extents");
      // RankedTensorType::get checks encodings in assertion builds of MLIR only.
      else if (failed(dims.verifyEncoding(tensor.getShape(), tensor.getElementType(), [&] { return op->emitOpError(); })))
        broken = true;
      else if (!isa<UnflattenOp>(op) && !isView(op) && raggedAxes(entry, dims) == 1 && !readsPadded(op))
        complain(op, "a ragged tensor that is not rows of tokens");
    }
  }
  /// Ops that read along a ragged axis work on padded tensors, whose result goes back to rows right away; so does an argument whose ragged axis is
  /// not the second.
  static bool readsPadded(Operation *op) {
    return llvm::all_of(op->getUsers(), [](Operation *user) { return isa<FlattenOp, UnflattenOp, TransposeOp>(user); }) &&
           isa<MatmulOp, SumOp, MaxOp, MinOp, MeanOp, VarOp, SoftmaxOp, MaskScoresOp, MaskValuesOp, FlattenOp>(op);
  }
  static bool isView(Operation *op) { return isa<TransposeOp, BroadcastOp, ReshapeOp>(op); }
  static int raggedAxes(func::FuncOp entry, DimsAttr dims) {
    int count = 0;
    auto dimensions = entry->getAttrOfType<ArrayAttr>(dimensionsAttr);
    for (int64_t i = 0; i < dims.getRank(); ++i)
      for (Attribute attribute : dimensions ? dimensions.getValue() : ArrayRef<Attribute>())
        if (auto dimension = cast<DimensionAttr>(attribute); dimension.isRagged() && dims.nameOf(i) == dimension.getName())
          ++count;
    return count;
  }
};
} // namespace
