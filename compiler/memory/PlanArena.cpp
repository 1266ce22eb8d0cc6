// The entry's buffers become views of one arena. Comes after bufferization, when an entry is a straight list of kernel calls between allocations;
// ArenaPlan.h decides the places, SizeReader.h reads the sizes.
#include "compiler/memory/ArenaPlan.h"
#include "compiler/memory/Passes.h"
#include "compiler/memory/SizeReader.h"
#include "compiler/support/ModelInfo.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_PLANARENA
#include "compiler/memory/Passes.h.inc"

namespace {

/// Plausible values of dimensions, to prefer one plan to another: 8 rows of 512.
std::vector<double> usualValues(ArrayRef<DimensionInfo> dimensions) {
  std::vector<double> values;
  for (const DimensionInfo &dimension : dimensions)
    values.push_back(dimension.kind == DimensionKind::Plain ? 8 : dimension.kind == DimensionKind::Ragged ? 512 : 8 * 512);
  return values;
}

Form toForm(const Polynomial &polynomial) {
  Form form;
  for (const auto &[monomial, coefficient] : polynomial.terms())
    form.push_back({coefficient, monomial});
  if (form.empty())
    form.push_back({0, {}}); // known to be nothing, unlike the empty form of an entry nobody has planned
  return form;
}

class EntryPlanner {
public:
  EntryPlanner(func::FuncOp entry, EntryInfo &info) : entry(entry), info(info), block(entry.getBody().front()) {}

  FailureOr<unsigned> run() {
    if (failed(checkArguments()))
      return failure();
    for (auto [position, op] : llvm::enumerate(block))
      positions[&op] = position;
    if (failed(collect()))
      return failure();
    std::optional<Polynomial> total = planArena(buffers, usualValues(info.dimensions), bufferAlignment);
    if (!total)
      return entry.emitOpError("size of the arena overflows 64 bits");
    info.arena = toForm(*total);
    rewrite();
    return allocs.size();
  }

private:
  LogicalResult checkArguments() {
    size_t count = info.dimensions.size();
    if (block.getNumArguments() <= count)
      return entry.emitOpError("expected buffers and then ") << count << " dimensions, got " << block.getNumArguments() << " arguments";
    for (BlockArgument argument : block.getArguments()) {
      bool dimension = argument.getArgNumber() >= block.getNumArguments() - count;
      Type expected = dimension ? Type(IndexType::get(entry.getContext())) : Type(rawBaseType(entry.getContext()));
      if (argument.getType() != expected)
        return entry.emitOpError("expected argument ") << argument.getArgNumber() << " of type " << expected << ", got " << argument.getType();
    }
    return success();
  }

  ValueRange dimensions() { return block.getArguments().take_back(info.dimensions.size()); }

  LogicalResult collect() {
    SizeReader reader(dimensions());
    for (auto alloc : llvm::make_early_inc_range(block.getOps<memref::AllocOp>())) {
      if (alloc->use_empty()) {
        alloc->erase();
        continue;
      }
      FailureOr<Polynomial> bytes = reader.readBytes(alloc);
      if (failed(bytes))
        return failure();
      ArenaBuffer buffer{*bytes, std::numeric_limits<int64_t>::max(), 0};
      extendLife(buffer, alloc.getResult());
      buffers.push_back(std::move(buffer));
      allocs.push_back(alloc);
    }
    return success();
  }

  /// A buffer lives while it, or a view of it, is used.
  void extendLife(ArenaBuffer &buffer, Value value) {
    for (Operation *user : value.getUsers()) {
      if (auto view = dyn_cast<ViewLikeOpInterface>(user)) {
        extendLife(buffer, view.getViewDest());
        continue;
      }
      int64_t position = positions.lookup(block.findAncestorOpInBlock(*user));
      buffer.first = std::min(buffer.first, position);
      buffer.last = std::max(buffer.last, position);
    }
  }

  void rewrite() {
    unsigned position = block.getNumArguments() - info.dimensions.size();
    (void)entry.insertArgument(position, rawBaseType(entry.getContext()), {}, entry.getLoc()); // fails for a function without FunctionType alone
    Value arena = block.getArgument(position);
    OpBuilder builder = OpBuilder::atBlockBegin(&block);
    SmallVector<Value> offsets;
    for (const ArenaBuffer &buffer : buffers)
      offsets.push_back(makeOffset(builder, buffer.offset));
    for (auto [alloc, offset] : llvm::zip_equal(allocs, offsets)) {
      builder.setInsertionPoint(alloc);
      Value view = memref::ViewOp::create(builder, alloc.getLoc(), alloc.getType(), arena, offset, alloc.getDynamicSizes());
      alloc.replaceAllUsesWith(view);
      alloc.erase();
    }
  }

  Value makeOffset(OpBuilder &builder, const Polynomial &polynomial) {
    Location loc = entry.getLoc();
    auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
    Value sum;
    for (const auto &[monomial, coefficient] : polynomial.terms()) {
      Value term = constant(coefficient);
      for (int64_t index : monomial)
        term = arith::MulIOp::create(builder, loc, term, dimensions()[index]);
      sum = sum ? arith::AddIOp::create(builder, loc, sum, term).getResult() : term;
    }
    if (!sum)
      return constant(0);
    if (polynomial.isMultipleOf(bufferAlignment))
      return sum;
    Value past = arith::AddIOp::create(builder, loc, sum, constant(bufferAlignment - 1));
    return arith::AndIOp::create(builder, loc, past, constant(-bufferAlignment));
  }

  func::FuncOp entry;
  EntryInfo &info;
  Block &block;
  DenseMap<Operation *, int64_t> positions;
  std::vector<ArenaBuffer> buffers;
  SmallVector<memref::AllocOp> allocs; // of `buffers`
};

struct PlanArena : impl::PlanArenaBase<PlanArena> {
  using PlanArenaBase::PlanArenaBase;

  void runOnOperation() override {
    std::optional<ModelInfo> model = readModelInfo(getOperation());
    if (!model)
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(entryAttrName))
        continue;
      auto info = llvm::find_if(model->entries, [&](const EntryInfo &entry) { return entry.name == function.getName(); });
      if (failed(check(function, info != model->entries.end())))
        return signalPassFailure();
      FailureOr<unsigned> count = EntryPlanner(function, *info).run();
      if (failed(count))
        return signalPassFailure();
      planned += *count;
    }
    writeModelInfo(getOperation(), *model);
  }

  LogicalResult check(func::FuncOp function, bool known) {
    if (!known)
      return function.emitOpError("is an entry that the attribute '") << modelInfoAttr << "' does not list";
    if (!function.getBody().hasOneBlock())
      return function.emitOpError("is an entry, expected one block of calls");
    return success();
  }
};

} // namespace
} // namespace heddle
