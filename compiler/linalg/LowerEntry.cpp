// An entry: views of raw buffers, a straight list of kernel calls, results written in place. The order of buffers is that of heddle_entry_function in
// runtime/heddle_model.h.
#include "compiler/linalg/EntryLowering.h"
#include "compiler/linalg/KernelLowering.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace heddle;

int64_t WeightPlacer::offsetOf(WeightOp weight, RankedTensorType layout) {
  auto [at, fresh] = placed.try_emplace({weight, layout}, 0);
  if (!fresh)
    return at->second;
  MLIRContext *context = module.getContext();
  Attribute recipe = weight.getRecipe();
  int64_t rank = weight.getTensorType().getRank();
  bool panels = layout.getRank() == 3 && rank == 2;
  if (!panels && rank > 2) // leading axes are one in memory
    recipe = ReshapeRecipeAttr::get(context, recipe, {layout.getShape().front(), weight.getTensorType().getShape().back()});
  if (rank > 0) { // a number lies as it is
    int64_t columns = layout.getShape().back();
    recipe = panels ? Attribute(PackRecipeAttr::get(context, recipe, columns)) : Attribute(PadRecipeAttr::get(context, recipe, columns));
  }
  std::string text;
  llvm::raw_string_ostream(text) << recipe;
  int64_t bytes = layout.getNumElements() * llvm::divideCeil(layout.getElementTypeBitWidth(), 8);
  info.weights.push_back({weight.getSymName().str(), text, Element::F32, static_cast<int64_t>(weight.getStorage()), 0, info.sectionBytes, bytes});
  at->second = info.sectionBytes;
  info.sectionBytes += llvm::alignTo(bytes, 64);
  return at->second;
}

namespace {

class EntryLowering {
public:
  EntryLowering(func::FuncOp entry, const KernelSignatures &kernels, WeightPlacer &weights, EntryInfo &info)
      : entry(entry), kernels(kernels), weights(weights), info(info), b(OpBuilder(entry), entry.getLoc()) {}
  LogicalResult run();

private:
  func::FuncOp entry;
  const KernelSignatures &kernels;
  WeightPlacer &weights;
  EntryInfo &info;
  LinalgBuilder b;
  IRMapping map;
  Block *block = nullptr;
  DenseMap<StringAttr, Value> dimensions;
  DenseMap<Value, unsigned> resultBuffers; // value that lies in a result's buffer -> the buffer's argument

  Value extent(Type logical, int64_t axis) {
    DimsAttr dims = dimsOf(logical);
    SmallVector<Value> symbols;
    for (StringAttr name : dims.getNames())
      symbols.push_back(dimensions.lookup(name));
    return affine::expandAffineExpr(b, b.loc, dims.getMap().getResult(axis), {}, symbols);
  }
  /// The run-time sizes of a value that lies as `type`, whose leading axes may be one.
  SmallVector<Value> sizesOf(Type logical, RankedTensorType type) {
    SmallVector<Value> sizes;
    int64_t rank = cast<RankedTensorType>(logical).getRank();
    for (int64_t i = 0; i < type.getRank(); ++i) {
      if (!type.isDynamicDim(i))
        continue;
      Value size = extent(logical, i);
      for (int64_t j = 1; rank != type.getRank() && j + 1 < rank; ++j)
        size = b.multiply(size, extent(logical, j));
      sizes.push_back(size);
    }
    return sizes;
  }
  Value view(unsigned buffer, int64_t offset, RankedTensorType type, ValueRange sizes) {
    auto memref = MemRefType::get(type.getShape(), type.getElementType());
    return b.make<memref::ViewOp>(memref, block->getArgument(buffer), b.index(offset), sizes);
  }
  Value tensorOf(Value memref, bool writable) {
    auto type = cast<MemRefType>(memref.getType());
    return b.make<bufferization::ToTensorOp>(RankedTensorType::get(type.getShape(), type.getElementType()), memref, /*restrict=*/true, writable);
  }
  void viewArguments();
  LogicalResult lowerCall(func::CallOp call);
};

void EntryLowering::viewArguments() {
  unsigned results = entry.getNumResults(), declared = info.arguments.size();
  for (BlockArgument argument : entry.getArguments()) {
    unsigned i = argument.getArgNumber();
    RankedTensorType type = exactType(argument.getType());
    map.map(argument, tensorOf(view(i < declared ? i : i + results, 0, type, sizesOf(argument.getType(), type)), false));
  }
}

LogicalResult EntryLowering::lowerCall(func::CallOp call) {
  const KernelSignature &kernel = kernels.at(call.getCallee());
  b.loc = call.getLoc();
  unsigned section = info.arguments.size() + info.results.size() +
                     2 * llvm::count_if(info.dimensions, [](const DimensionInfo &d) { return d.kind == DimensionKind::Ragged; });
  SmallVector<Value> operands;
  for (auto [operand, type] : llvm::zip_equal(call.getOperands(), kernel.arguments)) {
    if (auto use = operand.getDefiningOp<UseOp>()) {
      operands.push_back(tensorOf(view(section, weights.offsetOf(weights.lookup(use), type), type, {}), false));
      continue;
    }
    Value value = map.lookup(operand);
    if (value.getType() != type)
      return call.emitError("operand lies as ") << value.getType() << ", its kernel reads " << type;
    operands.push_back(value);
  }
  Value result = call.getResult(0);
  SmallVector<Value> sizes = sizesOf(result.getType(), kernel.result);
  auto buffer = resultBuffers.find(result);
  if (buffer != resultBuffers.end())
    operands.push_back(tensorOf(view(buffer->second, 0, kernel.result, sizes), true));
  else
    operands.push_back(b.make<tensor::EmptyOp>(kernel.result.getShape(), kernel.result.getElementType(), sizes));
  for (StringAttr name : kernel.dimensions)
    operands.push_back(dimensions.lookup(name));
  map.map(result, func::CallOp::create(b, b.loc, call.getCallee(), kernel.result, operands).getResult(0));
  return success();
}

LogicalResult EntryLowering::run() {
  auto raw = MemRefType::get({1}, b.getI8Type()); // one plain pointer under the bare pointer convention
  unsigned ragged = llvm::count_if(info.dimensions, [](const DimensionInfo &d) { return d.kind == DimensionKind::Ragged; });
  unsigned buffers = info.arguments.size() + info.results.size() + 2 * ragged + 1;
  SmallVector<Type> inputs(buffers, raw);
  inputs.append(info.dimensions.size(), b.getIndexType());
  auto made = func::FuncOp::create(b, entry.getLoc(), entry.getName(), b.getFunctionType(inputs, {}));
  made->setAttr(entryAttr, b.getUnitAttr());
  made->setAttr(nameAttr, b.getStringAttr(entry.getName())); // equal kernels are merged, equal entries are not
  block = made.addEntryBlock();
  b.setInsertionPointToStart(block);
  for (auto [i, dimension] : llvm::enumerate(info.dimensions))
    dimensions[b.getStringAttr(dimension.name)] = block->getArgument(buffers + i);
  auto results = cast<func::ReturnOp>(entry.getBody().front().getTerminator()).getOperands();
  for (auto [i, result] : llvm::enumerate(results)) {
    if (!result.getDefiningOp<func::CallOp>() || !resultBuffers.try_emplace(result, info.arguments.size() + i).second)
      return entry.emitOpError("expected each result from a kernel of its own");
  }
  viewArguments();
  for (Operation &op : entry.getBody().front())
    if (auto call = dyn_cast<func::CallOp>(op); call && failed(lowerCall(call)))
      return failure();
  for (auto [i, result] : llvm::enumerate(results)) {
    Value value = map.lookup(result);
    auto type = cast<RankedTensorType>(value.getType());
    Value to = view(info.arguments.size() + i, 0, type, sizesOf(result.getType(), type));
    bufferization::MaterializeInDestinationOp::create(b, b.loc, Type(), value, to, /*restrict=*/true, /*writable=*/true);
  }
  func::ReturnOp::create(b, b.loc);
  entry.erase();
  return success();
}
} // namespace

LogicalResult heddle::lowerEntry(func::FuncOp entry, const KernelSignatures &kernels, WeightPlacer &weights, EntryInfo &info) {
  return EntryLowering(entry, kernels, weights, info).run();
}
