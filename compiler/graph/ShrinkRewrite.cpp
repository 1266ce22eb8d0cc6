// Makes the two functions of a rewrite cheap to run: a static axis that nothing looks along becomes short. A product's columns, its rows and what it
// sums over are such axes, so a product with 30522 columns costs no more than one with 17; the axis of a norm, of a softmax, of heads, or one that
// is cut or reshaped is not: its extent may stand in a constant of the formula.
#include "compiler/graph/Rewrite.h"
#include "dialect/Heddle.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>
#include <set>

using namespace mlir;
using namespace heddle;

namespace {

/// An axis of a value or of a recipe.
using Axis = std::pair<const void *, int64_t>;

class Shrinker {
public:
  explicit Shrinker(ModuleOp module) : formula(*module.getOps<func::FuncOp>().begin()), replacement(*++module.getOps<func::FuncOp>().begin()) {}

  void run() {
    for (func::FuncOp function : {formula, replacement})
      for (Operation &op : function.getBody().front())
        link(&op);
    for (auto [a, b] : llvm::zip(formula.getArguments(), replacement.getArguments())) {
      tieAll(a, b);
      if (Attribute recipe = formula.getArgAttr(a.getArgNumber(), recipeAttr)) {
        for (int64_t i = 0; i < rankOf(a); ++i)
          tie(axisOf(a, i), axisOf(recipe, i));
        linkRecipe(recipe);
      }
    }
    tieAll(resultOf(formula), resultOf(replacement));
    collectPinned();
    for (func::FuncOp function : {formula, replacement})
      resize(function);
  }

private:
  static constexpr int64_t longest = 32; // axes up to here cost nothing

  func::FuncOp formula, replacement;
  llvm::EquivalenceClasses<Axis> classes;
  std::set<Axis> pinned;        // their whole classes keep their extents
  std::map<Axis, int64_t> made; // by leader

  static Value resultOf(func::FuncOp function) { return function.getBody().front().getTerminator()->getOperand(0); }
  static int64_t rankOf(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type ? type.getRank() : 0;
  }
  static Axis axisOf(Value value, int64_t axis) { return {value.getAsOpaquePointer(), axis}; }
  static Axis axisOf(Attribute recipe, int64_t axis) { return {recipe.getAsOpaquePointer(), axis}; }
  void tie(Axis a, Axis b) { classes.unionSets(a, b); }
  void tieAll(Value a, Value b) {
    for (int64_t i = 0; rankOf(a) == rankOf(b) && i < rankOf(a); ++i)
      tie(axisOf(a, i), axisOf(b, i));
  }
  void pin(Value value) {
    for (int64_t i = 0; i < rankOf(value); ++i)
      pinned.insert(axisOf(value, i));
  }

  void link(Operation *op) {
    if (isa<func::ReturnOp>(op))
      return;
    Value result = op->getResult(0);
    if (OpTrait::hasElementwiseMappableTraits(op)) {
      for (Value operand : op->getOperands())
        tieAll(operand, result);
      return;
    }
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](BroadcastOp broadcast) {
          for (auto [i, axis] : llvm::enumerate(broadcast.getAxes()))
            tie(axisOf(broadcast.getSource(), i), axisOf(result, axis));
        })
        .Case([&](TransposeOp transpose) {
          for (auto [i, axis] : llvm::enumerate(transpose.getPermutation()))
            tie(axisOf(transpose.getSource(), axis), axisOf(result, i));
        })
        .Case([&](MatmulOp matmul) { linkProduct(matmul.getLhs(), matmul.getRhs(), result); })
        .Case([&](LinearOp linear) {
          linkProduct(linear.getX(), linear.getWeight(), result);
          for (Value more : linear->getOperands().drop_front(2)) // a bias, a residual
            rankOf(more) == 1 ? tie(axisOf(more, 0), axisOf(result, rankOf(result) - 1)) : tieAll(more, result);
        })
        .Case([&](GatherOp gather) {
          int64_t last = rankOf(result) - 1;
          tie(axisOf(gather.getTable(), gather.getTransposed() ? 0 : rankOf(gather.getTable()) - 1), axisOf(result, last));
          for (int64_t i = 0; i < rankOf(gather.getIds()) && i < last; ++i)
            tie(axisOf(gather.getIds(), i), axisOf(result, i));
          if (isa_and_nonnull<PositionsOp>(gather.getIds().getDefiningOp())) // as many rows as a static axis has positions
            pinned.insert(axisOf(gather.getTable(), gather.getTransposed() ? 1 : 0));
          if (rankOf(gather.getTable()) != 2)
            pin(gather.getTable());
        })
        .Case<SliceOp, ConcatOp>([&](auto along) { linkAlong(op, static_cast<int64_t>(along.getAxis())); })
        .Case([&](SoftmaxOp softmax) { linkAlong(op, static_cast<int64_t>(softmax.getAxis())); })
        .Default([&](Operation *) {
          pin(result);
          llvm::for_each(op->getOperands(), [&](Value operand) { pin(operand); });
        });
  }

  void linkProduct(Value lhs, Value rhs, Value result) {
    int64_t rank = rankOf(lhs), right = rankOf(rhs);
    tie(axisOf(lhs, rank - 1), axisOf(rhs, right - 2));
    tie(axisOf(rhs, right - 1), axisOf(result, rank - 1));
    for (int64_t i = 0; i + 1 < rank; ++i)
      tie(axisOf(lhs, i), axisOf(result, i));
    for (int64_t i = 0; right == rank && i + 2 < rank; ++i)
      tie(axisOf(lhs, i), axisOf(rhs, i));
  }

  /// The op looks along one axis only.
  void linkAlong(Operation *op, int64_t axis) {
    Value result = op->getResult(0);
    pinned.insert(axisOf(result, axis));
    for (Value operand : op->getOperands()) {
      if (rankOf(operand) != rankOf(result))
        continue; // offsets
      pinned.insert(axisOf(operand, axis));
      for (int64_t i = 0; i < rankOf(result); ++i)
        if (i != axis)
          tie(axisOf(operand, i), axisOf(result, i));
    }
  }

  void linkRecipe(Attribute recipe) {
    int64_t rank = recipeType(recipe).getRank();
    auto like = [&](Attribute source, int64_t except) {
      for (int64_t i = 0; i < rank; ++i)
        i == except ? (void)pinned.insert({axisOf(recipe, i), axisOf(source, i)}) : tie(axisOf(recipe, i), axisOf(source, i));
      linkRecipe(source);
    };
    llvm::TypeSwitch<Attribute>(recipe)
        .Case([](TensorRecipeAttr) {})
        .Case([&](AnglesRecipeAttr) { pinned.insert(axisOf(recipe, 1)); }) // rows are looked up, by positions below 17
        .Case<CastRecipeAttr, AddRecipeAttr, ScaleRecipeAttr>([&](auto r) { like(r.getSource(), -1); })
        .Case<SliceRecipeAttr, SelectRecipeAttr>([&](auto r) { like(r.getSource(), r.getAxis()); })
        .Case([&](ConcatRecipeAttr r) { llvm::for_each(r.getSources(), [&](Attribute source) { like(source, r.getAxis()); }); })
        .Case([&](TransposeRecipeAttr r) {
          for (auto [i, axis] : llvm::enumerate(r.getPermutation()))
            tie(axisOf(recipe, i), axisOf(r.getSource(), axis));
          linkRecipe(r.getSource());
        })
        .Default([&](Attribute) { pinRecipe(recipe); });
  }
  void pinRecipe(Attribute recipe) {
    for (int64_t i = 0; i < recipeType(recipe).getRank(); ++i)
      pinned.insert(axisOf(recipe, i));
    recipe.walkImmediateSubElements(
        [&](Attribute inner) {
          if (recipeType(inner))
            pinRecipe(inner);
        },
        [](Type) {});
  }

  void collectPinned() {
    std::set<Axis> leaders;
    for (const Axis &axis : pinned)
      leaders.insert(classes.getOrInsertLeaderValue(axis));
    pinned = std::move(leaders);
  }

  /// The extent of an axis from now on.
  int64_t extentOf(Axis axis, int64_t now) {
    if (ShapedType::isDynamic(now) || now <= longest)
      return now;
    Axis leader = classes.getOrInsertLeaderValue(axis);
    if (pinned.count(leader))
      return now;
    auto [place, isNew] = made.try_emplace(leader, 17 + 2 * static_cast<int64_t>(made.size())); // another one for each: they are not mixed up
    return std::min(place->second, now);
  }

  template <typename Of> SmallVector<int64_t> resized(Of of, ArrayRef<int64_t> shape) {
    SmallVector<int64_t> result;
    for (auto [i, extent] : llvm::enumerate(shape))
      result.push_back(extentOf(axisOf(of, i), extent));
    return result;
  }
  void resize(Value value) {
    DimsAttr dims = dimsOf(value);
    if (!dims)
      return;
    SmallVector<AffineExpr> extents(dims.getMap().getResults());
    for (auto [i, extent] : llvm::enumerate(resized(value, dims.shape())))
      if (dims.isStatic(i))
        extents[i] = getAffineConstantExpr(extent, dims.getContext());
    value.setType(DimsAttr::getCanonical(dims.getContext(), dims.getNames(), extents).tensorOf(elementOf(value)));
  }

  void resize(func::FuncOp function) {
    AttrTypeReplacer recipes;
    recipes.addReplacement([&](TensorRecipeAttr tensor) -> Attribute {
      RankedTensorType type = tensor.getType();
      return TensorRecipeAttr::get(tensor.getContext(), tensor.getName(), type.clone(resized<Attribute>(tensor, type.getShape())));
    });
    recipes.addReplacement([&](AnglesRecipeAttr angles) -> Attribute {
      return AnglesRecipeAttr::get(angles.getContext(), angles.getFrequencies(), extentOf(axisOf(angles, 0), angles.getRows()), angles.getWidth(),
                                   angles.getLayout());
    });
    for (BlockArgument argument : function.getArguments()) {
      if (Attribute recipe = function.getArgAttr(argument.getArgNumber(), recipeAttr))
        function.setArgAttr(argument.getArgNumber(), recipeAttr, recipes.replace(recipe));
      resize(argument);
    }
    for (Operation &op : function.getBody().front())
      for (Value result : op.getResults())
        resize(result);
    function.setType(FunctionType::get(function.getContext(), function.getBody().getArgumentTypes(), resultOf(function).getType()));
  }
};
} // namespace

void heddle::shrinkRewrite(ModuleOp functions) { Shrinker(functions).run(); }
