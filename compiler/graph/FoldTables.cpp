// A table that a product reads transposed is one copy: its gathers read the product's panels. Comes after FuseLinear: the products are known.
#include "compiler/graph/Fusion.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/WeightTable.h"

namespace heddle {
#define GEN_PASS_DEF_FOLDTABLES
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {
struct FoldTables : heddle::impl::FoldTablesBase<FoldTables> {
  void runOnOperation() override {
    WeightTable weights(getOperation());
    DenseMap<Attribute, WeightOp> products; // by recipe
    getOperation().walk([&](LinearOp linear) {
      if (auto use = linear.getWeight().getDefiningOp<UseOp>()) {
        WeightOp weight = weights.lookup(use.getWeightAttr());
        products[weight.getRecipe()] = weight;
      }
    });
    SmallVector<GatherOp> gathers;
    getOperation().walk([&](GatherOp gather) { gathers.push_back(gather); });
    for (GatherOp gather : gathers) {
      auto use = gather.getTable().getDefiningOp<UseOp>();
      if (!use || gather.getTransposed() || dimsOf(gather.getTable()).getRank() != 2)
        continue;
      Attribute recipe = transposedRecipe(weights.lookup(use.getWeightAttr()).getRecipe(), {1, 0});
      WeightOp shared = products.lookup(recipe);
      if (!shared)
        continue;
      OpBuilder b(gather);
      Value table = WeightTable::use(b, gather.getLoc(), shared);
      (void)replaceFormula(gather, GatherOp::create(b, gather.getLoc(), gather.getType(), table, gather.getIds(), /*transposed=*/true));
      gather->erase();
      if (use->use_empty())
        use->erase();
      ++shares;
    }
    weights.eraseUnused();
  }
};
} // namespace
