// Products with weight matrices, and their biases, become the op `linear`, which kernels are made for. Runs after FoldRecipes, which leaves weights
// as plain uses, and after FuseAttention, whose products are of two activations. Activations and residuals stay ops of their own: the linalg stage
// runs them on the product's tiles.
#include "compiler/graph/Formula.h"
#include "compiler/graph/Fusion.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/WeightTable.h"
#include "compiler/support/Location.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include <fmt/format.h>

namespace heddle {
#define GEN_PASS_DEF_FUSELINEAR
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

/// A sum (or difference) of a product and a bias.
struct Biased {
  Operation *sum;
  UseOp bias;
  SmallVector<Operation *> views; // from the product to the sum, each the only reader of the one before
};

class LinearFuser {
public:
  LinearFuser(MatmulOp root, WeightTable &weights) : root(root), weights(weights), b(root) {}

  LogicalResult run() {
    if (auto weight = root.getRhs().getDefiningOp<UseOp>(); weight && dimsOf(weight.getResult()).getRank() == 2)
      return make(root.getLhs(), weight.getResult(), false);
    if (UseOp weight = leftWeight())
      return make(swapped(root.getRhs()), transposed(weight), true);
    return noWeight();
  }

private:
  MatmulOp root;
  WeightTable &weights;
  OpBuilder b;

  /// The matrix W [m, k] of W @ x, the same for all rows.
  UseOp leftWeight() {
    auto view = viewOf(root.getLhs());
    auto use = view ? view->base.getDefiningOp<UseOp>() : UseOp();
    int64_t rank = dimsOf(root.getLhs()).getRank();
    if (!use || dimsOf(root.getRhs()).getRank() != rank || view->map != AffineMap::getMinorIdentityMap(rank, 2, b.getContext()))
      return {};
    return use;
  }
  /// [.., a, b] -> [.., b, a]
  Value swapped(Value value) {
    int64_t rank = dimsOf(value).getRank();
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::swap(order[rank - 1], order[rank - 2]);
    return b.createOrFold<TransposeOp>(root.getLoc(), dimsOf(value).select(order).tensorOf(elementOf(value)), value, order);
  }
  Value transposed(UseOp use) {
    WeightOp weight = weights.lookup(use.getWeightAttr());
    Attribute recipe = transposedRecipe(weight.getRecipe(), {1, 0});
    return WeightTable::use(b, use.getLoc(), weights.get(weight.getLoc(), (weight.getSymName() + ".transposed").str(), recipe, weight));
  }

  /// A product of two activations is what it should be; one matrix for all rows that is no weight is told.
  LogicalResult noWeight() {
    if (dimsOf(root.getRhs()).getRank() != 2)
      return failure();
    auto view = viewOf(root.getRhs());
    if (view && isa<BlockArgument>(view->base))
      return reportMissed(root, "linear", "the right side is an argument of the entry, not a weight");
    if (!isOfWeights(root.getRhs()))
      return failure();
    return reportMissed(root, "linear", "the right side is computed from weights at every run", "store the matrix as one weight");
  }
  bool isOfWeights(Value value) {
    SmallVector<Value> work{value};
    llvm::DenseSet<Value> seen;
    for (size_t i = 0; i < work.size(); ++i) {
      Operation *op = work[i].getDefiningOp();
      if (!op || isa<PositionsOp>(op))
        return false;
      for (Value operand : op->getOperands())
        if (seen.insert(operand).second)
          work.push_back(operand);
    }
    return true;
  }

  LogicalResult make(Value x, Value weight, bool onLeft) {
    DimsAttr columns = dimsOf(weight).extent(1);
    Type type = dimsOf(x).dropBack().concat(columns).tensorOf(elementOf(weight));
    bool off = isFusionOff(root, "linear");
    auto biased = off ? std::nullopt : biasOf(root.getResult(), onLeft);
    if (!biased) {
      auto made = LinearOp::create(b, root.getLoc(), type, x, weight, Value());
      Value result = onLeft ? swapped(made) : made.getResult();
      return off ? replaceFormula(root, result) : replaceFused(root, made, result); // kernels have no other product with a weight
    }
    b.setInsertionPoint(biased->sum);
    Location place = b.getFusedLoc({root.getLoc(), biased->sum->getLoc()});
    auto made = LinearOp::create(b, place, type, x, weight, vectorOf(*biased));
    Value result = onLeft ? swapped(made) : made.getResult();
    for (Operation *view : biased->views) { // the bias is added before them
      IRMapping to;
      to.map(view->getOperand(0), result);
      result = b.clone(*view, to)->getResult(0);
    }
    return replaceFused(biased->sum, made, result);
  }

  /// The bias as [n], with the sign it has in the sum.
  Value vectorOf(const Biased &biased) {
    UseOp use = biased.bias;
    WeightOp weight = weights.lookup(use.getWeightAttr());
    RankedTensorType type = weight.getTensorType();
    Attribute recipe = weight.getRecipe();
    std::string name = weight.getSymName().str();
    if (type.getRank() != 1)
      recipe = reshapedRecipe(recipe, {type.getNumElements()}), name += ".reshaped";
    if (isa<arith::SubFOp>(biased.sum)) // y - b has the bits of y + (-b)
      recipe = ScaleRecipeAttr::get(b.getContext(), recipe, b.getF64FloatAttr(-1)), name += ".times";
    return WeightTable::use(b, use.getLoc(), weights.get(weight.getLoc(), name, recipe, weight));
  }

  /// What is added to the product, through views of it, by its only reader.
  std::optional<Biased> biasOf(Value product, bool onLeft) {
    Biased result{nullptr, {}, {}};
    for (Value value = product;;) {
      for (Operation *user : value.getUsers())
        if (UseOp bias = addedTo(product, value, user, onLeft)) {
          if (!value.hasOneUse()) {
            reportSecondUse(value, user);
            return std::nullopt;
          }
          result.sum = user, result.bias = bias;
          return result;
        }
      if (!value.hasOneUse() || !isView(*value.user_begin()))
        return std::nullopt;
      result.views.push_back(*value.user_begin());
      value = result.views.back()->getResult(0);
    }
  }
  void reportSecondUse(Value value, Operation *sum) {
    std::string line;
    for (Operation *user : value.getUsers())
      if (Place place = placeOf(user->getLoc()); user != sum && place.line)
        line = fmt::format(" at line {}", place.line);
    (void)reportMissed(sum, "linear with bias", "the product without its bias has a second use" + line, "add the bias for that use too");
  }

  /// The weight vector along the product's columns that `sum` adds to `value`, a view of the product; else nothing.
  UseOp addedTo(Value product, Value value, Operation *sum, bool onLeft) {
    bool left = sum->getNumOperands() == 2 && sum->getOperand(0) == value;
    if (!(isa<arith::AddFOp>(sum) || (isa<arith::SubFOp>(sum) && left)))
      return {};
    Value other = sum->getOperand(left ? 1 : 0);
    auto view = viewOf(value, {product.getDefiningOp()}), added = viewOf(other);
    if (!view || view->base != product || !added || other == value)
      return {};
    int64_t rank = view->map.getNumDims();
    AffineExpr column = view->map.getResult(view->map.getNumResults() - (onLeft ? 2 : 1));
    auto type = dyn_cast<RankedTensorType>(added->base.getType());
    int64_t columns = cast<RankedTensorType>(product.getType()).getShape().drop_back(onLeft ? 1 : 0).back();
    if (!type || !type.hasStaticShape() || type.getNumElements() != columns)
      return {};
    AffineExpr place = getAffineConstantExpr(0, sum->getContext()); // in row-major order: a bias may have the shape [heads, width]
    for (auto [e, extent] : llvm::zip_equal(added->map.getResults(), type.getShape()))
      place = place * extent + e;
    if (simplifyAffineExpr(place - column, rank, 0) != getAffineConstantExpr(0, sum->getContext()))
      return {};
    auto bias = added->base.getDefiningOp<UseOp>();
    if (!bias && isOfWeights(added->base))
      (void)reportMissed(sum, "linear with bias", "the bias is computed from weights at every run", "store it as one weight");
    return bias;
  }
};

struct FuseLinear : heddle::impl::FuseLinearBase<FuseLinear> {
  void runOnOperation() override {
    WeightTable weights(getOperation());
    SmallVector<MatmulOp> roots;
    getOperation().walk([&](MatmulOp op) { roots.push_back(op); });
    for (MatmulOp root : roots)
      if (succeeded(LinearFuser(root, weights).run()))
        ++fused;
    if (failed(finishFusion(getOperation())))
      return signalPassFailure();
    weights.eraseUnused();
  }
};
} // namespace
