// Which entries a task can be made of.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>
#include <string>

namespace heddle::frontend {

/// What keeps the entries, one or two as the task asks for, from being a task of that kind; empty where they are one.
///   translate  (i32[batch, tokens...]) -> memory; (i32[batch, tokens...], memory) -> f32[batch, tokens..., ids]
///   generate   (i32[batch, tokens...]) -> f32[batch, tokens..., ids]
///   embed      (i32[batch, tokens...]) -> f32[batch, n]
///   classify   (i32[batch, tokens...] or f32[batch, channels, height, width]) -> f32[batch, labels]
/// What else they take must have a default.
std::string misfit(llvm::StringRef task, llvm::ArrayRef<mlir::func::FuncOp> entries);

/// The channels of the pictures that the entry takes; 0 where it takes none.
int64_t pictureChannels(mlir::func::FuncOp entry);

/// The last extent of the entry's first result: ids or labels that have a score. None where it is not known when compiling.
std::optional<int64_t> scoresOf(mlir::func::FuncOp entry);

} // namespace heddle::frontend
