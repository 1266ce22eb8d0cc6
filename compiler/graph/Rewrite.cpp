// Cuts a rewrite out of its graph. See Rewrite.h.
#include "compiler/graph/Rewrite.h"
#include "dialect/View.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/IRMapping.h"
#include <set>

using namespace mlir;
using namespace heddle;

void ReplaceFormula::print(raw_ostream &os) const { os << "`" << tag << "` " << root->getName() << " by " << by; }

namespace {

/// Has no operands, so both sides have it for themselves.
bool isLeaf(Operation *op) { return op->getNumOperands() == 0; }

/// Costs nothing next to a product: what masks are computed by, and weights of rows.
bool isCheap(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  return dialect == "arith" || dialect == "math" || isLeaf(op) || isFree(op) || isa<PositionsOp, SinusoidalPositionsOp, MaskValuesOp, ConcatOp>(op);
}

class Recorder {
public:
  explicit Recorder(Rewrite &rewrite) : rewrite(rewrite), queue(Later{}) { queue.insert(rewrite.root); }

  void run() {
    takeMade(rewrite.by);
    for (Value value : rewrite.boundary)
      if (Operation *op = value.getDefiningOp(); !op)
        first = nullptr, fromStart = true;
      else if (!fromStart && (!first || op->isBeforeInBlock(first)))
        first = op;
    rewrite.matched.insert(rewrite.root);
    for (Value operand : rewrite.root->getOperands())
      takeMatched(operand);
  }

private:
  struct Later {
    bool operator()(Operation *a, Operation *b) const { return b->isBeforeInBlock(a); }
  };
  static constexpr size_t most = 2048; // ops that a question looks at; formulas are small
  static constexpr size_t mostCheap = 64;

  Rewrite &rewrite;
  std::set<Operation *, Later> queue; // ancestors of the root that were not looked at yet, the last one first
  llvm::DenseSet<Operation *> ancestors;
  Operation *first = nullptr; // of the boundary, in program order
  bool fromStart = false;     // an argument of the entry is at the boundary
  llvm::DenseMap<Operation *, bool> leading;

  /// Whether the root's result depends on `op`. Looks at no more of the graph than what stands behind `op`.
  bool isAncestor(Operation *op) {
    while (!queue.empty() && !(*queue.begin())->isBeforeInBlock(op)) {
      Operation *next = *queue.begin();
      queue.erase(queue.begin());
      ancestors.insert(next);
      for (Value operand : next->getOperands())
        if (Operation *before = operand.getDefiningOp())
          queue.insert(before);
    }
    return ancestors.contains(op);
  }

  void takeMade(Value value) {
    Operation *op = value.getDefiningOp();
    if (op && isLeaf(op)) {
      rewrite.made.insert(op);
      return;
    }
    // No function takes a mask, and a view is not all that the formula may read of its base: what they are made of is the boundary.
    bool passes = op && (isa<MaskType>(value.getType()) || isView(op));
    if (!op || (!passes && isAncestor(op)) || rewrite.made.size() == most) {
      rewrite.boundary.insert(value);
      return;
    }
    if (rewrite.made.insert(op))
      for (Value operand : op->getOperands())
        takeMade(operand);
  }

  void takeMatched(Value value) {
    if (rewrite.boundary.contains(value))
      return;
    Operation *op = value.getDefiningOp();
    bool goesOn = op && (isLeaf(op) || leads(op) || isa<MaskType>(value.getType()) || isCheapFromTheStart(op));
    if (!goesOn) {
      rewrite.others.insert(value);
      return;
    }
    if (rewrite.matched.insert(op))
      for (Value operand : op->getOperands())
        takeMatched(operand);
  }

  /// Whether a value at the boundary is among what `op` is computed from.
  bool leads(Operation *op) {
    if (isLeaf(op) || (first && op->isBeforeInBlock(first)))
      return false;
    auto [known, isNew] = leading.try_emplace(op, false);
    if (!isNew || leading.size() > most)
      return known->second;
    bool result = llvm::any_of(op->getOperands(), [&](Value operand) {
      return rewrite.boundary.contains(operand) || (operand.getDefiningOp() && leads(operand.getDefiningOp()));
    });
    return leading[op] = result;
  }

  /// Whether nothing but cheap ops stands between the entry's arguments and `op`.
  bool isCheapFromTheStart(Operation *op) {
    llvm::SetVector<Operation *> all;
    all.insert(op);
    for (size_t i = 0; i < all.size(); ++i) {
      if (!isCheap(all[i]) || all.size() > mostCheap)
        return false;
      for (Value operand : all[i]->getOperands())
        if (Operation *before = operand.getDefiningOp())
          all.insert(before);
    }
    return true;
  }
};

/// Builds the two functions.
class Cut {
public:
  explicit Cut(const Rewrite &rewrite) : rewrite(rewrite), b(rewrite.root->getContext()), values(rewrite.boundary) {
    values.insert(rewrite.others.begin(), rewrite.others.end());
  }

  OwningOpRef<ModuleOp> run() {
    Location nowhere = b.getUnknownLoc();
    OwningOpRef<ModuleOp> module = ModuleOp::create(nowhere);
    collectWeights(rewrite.made);
    size_t read = weights.size();
    collectWeights(rewrite.matched);
    madeOfOthers = readsMore(read);
    b.setInsertionPointToStart(module->getBody());
    build("formula", rewrite.matched, rewrite.root->getResult(0));
    build("replacement", rewrite.made, rewrite.by);
    return module;
  }

private:
  const Rewrite &rewrite;
  OpBuilder b;
  llvm::SetVector<Value> values;                      // arguments, weights aside
  llvm::SetVector<StringAttr> weights;                // arguments too, by name
  llvm::DenseMap<StringAttr, UseOp> uses;             // one of each weight
  bool madeOfOthers = false;                          // the replacement reads weights that the formula does not read
  llvm::DenseMap<StringAttr, StringAttr> tensorNames; // of the checkpoint -> t0, t1, ...

  void collectWeights(const llvm::SetVector<Operation *> &ops) {
    for (Operation *op : inOrder(ops))
      if (auto use = dyn_cast<UseOp>(op)) {
        weights.insert(use.getWeightAttr().getAttr());
        uses.try_emplace(use.getWeightAttr().getAttr(), use);
      }
  }

  /// Whether one of the first `count` weights, which the replacement reads, is none of the formula's.
  bool readsMore(size_t count) {
    return llvm::any_of(weights.getArrayRef().take_front(count), [&](StringAttr name) {
      return llvm::none_of(rewrite.matched, [&](Operation *op) { return isa<UseOp>(op) && cast<UseOp>(op).getWeightAttr().getAttr() == name; });
    });
  }

  static SmallVector<Operation *> inOrder(const llvm::SetVector<Operation *> &ops) {
    SmallVector<Operation *> sorted(ops.begin(), ops.end());
    llvm::sort(sorted, [](Operation *a, Operation *c) { return a->isBeforeInBlock(c); });
    return sorted;
  }

  void build(StringRef name, const llvm::SetVector<Operation *> &ops, Value result) {
    SmallVector<Type> types;
    for (Value value : values)
      types.push_back(value.getType());
    for (StringAttr weight : weights)
      types.push_back(uses[weight].getType());
    auto function = func::FuncOp::create(b, b.getUnknownLoc(), name, b.getFunctionType(types, result.getType()));
    if (ArrayAttr dimensions = dimensionsOf(ops))
      function->setAttr(dimensionsAttr, dimensions);
    OpBuilder inside = OpBuilder::atBlockBegin(function.addEntryBlock());
    IRMapping map;
    for (auto [i, value] : llvm::enumerate(values))
      map.map(value, function.getArgument(i));
    for (auto [i, weight] : llvm::enumerate(weights))
      if (Attribute recipe = recipeOf(uses[weight]); madeOfOthers || isOfTheText(recipe))
        function.setArgAttr(values.size() + i, recipeAttr, recipe);
    for (Operation *op : inOrder(ops)) {
      if (auto use = dyn_cast<UseOp>(op)) {
        size_t at = llvm::find(weights, use.getWeightAttr().getAttr()) - weights.begin();
        map.map(use.getResult(), function.getArgument(values.size() + at));
        continue;
      }
      Operation *copy = inside.clone(*op, map);
      copy->setLoc(b.getUnknownLoc());
      copy->setDiscardableAttrs(DictionaryAttr::get(b.getContext()));
    }
    func::ReturnOp::create(inside, b.getUnknownLoc(), map.lookup(result));
  }

  /// Numbers of the text: a replacement may have them as attributes, in double.
  static bool isOfTheText(Attribute recipe) {
    return !recipe.walk([](TensorRecipeAttr) { return WalkResult::interrupt(); }).wasInterrupted();
  }
  /// The recipe with tensors of the checkpoint called t0, t1, ...: layers differ in nothing else.
  Attribute recipeOf(UseOp use) {
    Attribute recipe = SymbolTable::lookupNearestSymbolFrom<WeightOp>(use, use.getWeightAttr()).getRecipe();
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](TensorRecipeAttr tensor) -> Attribute {
      StringAttr &name = tensorNames[tensor.getName()];
      if (!name)
        name = b.getStringAttr("t" + Twine(tensorNames.size() - 1));
      return TensorRecipeAttr::get(b.getContext(), name, tensor.getType());
    });
    return replacer.replace(recipe);
  }

  /// The entry's dimensions, as far as the ops know them.
  ArrayAttr dimensionsOf(const llvm::SetVector<Operation *> &) {
    auto entry = rewrite.root->getParentOfType<func::FuncOp>();
    auto dimensions = entry ? entry->getAttrOfType<ArrayAttr>(dimensionsAttr) : ArrayAttr();
    if (!dimensions)
      return {};
    llvm::DenseSet<StringAttr> named;
    auto note = [&](Type type) {
      if (DimsAttr dims = dimsOf(type))
        named.insert(dims.getNames().begin(), dims.getNames().end());
    };
    for (const auto *ops : {&rewrite.matched, &rewrite.made})
      for (Operation *op : *ops) {
        llvm::for_each(op->getOperandTypes(), note);
        llvm::for_each(op->getResultTypes(), note);
      }
    SmallVector<Attribute> kept;
    for (Attribute attribute : dimensions)
      if (auto dimension = dyn_cast<DimensionAttr>(attribute); dimension && named.contains(dimension.getName()))
        kept.push_back(dimension);
    return kept.empty() ? ArrayAttr() : b.getArrayAttr(kept);
  }
};
} // namespace

Rewrite heddle::recordRewrite(Operation *root, Value by) {
  Rewrite rewrite;
  rewrite.root = root;
  rewrite.by = by;
  Recorder(rewrite).run();
  return rewrite;
}

OwningOpRef<ModuleOp> heddle::functionsOf(const Rewrite &rewrite) { return Cut(rewrite).run(); }
