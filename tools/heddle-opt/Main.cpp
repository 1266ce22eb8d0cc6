// heddle-opt: reads IR, runs passes or stages by name, prints IR. The one program (and file) that knows all of upstream's dialects and passes.
#include "compiler/pipeline/Stages.h"
#include "dialect/Heddle.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  registry.insert<heddle::HeddleDialect>();
  heddle::registerStages();
  return mlir::failed(mlir::MlirOptMain(argc, argv, "heddle-opt: passes and stages of the Heddle compiler, one at a time\n", registry));
}
