// Values around a parallel loop; Captures.h says what for.
#include "compiler/memory/Captures.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace heddle;

static Value rootOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

WrittenBuffers::WrittenBuffers(func::FuncOp function) {
  for (Operation &op : function.getBody().getOps()) {
    std::optional<SmallVector<MemoryEffects::EffectInstance>> effects = getEffectsRecursively(&op);
    if (!effects) {
      everything = true;
      return;
    }
    for (const MemoryEffects::EffectInstance &effect : *effects) {
      if (!isa<MemoryEffects::Write>(effect.getEffect()))
        continue;
      if (Value buffer = effect.getValue())
        roots.insert(rootOf(buffer));
      else
        everything = true;
    }
  }
}

bool WrittenBuffers::contains(Value buffer) const { return everything || roots.contains(rootOf(buffer)); }

/// Loads and vector reads of buffers that hold the same all the time.
static bool readsConstantBuffers(Operation *op, const WrittenBuffers &written) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects = getEffectsRecursively(op);
  return effects && llvm::all_of(*effects, [&](const MemoryEffects::EffectInstance &effect) {
           return isa<MemoryEffects::Read>(effect.getEffect()) && effect.getValue() && !written.contains(effect.getValue());
         });
}

static bool isCloned(Operation *op, const WrittenBuffers &written) {
  bool loops = op->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); }).wasInterrupted();
  return !loops && (isMemoryEffectFree(op) || readsConstantBuffers(op, written));
}

namespace {
class Collector {
public:
  Collector(const WrittenBuffers &written) : written(written) {}

  void visit(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !isCloned(op, written)) {
      captures.values.insert(value);
      return;
    }
    if (!visited.insert(op).second)
      return;
    for (Value operand : op->getOperands())
      visit(operand);
    llvm::SetVector<Value> inner; // of its regions, if it has any
    getUsedValuesDefinedAbove(op->getRegions(), inner);
    for (Value value : inner)
      visit(value);
    captures.cloned.push_back(op);
  }

  Captures captures;

private:
  const WrittenBuffers &written;
  DenseSet<Operation *> visited;
};
} // namespace

Captures heddle::findCaptures(Operation *loop, const WrittenBuffers &written) {
  Collector collector(written);
  for (Value operand : loop->getOperands())
    collector.visit(operand);
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(loop->getRegions(), used);
  for (Value value : used)
    collector.visit(value);
  return std::move(collector.captures);
}
