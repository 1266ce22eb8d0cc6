// What the memory stage promises to the native stage. Comes last in the stage.
#include "compiler/memory/Passes.h"
#include "compiler/support/ModelInfo.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_VERIFYMEMORY
#include "compiler/memory/Passes.h.inc"

namespace {

/// Tiles are meant to fit the second-level cache, and every thread of the pool has a stack of its own (8 MiB by default).
constexpr int64_t stackBytes = 1024 * 1024;

int64_t bytesOf(MemRefType type) {
  Type element = type.getElementType();
  int64_t bits = isa<IndexType>(element) ? 64 : element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 8;
  return type.getNumElements() * static_cast<int64_t>(llvm::divideCeil(bits, 8));
}

struct VerifyMemory : impl::VerifyMemoryBase<VerifyMemory> {
  using VerifyMemoryBase::VerifyMemoryBase;

  void runOnOperation() override {
    bool good = true;
    std::optional<ModelInfo> model = readModelInfo(getOperation());
    good &= model.has_value();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      good &= succeeded(checkBody(function)) && succeeded(checkSignature(function)) && succeeded(checkStack(function));
      if (model && function->hasAttr(entryAttrName))
        good &= succeeded(checkArena(function, *model));
      ++checked;
    }
    if (!good)
      signalPassFailure();
  }

  LogicalResult checkBody(func::FuncOp function) {
    bool good = true;
    function.walk([&](Operation *op) { good &= succeeded(checkOperation(op)); });
    return success(good);
  }

  LogicalResult checkOperation(Operation *op) {
    auto isTensor = [](Type type) { return isa<TensorType>(type); };
    if (llvm::any_of(op->getOperandTypes(), isTensor) || llvm::any_of(op->getResultTypes(), isTensor))
      return op->emitOpError("has a tensor, expected buffers");
    if (isa<memref::CopyOp, scf::ForallOp, linalg::LinalgOp>(op))
      return op->emitOpError("is left by the memory stage");
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      return op->emitOpError("allocates ") << alloc.getType() << " at run time; expected a view of the arena or a stack buffer of static shape";
    auto alloca = dyn_cast<memref::AllocaOp>(op);
    if (alloca && (!alloca.getType().hasStaticShape() || op->getBlock() != &op->getParentOfType<func::FuncOp>().getBody().front()))
      return op->emitOpError("expected a static shape and a place in the first block of its function, where the stack cannot grow");
    return success();
  }

  LogicalResult checkSignature(func::FuncOp function) {
    bool kernel = !isRegion(function);
    if (function.getNumResults() != 0)
      return function.emitOpError("returns ") << function.getResultTypes().front() << ", expected nothing";
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
      bool raw = type == rawBaseType(&getContext());
      if (index == 0 && !raw)
        return function.emitOpError("expected the run-time context as first argument, got ") << type;
      if (kernel && !raw && !isa<IndexType>(type))
        return function.emitOpError("expected argument ") << index << " to be a raw base or an index, got " << type;
      auto buffer = dyn_cast<MemRefType>(type);
      if (buffer && !(buffer.hasStaticShape() && buffer.getLayout().isIdentity()))
        return function.emitOpError("expected argument ") << index << " to be one pointer, got " << type;
    }
    if (function.getNumArguments() == 0)
      return function.emitOpError("expected the run-time context as first argument, got none");
    return success();
  }

  /// A parallel region or its declaration.
  bool isRegion(func::FuncOp function) {
    return function.getName().starts_with(parallelPrefix) || getOperation().lookupSymbol((parallelPrefix + function.getName()).str());
  }

  LogicalResult checkStack(func::FuncOp function) {
    int64_t bytes = 0;
    function.walk([&](memref::AllocaOp alloca) {
      if (alloca.getType().hasStaticShape())
        bytes += bytesOf(alloca.getType());
    });
    if (bytes > stackBytes)
      return function.emitOpError("has stack buffers of ") << bytes << " bytes, expected at most " << stackBytes;
    return success();
  }

  LogicalResult checkArena(func::FuncOp entry, const ModelInfo &model) {
    auto info = llvm::find_if(model.entries, [&](const EntryInfo &candidate) { return candidate.name == entry.getName(); });
    if (info == model.entries.end() || info->arena.empty())
      return entry.emitOpError("is an entry whose arena nobody has planned");
    return success();
  }
};

} // namespace
} // namespace heddle
