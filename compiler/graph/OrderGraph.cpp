// One order for one graph: whatever spelling an entry came from, and whatever pass made an op, what follows sees the same text.
#include "compiler/graph/Passes.h"
#include "dialect/Heddle.h"

namespace heddle {
#define GEN_PASS_DEF_ORDERGRAPH
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {
struct OrderGraph : heddle::impl::OrderGraphBase<OrderGraph> {
  void runOnOperation() override {
    for (auto entry : getOperation().getOps<func::FuncOp>())
      for (Block &block : entry.getBody())
        order(block);
    orderWeights();
  }

  /// Depth first from what is returned: an op stands behind its operands, the first operand's before the second's. No recursion: a graph is as deep
  /// as its model.
  void order(Block &block) {
    llvm::DenseSet<Operation *> placed;
    SmallVector<std::pair<Operation *, unsigned>> path{{block.getTerminator(), 0}};
    while (!path.empty()) {
      auto &[op, next] = path.back();
      if (next < op->getNumOperands()) {
        Operation *before = op->getOperand(next++).getDefiningOp();
        if (before && before->getBlock() == &block && placed.insert(before).second)
          path.emplace_back(before, 0);
        continue;
      }
      if (op != block.getTerminator())
        op->moveBefore(block.getTerminator());
      path.pop_back();
    }
  }

  /// Weights by their first use.
  void orderWeights() {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    llvm::SetVector<Operation *> used;
    module.walk([&](UseOp use) { used.insert(symbols.lookup(use.getWeight())); });
    Operation *last = nullptr;
    for (Operation *weight : used) {
      if (last)
        weight->moveAfter(last);
      else
        weight->moveBefore(module.getBody(), module.getBody()->begin());
      last = weight;
    }
  }
};
} // namespace
