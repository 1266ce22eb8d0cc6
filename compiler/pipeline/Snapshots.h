// The module after each pass of the pipeline.
#pragma once
#include "compiler/pipeline/Bisect.h"
#include "mlir/IR/OwningOpRef.h"

namespace heddle {

struct Snapshot {
  mlir::OwningOpRef<mlir::ModuleOp> module; // null where the step changed nothing, or failed
  std::string failure;                      // of the pass itself; no snapshots follow
};

/// Element 0 is the module as given, element i + 1 what step i left.
std::vector<Snapshot> takeSnapshots(mlir::ModuleOp module, llvm::ArrayRef<BisectStep> steps);

} // namespace heddle
