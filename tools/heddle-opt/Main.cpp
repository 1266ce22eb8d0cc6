// heddle-opt: reads IR, runs passes or stages by name, prints IR. The one program (and file) that knows all of upstream's dialects and passes.
#include "compiler/pipeline/Stages.h"
#include "dialect/Heddle.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/raw_ostream.h"

/// A pass or stage of ours that is none. LLVM's parser would take `--heddle-...` for `-h`, print its help and succeed.
static bool isUnknownPass(llvm::StringRef word) {
  if (!word.consume_front("-"))
    return false;
  word.consume_front("-");
  llvm::StringRef name = word.take_until([](char c) { return c == '='; });
  return name.starts_with("heddle-") && !mlir::PassInfo::lookup(name) && !mlir::PassPipelineInfo::lookup(name);
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  registry.insert<heddle::HeddleDialect>();
  heddle::registerStages();
  for (int i = 1; i < argc; ++i)
    if (isUnknownPass(argv[i])) {
      llvm::errs() << "heddle-opt: error: no pass or stage '" << argv[i] << "'; see heddle-opt --help\n";
      return 2;
    }
  return mlir::failed(mlir::MlirOptMain(argc, argv, "heddle-opt: passes and stages of the Heddle compiler, one at a time\n", registry));
}
