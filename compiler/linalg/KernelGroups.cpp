#include "compiler/linalg/KernelGroups.h"
#include "compiler/support/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

static bool isElementwise(Operation *op) { return op->getNumResults() == 1 && OpTrait::hasElementwiseMappableTraits(op); }

static bool isLastStatic(DimsAttr dims, int64_t axis) { return axis == dims.getRank() - 1 && dims.isStatic(axis); }

bool heddle::isReduction(Operation *op) { return isa<SumOp, MaxOp, MinOp, MeanOp, VarOp>(op); }

/// Along the columns of a row.
static bool isRowReduction(Operation *op) {
  if (!isReduction(op) || op->getNumOperands() > 1)
    return false;
  auto over = cast<DenseI64ArrayAttr>(op->getAttr("over")).asArrayRef();
  return over.size() == 1 && isLastStatic(dimsOf(op->getOperand(0)), over[0]) && isa<FloatType>(elementOf(op->getOperand(0)));
}

bool heddle::isRowOp(Operation *op) {
  if (isElementwise(op) || isRowReduction(op) || isa<LayerNormOp, RmsNormOp, RotaryEmbeddingOp, GatherOp, MaskValuesOp, MaskScoresOp>(op))
    return true;
  if (auto softmax = dyn_cast<SoftmaxOp>(op))
    return isLastStatic(dimsOf(op->getResult(0)), softmax.getAxis());
  if (auto positions = dyn_cast<PositionsOp>(op))
    return !positions.getOffsets();
  return isa<FlattenOp, UnflattenOp>(op) && dimsOf(op->getOperand(0)) == dimsOf(op->getResult(0)); // padding neither goes nor comes
}

DimsAttr heddle::rowDimsOf(Operation *op) {
  DimsAttr dims = dimsOf(op->getResult(0));
  if (isReduction(op))
    return dimsOf(op->getOperand(0)).dropBack();
  bool columns = dims.getRank() > 0 && dims.isStatic(dims.getRank() - 1) && !isa<MaskValuesOp, MaskScoresOp>(op);
  return columns ? dims.dropBack() : dims;
}

/// Whether a value has these rows: one element a row, or columns besides.
static bool hasRows(DimsAttr dims, DimsAttr rows) {
  if (dims == rows)
    return true;
  int64_t rank = dims.getRank();
  return rank == rows.getRank() + 1 && dims.isStatic(rank - 1) && dims.dropBack() == rows;
}

KernelGroups::KernelGroups(Block &block) {
  findCopies(block);
  for (Operation &op : block.without_terminator())
    if (!isFreeHere(&op) && !isa<UseOp>(op))
      assign(&op);
  cutSecondResults();
}

/// A view whose consumer cannot read through it is copied by a kernel of its own.
void KernelGroups::findCopies(Block &block) {
  auto copy = [&](Value value) {
    if (Operation *op = value.getDefiningOp(); op && isView(op))
      copied.insert(op);
  };
  for (Operation &op : block) {
    if (auto linear = dyn_cast<LinearOp>(op); linear && !columnViewOf(linear.getX(), copied))
      copy(linear.getX());
    if (auto attention = dyn_cast<AttentionOp>(op))
      for (Value v : {attention.getQuery(), attention.getKey(), attention.getValue()})
        if (!headViewOf(v, copied))
          copy(v);
    if (isa<MaskOpInterface>(op))
      llvm::for_each(op.getOperands(), copy);
    if (isa<PickOp, SpreadOp>(op))
      copy(op.getOperand(0));
    if (auto rotary = dyn_cast<RotaryEmbeddingOp>(op))
      copy(rotary.getAngles());
    if (isa<FlattenOp, UnflattenOp>(op))
      copy(op.getOperand(0));
  }
  for (Operation &op : block) // the ops that join heads are part of their attention, not views of it
    if (auto attention = dyn_cast<AttentionOp>(op))
      for (Operation *part : joinOf(attention))
        copied.insert(part);
  for (Operation &op : block)
    if (auto flatten = dyn_cast<FlattenOp>(op); flatten && flatten.getOffsets() && isa<BlockArgument>(flatten.getSource()) && onlyAttends(flatten))
      readInPlace.insert(flatten);
}

/// Queries, keys or values alone, which are read where they lie: attention knows rows.
bool KernelGroups::onlyAttends(Operation *op) const {
  return llvm::all_of(op->getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return isa<AttentionOp>(user) ? use.getOperandNumber() < 3 : isView(user) && !copied.contains(user) && onlyAttends(user);
  });
}

SmallVector<Operation *> heddle::joinOf(AttentionOp op) {
  SmallVector<Operation *> parts;
  Operation *last = op;
  if (!op.hasQueryRows()) { // [batch, heads, n, d] -> [batch, n, heads, d]
    auto transpose = last->hasOneUse() ? dyn_cast<TransposeOp>(*last->user_begin()) : TransposeOp();
    if (!transpose || transpose.getPermutation() != ArrayRef<int64_t>{0, 2, 1, 3})
      return {};
    parts.push_back(transpose);
    last = transpose;
  }
  auto join = last->hasOneUse() ? dyn_cast<ReshapeOp>(*last->user_begin()) : ReshapeOp();
  DimsAttr result = join ? dimsOf(join.getType()) : DimsAttr(), whole = dimsOf(op.getType());
  int64_t rows = op.hasQueryRows() ? 1 : 2, heads = op.heads() * whole.shape().back();
  if (!join || result.getRank() != rows + 1 || !result.isStatic(rows) || result.shape()[rows] != heads)
    return {};
  parts.push_back(join);
  return parts;
}

/// The latest group that op depends on, looking through free ops. Groups are numbered by their first op, and an op only ever joins the latest group
/// it depends on, so the order of groups respects every use.
int KernelGroups::lastGroup(Operation *op) const {
  int last = -1;
  for (Value v : op->getOperands())
    if (Operation *d = v.getDefiningOp())
      last = std::max(last, isFreeHere(d) ? lastGroup(d) : groupOf.contains(d) ? groupOf.lookup(d) : -1);
  return last;
}

/// Everything `value` takes from the group lies in the same row.
bool KernelGroups::readsRowsOf(Value value, int group) const {
  const KernelGroup &g = groups[group];
  auto view = viewOf(value, copied);
  if (!view)
    return false;
  Operation *base = view->base.getDefiningOp();
  if (!base || !groupOf.contains(base) || groupOf.lookup(base) != group)
    return hasRows(dimsOf(value), g.rowDims) || !isa<RankedTensorType>(value.getType());
  auto rows = hasRows(dimsOf(value), g.rowDims) ? rowViewOf(value, g.rowDims.getRank(), copied) : std::nullopt;
  if (!rows || rows->kind == RowView::Scattered)
    return false;
  for (int64_t i = 0; i < g.rowDims.getRank(); ++i)
    if (rows->map.getResult(i) != getAffineDimExpr(i, value.getContext()))
      return false;
  return true;
}

bool KernelGroups::joinsRows(Operation *op, int group) const {
  const KernelGroup &g = groups[group];
  if (g.kind != KernelGroup::Rows || !isRowOp(op))
    return false;
  if (isReduction(op)) {
    DimsAttr source = dimsOf(op->getOperand(0));
    if (source.dropBack() != g.rowDims)
      return false;
  } else if (!hasRows(dimsOf(op->getResult(0)), g.rowDims))
    return false;
  if (auto gather = dyn_cast<GatherOp>(op))
    return dimsOf(gather.getIds()) == g.rowDims && readsRowsOf(gather.getIds(), group) && isa_and_nonnull<UseOp>(gather.getTable().getDefiningOp());
  bool masks = isa<MaskValuesOp, MaskScoresOp>(op);
  if (masks && llvm::any_of(op->getOperands(), [&](Value v) { return isa<MaskType>(v.getType()) && dependsOn(v, group); }))
    return false; // the tensor of a mask is read anywhere, not only in this row
  if (isa<MaskValuesOp>(op))
    return dimsOf(op->getResult(0)) == g.rowDims;
  if (isa<MaskScoresOp>(op) && dimsOf(op->getResult(0)) != g.rowDims)
    return false;
  if (isa<SoftmaxOp, LayerNormOp, RmsNormOp, RotaryEmbeddingOp>(op) && rowDimsOf(op) != g.rowDims)
    return false; // they work along columns; this group has one element a row
  if (auto rotary = dyn_cast<RotaryEmbeddingOp>(op); rotary && dependsOn(rotary.getAngles(), group))
    return false; // its rows are others
  for (auto [i, v] : llvm::enumerate(op->getOperands())) {
    // gain and bias, angles, offsets, the mask
    if (isa<LayerNormOp, RmsNormOp, RotaryEmbeddingOp, UnflattenOp, MaskScoresOp>(op) && i > 0)
      continue;
    if (!readsRowsOf(v, group))
      return false;
  }
  return true;
}

/// Elementwise work on the product's own tile: other operands are whole tensors of the same extents, vectors along its columns, or constants.
bool KernelGroups::joinsLinear(Operation *op, int group) const {
  const KernelGroup &g = groups[group];
  if (g.kind != KernelGroup::Linear || !isElementwise(op))
    return false;
  auto product = cast<LinearOp>(g.ops.front());
  DimsAttr dims = dimsOf(product.getType());
  if (dimsOf(op->getResult(0)) != dims)
    return false;
  int64_t rank = dims.getRank(), columns = llvm::divideCeilSigned(dims.shape()[rank - 1], panelColumns) * panelColumns;
  for (Value v : op->getOperands()) {
    if (Operation *d = v.getDefiningOp(); d && groupOf.contains(d) && groupOf.lookup(d) == group)
      continue;
    auto view = rowViewOf(v, rank - 1, copied);
    if (!view)
      return false;
    Operation *base = view->base.getDefiningOp();
    if (base && groupOf.contains(base) && groupOf.lookup(base) == group)
      return false; // through a view of the product
    if (!isa<RankedTensorType>(view->base.getType()))
      continue; // a constant
    if (!elementOf(view->base).isF32())
      return false;
    if (view->kind != RowView::Contiguous)
      return false;
    auto first = dyn_cast<AffineConstantExpr>(view->rows.getResults().back());
    DimsAttr baseDims = dimsOf(view->base);
    if (!first || !baseDims.isStatic(baseDims.getRank() - 1))
      return false;
    int64_t width = llvm::divideCeilSigned(baseDims.shape().back(), panelColumns) * panelColumns;
    if (first.getValue() + columns > width)
      return false; // a whole panel would pass the end
    bool vector = view->map.getNumResults() == 1, whole = baseDims.getRank() == rank && baseDims.dropBack() == dims.dropBack();
    for (int64_t i = 0; whole && i + 1 < rank; ++i)
      whole = view->map.getResult(i) == getAffineDimExpr(i, v.getContext());
    if (!vector && !whole)
      return false;
  }
  return true;
}

/// The ops that join the heads, and the one that gives their rows the caller's padding: each task writes its queries where they belong.
bool KernelGroups::joinsAttention(Operation *op, int group) const {
  const KernelGroup &g = groups[group];
  if (g.kind != KernelGroup::Attention)
    return false;
  auto attention = cast<AttentionOp>(g.ops.front());
  SmallVector<Operation *> join = joinOf(attention);
  auto padded = dyn_cast<UnflattenOp>(op);
  if (!padded || join.empty())
    return llvm::is_contained(join, op);
  return attention.hasQueryRows() && padded.getSource() == join.back()->getResult(0) && padded.getSource().hasOneUse() &&
         padded.getOffsets() == attention.getQueryOffsets();
}

bool KernelGroups::dependsOn(Value value, int group) const {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isFreeHere(op))
    return llvm::any_of(op->getOperands(), [&](Value v) { return dependsOn(v, group); });
  return groupOf.contains(op) && groupOf.lookup(op) == group;
}

void KernelGroups::assign(Operation *op) {
  int group = lastGroup(op);
  if (group < 0 || !(joinsRows(op, group) || joinsLinear(op, group) || joinsAttention(op, group))) {
    group = groups.size();
    auto kind = isa<LinearOp>(op)           ? KernelGroup::Linear
                : isa<AttentionOp>(op)      ? KernelGroup::Attention
                : isRowOp(op) || isView(op) ? KernelGroup::Rows
                                            : KernelGroup::Alone;
    groups.push_back({kind, {}, kind == KernelGroup::Rows ? rowDimsOf(op) : DimsAttr()});
  }
  groups[group].ops.push_back(op);
  groupOf[op] = group;
}

bool KernelGroups::usedOutside(Operation *op, int group) const {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    if (isFreeHere(user))
      return usedOutside(user, group);
    return !groupOf.contains(user) || groupOf.lookup(user) != group;
  });
}

/// A kernel has one result: a group with a second one is cut behind the first, until none is left.
void KernelGroups::cutSecondResults() {
  for (size_t i = 0; i < groups.size(); ++i) {
    auto first = llvm::find_if(groups[i].ops, [&](Operation *op) { return usedOutside(op, i); });
    if (first == groups[i].ops.end() || first + 1 == groups[i].ops.end())
      continue;
    KernelGroup rest{KernelGroup::Rows, {first + 1, groups[i].ops.end()}, {}};
    groups[i].ops.erase(first + 1, groups[i].ops.end());
    rest.rowDims = groups[i].kind == KernelGroup::Rows ? groups[i].rowDims : rowDimsOf(rest.ops.front());
    groups.insert(groups.begin() + i + 1, rest);
    for (auto [g, group] : llvm::enumerate(groups))
      for (Operation *op : group.ops)
        groupOf[op] = g;
    --i; // what stayed may still have two: a value that only the rest uses
  }
}
