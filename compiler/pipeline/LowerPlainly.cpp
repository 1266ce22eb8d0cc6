// See LowerPlainly.h.
#include "compiler/pipeline/LowerPlainly.h"
#include "compiler/memory/Passes.h"
#include "compiler/native/EmitTable.h"
#include "compiler/support/ModelInfo.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace heddle {
namespace {

bool hasTensors(ModuleOp module) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return module.walk([&](Operation *op) { return WalkResult(failure(llvm::any_of(op->getOperandTypes(), isTensor))); }).wasInterrupted();
}

bool hasAllocations(ModuleOp module) {
  return module.walk([](memref::AllocOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// A buffer for each tensor that a kernel writes, and a copy before each write: no analysis of who may share one. (Entries, which only call, are
/// analysed: upstream's analysis state of calls is missing where none is made.)
LogicalResult bufferize(ModuleOp module) {
  bufferization::OneShotBufferizePassOptions options;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function->hasAttr(entryAttrName))
      options.noAnalysisFuncFilter.push_back(function.getName().str());
  options.bufferizeFunctionBoundaries = options.allowReturnAllocsFromLoops = true;
  options.functionBoundaryTypeConversion = bufferization::LayoutMapOption::IdentityLayoutMap;
  PassManager pm(module.getContext());
  pm.addNestedPass<func::FuncOp>(createInjectOffsets()); // upstream takes the write of one row for that of a whole tile
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  return pm.run(module);
}

/// Copies between views, which upstream would leave to a library, become loops over elements.
void lowerCopies(ModuleOp module) {
  module.walk([](memref::CopyOp copy) {
    if (!isa<MemRefType>(copy.getSource().getType()) || !isa<MemRefType>(copy.getTarget().getType()))
      return;
    OpBuilder b(copy);
    Location loc = copy.getLoc();
    Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
    SmallVector<Value> indices;
    for (int64_t axis = 0; axis < cast<MemRefType>(copy.getSource().getType()).getRank(); ++axis) {
      Value size = memref::DimOp::create(b, loc, copy.getSource(), axis);
      auto loop = scf::ForOp::create(b, loc, zero, size, one);
      indices.push_back(loop.getInductionVar());
      b.setInsertionPointToStart(loop.getBody());
    }
    Value element = memref::LoadOp::create(b, loc, copy.getSource(), indices);
    memref::StoreOp::create(b, loc, element, copy.getTarget(), indices);
    copy.erase();
  });
}

void lowerLoops(OpPassManager &pm) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createConvertLinalgToLoopsPass());
  functions.addPass(createForallToForLoopPass());
}

/// What is allocated is freed, at the latest at the end of the loop's turn or the function: tiles are allocated in every turn.
void deallocate(OpPassManager &pm) {
  bufferization::buildBufferDeallocationPipeline(pm);
  pm.addPass(createConvertBufferizationToMemRefPass()); // buffers that are returned are cloned
}

/// After loops and buffers: conversions alone. A pass has nothing to do where the snapshot is beyond it.
void convertToLLVM(OpPassManager &pm) {
  pm.addPass(createConvertMathToLibmPass());
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(arith::createArithExpandOpsPass());
  functions.addPass(memref::createExpandStridedMetadataPass());
  functions.addPass(createLowerAffinePass());
  functions.addPass(createConvertVectorToLLVMPass());
  functions.addPass(createConvertMathToLLVMPass());
  functions.addPass(createSCFToControlFlowPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

/// heddle_parallel.R(captured.., count)  ->  R(captured.., 0, count)
void runSerially(ModuleOp module) {
  for (auto declaration : module.getOps<LLVM::LLVMFuncOp>()) {
    StringRef region = declaration.getName();
    auto body = region.consume_front(parallelPrefix) && declaration.isExternal() ? module.lookupSymbol<LLVM::LLVMFuncOp>(region) : nullptr;
    if (!body)
      continue;
    OpBuilder b(module.getContext());
    declaration.setLinkage(LLVM::Linkage::Internal);
    Block *block = declaration.addEntryBlock(b);
    b.setInsertionPointToStart(block);
    SmallVector<Value> arguments(block->getArguments());
    arguments.insert(arguments.end() - 1, LLVM::ConstantOp::create(b, body.getLoc(), b.getI64Type(), b.getI64IntegerAttr(0)));
    LLVM::CallOp::create(b, body.getLoc(), body, arguments);
    LLVM::ReturnOp::create(b, body.getLoc(), ValueRange());
  }
}

/// @entry.NAME(context, buffers, dimensions) calls @NAME. The pass LinkEntries does it for entries of plain pointers; here a buffer may be a
/// descriptor of memref<1xi8> (`types`: what the entry took before it was LLVM's), and the context may be missing.
class EntryLink {
public:
  EntryLink(LLVM::LLVMFuncOp entry, FunctionType types, const EntryInfo &info) : entry(entry), types(types), b(entry->getContext()) {
    auto isRagged = [](const DimensionInfo &dimension) { return dimension.kind == DimensionKind::Ragged; };
    size_t buffers = info.arguments.size() + info.results.size() + 2 * llvm::count_if(info.dimensions, isRagged) + 2; // the section, the arena
    hasContext = !types || llvm::count_if(types.getInputs(), llvm::IsaPred<MemRefType>) > static_cast<ptrdiff_t>(buffers);
  }

  void make() {
    Location loc = entry.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(entry->getContext());
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(entry->getContext()), {pointer, pointer, pointer});
    b.setInsertionPointAfter(entry);
    auto made = LLVM::LLVMFuncOp::create(b, loc, entrySymbol(entry.getName()), type);
    block = made.addEntryBlock(b);
    b.setInsertionPointToStart(block);
    SmallVector<Value> arguments;
    for (Type given : types ? types.getInputs() : entry.getFunctionType().getParams())
      add(given, arguments);
    LLVM::CallOp::create(b, loc, entry, arguments);
    LLVM::ReturnOp::create(b, loc, ValueRange());
  }

private:
  void add(Type given, SmallVector<Value> &arguments) {
    bool isBuffer = isa<MemRefType, LLVM::LLVMPointerType>(given), isContext = hasContext && arguments.empty();
    Value value = isContext ? block->getArgument(0) : load(isBuffer, isBuffer ? nextBuffer++ : nextDimension++);
    arguments.push_back(value);
    if (!isa<MemRefType>(given))
      return;
    Value zero = LLVM::ConstantOp::create(b, entry.getLoc(), b.getI64Type(), b.getI64IntegerAttr(0));
    Value one = LLVM::ConstantOp::create(b, entry.getLoc(), b.getI64Type(), b.getI64IntegerAttr(1));
    arguments.append({value, zero, one, one}); // aligned pointer, offset, size, stride
  }
  Value load(bool isBuffer, int32_t index) {
    Type type = isBuffer ? Type(LLVM::LLVMPointerType::get(entry->getContext())) : b.getI64Type();
    Value place = LLVM::GEPOp::create(b, entry.getLoc(), LLVM::LLVMPointerType::get(entry->getContext()), type, block->getArgument(isBuffer ? 1 : 2),
                                      ArrayRef<LLVM::GEPArg>{index});
    return LLVM::LoadOp::create(b, entry.getLoc(), type, place);
  }

  LLVM::LLVMFuncOp entry;
  FunctionType types;
  OpBuilder b;
  Block *block = nullptr;
  bool hasContext;
  int32_t nextBuffer = 0, nextDimension = 0;
};

LogicalResult run(ModuleOp module, llvm::function_ref<void(OpPassManager &)> build) {
  PassManager pm(module.getContext());
  build(pm);
  return pm.run(module);
}
} // namespace

LogicalResult lowerPlainly(ModuleOp module) {
  std::optional<ModelInfo> info = readModelInfo(module);
  if (!info)
    return failure();
  if (hasTensors(module) && failed(bufferize(module)))
    return failure();
  llvm::StringMap<FunctionType> entries;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(entryAttrName))
      entries[function.getName()] = function.getFunctionType();
  lowerCopies(module);
  if (failed(run(module, lowerLoops)))
    return failure();
  if (hasAllocations(module) && failed(run(module, deallocate)))
    return failure();
  lowerCopies(module); // what deallocation cloned
  if (failed(run(module, convertToLLVM)))
    return failure();
  runSerially(module);
  for (EntryInfo &entry : info->entries) {
    if (entry.arena.empty())
      entry.arena = {{0, {}}};
    if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(entry.name); function && !module.lookupSymbol(entrySymbol(entry.name)))
      EntryLink(function, entries.lookup(entry.name), entry).make();
  }
  writeModelInfo(module, *info);
  return success();
}

} // namespace heddle
