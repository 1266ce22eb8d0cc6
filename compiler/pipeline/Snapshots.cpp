// See Snapshots.h.
#include "compiler/pipeline/Snapshots.h"
#include "compiler/pipeline/Stages.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include <mutex>

using namespace mlir;
using namespace heddle;

namespace {

/// The stages' passes and those of upstream that they use.
void registerPasses() {
  static std::once_flag once;
  std::call_once(once, [] {
    registerStages();
    registerTransformsPasses();
    registerConversionPasses();
    arith::registerArithPasses();
    bufferization::registerBufferizationPasses();
    func::registerFuncPasses();
    registerLinalgPasses();
    memref::registerMemRefPasses();
  });
}

/// "a{x=1,y},func.func(b,c)" -> "a{x=1,y}", "func.func(b,c)"
std::vector<StringRef> splitPasses(StringRef text) {
  std::vector<StringRef> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += StringRef("({").contains(text[i]) - StringRef(")}").contains(text[i]);
    if (text[i] == ',' && depth == 0)
      parts.push_back(text.slice(begin, i)), begin = i + 1;
  }
  parts.push_back(text.drop_front(begin));
  return parts;
}

void addSteps(StringRef stage, StringRef passes, const std::string &anchor, std::vector<BisectStep> &steps) {
  for (StringRef pass : splitPasses(passes)) {
    size_t open = pass.find_first_of("({");
    if (open != StringRef::npos && pass[open] == '(') // func.func(..): one step for each pass inside
      addSteps(stage, pass.slice(open + 1, pass.size() - 1), pass.take_front(open).str(), steps);
    else
      steps.push_back({stage.str(), anchor.empty() ? pass.str() : anchor + "(" + pass.str() + ")"});
  }
}

std::string runStep(ModuleOp module, const BisectStep &step) {
  std::string words;
  llvm::raw_string_ostream stream(words);
  ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      stream << (words.empty() ? "" : "; ") << diagnostic;
    return success();
  });
  PassManager pm(module.getContext());
  if (failed(parsePassPipeline(step.pass, pm, stream)))
    return "is not known: " + words;
  return failed(pm.run(module)) ? "fails" + (words.empty() ? words : ": " + words) : "";
}
} // namespace

std::vector<BisectStep> heddle::bisectSteps(const Target &target) {
  registerPasses();
  std::vector<BisectStep> steps;
  for (const Stage &stage : stages()) {
    OpPassManager pm(ModuleOp::getOperationName());
    stage.build(pm, &target);
    std::string text;
    llvm::raw_string_ostream stream(text);
    pm.printAsTextualPipeline(stream);
    StringRef passes(text);
    passes.consume_front("builtin.module(");
    passes.consume_back(")");
    addSteps(stage.word, passes, "", steps);
  }
  steps.push_back({"native", ""});
  return steps;
}

std::vector<Snapshot> heddle::takeSnapshots(ModuleOp module, ArrayRef<BisectStep> steps) {
  std::vector<Snapshot> snapshots;
  snapshots.push_back({module.clone(), ""});
  for (const BisectStep &step : steps) {
    OperationFingerPrint before(module);
    std::string failure = step.pass.empty() ? "" : runStep(module, step);
    bool changed = failure.empty() && (step.pass.empty() || OperationFingerPrint(module) != before);
    snapshots.push_back({changed ? module.clone() : ModuleOp(), failure});
    if (!failure.empty())
      break;
  }
  return snapshots;
}
