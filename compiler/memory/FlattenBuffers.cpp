// Kernels take raw bases. Comes after the arena is planned, when every buffer of an entry is a view of one of its arguments; outlining of parallel
// regions comes after, and captures the arguments made here.
#include "compiler/memory/Passes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_FLATTENBUFFERS
#include "compiler/memory/Passes.h.inc"

namespace {

bool isPlainBuffer(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  return buffer && buffer.getLayout().isIdentity() && !buffer.getMemorySpace();
}

/// The extent of one axis of a whole view, from the operations that made it.
Value makeExtent(OpBuilder &builder, Location loc, Value buffer, unsigned axis) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(axis))
    return arith::ConstantIndexOp::create(builder, loc, type.getDimSize(axis));
  if (auto view = buffer.getDefiningOp<memref::ViewOp>())
    return view.getSizes()[type.getDynamicDimIndex(axis)];
  if (auto cast = buffer.getDefiningOp<memref::CastOp>())
    return makeExtent(builder, loc, cast.getSource(), axis);
  if (auto collapse = buffer.getDefiningOp<memref::CollapseShapeOp>()) {
    Value product;
    for (int64_t inner : collapse.getReassociationIndices()[axis]) {
      Value extent = makeExtent(builder, loc, collapse.getSrc(), inner);
      product = product ? arith::MulIOp::create(builder, loc, product, extent).getResult() : extent;
    }
    return product;
  }
  auto expand = buffer.getDefiningOp<memref::ExpandShapeOp>();
  return getValueOrCreateConstantIndexOp(builder, loc, expand.getMixedOutputShape()[axis]);
}

/// The memref.view behind a buffer that keeps all its bytes, or null.
memref::ViewOp findView(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto view = dyn_cast<memref::ViewOp>(op))
      return view;
    if (!isa<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp>(op) || !isPlainBuffer(op->getOperand(0).getType()))
      return nullptr;
    buffer = op->getOperand(0);
  }
  return nullptr;
}

struct FlattenBuffers : impl::FlattenBuffersBase<FlattenBuffers> {
  using FlattenBuffersBase::FlattenBuffersBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(check(function)))
        return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        flatten(function);
    WalkResult result = getOperation().walk([&](func::CallOp call) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      return !callee || callee.isExternal() ? WalkResult::advance() : WalkResult(rewrite(call, callee));
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult check(func::FuncOp function) {
    if (function.isExternal())
      return success();
    for (Type type : function.getResultTypes())
      if (isa<BaseMemRefType>(type))
        return function.emitOpError("returns a buffer; expected the result in a destination argument");
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
      if (isa<BaseMemRefType>(type) && !isPlainBuffer(type))
        return function.emitOpError("expected argument ") << index << " to be a buffer without layout and memory space, got " << type;
    return success();
  }

  /// Entries keep their arguments, which are raw already; kernels get (base, offset, sizes...) for each buffer. Both get the context.
  void flatten(func::FuncOp function) {
    Block &block = function.getBody().front();
    OpBuilder builder = OpBuilder::atBlockBegin(&block);
    if (!function->hasAttr(entryAttrName)) {
      unsigned count = block.getNumArguments();
      for (unsigned index = 0; index < count; ++index)
        flattenArgument(builder, block, block.getArgument(index));
      block.eraseArguments(0, count);
    }
    block.insertArgument(0u, rawBaseType(&getContext()), function.getLoc());
    function.removeArgAttrsAttr(); // they speak of the old arguments, and only bufferization reads them
    function.setFunctionType(builder.getFunctionType(block.getArgumentTypes(), function.getResultTypes()));
  }

  void flattenArgument(OpBuilder &builder, Block &block, BlockArgument argument) {
    Location loc = argument.getLoc();
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type) {
      argument.replaceAllUsesWith(block.addArgument(argument.getType(), loc));
      return;
    }
    Value base = block.addArgument(rawBaseType(&getContext()), loc);
    Value offset = block.addArgument(builder.getIndexType(), loc);
    SmallVector<Value> sizes;
    for (unsigned index = 0; index < type.getNumDynamicDims(); ++index)
      sizes.push_back(block.addArgument(builder.getIndexType(), loc));
    argument.replaceAllUsesWith(memref::ViewOp::create(builder, loc, type, base, offset, sizes));
    ++flattened;
  }

  /// call @k(%view, %n)  ->  call @k(%context, %base, %offset, %sizes..., %n)
  LogicalResult rewrite(func::CallOp call, func::FuncOp callee) {
    if (callee->hasAttr(entryAttrName))
      return call.emitOpError("calls the entry '") << callee.getName() << "'; expected a kernel";
    OpBuilder builder(call);
    SmallVector<Value> operands{call->getParentOfType<func::FuncOp>().getArgument(0)};
    for (auto [index, operand] : llvm::enumerate(call.getOperands())) {
      auto type = dyn_cast<MemRefType>(operand.getType());
      if (!type) {
        operands.push_back(operand);
        continue;
      }
      memref::ViewOp view = findView(operand);
      if (!view)
        return call.emitOpError("operand ") << index << " is not a whole view of an argument; kernels take whole buffers and slice inside";
      operands.append({view.getSource(), view.getByteShift()});
      for (int64_t axis = 0; axis < type.getRank(); ++axis)
        if (type.isDynamicDim(axis))
          operands.push_back(makeExtent(builder, call.getLoc(), operand, axis));
    }
    auto flat = func::CallOp::create(builder, call.getLoc(), callee, operands);
    call.replaceAllUsesWith(flat.getResults());
    call.erase();
    return success();
  }
};

} // namespace
} // namespace heddle
