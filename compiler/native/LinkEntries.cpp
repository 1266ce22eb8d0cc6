// The C interface of entries. Comes after the conversion to the LLVM dialect; the table points at the functions made here.
#include "compiler/native/Passes.h"
#include "compiler/support/ModelInfo.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_LINKENTRIES
#include "compiler/native/Passes.h.inc"

namespace {

constexpr StringRef runtimeMark = "heddle_mark"; // runtime/heddle_model.h

struct LinkEntries : impl::LinkEntriesBase<LinkEntries> {
  using LinkEntriesBase::LinkEntriesBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto entry : llvm::to_vector(getOperation().getOps<LLVM::LLVMFuncOp>())) {
      if (!entry->hasAttr("heddle.entry"))
        continue;
      if (failed(check(entry)) || failed(link(entry, symbols)))
        return signalPassFailure();
      ++linked;
    }
    if (!getOperation()->hasAttr(modelInfoAttr))
      return;
    std::optional<ModelInfo> info = readModelInfo(getOperation());
    if (!info)
      return signalPassFailure();
    for (const EntryInfo &entry : info->entries)
      if (failed(markCalls(entry, symbols)))
        return signalPassFailure();
  }

  /// Before the i-th call of a kernel: heddle_mark(context, i). The order of calls is that of the entry's description.
  LogicalResult markCalls(const EntryInfo &info, SymbolTable &symbols) {
    auto entry = symbols.lookup<LLVM::LLVMFuncOp>("body." + info.name);
    if (!entry || entry.isExternal() || info.calls.empty())
      return success();
    LLVM::LLVMFuncOp mark = markFunction(entry.getLoc(), symbols);
    size_t next = 0;
    for (auto call : llvm::to_vector(entry.getOps<LLVM::CallOp>())) {
      if (next == info.calls.size() || call.getCallee() != info.calls[next].kernel)
        continue;
      OpBuilder builder(call);
      Value index = LLVM::ConstantOp::create(builder, call.getLoc(), builder.getI64Type(), builder.getI64IntegerAttr(next++));
      LLVM::CallOp::create(builder, call.getLoc(), mark, ValueRange{entry.getArgument(0), index});
    }
    if (next == info.calls.size())
      return success();
    return entry.emitOpError("does not call '") << info.calls[next].kernel << "' where its description says so";
  }

  LLVM::LLVMFuncOp markFunction(Location loc, SymbolTable &symbols) {
    if (auto existing = symbols.lookup<LLVM::LLVMFuncOp>(runtimeMark))
      return existing;
    OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&getContext()), {LLVM::LLVMPointerType::get(&getContext()), builder.getI64Type()});
    auto made = LLVM::LLVMFuncOp::create(builder, loc, runtimeMark, type);
    symbols.insert(made);
    return made;
  }

  LogicalResult check(LLVM::LLVMFuncOp entry) {
    auto type = entry.getFunctionType();
    if (entry.isExternal())
      return entry.emitOpError("is an entry without a body");
    if (!isa<LLVM::LLVMVoidType>(type.getReturnType()))
      return entry.emitOpError("is an entry and returns a value, expected none");
    if (type.getNumParams() == 0 || !isa<LLVM::LLVMPointerType>(type.getParamType(0)))
      return entry.emitOpError("is an entry whose first parameter is not the pointer of the context");
    for (Type parameter : type.getParams())
      if (!isa<LLVM::LLVMPointerType>(parameter) && !parameter.isInteger(64))
        return entry.emitOpError("is an entry with a parameter of type ") << parameter << ", expected a pointer or i64";
    return success();
  }

  /// @name(context, p0, p1, ..., d0, ...)  ->  @body.name(...) and @entry.name(context, buffers, dimensions)
  LogicalResult link(LLVM::LLVMFuncOp entry, SymbolTable &symbols) {
    std::string name = entry.getName().str();
    for (StringRef prefix : {"body.", "entry."})
      if (symbols.lookup((prefix + name).str()))
        return entry.emitOpError("needs the symbol '") << prefix << name << "', which is taken";
    symbols.remove(entry); // nobody calls an entry: rename() would look through the whole module for uses
    entry.setName("body." + name);
    symbols.insert(entry);
    Location loc = entry.getLoc();
    OpBuilder builder(entry->getContext());
    builder.setInsertionPointAfter(entry);
    auto pointer = LLVM::LLVMPointerType::get(entry->getContext());
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(entry->getContext()), {pointer, pointer, pointer});
    auto wrapper = LLVM::LLVMFuncOp::create(builder, loc, "entry." + name, type);
    wrapper->setAttr("heddle.entry", builder.getUnitAttr());
    entry->removeAttr("heddle.entry");
    Block *block = wrapper.addEntryBlock(builder);
    builder.setInsertionPointToStart(block);
    SmallVector<Value> arguments{block->getArgument(0)};
    int32_t nextBuffer = 0, nextDimension = 0;
    for (Type parameter : entry.getFunctionType().getParams().drop_front()) {
      bool isBuffer = isa<LLVM::LLVMPointerType>(parameter);
      int32_t index = isBuffer ? nextBuffer++ : nextDimension++;
      Value place = LLVM::GEPOp::create(builder, loc, pointer, parameter, block->getArgument(isBuffer ? 1 : 2), ArrayRef<LLVM::GEPArg>{index});
      arguments.push_back(LLVM::LoadOp::create(builder, loc, parameter, place));
    }
    LLVM::CallOp::create(builder, loc, entry, arguments);
    LLVM::ReturnOp::create(builder, loc, ValueRange());
    return success();
  }
};

} // namespace
} // namespace heddle
