// What `heddle eval` does: one entry run by the interpreter, arrays in and out of .npy files.
#pragma once
#include "compiler/support/Diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <utility>
#include <vector>

namespace heddle {

class Checkpoint;

struct EvaluateRequest {
  using Files = std::vector<std::pair<std::string, std::string>>; // NAME=FILE
  std::string entry;
  Files inputs;          // arguments; a scalar argument also takes its value: NAME=false
  Files lengths, starts; // by the name of an argument with a ragged dimension; absent: full rows, from 0
  Files outputs;         // results, at least one
};

enum class EvaluateStatus { Done, Refused, Misused }; // exit codes 0, 1 and 2

/// The entry called `name`, or null after a message; an empty name means the only one there is.
mlir::func::FuncOp findEntry(mlir::ModuleOp module, const std::string &name, Diagnostics &diagnostics);
std::vector<std::string> resultNames(mlir::func::FuncOp entry);

/// `module` as the frontend makes it or after the graph stage. Results are written as f32, i32 or bool, once all are there.
EvaluateStatus evaluateFiles(mlir::ModuleOp module, const EvaluateRequest &request, const Checkpoint *checkpoint, Diagnostics &diagnostics);

} // namespace heddle
