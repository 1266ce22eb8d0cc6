// heddle-opt: reads IR, runs passes or stages by name, prints IR. It knows all of upstream's dialects and passes too.
#include "compiler/graph/BadRewrites.h"
#include "compiler/graph/Passes.h"
#include "compiler/pipeline/RewriteJudge.h"
#include "compiler/pipeline/Stages.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tools/heddle-opt/AllDialects.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// A pass or stage of ours that is none. LLVM's parser would take `--heddle-...` for `-h`, print its help and succeed.
static bool isUnknownPass(StringRef word) {
  if (!word.consume_front("-"))
    return false;
  word.consume_front("-");
  StringRef name = word.take_until([](char c) { return c == '='; });
  return name.starts_with("heddle-") && !PassInfo::lookup(name) && !PassPipelineInfo::lookup(name) &&
         !llvm::cl::getRegisteredOptions().contains(name);
}

static int fail(const Twine &message) {
  llvm::errs() << "heddle-opt: error: " << message << "\n";
  return 1;
}

/// What MlirOptMain does with its files, with a judge of rewrites in every context it makes.
static int run(StringRef input, StringRef output, DialectRegistry &registry, const heddle::RewriteOptions &rewrites) {
  std::string message;
  auto config = MlirOptMainConfig::createFromCLOptions();
  heddle::RewriteJudge judge(rewrites);
  if (rewrites.validate || !rewrites.injectBadRewrite.empty())
    config.setPassPipelineSetupFn([given = config, &judge](PassManager &pm) {
      judge.watch(*pm.getContext());
      LogicalResult result = given.setupPassPipeline(pm);
      pm.addPass(heddle::createVerifyRewrites()); // for passes that are not the whole stage
      return result;
    });
  auto from = openInputFile(input, &message);
  auto to = from ? openOutputFile(output, &message) : nullptr;
  if (!to)
    return fail(message);
  if (failed(MlirOptMain(to->os(), std::move(from), registry, config)))
    return 1;
  if (std::string unmet = judge.unmet(); !unmet.empty())
    return fail(unmet);
  to->keep();
  return 0;
}

int main(int argc, char **argv) {
  DialectRegistry registry;
  heddle::registerEveryDialect(registry);
  heddle::registerUpstreamPasses();
  heddle::registerStages();
  heddle::RewriteOptions rewrites;
  llvm::cl::opt<bool, true> validate("validate-rewrites", llvm::cl::location(rewrites.validate),
                                     llvm::cl::desc("prove each fusion on small hostile inputs in float64"));
  llvm::cl::opt<std::string, true> inject("heddle-inject-bad-rewrite", llvm::cl::location(rewrites.injectBadRewrite), llvm::cl::value_desc("kind"),
                                          llvm::cl::desc("spoil the rewrites that a kind fits"));
  for (int i = 1; i < argc; ++i)
    if (isUnknownPass(argv[i])) {
      llvm::errs() << "heddle-opt: error: no pass or stage '" << argv[i] << "'; see heddle-opt --help\n";
      return 2;
    }
  auto [input, output] = registerAndParseCLIOptions(argc, argv, "heddle-opt: passes and stages of the Heddle compiler, one at a time\n", registry);
  if (!rewrites.injectBadRewrite.empty() && !heddle::findBadRewrite(rewrites.injectBadRewrite)) {
    fail("no kind of rewrite '" + rewrites.injectBadRewrite + "'; the kinds and what they need:");
    for (const heddle::BadRewrite &bad : heddle::badRewrites())
      llvm::errs() << "  " << bad.kind << ": " << bad.needs << "\n";
    return 2;
  }
  if (MlirOptMainConfig::createFromCLOptions().shouldListPasses() || MlirOptMainConfig::createFromCLOptions().shouldShowDialects())
    return failed(MlirOptMain(argc, argv, input, output, registry));
  return run(input, output, registry, rewrites);
}
