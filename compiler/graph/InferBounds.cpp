// Which ids and positions an entry accepts, so that the runtime can refuse others before a run. Comes before ragged tensors are flattened: gathers
// still see the entry's arguments.
#include "compiler/graph/Passes.h"
#include "dialect/Heddle.h"

namespace heddle {
#define GEN_PASS_DEF_INFERBOUNDS
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {
struct InferBounds : heddle::impl::InferBoundsBase<InferBounds> {
  void runOnOperation() override {
    for (auto entry : getOperation().getOps<func::FuncOp>())
      entry.walk([&](GatherOp gather) {
        DimsAttr table = dimsOf(gather.getTable());
        if (!table.isStatic(0))
          return;
        int64_t rows = table.shape().front();
        if (auto argument = dyn_cast<BlockArgument>(gather.getIds()))
          boundIds(entry, argument.getArgNumber(), rows);
        else if (gather.getIds().getDefiningOp<PositionsOp>())
          boundPositions(entry, dimsOf(gather.getIds()), rows);
      });
  }
  void boundIds(func::FuncOp entry, unsigned argument, int64_t rows) {
    auto known = entry.getArgAttrOfType<IntegerAttr>(argument, idBoundAttr);
    if (known && known.getInt() <= rows)
      return;
    entry.setArgAttr(argument, idBoundAttr, Builder(entry).getI64IntegerAttr(rows));
    ++inferred;
  }
  void boundPositions(func::FuncOp entry, DimsAttr positions, int64_t rows) {
    auto dimensions = entry->getAttrOfType<ArrayAttr>(dimensionsAttr);
    if (!dimensions)
      return;
    SmallVector<Attribute> all(dimensions.begin(), dimensions.end());
    for (Attribute &attribute : all) {
      auto dimension = cast<DimensionAttr>(attribute);
      if (!dimension.isRagged() || !positions.find(dimension.getName().getValue()))
        continue;
      if (dimension.getBound() && dimension.getBound() <= rows)
        continue;
      attribute = DimensionAttr::get(&getContext(), dimension.getName(), dimension.getBatch(), rows);
      ++inferred;
    }
    entry->setAttr(dimensionsAttr, ArrayAttr::get(&getContext(), all));
  }
};
} // namespace
