// What the native tests start from: a module as the memory stage leaves it, lowered by the native stage, and what is known of it beside its code.
#pragma once
#include "compiler/support/ModelInfo.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>
#include <string>

/// result[i] = x[i] * x[i] + x[i], one task a row of 32, through a kernel and a parallel region.
struct NativeModule {
  NativeModule();
  /// The object (or assembly) for a CPU, with the entry and the kernel exported.
  std::string emit(llvm::StringRef cpu, llvm::StringRef suffix, bool assembly = false);
  heddle::ModelInfo info();

  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
