// The smallest module that a test still finds interesting, by leaving out operations: upstream's reducer erases ranges of operations and leaves what
// read them without operands; here a reader gets another value of the type.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <functional>

namespace heddle {

class Reducer {
public:
  /// Whether what the test looks for is still there. Asked about valid modules alone.
  using Test = std::function<bool(mlir::ModuleOp)>;
  Reducer(mlir::OwningOpRef<mlir::ModuleOp> module, Test test) : best(std::move(module)), test(std::move(test)) {}

  /// Until no single step makes it smaller.
  void run();
  mlir::ModuleOp module() const { return *best; }
  unsigned tries() const { return tried; }

private:
  /// Changes a copy; keeps it where `change` did something, the copy is valid and the test passes.
  bool attempt(llvm::function_ref<bool(mlir::ModuleOp)> change);
  bool dropSymbols();
  bool dropResults();
  bool dropArguments();
  bool dropOperations();
  bool dropSlices(unsigned choice, size_t largest);

  mlir::OwningOpRef<mlir::ModuleOp> best;
  Test test;
  unsigned tried = 0;
};

} // namespace heddle
