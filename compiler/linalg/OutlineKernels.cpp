// Each group of ops that run together becomes a private function; the entry becomes a straight list of calls. First pass of the linalg stage.
#include "compiler/linalg/KernelGroups.h"
#include "compiler/linalg/KernelLowering.h"
#include "compiler/linalg/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace heddle {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "compiler/linalg/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

/// What a kernel needs: free ops it gets copies of, and values that become its arguments.
struct KernelBody {
  const KernelGroups &groups;
  const KernelGroup &group;
  llvm::SetVector<Value> inputs;
  llvm::SetVector<Operation *> ops; // in an order that respects uses

  void add(Value value) {
    Operation *op = value.getDefiningOp();
    if (op && llvm::is_contained(group.ops, op))
      return;
    if (!op || !groups.isFreeHere(op)) {
      inputs.insert(value);
      return;
    }
    if (ops.contains(op))
      return;
    for (Value operand : op->getOperands())
      add(operand);
    ops.insert(op);
  }
  void collect() {
    for (Operation *op : group.ops) {
      for (Value operand : op->getOperands())
        add(operand);
      ops.insert(op);
    }
  }
};

/// What a kernel is about: it has its name and its place in the text.
Operation *subjectOf(const KernelGroup &group) {
  Operation *subject = group.ops.front();
  for (Operation *op : group.ops) // of a row kernel its norm or softmax, if it has one
    if (isa<LayerNormOp, SoftmaxOp, GatherOp>(op))
      subject = op;
  return subject;
}

struct OutlineKernels : heddle::impl::OutlineKernelsBase<OutlineKernels> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> entries(getOperation().getOps<func::FuncOp>());
    for (auto entry : entries)
      if (entry->hasAttr(entryAttr))
        outline(entry);
  }

  /// What is returned lies as the caller's array; who else reads it, or returns it a second time, gets the value inside.
  static void giveResultsTheirOwn(Block &block) {
    for (OpOperand &operand : block.getTerminator()->getOpOperands()) {
      auto op = operand.get().getDefiningOp<UnflattenOp>();
      if (!op || op->hasOneUse())
        continue;
      OpBuilder b(block.getTerminator());
      operand.set(b.clone(*op)->getResult(0));
    }
  }

  /// Arrays of the caller that lie as the same values lie inside, without padding of tokens or columns, are read and written in place.
  static void readAndWriteInPlace(Block &block) {
    auto isSame = [](Operation *op) { // without offsets there is no ragged axis
      Type type = op->getOperand(0).getType();
      return op->getNumOperands() == 1 && exactType(type) == internalType(type);
    };
    for (auto flatten : llvm::make_early_inc_range(block.getOps<FlattenOp>()))
      if (isa<BlockArgument>(flatten.getSource()) && isSame(flatten))
        flatten.replaceAllUsesWith(flatten.getSource());
    Operation *end = block.getTerminator();
    for (OpOperand &operand : end->getOpOperands()) {
      auto unflatten = operand.get().getDefiningOp<UnflattenOp>();
      Operation *maker = unflatten ? unflatten.getSource().getDefiningOp() : nullptr;
      bool hasKernel = maker && !isFree(maker) && !isa<UseOp>(maker);
      if (hasKernel && isSame(unflatten) && !llvm::is_contained(end->getOperands(), unflatten.getSource()))
        operand.set(unflatten.getSource());
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isa<FlattenOp, UnflattenOp>(op) && op.use_empty())
        op.erase();
  }

  void outline(func::FuncOp entry) {
    Block &block = entry.getBody().front();
    entry->setAttr(nameAttr, StringAttr::get(&getContext(), entry.getName())); // equal kernels are merged, equal entries are not
    giveResultsTheirOwn(block);
    readAndWriteInPlace(block);
    KernelGroups grouped(block);
    IRMapping calls; // old value -> result of the call that makes it
    OpBuilder b(&getContext());
    SmallVector<Operation *> old;
    for (Operation &op : block.without_terminator())
      old.push_back(&op);
    for (auto [number, group] : llvm::enumerate(grouped.groups)) {
      KernelBody body{grouped, group, {}, {}};
      body.collect();
      Value result = group.ops.back()->getResult(0);
      Operation *subject = subjectOf(group);
      SmallVector<Location> places{subject->getLoc()};
      for (Operation *op : group.ops)
        places.push_back(op->getLoc());
      Location loc = FusedLoc::get(&getContext(), places);
      b.setInsertionPoint(entry);
      auto type = b.getFunctionType(ValueRange(body.inputs.getArrayRef()).getTypes(), result.getType());
      auto kernel = func::FuncOp::create(b, loc, (entry.getName() + "." + subject->getName().stripDialect() + "." + Twine(number)).str(), type);
      kernel.setPrivate();
      for (auto [i, input] : llvm::enumerate(body.inputs)) // the caller's arrays lie as they were given
        if (isa<BlockArgument>(input))
          kernel.setArgAttr(i, exactAttr, b.getUnitAttr());
      if (llvm::any_of(result.getUsers(), llvm::IsaPred<func::ReturnOp>))
        kernel->setAttr(exactAttr, b.getUnitAttr());
      IRMapping map;
      Block *inside = kernel.addEntryBlock();
      map.map(body.inputs.getArrayRef(), inside->getArguments());
      b.setInsertionPointToStart(inside);
      for (Operation *op : body.ops)
        b.clone(*op, map);
      func::ReturnOp::create(b, loc, map.lookup(result));
      b.setInsertionPoint(block.getTerminator());
      SmallVector<Value> operands;
      for (Value v : body.inputs)
        operands.push_back(calls.lookupOrDefault(v));
      calls.map(result, func::CallOp::create(b, loc, kernel, operands).getResult(0));
      ++outlined;
    }
    for (OpOperand &operand : block.getTerminator()->getOpOperands())
      operand.set(calls.lookupOrDefault(operand.get()));
    for (Operation *op : llvm::reverse(old))
      if (op->use_empty())
        op->erase();
  }
};
} // namespace
