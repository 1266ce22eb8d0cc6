// Products of the same rows with several weights become one product with the weights side by side: q, k and v; a gate and what it opens; eight heads,
// each with its own matrix.
// Weight recipes do the joining when packing, and kernels read slices of the result in place. Runs after FuseLinear, before FoldTables. A column's
// chain of multiply-adds stays what it was, so no row's bits change.
#include "compiler/graph/Fusion.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/WeightTable.h"
#include "dialect/View.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include <fmt/format.h>

namespace heddle {
#define GEN_PASS_DEF_FUSEPROJECTIONS
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

int64_t columnsOf(LinearOp linear) { return cast<RankedTensorType>(linear.getWeight().getType()).getShape().back(); }

FlatSymbolRefAttr nameOf(Value weight) {
  auto use = weight ? weight.getDefiningOp<UseOp>() : UseOp();
  return use ? use.getWeightAttr() : FlatSymbolRefAttr();
}

bool isElementwise(Operation *op) { return op->getNumResults() == 1 && OpTrait::hasElementwiseMappableTraits(op); }

bool isNumber(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  return matchPattern(broadcast ? broadcast.getSource() : value, m_Constant());
}
/// Elementwise work on one value.
bool isActivation(Operation *op) { return isElementwise(op) && llvm::count_if(op->getOperands(), std::not_fn(isNumber)) == 1; }

/// The op that takes a product, perhaps normalised and rotated, where kernels read a slice of a wider product as well as the product itself; else
/// null. Elementwise work runs on a product's own tiles; only a gate, whose activation is multiplied with another product, gains as much by being
/// joined.
Operation *readerOf(LinearOp linear) {
  Operation *reader = nullptr;
  bool isActive = false;
  SmallVector<Operation *> work{linear};
  for (size_t i = 0; i < work.size(); ++i)
    for (Operation *user : work[i]->getUsers()) {
      isActive |= isActivation(user);
      if (isView(user) || isActivation(user) || isa<RotaryEmbeddingOp, LayerNormOp, RmsNormOp>(user))
        work.push_back(user);
      else if (reader && reader != user)
        return nullptr;
      else
        reader = user;
    }
  if (!reader || reader->hasTrait<OpTrait::IsTerminator>() || isa<PickOp, MaskOpInterface>(reader))
    return nullptr; // takes whole tensors
  return isa<arith::MulFOp>(reader) || (!isActive && !isElementwise(reader)) ? reader : nullptr;
}

/// Products of the same rows that become one; `concat` puts their results side by side already, or is null.
struct Group {
  SmallVector<LinearOp> products;
  ConcatOp concat;
};

struct FuseProjections : heddle::impl::FuseProjectionsBase<FuseProjections> {
  void runOnOperation() override {
    if (isFusionOff(getOperation(), "linear"))
      return;
    WeightTable table(getOperation());
    weights = &table;
    for (const Group &group : settled(concatenated())) {
      tell(group.concat, group.products.size());
      (void)replaceFormula(group.concat, joined(group.products, group.concat));
    }
    if (failed(finishFusion(getOperation())))
      return signalPassFailure();
    for (const Group &group : settled(sharing()))
      slice(group.products);
    if (failed(finishFusion(getOperation())))
      return signalPassFailure();
    table.eraseUnused();
  }

private:
  WeightTable *weights = nullptr;

  /// concat(x @ v, x @ w)  ->  x @ concat(v, w)
  SmallVector<Group> concatenated() {
    SmallVector<Group> result;
    getOperation().walk([&](ConcatOp concat) {
      Group group{{}, concat};
      for (Value source : concat.getSources())
        if (auto linear = source.getDefiningOp<LinearOp>(); linear && isOfWeights(linear) && linear->hasOneUse())
          group.products.push_back(linear);
      auto &all = group.products;
      bool columns = concat.getAxis() + 1 == static_cast<uint64_t>(dimsOf(concat.getType()).getRank());
      if (columns && all.size() > 1 && all.size() == concat.getSources().size() && llvm::all_of(all, [&](LinearOp l) { return fits(l, all[0]); }))
        result.push_back(group);
    });
    return result;
  }

  /// x @ v, x @ w  ->  slices of x @ concat(v, w), for one reader: the keys of all layers of a decoder are of the same rows too, and would all be
  /// kept
  SmallVector<Group> sharing() {
    llvm::MapVector<std::pair<Value, Operation *>, Group> byRows;
    getOperation().walk([&](LinearOp linear) {
      Operation *reader = isOfWeights(linear) ? readerOf(linear) : nullptr;
      if (!reader)
        return;
      auto &all = byRows[{linear.getX(), reader}].products;
      if (all.empty() || fits(linear, all[0]))
        all.push_back(linear);
    });
    return llvm::map_to_vector(byRows, [](auto &entry) { return entry.second; });
  }
  void slice(ArrayRef<LinearOp> group) {
    LinearOp whole = joined(group, group.front());
    OpBuilder b(group.front());
    tell(group.front(), group.size());
    int64_t first = 0, last = dimsOf(whole.getType()).getRank() - 1;
    for (LinearOp linear : group) {
      (void)replaceFormula(linear, SliceOp::create(b, linear.getLoc(), linear.getType(), whole, last, first));
      first += columnsOf(linear);
    }
  }

  /// One product with the columns of all, in this order.
  LinearOp joined(ArrayRef<LinearOp> group, Operation *place) {
    OpBuilder b(place);
    SmallVector<Location> places;
    SmallVector<Attribute> matrices, vectors;
    int64_t columns = 0;
    for (LinearOp linear : group) {
      places.push_back(linear.getLoc());
      matrices.push_back(weightOf(linear.getWeight()).getRecipe());
      vectors.push_back(linear.getBias() ? weightOf(linear.getBias()).getRecipe() : noBias(columnsOf(linear), elementOf(linear.getWeight())));
      columns += columnsOf(linear);
    }
    auto biased = llvm::find_if(group, [](LinearOp linear) { return static_cast<bool>(linear.getBias()); });
    LinearOp like = group.front();
    Value matrix = use(b, ConcatRecipeAttr::get(b.getContext(), 1, matrices), weightOf(like.getWeight()));
    LinearOp withBias = biased == group.end() ? LinearOp() : *biased;
    Value bias = withBias ? use(b, ConcatRecipeAttr::get(b.getContext(), 0, vectors), weightOf(withBias.getBias())) : Value();
    DimsAttr dims = dimsOf(like.getX()).dropBack().concat(DimsAttr::fixed(b.getContext(), {columns}));
    ++fused;
    return LinearOp::create(b, b.getFusedLoc(places), dims.tensorOf(elementOf(like.getX())), like.getX(), matrix, bias);
  }
  WeightOp weightOf(Value value) { return weights->lookup(nameOf(value)); }
  Value use(OpBuilder &b, Attribute recipe, WeightOp like) {
    return WeightTable::use(b, like.getLoc(), weights->get(like.getLoc(), (like.getSymName() + ".joined").str(), recipe, like));
  }
  /// y + -0 has the bits of y, whatever y is; y + 0 has not, where y is -0.
  Attribute noBias(int64_t columns, Type element) {
    auto type = RankedTensorType::get({columns}, Float64Type::get(&getContext()));
    return CastRecipeAttr::get(&getContext(), ConstantRecipeAttr::get(&getContext(), DenseElementsAttr::get(type, -0.0)), element);
  }
  void tell(Operation *at, size_t count) {
    std::string name = fmt::format("linear of {} products", count);
    remark::passed(at->getLoc(), remark::RemarkOpts::name(name).category("fusion")) << remark::add("{0}", name);
  }

  bool isOfWeights(LinearOp linear) { return nameOf(linear.getWeight()) && (!linear.getBias() || nameOf(linear.getBias())); }
  /// Same rows, and both may lie in one weight.
  bool fits(LinearOp a, LinearOp b) {
    return a.getX() == b.getX() && weightOf(a.getWeight()).getStorage() == weightOf(b.getWeight()).getStorage() &&
           elementOf(a.getWeight()) == elementOf(b.getWeight());
  }

  /// Without the products whose weight is also read in another company, as its bytes would be in the executable twice.
  SmallVector<Group> settled(SmallVector<Group> groups) {
    llvm::DenseSet<Attribute> shared;
    auto isAlone = [](const Group &group) { return group.products.size() < 2; };
    llvm::erase_if(groups, isAlone);
    do {
      shared = sharedWeights(groups);
      for (Group &group : groups) {
        auto isShared = [&](LinearOp linear) { return shared.contains(nameOf(linear.getWeight())); };
        auto told = llvm::find_if(group.products, isShared);
        if (told == group.products.end())
          continue;
        (void)reportMissed(*told, "linear of several products", "its weight is read elsewhere too, and would be in the executable twice");
        if (group.concat)
          group.products.clear();
        llvm::erase_if(group.products, isShared);
      }
      llvm::erase_if(groups, isAlone);
    } while (!shared.empty());
    return groups;
  }
  llvm::DenseSet<Attribute> sharedWeights(ArrayRef<Group> groups) {
    DenseMap<Attribute, Attribute> company;
    DenseMap<Attribute, int64_t> known;
    llvm::DenseSet<Attribute> shared;
    for (const Group &group : groups) {
      auto names = llvm::map_to_vector(group.products, [](LinearOp linear) -> Attribute { return nameOf(linear.getWeight()); });
      auto own = ArrayAttr::get(&getContext(), names);
      for (LinearOp linear : group.products) {
        Attribute name = nameOf(linear.getWeight());
        ++known[name];
        if (company.try_emplace(name, own).first->second != own || llvm::count(names, name) > 1)
          shared.insert(name);
      }
    }
    getOperation().walk([&](UseOp use) {
      if (known.contains(use.getWeightAttr()))
        known[use.getWeightAttr()] -= std::distance(use->user_begin(), use->user_end());
    });
    for (auto [name, rest] : known)
      if (rest != 0)
        shared.insert(name);
    return shared;
  }
};
} // namespace
