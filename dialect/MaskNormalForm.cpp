// Masks that say the same become the same: a list of score changes, in the order they happen, then of what hides, each kind once, in one order.
// What hides commutes with everything, since nobody reads the score of a hidden pair; score changes do not commute with each other.
#include "dialect/Heddle.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

namespace {

constexpr int lastPlace = 6;
/// The place of a mask in the list; score changes come first.
int placeOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, int>(op)
      .Case([](MaskCausalOp) { return 1; })
      .Case([](MaskWindowOp) { return 2; })
      .Case([](MaskPrefixOp) { return 3; })
      .Case([](MaskSegmentsOp) { return 4; })
      .Case([](MaskTokensOp) { return 5; })
      .Case([](MaskTensorOp) { return lastPlace; })
      .Default([](Operation *) { return 0; });
}

bool isUnlimited(Value mask) {
  auto window = mask ? mask.getDefiningOp<MaskWindowOp>() : MaskWindowOp();
  return window && !window.getLeft() && !window.getRight();
}

struct Limits {
  std::optional<int64_t> left, right;

  static void tighten(std::optional<int64_t> &limit, std::optional<uint64_t> by) {
    if (by)
      limit = std::min(limit.value_or(INT64_MAX), static_cast<int64_t>(*by));
  }
  bool operator==(const Limits &) const = default;
};

/// The masks that a tree of `and` joins, as few as say it.
class MaskList {
public:
  MaskList(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  /// False where a mask is made elsewhere.
  bool collect(Value mask) {
    Operation *op = mask.getDefiningOp();
    if (auto both = dyn_cast_or_null<MaskAndOp>(op)) {
      straight &= !both.getLhs().getDefiningOp<MaskAndOp>();
      return collect(both.getLhs()) && collect(both.getRhs());
    }
    if (op)
      found.push_back(op);
    return op;
  }

  /// The list in its normal form, or nothing where it is in it.
  std::optional<SmallVector<Value>> normal() {
    SmallVector<Operation *> list;
    for (Operation *op : found) {
      auto same = [&](Operation *other) {
        return placeOf(op) > 0 && OperationEquivalence::isEquivalentTo(op, other, OperationEquivalence::IgnoreLocations);
      };
      if (llvm::none_of(list, same) && !isUnlimited(op->getResult(0)))
        list.push_back(op);
    }
    joinWindows(list);
    joinTokens(list);
    SmallVector<Operation *> sorted;
    for (int place = 0; place <= lastPlace; ++place)
      llvm::copy_if(list, std::back_inserter(sorted), [&](Operation *op) { return placeOf(op) == place; });
    if (straight && sorted == found)
      return std::nullopt;
    return llvm::map_to_vector(sorted, [](Operation *op) -> Value { return op->getResult(0); });
  }

private:
  OpBuilder &b;
  Location loc;
  SmallVector<Operation *> found;
  bool straight = true; // m and (m and (m ..))

  template <typename Op> static bool has(ArrayRef<Operation *> list) { return llvm::any_of(list, llvm::IsaPred<Op>); }
  template <typename Op> static void drop(SmallVector<Operation *> &list) { llvm::erase_if(list, llvm::IsaPred<Op>); }

  /// window and window -> the tighter; causal says what a right limit of 1 says, and hides more than a prefix.
  void joinWindows(SmallVector<Operation *> &list) {
    Limits limits;
    int64_t count = llvm::count_if(list, llvm::IsaPred<MaskWindowOp>);
    Operation *first = nullptr;
    for (Operation *op : list)
      if (auto window = dyn_cast<MaskWindowOp>(op)) {
        first = first ? first : op;
        Limits::tighten(limits.left, window.getLeft());
        Limits::tighten(limits.right, window.getRight());
      }
    Limits before = limits;
    bool causal = has<MaskCausalOp>(list);
    if (limits.right && (*limits.right == 1 || (causal && *limits.right > 1))) {
      limits.right = std::nullopt;
      if (!causal)
        list.push_back(MaskCausalOp::create(b, loc, MaskType::get(b.getContext())).getOperation());
    } else if (limits.right && causal) {
      drop<MaskCausalOp>(list); // no query sees itself
    }
    if (has<MaskCausalOp>(list) || (limits.right && *limits.right <= 1))
      drop<MaskPrefixOp>(list);
    if (count == 1 && limits == before)
      return;
    drop<MaskWindowOp>(list);
    auto limit = [&](std::optional<int64_t> value) { return value ? b.getI64IntegerAttr(*value) : IntegerAttr(); };
    if (limits.left || limits.right)
      list.push_back(MaskWindowOp::create(b, loc, MaskType::get(b.getContext()), limit(limits.left), limit(limits.right)).getOperation());
  }

  /// tokens and tokens -> one of them
  void joinTokens(SmallVector<Operation *> &list) {
    if (llvm::count_if(list, llvm::IsaPred<MaskTokensOp>) < 2)
      return;
    Value queries, keys;
    auto join = [&](Value all, Value one) -> Value {
      return !all || !one ? (all ? all : one) : all == one ? all : arith::AndIOp::create(b, loc, all, one).getResult();
    };
    for (Operation *op : list)
      if (auto tokens = dyn_cast<MaskTokensOp>(op)) {
        queries = join(queries, tokens.getQueries());
        keys = join(keys, tokens.getKeys());
      }
    drop<MaskTokensOp>(list);
    list.push_back(MaskTokensOp::create(b, loc, MaskType::get(b.getContext()), queries, keys).getOperation());
  }
};

Value unlimited(OpBuilder &b, Location loc) { return MaskWindowOp::create(b, loc, MaskType::get(b.getContext()), IntegerAttr(), IntegerAttr()); }

Value join(OpBuilder &b, Location loc, ArrayRef<Value> masks) {
  Value all;
  for (Value mask : llvm::reverse(masks))
    all = all ? MaskAndOp::create(b, loc, mask.getType(), mask, all).getResult() : mask;
  return all ? all : unlimited(b, loc);
}

/// a and b and c .. -> their normal form
struct MaskAndToNormalForm : OpRewritePattern<MaskAndOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MaskAndOp op, PatternRewriter &rewriter) const override {
    if (llvm::any_of(op->getUsers(), llvm::IsaPred<MaskAndOp>))
      return rewriter.notifyMatchFailure(op, "part of a larger list");
    MaskList list(rewriter, op.getLoc());
    if (!list.collect(op))
      return rewriter.notifyMatchFailure(op, "a mask that is made elsewhere");
    auto normal = list.normal();
    if (!normal)
      return rewriter.notifyMatchFailure(op, "in its normal form");
    rewriter.replaceOp(op, join(rewriter, op.getLoc(), *normal));
    return success();
  }
};

/// window right 1 -> causal
struct WindowToCausal : OpRewritePattern<MaskWindowOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MaskWindowOp op, PatternRewriter &rewriter) const override {
    if (!op.getRight() || *op.getRight() != 1)
      return rewriter.notifyMatchFailure(op, "keys behind the query are seen, or it does not see itself");
    Value causal = MaskCausalOp::create(rewriter, op.getLoc(), op.getType());
    if (op.getLeft()) {
      Value left = MaskWindowOp::create(rewriter, op.getLoc(), op.getType(), op.getLeftAttr(), IntegerAttr());
      causal = MaskAndOp::create(rewriter, op.getLoc(), op.getType(), causal, left);
    }
    rewriter.replaceOp(op, causal);
    return success();
  }
};

/// A mask that hides nothing -> none
template <typename Op> struct UnlimitedToNone : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isUnlimited(op.getMask()))
      return rewriter.notifyMatchFailure(op, "a mask that hides something, or none");
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    return success();
  }
};
} // namespace

void MaskAndOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) { patterns.add<MaskAndToNormalForm>(context); }
void MaskWindowOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) { patterns.add<WindowToCausal>(context); }
void MaskValuesOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<UnlimitedToNone<MaskValuesOp>>(context);
}
void AttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<UnlimitedToNone<AttentionOp>>(context);
}
