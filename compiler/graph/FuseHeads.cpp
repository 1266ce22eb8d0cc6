// Heads as attention takes them: keys and values that a text repeats for groups of heads are read in place, and separate heads, each an attention of
// its own, become one attention. Runs after FuseLinear, before FuseProjections, which then makes one product of the heads' own.
#include "compiler/graph/Fusion.h"
#include "compiler/graph/Passes.h"
#include "dialect/View.h"
#include "mlir/IR/IRMapping.h"
#include <fmt/format.h>

namespace heddle {
#define GEN_PASS_DEF_FUSEHEADS
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

/// What a text repeated for groups of heads: [batch, few, t, d], of which `value` [batch, heads, t, d] has each head `group` times in a row.
Value beforeRepeating(Value value, int64_t &few) {
  DimsAttr whole = dimsOf(value);
  if (whole.getRank() != 4 || !whole.isStatic(1))
    return {};
  int64_t heads = whole.shape()[1];
  MLIRContext *context = value.getContext();
  for (Value source = value; Operation *op = source.getDefiningOp();) {
    if (!isView(op))
      return {};
    source = op->getOperand(0);
    DimsAttr dims = dimsOf(source);
    if (!dims || dims.getRank() != 4 || !dims.isStatic(1) || dims.shape()[1] >= heads || heads % dims.shape()[1] != 0)
      continue;
    SmallVector<AffineExpr> at;
    for (unsigned i = 0; i < 4; ++i)
      at.push_back(getAffineDimExpr(i, context));
    few = dims.shape()[1];
    at[1] = few == 1 ? getAffineConstantExpr(0, context) : at[1].floorDiv(heads / few);
    Stops stops;
    if (Operation *stop = source.getDefiningOp())
      stops.insert(stop);
    auto view = viewOf(value, stops);
    if (view && view->base == source && view->map == AffineMap::get(4, 0, at, context) && dims.without(1) == whole.without(1))
      return source;
  }
  return {};
}

/// attention(q, repeat(k), repeat(v))  ->  attention(q, k, v) with groups of heads
LogicalResult groupHeads(AttentionOp op) {
  int64_t ofKeys = 0, ofValues = 0;
  Value key = beforeRepeating(op.getKey(), ofKeys), value = beforeRepeating(op.getValue(), ofValues);
  if (!key && !value)
    return failure();
  if (!key || !value || ofKeys != ofValues)
    return reportMissed(
        op, "grouped heads",
        key && value ? fmt::format("{} heads of keys are repeated, and {} of values", ofKeys, ofValues)
                     : fmt::format("the {} are repeated for groups of heads, the {} are not", key ? "keys" : "values", key ? "values" : "keys"),
        "give keys and values as many heads");
  OpBuilder b(op);
  IRMapping to;
  to.map(op.getKey(), key);
  to.map(op.getValue(), value);
  return replaceFused(op, b.clone(*op, to), {}, "grouped heads");
}

/// [batch, tokens, d] of a head [batch, 1, tokens, d], where it is that.
Value withoutHeadAxis(Value head) {
  auto reshape = head.getDefiningOp<ReshapeOp>();
  return reshape && dimsOf(reshape.getSource()) == dimsOf(head).without(1) ? reshape.getSource() : Value();
}

class HeadJoiner {
public:
  explicit HeadJoiner(ConcatOp root) : root(root), b(root) {}

  /// concat(attention(q1, k1, v1), attention(q2, k2, v2))  ->  join(attention(heads(concat(q1, q2)), ..))
  LogicalResult run() {
    DimsAttr result = dimsOf(root.getType());
    if (root.getSources().size() < 2 || result.getRank() != 3 || root.getAxis() != 2)
      return failure();
    for (Value source : root.getSources()) {
      auto reshape = source.getDefiningOp<ReshapeOp>();
      auto head = reshape ? reshape.getSource().getDefiningOp<AttentionOp>() : AttentionOp();
      if (!head || dimsOf(head.getType()).getRank() != 4 || head.heads() != 1 || dimsOf(source) != dimsOf(head.getType()).without(1))
        return failure();
      heads.push_back(head);
      if (!reshape->hasOneUse() || !head->hasOneUse())
        return missed("a head is read alone too");
    }
    AttentionOp like = heads.front();
    for (AttentionOp head : heads) {
      if (head.getMask() != like.getMask())
        return missed("the heads have different masks");
      if (head.getScale() != like.getScale())
        return missed(fmt::format("the heads have scales {} and {}", like.getScale().convertToDouble(), head.getScale().convertToDouble()));
      if (head.getQuery().getType() != like.getQuery().getType() || head.getKey().getType() != like.getKey().getType() ||
          head.getValue().getType() != like.getValue().getType())
        return missed("the heads have different widths");
    }
    Value query = side([](AttentionOp head) { return head.getQuery(); }, "queries");
    Value key = query ? side([](AttentionOp head) { return head.getKey(); }, "keys") : Value();
    Value value = key ? side([](AttentionOp head) { return head.getValue(); }, "values") : Value();
    if (!value)
      return failure(); // told
    if (dimsOf(key).extent(1) != dimsOf(value).extent(1))
      return missed("the keys are one for all heads, or the values are, and not both");
    return make(query, key, value);
  }

private:
  ConcatOp root;
  OpBuilder b;
  SmallVector<AttentionOp> heads;

  LogicalResult missed(const std::string &reason) { return reportMissed(root, "attention of all heads", reason); }

  /// The heads' queries, keys or values as one [batch, heads, tokens, d], or the one that all share. Null if they cannot be joined in place.
  Value side(function_ref<Value(AttentionOp)> of, StringRef what) {
    Value first = of(heads.front());
    bool shared = llvm::all_of(heads, [&](AttentionOp head) { return of(head) == first; });
    if (shared && first != heads.front().getQuery())
      return first;
    SmallVector<Value> parts;
    Value x;
    for (AttentionOp head : heads) {
      Value part = withoutHeadAxis(of(head));
      auto linear = part ? part.getDefiningOp<LinearOp>() : LinearOp();
      if (!linear || !linear->hasOneUse() || !of(head).hasOneUse() || (x && linear.getX() != x)) {
        (void)missed(fmt::format("the {} of the heads are no products of the same rows that nobody else reads", what.str()));
        return {};
      }
      x = linear.getX();
      parts.push_back(part);
    }
    int64_t count = parts.size();
    DimsAttr one = dimsOf(parts.front()), both = DimsAttr::fixed(b.getContext(), {count}).concat(one.extent(2));
    Type element = elementOf(x);
    Value all = ConcatOp::create(b, root.getLoc(), one.dropBack().concat(both.product()).tensorOf(element), parts, 2);
    Value cut = ReshapeOp::create(b, root.getLoc(), one.dropBack().concat(both).tensorOf(element), all);
    return TransposeOp::create(b, root.getLoc(), dimsOf(cut).select({0, 2, 1, 3}).tensorOf(element), cut, ArrayRef<int64_t>{0, 2, 1, 3});
  }

  LogicalResult make(Value query, Value key, Value value) {
    AttentionOp like = heads.front();
    Type element = elementOf(query);
    DimsAttr dims = dimsOf(query).dropBack().concat(dimsOf(value).extent(3));
    Value none;
    auto made =
        AttentionOp::create(b, root.getLoc(), dims.tensorOf(element), query, key, value, like.getMask(), none, none, none, none, like.getScaleAttr());
    Value tokens = TransposeOp::create(b, root.getLoc(), dims.select({0, 2, 1, 3}).tensorOf(element), made, ArrayRef<int64_t>{0, 2, 1, 3});
    return replaceFused(root, made, ReshapeOp::create(b, root.getLoc(), root.getType(), tokens));
  }
};

struct FuseHeads : heddle::impl::FuseHeadsBase<FuseHeads> {
  void runOnOperation() override {
    SmallVector<AttentionOp> attentions;
    SmallVector<ConcatOp> concats;
    getOperation().walk([&](Operation *op) {
      if (auto attention = dyn_cast<AttentionOp>(op))
        attentions.push_back(attention);
      if (auto concat = dyn_cast<ConcatOp>(op))
        concats.push_back(concat);
    });
    for (AttentionOp attention : attentions)
      fused += succeeded(groupHeads(attention));
    for (ConcatOp concat : concats)
      fused += succeeded(HeadJoiner(concat).run());
    if (failed(finishFusion(getOperation())))
      signalPassFailure();
  }
};
} // namespace
