// See Reducer.h.
#include "tools/heddle-reduce/Reducer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace heddle;

namespace {

/// The operations inside of functions that may be left out, in an order that is the same in every copy of a module.
std::vector<Operation *> operationsOf(ModuleOp module) {
  std::vector<Operation *> operations;
  for (auto function : module.getOps<func::FuncOp>())
    function.getBody().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { // what is inside comes after, so that a slice taken from its end erases it first
          if (!op->hasTrait<OpTrait::IsTerminator>())
            operations.push_back(op);
        });
  return operations;
}

/// Values of a type that stand before an operation: its own operands, the function's arguments, then what its block has made.
SmallVector<Value> valuesBefore(Operation *op, Type type) {
  SmallVector<Value> values;
  auto add = [&](Value value) {
    if (value.getType() == type && !llvm::is_contained(values, value))
      values.push_back(value);
  };
  llvm::for_each(op->getOperands(), add);
  llvm::for_each(op->getParentOfType<func::FuncOp>().getArguments(), add);
  for (Operation &earlier : *op->getBlock()) {
    if (&earlier == op)
      break;
    llvm::for_each(earlier.getResults(), add);
  }
  return values;
}

/// A constant of zeros, or null where the type has none.
Value makeZero(Operation *before, Type type) {
  OpBuilder b(before);
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && !(isa<RankedTensorType, VectorType>(type) && shaped.hasStaticShape()))
    return {};
  TypedAttr zero = isa<FloatType, IntegerType, IndexType>(getElementTypeOrSelf(type)) ? b.getZeroAttr(type) : TypedAttr();
  return zero ? Value(arith::ConstantOp::create(b, before->getLoc(), zero)) : Value();
}

/// Choice 0 replaces each result by the first value there is, 1 by the last, 2 by zeros. False, and nothing done, where there is no such value.
bool leaveOut(Operation *op, unsigned choice) {
  SmallVector<Value> by;
  for (Value result : op->getResults()) {
    SmallVector<Value> values;
    if (choice < 2)
      values = valuesBefore(op, result.getType());
    Value value = values.empty() ? Value() : choice == 0 ? values.front() : values.back();
    if (!value && !isa<arith::ConstantOp>(op))
      value = makeZero(op, result.getType());
    if (!value && !result.use_empty())
      return false;
    by.push_back(value);
  }
  for (auto [result, value] : llvm::zip_equal(op->getResults(), by))
    if (value)
      result.replaceAllUsesWith(value);
  op->erase();
  return true;
}

void eraseDead(ModuleOp module) {
  std::vector<Operation *> operations = operationsOf(module);
  for (Operation *op : llvm::reverse(operations))
    if (isOpTriviallyDead(op))
      op->erase();
}

bool hasCallers(func::FuncOp function, ModuleOp module) { return !SymbolTable::symbolKnownUseEmpty(function, module); }

SmallVector<func::FuncOp> functionsOf(ModuleOp module) { return llvm::to_vector(module.getOps<func::FuncOp>()); }
} // namespace

bool Reducer::attempt(llvm::function_ref<bool(ModuleOp)> change) {
  OwningOpRef<ModuleOp> copy = best->clone();
  ScopedDiagnosticHandler quiet(copy->getContext(), [](Diagnostic &) { return success(); });
  if (!change(*copy))
    return false;
  eraseDead(*copy);
  if (failed(verify(*copy)))
    return false;
  ++tried;
  if (!test(*copy))
    return false;
  best = std::move(copy);
  return true;
}

void Reducer::run() {
  bool smaller = true;
  while (smaller) {
    smaller = dropSymbols();
    smaller |= dropResults();
    smaller |= dropOperations();
    smaller |= dropArguments();
  }
}

/// Functions, weights and whatever else stands in the module.
bool Reducer::dropSymbols() {
  bool smaller = false;
  for (size_t i = llvm::range_size(*best->getBody()); i-- > 0;)
    smaller |= attempt([&](ModuleOp module) {
      Operation &op = *std::next(module.getBody()->begin(), static_cast<ptrdiff_t>(i));
      if (isa<SymbolOpInterface>(op) && !SymbolTable::symbolKnownUseEmpty(&op, module))
        return false;
      op.erase();
      return true;
    });
  return smaller;
}

/// What a function returns, where nobody calls it.
bool Reducer::dropResults() {
  bool smaller = false;
  for (size_t f = 0; f < functionsOf(*best).size(); ++f)
    for (unsigned i = functionsOf(*best)[f].getNumResults(); i-- > 0;)
      smaller |= attempt([&](ModuleOp module) {
        func::FuncOp function = functionsOf(module)[f];
        if (hasCallers(function, module) || function.isExternal())
          return false;
        for (Block &block : function.getBody())
          if (auto end = dyn_cast<func::ReturnOp>(block.getTerminator()))
            end->eraseOperand(i);
        return succeeded(function.eraseResult(i));
      });
  return smaller;
}

bool Reducer::dropArguments() {
  bool smaller = false;
  for (size_t f = 0; f < functionsOf(*best).size(); ++f)
    for (unsigned i = functionsOf(*best)[f].getNumArguments(); i-- > 0;)
      smaller |= attempt([&](ModuleOp module) {
        func::FuncOp function = functionsOf(module)[f];
        return !hasCallers(function, module) && !function.isExternal() && function.getArgument(i).use_empty() && succeeded(function.eraseArgument(i));
      });
  return smaller;
}

bool Reducer::dropOperations() {
  bool smaller = dropSlices(0, operationsOf(*best).size());
  for (unsigned choice : {1u, 2u})
    smaller |= dropSlices(choice, 1);
  return smaller;
}

/// Slices of operations, halving, from the last backwards: what reads a value goes before what makes it.
bool Reducer::dropSlices(unsigned choice, size_t largest) {
  bool smaller = false;
  for (size_t size = largest; size >= 1; size /= 2)
    for (size_t end = operationsOf(*best).size(); end > 0; end = std::min(end > size ? end - size : 0, operationsOf(*best).size())) {
      size_t before = operationsOf(*best).size();
      smaller |= attempt([&](ModuleOp module) {
        std::vector<Operation *> operations = operationsOf(module);
        bool changed = false;
        for (size_t i = end; i-- > (end > size ? end - size : 0);)
          changed |= leaveOut(operations[i], choice);
        eraseDead(module);
        return changed && operationsOf(module).size() < before; // a zero for a zero is no progress
      });
    }
  return smaller;
}
