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
      if (!name || !ragged.count(name))
        continue;
      if (found)
        return std::nullopt; // two ragged axes: stays padded
      found = i;
    }
    if (!found || *found == 0 || dims.nameOf(0) != ragged.lookup(dims.nameOf(*found)).batch)
      return std::nullopt;
    return found;
  }
  Type flatType(Type type) const {
    DimsAttr dims = dimsOf(type);
    auto axis = raggedAxis(dims);
    if (!axis)
      return type;
    auto tokens = DimsAttr::named(type.getContext(), tokensName(dims.nameOf(*axis)));
    return tokens.concat(dims.without(*axis).dropFront()).tensorOf(cast<RankedTensorType>(type).getElementType());
  }
  /// Where axis `axis` of a tensor with these extents goes.
  int64_t flatAxis(DimsAttr dims, int64_t axis) const {
    auto r = raggedAxis(dims);
    if (!r)
      return axis;
    return axis == *r ? 0 : axis < *r ? axis : axis - 1;
  }
  bool isFlat(Value v) const { return raggedAxis(dimsOf(v)).has_value(); }
  Rows rowsOf(StringAttr name) const { return ragged.lookup(name); }

  Value padded(Value original);
  Value rowsAgain(Value paddedValue, Type original);
  LogicalResult runPadded(Operation *op);
  bool needsPadding(Operation *op) const;
  StringAttr raggedName(DimsAttr dims, int64_t axis) const {
    StringAttr name = dims.nameOf(axis);
    return name && ragged.count(name) ? name : StringAttr();
  }
  LogicalResult remapBroadcast(BroadcastOp original, BroadcastOp op);
  LogicalResult remapReshape(ReshapeOp original);
  void remapTranspose(TransposeOp original, TransposeOp op);
  LogicalResult remapOver(Operation *original, Operation *op);
  LogicalResult addAttentionRows(AttentionOp original, AttentionOp op);
  LogicalResult addPositionRows(PositionsOp original, PositionsOp op);
  template <typename Op> void addPairRows(DimsAttr dims, Op op);
  LogicalResult remap(Operation *original, Operation *op);
};

void EntryFlattener::addRowArguments() {
  auto dimensions = entry->getAttrOfType<ArrayAttr>(dimensionsAttr);
  for (Attribute attribute : dimensions ? dimensions.getValue() : ArrayRef<Attribute>()) {
    auto dimension = cast<DimensionAttr>(attribute);
    if (!dimension.isRagged())
      continue;
    MLIRContext *context = b.getContext();
    auto batch = DimsAttr::named(context, dimension.getBatch().getValue());
    DimsAttr ends = batch.offsets();
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
    if (!axis && !panels)
      continue;
    if (axis && *axis != 1) { // padded inside first, then rows
      Value inside = FlattenOp::create(b, argument.getLoc(), argument.getType(), argument, Value());
      map.map(argument, rowsAgain(inside, argument.getType()));
      continue;
    }
    Value offsets = axis ? rowsOf(dims.nameOf(*axis)).offsets : Value();
    map.map(argument, FlattenOp::create(b, argument.getLoc(), flatType(argument.getType()), argument, offsets).getResult());
    count += axis.has_value();
  }
  return success();
}

/// [batch, s, ..] of a value that became rows; axes in the order they had.
Value EntryFlattener::padded(Value original) {
  Value value = map.lookupOrDefault(original);
  DimsAttr dims = dimsOf(original);
  auto axis = dims ? raggedAxis(dims) : std::nullopt;
  if (!axis)
    return value;
  DimsAttr second = DimsAttr(dims.select({0, *axis})).concat(dims.without(*axis).dropFront()); // the ragged axis behind the batch
  Value wide = UnflattenOp::create(b, original.getLoc(), second.tensorOf(elementOf(original)), value, rowsOf(dims.nameOf(*axis)).offsets);
  if (*axis == 1)
    return wide;
  SmallVector<int64_t> permutation{0};
  for (int64_t i = 1; i < dims.getRank(); ++i)
    permutation.push_back(i == *axis ? 1 : i < *axis ? i + 1 : i);
  return TransposeOp::create(b, original.getLoc(), original.getType(), wide, permutation);
}

/// The inverse of padded.
Value EntryFlattener::rowsAgain(Value value, Type original) {
  DimsAttr dims = dimsOf(original);
  auto axis = raggedAxis(dims);
  if (!axis)
    return value;
  if (*axis != 1) {
    SmallVector<int64_t> permutation{0, *axis};
    for (int64_t i = 1; i < dims.getRank(); ++i)
      if (i != *axis)
        permutation.push_back(i);
    value = TransposeOp::create(b, value.getLoc(), dims.select(permutation).tensorOf(elementOf(value)), value, permutation);
  }
  ++count;
  return FlattenOp::create(b, value.getLoc(), flatType(original), value, rowsOf(dims.nameOf(*axis)).offsets);
}

/// Whether an op reads along a ragged axis, or joins rows with a tensor of two ragged axes: it then works on padded tensors, and knows lengths.
bool EntryFlattener::needsPadding(Operation *op) const {
  if (isa<MaskTensorOp, BiasTensorOp>(op))
    return isFlat(op->getOperand(0)); // they read [batch, query, key], of which one may be ragged
  DimsAttr result = op->getNumResults() == 1 ? dimsOf(op->getResult(0)) : DimsAttr();
  if (!result)
    return false;
  if (isa<BroadcastOp>(op))
    return isFlat(op->getOperand(0)) && !raggedAxis(result);
  if (isa<MaskScoresOp, MaskValuesOp>(op))
    return raggedAxis(result).has_value(); // [.., query, key] of which one is ragged
  DimsAttr source = op->getNumOperands() ? dimsOf(op->getOperand(0)) : DimsAttr();
  if (auto softmax = dyn_cast<SoftmaxOp>(op))
    return raggedName(source, softmax.getAxis()) != nullptr;
  if (isa<SumOp, MaxOp, MinOp, MeanOp, VarOp>(op))
    return !isFlat(op->getOperand(0)) && raggedAxis(result); // of two ragged axes one is left
  if (auto matmul = dyn_cast<MatmulOp>(op)) {
    bool touched = llvm::any_of(llvm::concat<Value>(SmallVector<Value>(op->getOperands()), SmallVector<Value>(op->getResults())), [&](Value v) {
      for (int64_t i = 0; i < dimsOf(v).getRank(); ++i)
        if (raggedName(dimsOf(v), i))
          return true;
      return false;
    });
    return touched && (dimsOf(matmul.getRhs()).getRank() > 2 || isFlat(matmul.getRhs()));
  }
  return false;
}

LogicalResult EntryFlattener::runPadded(Operation *op) {
  IRMapping wide;
  for (Value operand : op->getOperands())
    wide.map(operand, padded(operand));
  Operation *made = b.clone(*op, wide);
  DimsAttr source = op->getNumOperands() ? dimsOf(op->getOperand(0)) : DimsAttr();
  auto offsetsOf = [&](int64_t axis) {
    StringAttr name = raggedName(source, axis);
    return name ? rowsOf(name).offsets : Value();
  };
  auto assign = [&](MutableOperandRange operand, Value offsets) {
    if (offsets)
      operand.assign(offsets);
  };
  if (auto x = dyn_cast<SoftmaxOp>(made))
    assign(x.getOffsetsMutable(), offsetsOf(x.getAxis()));
  if (auto x = dyn_cast<MatmulOp>(made))
    assign(x.getOffsetsMutable(), offsetsOf(source.getRank() - 1));
  if (auto x = dyn_cast<MaskScoresOp>(made))
    addPairRows(dimsOf(op->getResult(0)), x);
  if (auto x = dyn_cast<MaskValuesOp>(made))
    addPairRows(dimsOf(op->getResult(0)), x);
  if (isa<SumOp, MaxOp, MinOp, MeanOp, VarOp>(made)) {
    auto over = cast<DenseI64ArrayAttr>(made->getAttr("over")).asArrayRef();
    Value offsets = offsetsOf(over.back());
    for (int64_t axis : over.drop_back())
      if (offsetsOf(axis))
        return op->emitOpError("along two ragged axes is not built yet");
    if (offsets)
      made->insertOperands(made->getNumOperands(), offsets);
  }
  map.map(op->getResult(0), rowsAgain(made->getResult(0), op->getResult(0).getType()));
  return success();
}

LogicalResult EntryFlattener::remapBroadcast(BroadcastOp original, BroadcastOp op) {
  DimsAttr result = dimsOf(original.getType());
  if (!raggedAxis(result))
    return success();
  bool flatSource = isFlat(original.getSource()), spread = false;
  SmallVector<int64_t> axes;
  for (int64_t axis : original.getAxes()) {
    int64_t to = flatAxis(result, axis);
    spread |= to == 0 && !flatSource;  // a value of each batch row
    if (!llvm::is_contained(axes, to)) // batch and tokens are one axis now
      axes.push_back(to);
  }
  llvm::sort(axes);
  if (spread) {
    if (dimsOf(original.getSource()).extent(0) != result.extent(0))
      return original.emitOpError("repeats tokens along a batch, which is not built yet");
    DimsAttr source = dimsOf(original.getSource()), tokens = dimsOf(op.getType()).extent(0);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(op);
    Value offsets = rowsOf(result.nameOf(*raggedAxis(result))).offsets;
    auto type = tokens.concat(source.dropFront()).tensorOf(elementOf(op.getSource()));
    op.getSourceMutable().assign(SpreadOp::create(b, op.getLoc(), type, op.getSource(), offsets).getResult());
  }
  op.setAxes(axes);
  return success();
}

/// Tokens move to the front; that commutes with the reshape where the axes before the tokens keep their product.
LogicalResult EntryFlattener::remapReshape(ReshapeOp original) {
  DimsAttr from = dimsOf(original.getSource()), to = dimsOf(original.getType());
  auto before = raggedAxis(from), after = raggedAxis(to);
  if (!before && !after)
    return success();
  auto leading = [](DimsAttr dims, int64_t axis) { return dims.select(llvm::to_vector(llvm::seq<int64_t>(1, axis))).product(); };
  if (before && after && from.nameOf(*before) == to.nameOf(*after) && leading(from, *before) == leading(to, *after))
    return success();
  return original.emitOpError("moves elements across the ragged axis of ") << (before ? from : to);
}

void EntryFlattener::remapTranspose(TransposeOp original, TransposeOp op) {
  DimsAttr from = dimsOf(original.getSource());
  auto r = raggedAxis(from);
  if (!r)
    return;
  SmallVector<int64_t> permutation{0};
  for (int64_t axis : original.getPermutation())
    if (axis != 0 && axis != *r)
      permutation.push_back(flatAxis(from, axis));
  op.setPermutation(permutation);
}

/// Reductions and softmax of rows: the axes they run over; of all tokens of a row, its offsets.
LogicalResult EntryFlattener::remapOver(Operation *original, Operation *op) {
  DimsAttr source = dimsOf(original->getOperand(0));
  if (auto softmax = dyn_cast<SoftmaxOp>(op)) {
    softmax.setAxis(flatAxis(source, softmax.getAxis()));
    return success();
  }
  SmallVector<int64_t> over;
  Value offsets;
  for (int64_t axis : cast<DenseI64ArrayAttr>(original->getAttr("over")).asArrayRef()) {
    if (StringAttr name = raggedName(source, axis)) {
      if (offsets)
        return original->emitOpError("along two ragged axes is not built yet");
      offsets = rowsOf(name).offsets;
    }
    over.push_back(flatAxis(source, axis));
  }
  llvm::sort(over);
  op->setAttr("over", b.getDenseI64ArrayAttr(over));
  if (offsets)
    op->insertOperands(op->getNumOperands(), offsets);
  return success();
}

LogicalResult EntryFlattener::addAttentionRows(AttentionOp original, AttentionOp op) {
  for (bool ofKey : {false, true}) {
    DimsAttr dims = dimsOf(ofKey ? original.getKey() : original.getQuery());
    auto token = raggedAxis(dims);
    if (dims.getRank() != 4 || token.value_or(2) != 2 || (!token && !dims.isStatic(2)))
      return original.emitOpError("expected [batch, heads, tokens, width] with ragged or static tokens, got ")
             << dims << "; others are not built yet";
    if (!token)
      continue; // every row has all tokens
    Rows rows = rowsOf(dims.nameOf(2));
    (ofKey ? op.getKeyOffsetsMutable() : op.getQueryOffsetsMutable()).assign(rows.offsets);
    (ofKey ? op.getKeyStartsMutable() : op.getQueryStartsMutable()).assign(rows.starts);
  }
  return success();
}

LogicalResult EntryFlattener::addPositionRows(PositionsOp original, PositionsOp op) {
  DimsAttr dims = dimsOf(original.getType());
  auto axis = raggedAxis(dims);
  if (!axis)
    return success(); // positions of an axis that is not ragged are its indices
  op.getOffsetsMutable().assign(rowsOf(dims.nameOf(*axis)).offsets);
  op.getStartsMutable().assign(rowsOf(dims.nameOf(*axis)).starts);
  return success();
}

template <typename Op> void EntryFlattener::addPairRows(DimsAttr dims, Op op) {
  int64_t rank = dims.getRank();
  if (StringAttr name = raggedName(dims, rank - 2)) {
    op.getQueryOffsetsMutable().assign(rowsOf(name).offsets);
    op.getQueryStartsMutable().assign(rowsOf(name).starts);
  }
  if (StringAttr name = raggedName(dims, rank - 1)) {
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
        addPairRows(dimsOf(original->getResult(0)), o);
        return success();
      })
      .Case([&](PickOp o) {
        if (StringAttr name = raggedName(dimsOf(original->getOperand(0)), 1))
          o.getOffsetsMutable().assign(rowsOf(name).offsets);
        return success();
      })
      .Case([&](WindowsOp o) {
        DimsAttr source = dimsOf(original->getOperand(0));
        if (raggedName(source, o.getAxis()))
          return LogicalResult(original->emitOpError("along a ragged axis is not built yet"));
        o.setAxis(flatAxis(source, o.getAxis()));
        return success();
      })
      .Case([&](MaskScoresOp o) {
        addPairRows(dimsOf(original->getResult(0)), o);
        return success();
      })
      .Case<LinearOp, MatmulOp, LayerNormOp, RmsNormOp, RotaryEmbeddingOp, GatherOp, UseOp, MaskOpInterface, SinusoidalPositionsOp>(
          [](Operation *) { return success(); })
      .Default([&](Operation *o) {
        if (isa<arith::ConstantOp>(o) || OpTrait::hasElementwiseMappableTraits(o))
          return success();
        return LogicalResult(original->emitOpError("is not built yet on ragged tensors"));
      });
}

LogicalResult EntryFlattener::flattenOp(Operation *op) {
  if (needsPadding(op))
    return runPadded(op);
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
    if (auto axis = raggedAxis(dims); axis && *axis != 1) { // its zeros come with the padding
      results.push_back(UnflattenOp::create(b, op.getLoc(), result.getType(), padded(result), Value()));
      continue;
    }
    for (int64_t i = dims.getRank() - 1; i > 0; --i) // the rule of zeros is for the first ragged axis
      if (StringAttr name = dims.nameOf(i); name && ragged.count(name) && dims.nameOf(0) == rowsOf(name).batch)
        offsets = rowsOf(name).offsets;
    results.push_back(UnflattenOp::create(b, op.getLoc(), result.getType(), map.lookupOrDefault(result), offsets));
  }
  func::ReturnOp::create(b, op.getLoc(), results);
  return success();
}

LogicalResult EntryFlattener::run() {
  Block &block = entry.getBody().front();
  SmallVector<Value> arguments(block.getArguments().begin(), block.getArguments().end());
  SmallVector<Operation *> old;
  for (Operation &op : block)
    old.push_back(&op);
  addRowArguments();
  b.setInsertionPointToEnd(&block);
  if (failed(flattenArguments(arguments)))
    return failure();
  for (Operation *op : old) {
    auto result = dyn_cast<func::ReturnOp>(op);
    if (failed(result ? unflattenResults(result) : flattenOp(op)))
      return failure();
  }
  for (Operation *op : llvm::reverse(old))
    op->erase();
  return success();
}

struct FlattenRagged : heddle::impl::FlattenRaggedBase<FlattenRagged> {
  void runOnOperation() override {
    for (auto entry : getOperation().getOps<func::FuncOp>()) {
      if (!entry->hasAttr(entryAttr))
        continue;
      if (!llvm::hasSingleElement(entry.getBody())) {
        entry.emitOpError("expected an entry of one block");
        return signalPassFailure();
      }
      EntryFlattener flattener(entry);
      if (failed(flattener.run()))
        return signalPassFailure();
      flattened += flattener.count;
    }
  }
};
} // namespace
