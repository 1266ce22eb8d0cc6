// An entry for each kernel, which calls nothing else: what an executable checks itself by (heddle_check).
#include "compiler/linalg/KernelLowering.h"
#include "compiler/linalg/Passes.h"
#include "compiler/support/ModelInfo.h"

namespace heddle {
#define GEN_PASS_DEF_OUTLINECHECKS
#include "compiler/linalg/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

/// Half the rows of the smallest table that `kernel` looks up: an id below that stays inside, also where a kernel adds a few first.
int64_t idBoundOf(func::FuncOp kernel) {
  int64_t bound = 0;
  kernel.walk([&](GatherOp gather) {
    DimsAttr table = dimsOf(gather.getTable());
    if (int64_t half = table.isStatic(0) ? std::max<int64_t>(table.shape()[0] / 2, 1) : 1; bound == 0 || half < bound)
      bound = half;
  });
  return bound;
}

/// The function of one call of a kernel, while it is made.
class CheckBuilder {
public:
  CheckBuilder(func::FuncOp entry, func::CallOp call, func::FuncOp kernel)
      : entry(entry), call(call), kernel(kernel), b(OpBuilder::atBlockEnd(entry->getParentOfType<ModuleOp>().getBody())), loc(call.getLoc()) {}

  /// Whether the table can describe what the kernel takes and gives: extents that do not divide or multiply dimensions.
  bool canBeDescribed() {
    auto hasForm = [](AffineExpr e) { return e.isPureAffine() && !e.walk(findDivision).wasInterrupted(); };
    auto fits = [&](Value value) {
      DimsAttr dims = dimsOf(value);
      return isRows(value) || (dims && llvm::all_of(dims.getMap().getResults(), hasForm));
    };
    return llvm::all_of(call.getOperands(), fits) && fits(call.getResult(0));
  }

  void build() {
    SmallVector<Value> given; // what the kernel takes beside weights and rows
    for (Value operand : call.getOperands())
      if (!operand.getDefiningOp<UseOp>() && !isRows(operand))
        given.push_back(operand);
    SmallVector<BlockArgument> rows =
        llvm::to_vector(llvm::make_filter_range(entry.getArguments(), [&](Value argument) { return isRows(argument); }));
    SmallVector<Type> types(ValueRange(given).getTypes());
    for (BlockArgument argument : rows)
      types.push_back(argument.getType());
    auto check = func::FuncOp::create(b, loc, (checkPrefix + kernel.getName()).str(), b.getFunctionType(types, call.getResultTypes()));
    check->setAttr(entryAttr, b.getUnitAttr());
    if (Attribute dimensions = entry->getAttr(dimensionsAttr))
      check->setAttr(dimensionsAttr, dimensions);
    check.setResultAttr(0, nameAttr, b.getStringAttr("result"));
    Block *block = check.addEntryBlock();
    IRMapping map;
    for (auto [i, value] : llvm::enumerate(given)) {
      check.setArgAttr(i, nameAttr, b.getStringAttr("argument" + Twine(i)));
      if (int64_t bound = idBoundOf(kernel); bound && getElementTypeOrSelf(value.getType()).isInteger(32))
        check.setArgAttr(i, idBoundAttr, b.getI64IntegerAttr(bound));
      map.map(value, block->getArgument(i));
    }
    for (auto [i, argument] : llvm::enumerate(rows)) {
      check.setArgAttrs(given.size() + i, entry.getArgAttrDict(argument.getArgNumber()));
      map.map(argument, block->getArgument(given.size() + i));
    }
    b.setInsertionPointToStart(block);
    SmallVector<Value> operands;
    for (auto [operand, argument] : llvm::zip_equal(call.getOperands(), kernel.getArguments())) {
      if (auto use = operand.getDefiningOp<UseOp>())
        operands.push_back(b.clone(*use)->getResult(0));
      else
        operands.push_back(asRead(map.lookup(operand), argument));
    }
    Value result = func::CallOp::create(b, loc, kernel, operands).getResult(0);
    if (resultType(kernel) != exactType(result.getType()))
      result = copy<UnflattenOp>(result, "unflatten");
    func::ReturnOp::create(b, loc, result);
  }

private:
  static WalkResult findDivision(AffineExpr e) {
    bool divides = e.getKind() == AffineExprKind::FloorDiv || e.getKind() == AffineExprKind::CeilDiv || e.getKind() == AffineExprKind::Mod;
    return divides ? WalkResult::interrupt() : WalkResult::advance();
  }
  bool isRows(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && (entry.getArgAttr(argument.getArgNumber(), offsetsAttr) || entry.getArgAttr(argument.getArgNumber(), startsAttr));
  }
  /// An array of the check's caller as the kernel reads its argument.
  Value asRead(Value value, BlockArgument argument) {
    return argumentType(argument) == exactType(value.getType()) ? value : copy<FlattenOp>(value, "flatten");
  }

  /// The array laid out as inside, or back: by a kernel of its own, as between an entry's arguments and what is inside.
  template <typename Op> Value copy(Value value, StringRef name) {
    auto check = cast<func::FuncOp>(value.getParentBlock()->getParentOp());
    OpBuilder outside(check);
    auto type = outside.getFunctionType(value.getType(), value.getType());
    auto function = func::FuncOp::create(outside, loc, (check.getName() + "." + name + "." + Twine(copies++)).str(), type);
    function.setPrivate();
    if (std::is_same_v<Op, FlattenOp>)
      function.setArgAttr(0, exactAttr, b.getUnitAttr());
    else
      function->setAttr(exactAttr, b.getUnitAttr());
    outside.setInsertionPointToStart(function.addEntryBlock());
    auto copied = Op::create(outside, loc, value.getType(), function.getArgument(0), Value());
    func::ReturnOp::create(outside, loc, copied.getResult());
    return func::CallOp::create(b, loc, function, value).getResult(0);
  }

  func::FuncOp entry;
  func::CallOp call;
  func::FuncOp kernel;
  OpBuilder b;
  Location loc;
  int64_t copies = 0;
};

struct OutlineChecks : heddle::impl::OutlineChecksBase<OutlineChecks> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!module->removeAttr(checksAttr))
      return;
    SymbolTable symbols(module);
    llvm::DenseSet<Operation *> seen;
    for (auto entry : llvm::to_vector(module.getOps<func::FuncOp>()))
      for (auto call : llvm::to_vector(entry.getOps<func::CallOp>())) {
        auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
        if (!kernel || !seen.insert(kernel).second)
          continue;
        CheckBuilder check(entry, call, kernel);
        if (!check.canBeDescribed())
          continue;
        check.build();
        ++outlined;
      }
  }
};
} // namespace
