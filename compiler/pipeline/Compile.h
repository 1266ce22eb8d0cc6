// A model text or directory -> one executable, or whatever comes out of a stage before. The whole compiler behind one class; tools call it.
#pragma once
#include "compiler/native/LinkExecutable.h"
#include "compiler/pipeline/FusionNotes.h"
#include "compiler/pipeline/Options.h"
#include "compiler/pipeline/RewriteJudge.h"
#include "compiler/pipeline/Stages.h"
#include "compiler/support/Checkpoint.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/support/ModelInfo.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/Timing.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

enum class Outcome {
  Good,
  Refused, // the contents given are at fault, or ask for what is not built yet
  Broken,  // we are at fault; a reproducer is written
};

/// A tensor of the checkpoint.
struct TensorRead {
  std::string name, element; // element: f32, bf16 ...
  std::vector<int64_t> shape;
  int64_t elementBytes;
};

class Compilation {
public:
  Compilation(const CompileOptions &options, Diagnostics &diagnostics, mlir::TimingScope &timing);
  ~Compilation();

  /// What the fusions of run() say goes into `notes`, which outlives this.
  void collectFusions(std::vector<FusionNote> &notes) { collectFusionNotes(*context, notes); }

  /// Everything up to options.emit, except what `exe` writes. Then text() or writeExecutable() has the result.
  Outcome run();

  /// IR, assembly or the bytes of an object: the result of every emit but `exe`. Text of several CPU variants is separated by a line `// -----`.
  const std::string &result() const { return text; }

  /// Everything that run() and writeExecutable(path) would refuse before they come to what differs between CPUs. Nothing is written.
  Outcome plan(const std::string &path);

  /// What the table of the executable will say; after run() or plan().
  const ModelInfo &description() const { return info; }
  /// The checkpoint that weights are made of, null where they need none; after plan().
  const Checkpoint *weights() const { return checkpoint.get(); }
  /// The tensors that weights are made of, sorted by name; after run() or plan().
  std::vector<TensorRead> tensorsRead() const;

  /// Links, packs weights and tokenizers, and puts the executable in the place of `path`.
  Outcome writeExecutable(const std::string &path);

private:
  struct Variant {
    const Target *target;
    mlir::OwningOpRef<mlir::ModuleOp> module;
    std::string object;
  };

  bool importSource();
  /// A part of the work, timed as long as what this returns lives.
  mlir::TimingScope begin(llvm::StringRef part);
  bool turnOffFusions();
  Outcome runStages();
  Outcome runStage(const Stage &stage, mlir::ModuleOp module, const Target *target);
  Outcome takeModelInfo(llvm::ArrayRef<mlir::ModuleOp> modules);
  Outcome emitObjects(bool assembly);
  Outcome joinObjects();
  bool packTokenizers();
  Outcome makeSelfTest();
  bool openWeights();
  llvm::Expected<std::vector<LinkInput>> linkInputs();
  Outcome broken(const std::string &what);
  void print(mlir::ModuleOp module);

  const CompileOptions &options;
  Diagnostics &diagnostics;
  mlir::TimingScope &timing;
  RewriteJudge judge;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::OwningOpRef<mlir::ModuleOp> imported, graph; // as the frontend and the graph stage made it, for the self-test
  std::vector<Variant> variants;
  ModelInfo info;
  std::vector<std::string> tokenizerBytes; // one for each of info.tokenizers
  std::vector<std::string> checkBytes;     // one for each of info.checks
  std::unique_ptr<Checkpoint> checkpoint;
  std::string text;
};

} // namespace heddle
