// softmax(scale * (q @ k^T), changed and hidden) @ v in whatever spelling becomes attention, which never makes the scores. Runs after FuseSoftmax,
// before FuseLinear.
#include "compiler/graph/Formula.h"
#include "compiler/graph/Fusion.h"
#include "compiler/graph/Passes.h"
#include "compiler/support/Location.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <fmt/format.h>

namespace heddle {
#define GEN_PASS_DEF_FUSEATTENTION
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

class AttentionFuser {
public:
  AttentionFuser(MatmulOp root, SoftmaxOp softmax) : root(root), softmax(softmax), formula(softmax.getSource()), b(root) {}
  LogicalResult run();

private:
  MatmulOp root;
  SoftmaxOp softmax;
  Formula formula; // of the scores, in their space [.., query, key]
  OpBuilder b;
  // What the scores are, from the outside in.
  SmallVector<Value> changes; // values of !heddle.mask, the last one nearest to the product
  double scale = 1;
  bool scaled = false, capped = false;
  SmallVector<std::pair<Term, bool>> factors; // tensors that multiply, or divide, the scores; the same for all keys
  int budget = 256;                           // ops that leadsToProduct may still look at: values used twice have many paths

  LogicalResult missed(const std::string &reason, const std::string &remedy = {}) { return reportMissed(root, "attention", reason, remedy); }
  Type maskType() { return MaskType::get(b.getContext()); }
  std::string otherUse(Operation *op, Operation *known);
  FailureOr<MatmulOp> product(Term term);
  LogicalResult step(Term &term);
  LogicalResult stepProduct(Term &term);
  LogicalResult stepSum(Term &term);
  LogicalResult stepSelect(Term &term, arith::SelectOp select);
  LogicalResult stepCap(Term &term);
  bool leadsToProduct(const Term &term);
  Value spread(const Term &term, ArrayRef<int64_t> kept, DimsAttr target);
  Value overPairs(const Term &term);
  Value swapped(Value matrix);
  Value withHeads(Value value);
  Value scaledQuery(Value query);
  Value timesFactors(Value query);
};

/// Where else a value is read, in the user's terms.
std::string AttentionFuser::otherUse(Operation *op, Operation *known) {
  for (Operation *user : op->getUsers())
    if (user != known)
      if (Place place = placeOf(user->getLoc()); place.line)
        return fmt::format(" at line {}", place.line);
  return "";
}

/// The term's value repeated to `target`, whose first axes are the axes `kept` of the scores' space. Null for one number, and where it is rearranged.
Value AttentionFuser::spread(const Term &term, ArrayRef<int64_t> kept, DimsAttr target) {
  if (!isa<RankedTensorType>(term.view.base.getType()))
    return {};
  DimsAttr base = dimsOf(term.view.base);
  SmallVector<int64_t> axes, own; // of the target, of the base
  for (auto [i, e] : llvm::enumerate(term.view.map.getResults())) {
    if (auto dim = dyn_cast<AffineDimExpr>(e)) {
      axes.push_back(llvm::find(kept, dim.getPosition()) - kept.begin());
      own.push_back(i);
    } else if (!isa<AffineConstantExpr>(e) || !base.isStatic(i) || base.shape()[i] != 1)
      return {};
  }
  Location place = root.getLoc();
  Value value = term.view.base;
  if (static_cast<int64_t>(own.size()) < base.getRank())
    value = ReshapeOp::create(b, place, base.select(own).tensorOf(elementOf(value)), value);
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, axes.size()));
  llvm::sort(order, [&](int64_t a, int64_t c) { return axes[a] < axes[c]; });
  if (!llvm::is_sorted(axes)) {
    value = TransposeOp::create(b, place, dimsOf(value).select(order).tensorOf(elementOf(value)), value, order);
    llvm::sort(axes);
  }
  return static_cast<int64_t>(axes.size()) == target.getRank() ? value
                                                               : BroadcastOp::create(b, place, target.tensorOf(elementOf(value)), value, axes);
}

/// A value of all pairs as mask_tensor and bias_tensor take it: without the heads and the batch where it is the same for all of them.
Value AttentionFuser::overPairs(const Term &term) {
  DimsAttr space = dimsOf(softmax.getSource());
  int64_t rank = space.getRank();
  auto depends = [&](int64_t axis) { return term.view.map.isFunctionOfDim(axis); };
  bool heads = llvm::any_of(llvm::seq<int64_t>(1, rank - 2), depends), batch = heads || depends(0);
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < rank; ++i)
    if (i >= rank - 2 || (i == 0 ? batch : heads))
      kept.push_back(i);
  Value value = spread(term, kept, space.select(kept));
  return value && heads ? withHeads(value) : value;
}

bool AttentionFuser::leadsToProduct(const Term &term) {
  Operation *op = term.view.base.getDefiningOp();
  if (!op || isa<MatmulOp>(op))
    return op;
  if (--budget < 0)
    return false;
  if (!op->hasTrait<OpTrait::Elementwise>() && !isa<MaskScoresOp>(op))
    return false;
  unsigned first = isa<arith::SelectOp>(op) ? 1 : 0, count = isa<MaskScoresOp>(op) ? 1 : op->getNumOperands();
  return llvm::any_of(llvm::seq(first, count), [&](unsigned i) { return leadsToProduct(formula.operand(term, op->getOperand(i))); });
}

/// scores * number, scores * tensor, scores / number, scores / tensor
LogicalResult AttentionFuser::stepProduct(Term &term) {
  Operation *op = term.view.base.getDefiningOp();
  Term left = formula.operand(term, op->getOperand(0)), right = formula.operand(term, op->getOperand(1));
  bool divides = isa<arith::DivFOp>(op);
  if (leadsToProduct(right)) {
    if (divides || leadsToProduct(left))
      return missed(divides ? "something is divided by the scores" : "two products are multiplied before softmax");
    std::swap(left, right);
  }
  auto n = formula.number(right);
  if (!n && right.view.map.isFunctionOfDim(right.view.map.getNumDims() - 1))
    return missed("the scores are multiplied with a tensor that differs from key to key",
                  "a mask hides scores: write where(seen, scores, -infinity)");
  if (!n)
    factors.push_back({right, divides});
  else
    scale *= divides ? 1 / *n : *n;
  scaled = true;
  term = left;
  return success();
}

/// scores + bias, scores - bias, bias - scores
LogicalResult AttentionFuser::stepSum(Term &term) {
  Operation *op = term.view.base.getDefiningOp();
  Term left = formula.operand(term, op->getOperand(0)), right = formula.operand(term, op->getOperand(1));
  bool leftIs = leadsToProduct(left), rightIs = leadsToProduct(right);
  if (leftIs && rightIs)
    return missed("two products are added before softmax");
  if (scaled)
    return missed("the scores are scaled after something was added to them", "scale the product, then add");
  if (capped)
    return missed("the scores are capped after something was added to them: -infinity hides nothing then", "cap the product, then add");
  bool subtracted = isa<arith::SubFOp>(op);
  if (rightIs)
    std::swap(left, right);
  if (auto n = formula.number(right))
    return missed(fmt::format("{} is added to every score, which changes nothing", *n), "leave it out");
  Value values = overPairs(right);
  if (!values)
    return missed("what is added to the scores is rearranged in a way that is not understood");
  if (subtracted && leftIs)
    values = arith::NegFOp::create(b, op->getLoc(), values);
  changes.push_back(BiasTensorOp::create(b, op->getLoc(), maskType(), values));
  if (subtracted && rightIs)
    scale = -scale, scaled = true;
  term = left;
  return success();
}

/// where(seen, scores, -infinity) and where(hidden, -infinity, scores)
LogicalResult AttentionFuser::stepSelect(Term &term, arith::SelectOp select) {
  Term condition = formula.operand(term, select.getCondition());
  Term yes = formula.operand(term, select.getTrueValue()), no = formula.operand(term, select.getFalseValue());
  auto number = formula.number(no);
  bool inverted = !number;
  if (inverted)
    number = formula.number(yes);
  if (!number)
    return missed("a choice between two scores is no mask");
  if (*number != -std::numeric_limits<double>::infinity())
    return missed(fmt::format("hidden scores are {}, a number like any other", *number), "write -infinity: a row that sees nothing then gives 0");
  if (scaled)
    return missed("the scores are scaled after they were masked", "scale the product, then mask");
  if (capped)
    return missed("the scores are capped after they were masked, which hides nothing then", "cap the product, then mask");
  Value values = overPairs(condition);
  if (!values)
    return missed("the mask is rearranged in a way that is not understood");
  if (inverted) {
    Value truth = arith::ConstantOp::create(b, select.getLoc(), b.getBoolAttr(true));
    Value all = BroadcastOp::create(b, select.getLoc(), cast<RankedTensorType>(values.getType()), truth, ArrayRef<int64_t>());
    values = arith::XOrIOp::create(b, select.getLoc(), values, all);
  }
  changes.push_back(MaskTensorOp::create(b, select.getLoc(), maskType(), values));
  term = inverted ? no : yes;
  return success();
}

/// cap * tanh(scores / cap)
LogicalResult AttentionFuser::stepCap(Term &term) {
  double cap = scale;
  scale = 1, scaled = false;
  Term inside = formula.operand(term, term.op<math::TanhOp>().getOperand());
  Product product = formula.product(inside);
  if (!factors.empty())
    return missed("the scores are capped at a tensor");
  if (product.factors.size() != 1 || !product.divisors.empty())
    return missed("tanh is taken of something else than scaled scores");
  if (!(cap > 0))
    return missed(fmt::format("the scores are capped at {}", cap));
  capped = true;
  changes.push_back(SoftcapOp::create(b, root.getLoc(), maskType(), b.getF64FloatAttr(cap)));
  scale = product.number * cap; // tanh(scores / cap): what is left multiplies the product
  scaled = !isClose(scale, 1);
  if (!scaled)
    scale = 1;
  term = product.factors.front();
  return success();
}

/// One op from the outside in; `term` becomes what is inside.
LogicalResult AttentionFuser::step(Term &term) {
  Operation *op = term.view.base.getDefiningOp();
  if (!op || !leadsToProduct(term))
    return failure();
  if (!op->hasOneUse()) // others would need the scores
    return missed("the scores have a second use" + otherUse(op, nullptr), "compute them apart for that use, or do without");
  if (isa<arith::MulFOp, arith::DivFOp>(op))
    return stepProduct(term);
  if (isa<arith::NegFOp>(op)) {
    scale = -scale, scaled = true;
    term = formula.operand(term, op->getOperand(0));
    return success();
  }
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    return stepSum(term);
  if (auto mask = dyn_cast<MaskScoresOp>(op)) {
    if (scaled)
      return missed("the scores are scaled after they were masked or biased", "scale the product first");
    if (capped)
      return missed("the scores are capped after they were masked or biased: -infinity hides nothing then", "cap the product first");
    changes.push_back(mask.getMask());
    term = formula.operand(term, mask.getScores());
    return success();
  }
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return stepSelect(term, select);
  if (isa<math::TanhOp>(op))
    return stepCap(term);
  return missed("the scores pass through " + op->getName().stripDialect().str() + " between their product and softmax");
}

FailureOr<MatmulOp> AttentionFuser::product(Term term) {
  while (!term.op<MatmulOp>())
    if (failed(step(term)))
      return failure();
  auto made = term.op<MatmulOp>();
  if (!term.view.map.isIdentity() || dimsOf(made.getType()) != dimsOf(softmax.getSource()))
    return missed("the scores are rearranged between their product and softmax");
  if (!made->hasOneUse())
    return missed("the scores have a second use" + otherUse(made, nullptr), "compute them apart for that use, or do without");
  return made;
}

/// [.., a, b] -> [.., b, a]
Value AttentionFuser::swapped(Value matrix) {
  int64_t rank = dimsOf(matrix).getRank();
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(order[rank - 1], order[rank - 2]);
  if (auto transpose = matrix.getDefiningOp<TransposeOp>()) { // of a transpose: one
    SmallVector<int64_t> both;
    for (int64_t axis : order)
      both.push_back(transpose.getPermutation()[axis]);
    if (llvm::is_sorted(both))
      return transpose.getSource();
    return TransposeOp::create(b, matrix.getLoc(), dimsOf(transpose.getSource()).select(both).tensorOf(elementOf(matrix)), transpose.getSource(),
                               both);
  }
  return TransposeOp::create(b, matrix.getLoc(), dimsOf(matrix).select(order).tensorOf(elementOf(matrix)), matrix, order);
}

/// [batch, .., s, d] -> [batch, heads, s, d]: all axes between are heads, without one there is one head.
Value AttentionFuser::withHeads(Value value) {
  DimsAttr dims = dimsOf(value);
  int64_t rank = dims.getRank();
  if (rank == 4)
    return value;
  DimsAttr heads = rank == 3 ? DimsAttr::fixed(b.getContext(), {1}) : dims.select(llvm::to_vector(llvm::seq<int64_t>(1, rank - 2))).product();
  DimsAttr made = dims.extent(0).concat(heads).concat(dims.dropFront(rank - 2));
  return ReshapeOp::create(b, value.getLoc(), made.tensorOf(elementOf(value)), value);
}

/// A number that multiplies the queries alone is the scale.
Value AttentionFuser::scaledQuery(Value query) {
  auto times = query.getDefiningOp();
  if (!times || !isa<arith::MulFOp, arith::DivFOp>(times) || !times->hasOneUse())
    return query;
  Formula whole(query);
  Product product = whole.product(whole.root);
  if (product.factors.size() != 1 || !product.divisors.empty() || !product.factors[0].whole)
    return query;
  scale *= product.number;
  return product.factors[0].whole;
}

/// What multiplies scores alike for all keys multiplies their query.
Value AttentionFuser::timesFactors(Value query) {
  DimsAttr dims = dimsOf(query);
  auto kept = llvm::to_vector(llvm::seq<int64_t>(0, dims.getRank() - 1));
  for (auto &[factor, divides] : factors) {
    Value other = spread(factor, kept, dims);
    if (!other)
      return {};
    query = divides ? arith::DivFOp::create(b, root.getLoc(), query, other).getResult() : arith::MulFOp::create(b, root.getLoc(), query, other);
  }
  return query;
}

LogicalResult AttentionFuser::run() {
  DimsAttr space = dimsOf(softmax.getSource());
  int64_t rank = space.getRank();
  if (!leadsToProduct(formula.root))
    return failure(); // weights of something else
  if (softmax.getAxis() != static_cast<uint64_t>(rank - 1))
    return missed("softmax runs along the queries, not along the keys", "write softmax(scores), which takes the last axis");
  if (root.getLhs() != softmax)
    return missed("the weights are changed between softmax and the values", "change the scores or the result");
  if (!softmax->hasOneUse())
    return missed("the weights have a second use" + otherUse(softmax, root), "leave them out, or compute them apart");
  if (rank < 3 || !llvm::all_of(llvm::seq<int64_t>(1, rank - 2), [&](int64_t axis) { return space.isStatic(axis); }))
    return missed("expected scores [batch, query, key] or [batch, heads, query, key]");
  auto scores = product(formula.root);
  if (failed(scores))
    return failure();
  Value query = scaledQuery(scores->getLhs()), key = scores->getRhs(), value = root.getRhs();
  if (dimsOf(value).getRank() != rank || dimsOf(key).getRank() != rank)
    return missed("keys or values are one matrix for all rows");
  query = timesFactors(query);
  if (!query)
    return missed("the scores are multiplied with a tensor that is rearranged in a way that is not understood");
  Value mask;
  for (Value change : changes) // the last one comes first
    mask = mask ? MaskAndOp::create(b, root.getLoc(), maskType(), change, mask).getResult() : change;
  Value none, q = withHeads(query), k = withHeads(swapped(key)), v = withHeads(value);
  DimsAttr result = dimsOf(q).dropBack().concat(dimsOf(v).extent(3));
  Type type = result.tensorOf(elementOf(value));
  Value made = AttentionOp::create(b, root.getLoc(), type, q, k, v, mask, none, none, none, none, b.getF64FloatAttr(scale));
  return replaceFused(root, made.getDefiningOp(), rank == 4 ? made : ReshapeOp::create(b, root.getLoc(), root.getType(), made).getResult());
}

/// The softmax whose weights reach `value`, perhaps changed on the way.
SoftmaxOp softmaxBehind(Value value, int depth = 4) {
  Operation *op = value.getDefiningOp();
  if (auto softmax = dyn_cast_or_null<SoftmaxOp>(op))
    return softmax;
  if (!op || depth == 0 || !(isView(op) || isa<arith::MulFOp, arith::DivFOp, arith::AddFOp, arith::SubFOp, arith::SelectOp>(op)))
    return {};
  for (Value operand : op->getOperands())
    if (SoftmaxOp softmax = softmaxBehind(operand, depth - 1))
      return softmax;
  return {};
}

struct FuseAttention : heddle::impl::FuseAttentionBase<FuseAttention> {
  void runOnOperation() override {
    SmallVector<std::pair<MatmulOp, SoftmaxOp>> roots;
    getOperation().walk([&](MatmulOp op) {
      if (SoftmaxOp softmax = softmaxBehind(op.getLhs()))
        roots.push_back({op, softmax});
    });
    for (auto [root, softmax] : roots)
      if (succeeded(AttentionFuser(root, softmax).run()))
        ++fused;
    if (failed(finishFusion(getOperation())))
      signalPassFailure();
  }
};
} // namespace
