// [batch, .., s, ..] -> [s.tokens, ..]: padding removal, prefill, chunk and decode become one form with different offsets. Most ops only change their
// types; the ops that look at rows get offsets and starts. Comes last of the graph passes that know ragged axes by name.
#include "compiler/graph/Passes.h"
#include "dialect/Heddle.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

namespace heddle {
#define GEN_PASS_DEF_FLATTENRAGGED
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

/// One entry on its way from padded tensors to rows of tokens.
class EntryFlattener {
public:
  explicit EntryFlattener(func::FuncOp entry) : entry(entry), b(entry.getContext()) {}
  LogicalResult run();
  int64_t count = 0; // tensors that lost their padding

private:
  struct Rows {
    StringAttr batch;
    Value offsets, starts;
  };
  func::FuncOp entry;
  OpBuilder b;
  IRMapping map;
  llvm::MapVector<StringAttr, Rows> ragged;

  void addRowArguments();
  LogicalResult flattenArguments(ArrayRef<Value> arguments);
  LogicalResult flattenOp(Operation *op);
  LogicalResult unflattenResults(func::ReturnOp op);

  /// The ragged axis of a tensor that becomes rows: its only one, behind its batch at axis 0.
  std::optional<int64_t> raggedAxis(DimsAttr dims) const {
    std::optional<int64_t> found;
    for (int64_t i = 0; dims && i < dims.getRank(); ++i) {
      StringAttr name = dims.nameOf(i);
      if (!name || !ragged.count(name)) continue;
      if (found) return std::nullopt; // two ragged axes: stays padded
      found = i;
    }
    if (!found || *found == 0 || dims.nameOf(0) != ragged.lookup(dims.nameOf(*found)).batch) return std::nullopt;
    return found;
  }
  Type flatType(Type type) const {
    DimsAttr dims = dimsOf(type);
    auto axis = raggedAxis(dims);
    if (!axis) return type;
    auto tokens = DimsAttr::named(type.getContext(), tokensName(dims.nameOf(*axis)));
    return tokens.concat(dims.without(*axis).dropFront()).tensorOf(cast<RankedTensorType>(type).getElementType());
  }
  /// Where axis `axis` of a tensor with these extents goes.
  int64_t flatAxis(DimsAttr dims, int64_t axis) const {
    auto r = raggedAxis(dims);
    if (!r) return axis;
    return axis == *r ? 0 : axis < *r ? axis : axis - 1;
  }
  bool isFlat(Value v) const { return raggedAxis(dimsOf(v)).has_value(); }
  Rows rowsOf(StringAttr name) const { return ragged.lookup(name); }

  LogicalResult remapBroadcast(BroadcastOp original, BroadcastOp op);
  LogicalResult remapReshape(ReshapeOp original);
  void remapTranspose(TransposeOp original, TransposeOp op);
  LogicalResult remapOver(Operation *original, Operation *op);
  LogicalResult addAttentionRows(AttentionOp original, AttentionOp op);
  LogicalResult addPositionRows(PositionsOp original, PositionsOp op);
  void addMaskRows(MaskValuesOp original, MaskValuesOp op);
  LogicalResult remap(Operation *original, Operation *op);
};

void EntryFlattener::addRowArguments() {
  auto dimensions = entry->getAttrOfType<ArrayAttr>(dimensionsAttr);
  for (Attribute attribute : dimensions ? dimensions.getValue() : ArrayRef<Attribute>()) {
    auto dimension = cast<DimensionAttr>(attribute);
    if (!dimension.isRagged()) continue;
    MLIRContext *context = b.getContext();
    auto batch = DimsAttr::named(context, dimension.getBatch().getValue());
    auto ends = DimsAttr::getCanonical(context, dimension.getBatch(), getAffineSymbolExpr(0, context) + 1);
    Rows rows{dimension.getBatch(), {}, {}};
    for (bool offsets : {true, false}) {
      unsigned at = entry.getNumArguments();
      auto mark = b.getNamedAttr(offsets ? offsetsAttr : startsAttr, dimension.getName());
      (void)entry.insertArgument(at, (offsets ? ends : batch).tensorOf(b.getI64Type()), b.getDictionaryAttr(mark), entry.getLoc());
      (offsets ? rows.offsets : rows.starts) = entry.getArgument(at);
    }
    ragged[dimension.getName()] = rows;
  }
}

/// Arguments lie as the caller gave them; inside, rows are whole panels. A value whose last extent is not static looks the same in both.
LogicalResult EntryFlattener::flattenArguments(ArrayRef<Value> arguments) {
  for (Value argument : arguments) {
    DimsAttr dims = dimsOf(argument);
    auto axis = raggedAxis(dims);
    bool panels = dims && dims.getRank() && dims.isStatic(dims.getRank() - 1);
    if (!axis && !panels) continue;
    if (axis && *axis != 1) return entry.emitOpError("takes ") << dims << ": a ragged axis that is not the second is not built yet";
    Value offsets = axis ? rowsOf(dims.nameOf(*axis)).offsets : Value();
    map.map(argument, FlattenOp::create(b, argument.getLoc(), flatType(argument.getType()), argument, offsets).getResult());
    count += axis.has_value();
  }
  return success();
}

LogicalResult EntryFlattener::remapBroadcast(BroadcastOp original, BroadcastOp op) {
  DimsAttr result = dimsOf(original.getType());
  if (!raggedAxis(result)) {
    if (isFlat(original.getSource())) return original.emitOpError("repeats rows of tokens along a second ragged axis, which is not built yet");
    return success();
  }
  bool flatSource = isFlat(original.getSource());
  SmallVector<int64_t> axes;
  for (int64_t axis : original.getAxes()) {
    int64_t to = flatAxis(result, axis);
    if (to == 0 && !flatSource) return original.emitOpError("repeats one value for each batch row along its tokens, which is not built yet");
    if (axes.empty() || axes.back() != to) axes.push_back(to);
  }
  op.setAxes(axes);
  return success();
}

/// Tokens move to the front; that commutes with the reshape where the axes before the tokens keep their product.
LogicalResult EntryFlattener::remapReshape(ReshapeOp original) {
  DimsAttr from = dimsOf(original.getSource()), to = dimsOf(original.getType());
  auto before = raggedAxis(from), after = raggedAxis(to);
  if (!before && !after) return success();
  auto leading = [](DimsAttr dims, int64_t axis) { return dims.select(llvm::to_vector(llvm::seq<int64_t>(1, axis))).product(); };
  if (before && after && from.nameOf(*before) == to.nameOf(*after) && leading(from, *before) == leading(to, *after)) return success();
  return original.emitOpError("moves elements across the ragged axis of ") << (before ? from : to);
}

void EntryFlattener::remapTranspose(TransposeOp original, TransposeOp op) {
  DimsAttr from = dimsOf(original.getSource());
  auto r = raggedAxis(from);
  if (!r) return;
  SmallVector<int64_t> permutation{0};
  for (int64_t axis : original.getPermutation())
    if (axis != 0 && axis != *r) permutation.push_back(flatAxis(from, axis));
  op.setPermutation(permutation);
}

/// Reductions and softmax: the axes they run over.
LogicalResult EntryFlattener::remapOver(Operation *original, Operation *op) {
  DimsAttr source = dimsOf(original->getOperand(0));
  auto isRagged = [&](int64_t axis) { return source.nameOf(axis) && ragged.count(source.nameOf(axis)); };
  auto refuse = [&](int64_t axis) { return original->emitOpError("along the ragged axis ") << source.extent(axis) << " is not built yet"; };
  if (auto softmax = dyn_cast<SoftmaxOp>(op)) {
    if (isRagged(softmax.getAxis())) return refuse(softmax.getAxis());
    softmax.setAxis(flatAxis(source, softmax.getAxis()));
    return success();
  }
  SmallVector<int64_t> over;
  for (int64_t axis : cast<DenseI64ArrayAttr>(original->getAttr("over")).asArrayRef()) {
    if (isRagged(axis)) return refuse(axis);
    over.push_back(flatAxis(source, axis));
  }
  op->setAttr("over", b.getDenseI64ArrayAttr(over));
  return success();
}

LogicalResult EntryFlattener::addAttentionRows(AttentionOp original, AttentionOp op) {
  auto query = raggedAxis(dimsOf(original.getQuery())), key = raggedAxis(dimsOf(original.getKey()));
  int64_t token = original.tokenAxis();
  if (query != token || key != token || token != 2)
    return original.emitOpError("expected [batch, heads, tokens, width] with ragged tokens; other attention is not built yet");
  Rows q = rowsOf(dimsOf(original.getQuery()).nameOf(token)), k = rowsOf(dimsOf(original.getKey()).nameOf(token));
  op.getQueryOffsetsMutable().assign(q.offsets);
  op.getQueryStartsMutable().assign(q.starts);
  op.getKeyOffsetsMutable().assign(k.offsets);
  op.getKeyStartsMutable().assign(k.starts);
  return success();
}

LogicalResult EntryFlattener::addPositionRows(PositionsOp original, PositionsOp op) {
  DimsAttr dims = dimsOf(original.getType());
  auto axis = raggedAxis(dims);
  if (!axis) return success(); // positions of an axis that is not ragged are its indices
  op.getOffsetsMutable().assign(rowsOf(dims.nameOf(*axis)).offsets);
  op.getStartsMutable().assign(rowsOf(dims.nameOf(*axis)).starts);
  return success();
}

void EntryFlattener::addMaskRows(MaskValuesOp original, MaskValuesOp op) {
  DimsAttr dims = dimsOf(original.getType());
  if (StringAttr name = dims.nameOf(1); name && ragged.count(name)) {
    op.getQueryOffsetsMutable().assign(rowsOf(name).offsets);
    op.getQueryStartsMutable().assign(rowsOf(name).starts);
  }
  if (StringAttr name = dims.nameOf(2); name && ragged.count(name)) {
    op.getKeyOffsetsMutable().assign(rowsOf(name).offsets);
    op.getKeyStartsMutable().assign(rowsOf(name).starts);
  }
}

LogicalResult EntryFlattener::remap(Operation *original, Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](BroadcastOp o) { return remapBroadcast(cast<BroadcastOp>(original), o); })
      .Case([&](ReshapeOp) { return remapReshape(cast<ReshapeOp>(original)); })
      .Case([&](TransposeOp o) {
        remapTranspose(cast<TransposeOp>(original), o);
        return success();
      })
      .Case([&](SliceOp o) {
        o.setAxis(flatAxis(dimsOf(original->getOperand(0)), o.getAxis()));
        return success();
      })
      .Case([&](ConcatOp o) {
        o.setAxis(flatAxis(dimsOf(original->getResult(0)), o.getAxis()));
        return success();
      })
      .Case<SumOp, MaxOp, MinOp, MeanOp, VarOp, SoftmaxOp>([&](Operation *o) { return remapOver(original, o); })
      .Case([&](AttentionOp o) { return addAttentionRows(cast<AttentionOp>(original), o); })
      .Case([&](PositionsOp o) { return addPositionRows(cast<PositionsOp>(original), o); })
      .Case([&](MaskValuesOp o) {
        addMaskRows(cast<MaskValuesOp>(original), o);
        return success();
      })
      .Case([&](MatmulOp o) {
        bool plain = dimsOf(o.getRhs()).getRank() == 2 && !isFlat(original->getOperand(1));
        bool touched = llvm::any_of(original->getOperands(), [&](Value v) { return isFlat(v); }) || !plain;
        if (plain || !touched) return success();
        return LogicalResult(original->emitOpError("of two activations is not built yet"));
      })
      .Case<LinearOp, LayerNormOp, GatherOp, UseOp, MaskOpInterface, SinusoidalPositionsOp>([](Operation *) { return success(); })
      .Default([&](Operation *o) {
        if (isa<arith::ConstantOp>(o) || OpTrait::hasElementwiseMappableTraits(o)) return success();
        return LogicalResult(original->emitOpError("is not built yet on ragged tensors"));
      });
}

LogicalResult EntryFlattener::flattenOp(Operation *op) {
  Operation *made = b.clone(*op, map);
  for (auto [before, after] : llvm::zip_equal(op->getResults(), made->getResults())) {
    after.setType(flatType(before.getType()));
    count += after.getType() != before.getType();
    map.map(before, after);
  }
  return remap(op, made);
}

LogicalResult EntryFlattener::unflattenResults(func::ReturnOp op) {
  SmallVector<Value> results;
  for (Value result : op.getOperands()) {
    DimsAttr dims = dimsOf(result);
    Value offsets;
    if (auto axis = raggedAxis(dims); axis && *axis != 1) return op.emitOpError("gives ") << dims << ": a ragged axis that is not the second is not built yet";
    for (int64_t i = dims.getRank() - 1; i > 0; --i) // the rule of zeros is for the first ragged axis
      if (StringAttr name = dims.nameOf(i); name && ragged.count(name) && dims.nameOf(0) == rowsOf(name).batch) offsets = rowsOf(name).offsets;
    results.push_back(UnflattenOp::create(b, op.getLoc(), result.getType(), map.lookupOrDefault(result), offsets));
  }
  func::ReturnOp::create(b, op.getLoc(), results);
  return success();
}

LogicalResult EntryFlattener::run() {
  Block &block = entry.getBody().front();
  SmallVector<Value> arguments(block.getArguments().begin(), block.getArguments().end());
  SmallVector<Operation *> old;
  for (Operation &op : block) old.push_back(&op);
  addRowArguments();
  b.setInsertionPointToEnd(&block);
  if (failed(flattenArguments(arguments))) return failure();
  for (Operation *op : old) {
    auto result = dyn_cast<func::ReturnOp>(op);
    if (failed(result ? unflattenResults(result) : flattenOp(op))) return failure();
  }
  for (Operation *op : llvm::reverse(old)) op->erase();
  return success();
}

struct FlattenRagged : heddle::impl::FlattenRaggedBase<FlattenRagged> {
  void runOnOperation() override {
    for (auto entry : getOperation().getOps<func::FuncOp>()) {
      if (!entry->hasAttr(entryAttr)) continue;
      if (!llvm::hasSingleElement(entry.getBody())) {
        entry.emitOpError("expected an entry of one block");
        return signalPassFailure();
      }
      EntryFlattener flattener(entry);
      if (failed(flattener.run())) return signalPassFailure();
      flattened += flattener.count;
    }
  }
};
} // namespace
