// What the linalg stage promises to loops.
#include "compiler/linalg/Passes.h"
#include "compiler/support/ModelInfo.h"
#include "dialect/Heddle.h"

namespace heddle {
#define GEN_PASS_DEF_VERIFYLINALG
#include "compiler/linalg/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {
struct VerifyLinalg : heddle::impl::VerifyLinalgBase<VerifyLinalg> {
  bool broken = false;

  void complain(Operation *op, const Twine &what) {
    op->emitOpError("after the linalg stage: ") << what;
    broken = true;
  }
  void runOnOperation() override {
    auto info = readModelInfo(getOperation());
    if (!info)
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isPrivate())
        checkKernel(function);
      else
        checkEntry(function);
      function.walk([&](Operation *op) {
        if (isa<HeddleDialect>(op->getDialect()))
          complain(op, "an op of heddle is left");
        for (Type type : op->getResultTypes())
          if (isa<MaskType>(type) || dimsOf(type))
            complain(op, "a type of heddle is left");
      });
    }
    for (EntryInfo &entry : info->entries)
      nameCalls(entry);
    dropChecks(*info);
    // Kernels that merged since are gone from the list.
    llvm::erase_if(info->kernels, [&](const KernelInfo &kernel) { return !getOperation().lookupSymbol(kernel.name); });
    writeModelInfo(getOperation(), *info);
    if (broken)
      signalPassFailure();
  }
  /// A kernel that merged since is checked by the entry of what it merged into.
  void dropChecks(ModelInfo &info) {
    llvm::erase_if(info.entries, [&](const EntryInfo &entry) {
      bool isLeft = !entry.isCheck() || getOperation().lookupSymbol(StringRef(entry.name).substr(checkPrefix.size()));
      if (Operation *function = isLeft ? nullptr : getOperation().lookupSymbol(entry.name))
        function->erase();
      return !isLeft;
    });
  }
  /// Calls of kernels that merged since are calls of what they merged into.
  void nameCalls(EntryInfo &info) {
    auto entry = getOperation().lookupSymbol<func::FuncOp>(info.name);
    if (!entry)
      return;
    size_t index = 0;
    for (auto call : entry.getOps<func::CallOp>())
      if (index++ < info.calls.size())
        info.calls[index - 1].kernel = call.getCallee().str();
    if (index != info.calls.size())
      complain(entry, "expected " + Twine(info.calls.size()) + " calls as its description has, got " + Twine(index));
  }
  void checkKernel(func::FuncOp kernel) {
    if (kernel.getNumResults() != 1)
      return complain(kernel, "expected one result");
    SmallVector<Type> tensors;
    for (Type type : kernel.getArgumentTypes())
      if (isa<RankedTensorType>(type))
        tensors.push_back(type);
    if (tensors.empty() || tensors.back() != kernel.getResultTypes()[0])
      complain(kernel, "expected the output as last tensor argument");
  }
  void checkEntry(func::FuncOp entry) {
    if (!entry->hasAttr(entryAttr) || !llvm::hasSingleElement(entry.getBody()))
      return complain(entry, "expected an entry of one block");
    for (Operation &op : entry.getBody().front())
      if (op.getNumRegions())
        complain(&op, "expected a straight list of calls");
  }
};
} // namespace
