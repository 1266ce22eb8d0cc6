// Which pass spoils a result: the module is kept after each pass of each stage, and what each of these snapshots gives is compared with the float64
// interpreter. Heddle ops are interpreted; what comes after them is lowered plainly, compiled and run (RunSnapshot.h).
#pragma once
#include "compiler/pipeline/RunSnapshot.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace heddle {

struct BisectStep {
  std::string stage;
  std::string pass; // as heddle-opt --pass-pipeline='builtin.module(PASS)' takes it; empty: LLVM's optimisations, the last step
};

/// Every pass of every stage, in order, for one CPU variant. Makes the passes known by name.
std::vector<BisectStep> bisectSteps(const Target &target);

struct BisectOptions {
  EvaluateRequest request; // outputs are not looked at: all results are
  std::vector<BisectStep> steps;
  const Target *target;
  std::string runtimeArchive;
  const Checkpoint *checkpoint;
  unsigned seconds = 60; // for compiling and for running a snapshot
  bool every = false;    // each snapshot is judged, not by halves
  std::string keep;      // folder for the IR before and after the pass; empty: nowhere
};

struct BisectReport {
  EvaluateStatus status = EvaluateStatus::Done;
  std::string text; // for stdout
  int step = -1;    // of options.steps; none departs
};

/// `module` as the frontend makes it; its context must not use threads. Runs the passes on it. Snapshots are taken to depart from one pass on: the
/// pass found is one before which the result agrees and after which it does not, the first such one with `every`.
BisectReport bisect(mlir::ModuleOp module, const BisectOptions &options, Diagnostics &diagnostics);

} // namespace heddle
