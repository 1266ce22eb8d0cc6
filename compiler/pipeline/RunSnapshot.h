// A module from the middle of the pipeline -> what its entry gives, by way of an executable. Each step happens in a child process: a snapshot that
// crashes or hangs is a finding of bisection and not its end.
#pragma once
#include "compiler/native/PrivateFolder.h"
#include "compiler/pipeline/SectionWriter.h"
#include "compiler/reference/Evaluate.h"
#include "compiler/support/Npy.h"
#include "compiler/support/Target.h"

namespace heddle {

struct SnapshotRun {
  std::string failure;           // empty: it ran
  bool built = false;            // false: there is no executable, which says more about the plain lowering than about the snapshot
  std::vector<NpyArray> results; // in the order of the request's outputs
};

class SnapshotRunner {
public:
  struct Setting {
    const Target *target;
    std::string runtimeArchive;
    const Checkpoint *checkpoint;
    unsigned seconds; // for each of the two steps
  };
  /// `request`: the entry and its arguments; outputs are names alone.
  SnapshotRunner(Setting setting, const EvaluateRequest &request, const PrivateFolder &folder)
      : setting(std::move(setting)), request(request), folder(folder) {}

  /// Lowers a copy of the module plainly, links and runs it. The module's context must not use threads: the process forks. `optimized`: with LLVM's
  /// optimisations, as a product is compiled.
  SnapshotRun run(mlir::ModuleOp module, bool optimized);

private:
  llvm::Error build(mlir::ModuleOp module, bool optimized);
  std::string buildInChild(mlir::ModuleOp module, bool optimized);
  std::string execute();

  Setting setting;
  const EvaluateRequest &request;
  const PrivateFolder &folder; // for files that come and go
};

} // namespace heddle
