#include "compiler/linalg/KernelGroups.h"
#include "compiler/support/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

static bool isElementwise(Operation *op) { return op->getNumResults() == 1 && OpTrait::hasElementwiseMappableTraits(op); }

bool heddle::isReduction(Operation *op) { return isa<SumOp, MaxOp, MinOp, MeanOp, VarOp>(op); }

bool heddle::isRowOp(Operation *op) {
  if (isElementwise(op) || isReduction(op) || isa<SoftmaxOp, LayerNormOp, GatherOp, MaskValuesOp>(op)) return true;
  return isa<FlattenOp, UnflattenOp>(op) && dimsOf(op->getOperand(0)) == dimsOf(op->getResult(0)); // padding neither goes nor comes
}

DimsAttr heddle::rowDimsOf(Operation *op) {
  DimsAttr dims = dimsOf(op->getResult(0));
  if (isReduction(op)) return dimsOf(op->getOperand(0)).dropBack();
  bool columns = dims.getRank() > 0 && dims.isStatic(dims.getRank() - 1) && !isa<MaskValuesOp>(op);
  return columns ? dims.dropBack() : dims;
}

/// Whether a value has these rows: one element a row, or columns besides.
static bool hasRows(DimsAttr dims, DimsAttr rows) {
  if (dims == rows) return true;
  int64_t rank = dims.getRank();
  return rank == rows.getRank() + 1 && dims.isStatic(rank - 1) && dims.dropBack() == rows;
}

KernelGroups::KernelGroups(Block &block) {
  findCopies(block);
  for (Operation &op : block.without_terminator())
    if (!isFreeHere(&op) && !isa<UseOp>(op)) assign(&op);
  cutSecondResults();
}

/// A view whose consumer cannot read through it is copied by a kernel of its own.
void KernelGroups::findCopies(Block &block) {
  auto copy = [&](Value value) {
    if (Operation *op = value.getDefiningOp(); op && isView(op)) copied.insert(op);
  };
  for (Operation &op : block) {
    if (auto linear = dyn_cast<LinearOp>(op); linear && !columnViewOf(linear.getX(), copied)) copy(linear.getX());
    if (auto attention = dyn_cast<AttentionOp>(op))
      for (Value v : {attention.getQuery(), attention.getKey(), attention.getValue()})
        if (!headViewOf(v, copied)) copy(v);
    if (auto mask = dyn_cast<MaskTensorOp>(op)) copy(mask.getValues());
    if (auto unflatten = dyn_cast<UnflattenOp>(op); unflatten) copy(unflatten.getSource());
  }
  for (Operation &op : block) // the reshape that joins heads is part of its attention, not a view of it
    if (auto attention = dyn_cast<AttentionOp>(op); attention && attention->hasOneUse())
      if (auto join = dyn_cast<ReshapeOp>(*attention->user_begin()); join && dimsOf(join.getType()).getRank() == 2) copied.insert(join);
}

/// The latest group that op depends on, looking through free ops. Groups are numbered by their first op, and an op only ever joins the latest group it
/// depends on, so the order of groups respects every use.
int KernelGroups::lastGroup(Operation *op) const {
  int last = -1;
  for (Value v : op->getOperands())
    if (Operation *d = v.getDefiningOp()) last = std::max(last, isFreeHere(d) ? lastGroup(d) : groupOf.contains(d) ? groupOf.lookup(d) : -1);
  return last;
}

/// Everything `value` takes from the group lies in the same row.
bool KernelGroups::readsRowsOf(Value value, int group) const {
  const KernelGroup &g = groups[group];
  auto view = viewOf(value, copied);
  if (!view) return false;
  Operation *base = view->base.getDefiningOp();
  if (!base || !groupOf.contains(base) || groupOf.lookup(base) != group) return hasRows(dimsOf(value), g.rowDims) || !isa<RankedTensorType>(value.getType());
  auto rows = hasRows(dimsOf(value), g.rowDims) ? rowViewOf(value, g.rowDims.getRank(), copied) : std::nullopt;
  if (!rows || rows->kind == RowView::Scattered) return false;
  for (int64_t i = 0; i < g.rowDims.getRank(); ++i)
    if (rows->map.getResult(i) != getAffineDimExpr(i, value.getContext())) return false;
  return true;
}

bool KernelGroups::joinsRows(Operation *op, int group) const {
  const KernelGroup &g = groups[group];
  if (g.kind != KernelGroup::Rows || !isRowOp(op)) return false;
  if (isReduction(op)) {
    DimsAttr source = dimsOf(op->getOperand(0));
    auto over = cast<DenseI64ArrayAttr>(op->getAttr("over")).asArrayRef();
    if (over.size() != 1 || over[0] != source.getRank() - 1 || source.dropBack() != g.rowDims) return false;
  } else if (!hasRows(dimsOf(op->getResult(0)), g.rowDims)) return false;
  if (auto gather = dyn_cast<GatherOp>(op)) return dimsOf(gather.getIds()) == g.rowDims && readsRowsOf(gather.getIds(), group) && isa_and_nonnull<UseOp>(gather.getTable().getDefiningOp());
  if (isa<MaskValuesOp>(op)) return dimsOf(op->getResult(0)) == g.rowDims;
  for (auto [i, v] : llvm::enumerate(op->getOperands())) {
    if (isa<LayerNormOp>(op) && i > 0) continue; // gain and bias
    if (isa<UnflattenOp>(op) && i > 0) continue; // offsets
    if (!readsRowsOf(v, group)) return false;
  }
  return true;
}

/// Elementwise work on the product's own tile: other operands are whole tensors of the same extents, vectors along its columns, or constants.
bool KernelGroups::joinsLinear(Operation *op, int group) const {
  const KernelGroup &g = groups[group];
  if (g.kind != KernelGroup::Linear || !isElementwise(op)) return false;
  auto product = cast<LinearOp>(g.ops.front());
  DimsAttr dims = dimsOf(product.getType());
  if (dimsOf(op->getResult(0)) != dims) return false;
  int64_t rank = dims.getRank(), columns = llvm::divideCeilSigned(dims.shape()[rank - 1], panelColumns) * panelColumns;
  for (Value v : op->getOperands()) {
    if (Operation *d = v.getDefiningOp(); d && groupOf.contains(d) && groupOf.lookup(d) == group) continue;
    auto view = rowViewOf(v, rank - 1, copied);
    if (!view) return false;
    Operation *base = view->base.getDefiningOp();
    if (base && groupOf.contains(base) && groupOf.lookup(base) == group) return false; // through a view of the product
    if (!isa<RankedTensorType>(view->base.getType())) continue;                        // a constant
    if (!elementOf(view->base).isF32()) return false;
    if (view->kind != RowView::Contiguous) return false;
    auto first = dyn_cast<AffineConstantExpr>(view->rows.getResults().back());
    DimsAttr baseDims = dimsOf(view->base);
    if (!first || !baseDims.isStatic(baseDims.getRank() - 1)) return false;
    int64_t width = llvm::divideCeilSigned(baseDims.shape().back(), panelColumns) * panelColumns;
    if (first.getValue() + columns > width) return false; // a whole panel would pass the end
    bool vector = view->map.getNumResults() == 1, whole = baseDims.getRank() == rank && baseDims.dropBack() == dims.dropBack();
    for (int64_t i = 0; whole && i + 1 < rank; ++i) whole = view->map.getResult(i) == getAffineDimExpr(i, v.getContext());
    if (!vector && !whole) return false;
  }
  return true;
}

bool KernelGroups::joinsAttention(Operation *op, int group) const {
  const KernelGroup &g = groups[group];
  return g.kind == KernelGroup::Attention && g.ops.size() == 1 && isa<ReshapeOp>(op) && op->getOperand(0) == g.ops.front()->getResult(0) &&
         g.ops.front()->hasOneUse() && dimsOf(op->getResult(0)).getRank() == 2;
}

void KernelGroups::assign(Operation *op) {
  int group = lastGroup(op);
  if (group < 0 || !(joinsRows(op, group) || joinsLinear(op, group) || joinsAttention(op, group))) {
    group = groups.size();
    auto kind = isa<LinearOp>(op) ? KernelGroup::Linear : isa<AttentionOp>(op) ? KernelGroup::Attention : isRowOp(op) || isView(op) ? KernelGroup::Rows : KernelGroup::Alone;
    groups.push_back({kind, {}, kind == KernelGroup::Rows ? rowDimsOf(op) : DimsAttr()});
  }
  groups[group].ops.push_back(op);
  groupOf[op] = group;
}

bool KernelGroups::usedOutside(Operation *op, int group) const {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    if (isFreeHere(user)) return usedOutside(user, group);
    return !groupOf.contains(user) || groupOf.lookup(user) != group;
  });
}

/// A kernel has one result: a group with a second one is cut behind the first, until none is left.
void KernelGroups::cutSecondResults() {
  for (size_t i = 0; i < groups.size(); ++i) {
    auto first = llvm::find_if(groups[i].ops, [&](Operation *op) { return usedOutside(op, i); });
    if (first == groups[i].ops.end() || first + 1 == groups[i].ops.end()) continue;
    KernelGroup rest{KernelGroup::Rows, {first + 1, groups[i].ops.end()}, {}};
    groups[i].ops.erase(first + 1, groups[i].ops.end());
    rest.rowDims = groups[i].kind == KernelGroup::Rows ? groups[i].rowDims : rowDimsOf(rest.ops.front());
    groups.insert(groups.begin() + i + 1, rest);
    for (auto [g, group] : llvm::enumerate(groups))
      for (Operation *op : group.ops) groupOf[op] = g;
    --i; // what stayed may still have two: a value that only the rest uses
  }
}
