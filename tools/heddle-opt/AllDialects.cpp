// The one file that includes upstream's InitAll headers, which take long to compile.
#include "tools/heddle-opt/AllDialects.h"
#include "dialect/Heddle.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

void heddle::registerEveryDialect(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<HeddleDialect>();
}

void heddle::registerUpstreamPasses() { mlir::registerAllPasses(); }
