// Parallel regions meet the runtime's pool. Comes after the conversion to the LLVM dialect, where function addresses and record types are final.
#include "compiler/native/Passes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_LINKPARALLEL
#include "compiler/native/Passes.h.inc"

namespace {

constexpr StringRef runtimeCall = "heddle_parallel"; // runtime/heddle_model.h
constexpr StringRef declarationPrefix = "heddle_parallel.";

struct LinkParallel : impl::LinkParallelBase<LinkParallel> {
  using LinkParallelBase::LinkParallelBase;

  void runOnOperation() override {
    for (auto declaration : llvm::to_vector(getOperation().getOps<LLVM::LLVMFuncOp>())) {
      StringRef region = declaration.getName();
      if (!region.consume_front(declarationPrefix) || !declaration.isExternal())
        continue;
      auto body = getOperation().lookupSymbol<LLVM::LLVMFuncOp>(region);
      if (failed(check(declaration, region, body)))
        return signalPassFailure();
      auto thunk = makeThunk(declaration, body);
      fillDeclaration(declaration, thunk);
      ++linked;
    }
  }

  LogicalResult check(LLVM::LLVMFuncOp declaration, StringRef region, LLVM::LLVMFuncOp body) {
    ArrayRef<Type> given = declaration.getFunctionType().getParams();
    if (given.size() < 2 || !isa<LLVM::LLVMPointerType>(given.front()) || !given.back().isInteger(64))
      return declaration.emitOpError("expected the context first and a count of tasks last");
    if (!body)
      return declaration.emitOpError("has no region '") << region << "'";
    SmallVector<Type> expected(given);
    expected.push_back(given.back());
    if (body.getFunctionType().getParams() != ArrayRef<Type>(expected))
      return declaration.emitOpError("and its region '") << region << "' differ: expected the captured values, then begin and end";
    return success();
  }

  /// The record of captured values: every parameter of the declaration but the count.
  static LLVM::LLVMStructType recordType(LLVM::LLVMFuncOp declaration) {
    return LLVM::LLVMStructType::getLiteral(declaration.getContext(), declaration.getFunctionType().getParams().drop_back());
  }

  static Value field(OpBuilder &builder, Location loc, LLVM::LLVMStructType record, Value base, int32_t index) {
    return LLVM::GEPOp::create(builder, loc, base.getType(), record, base, ArrayRef<LLVM::GEPArg>{0, index});
  }

  /// @R.thunk(record, begin, end): @R(record[0], record[1], ..., begin, end)
  LLVM::LLVMFuncOp makeThunk(LLVM::LLVMFuncOp declaration, LLVM::LLVMFuncOp body) {
    Location loc = body.getLoc();
    OpBuilder builder(body->getContext());
    builder.setInsertionPointAfter(body);
    auto pointer = LLVM::LLVMPointerType::get(body->getContext());
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(body->getContext()), {pointer, builder.getI64Type(), builder.getI64Type()});
    auto thunk = LLVM::LLVMFuncOp::create(builder, loc, (body.getName() + ".thunk").str(), type, LLVM::Linkage::Internal);
    Block *block = thunk.addEntryBlock(builder);
    builder.setInsertionPointToStart(block);
    auto record = recordType(declaration);
    SmallVector<Value> arguments;
    for (auto [index, fieldType] : llvm::enumerate(record.getBody()))
      arguments.push_back(LLVM::LoadOp::create(builder, loc, fieldType, field(builder, loc, record, block->getArgument(0), index)));
    arguments.push_back(block->getArgument(1));
    arguments.push_back(block->getArgument(2));
    LLVM::CallOp::create(builder, loc, body, arguments);
    LLVM::ReturnOp::create(builder, loc, ValueRange());
    return thunk;
  }

  /// @heddle_parallel.R(captured..., count): heddle_parallel(captured[0], @R.thunk, {captured...}, count)
  void fillDeclaration(LLVM::LLVMFuncOp declaration, LLVM::LLVMFuncOp thunk) {
    Location loc = declaration.getLoc();
    OpBuilder builder(declaration->getContext());
    auto pointer = LLVM::LLVMPointerType::get(declaration->getContext());
    auto record = recordType(declaration);
    LLVM::LLVMFuncOp runtime = runtimeFunction(loc);
    declaration.setLinkage(LLVM::Linkage::Internal);
    Block *block = declaration.addEntryBlock(builder);
    builder.setInsertionPointToStart(block);
    Value one = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), builder.getI64IntegerAttr(1));
    Value captured = LLVM::AllocaOp::create(builder, loc, pointer, record, one);
    for (size_t index = 0; index < record.getBody().size(); ++index)
      LLVM::StoreOp::create(builder, loc, block->getArgument(index), field(builder, loc, record, captured, index));
    Value address = LLVM::AddressOfOp::create(builder, loc, thunk);
    LLVM::CallOp::create(builder, loc, runtime, ValueRange{block->getArgument(0), address, captured, block->getArguments().back()});
    LLVM::ReturnOp::create(builder, loc, ValueRange());
  }

  LLVM::LLVMFuncOp runtimeFunction(Location loc) {
    if (auto existing = getOperation().lookupSymbol<LLVM::LLVMFuncOp>(runtimeCall))
      return existing;
    OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&getContext()), {pointer, pointer, pointer, builder.getI64Type()});
    return LLVM::LLVMFuncOp::create(builder, loc, runtimeCall, type);
  }
};

} // namespace
} // namespace heddle
