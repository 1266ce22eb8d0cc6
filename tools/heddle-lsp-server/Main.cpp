// heddle-lsp-server: upstream's language server for .mlir files, which knows what heddle-opt knows: errors of heddle ops while typing, definitions,
// uses, what an op is. An editor starts it (VS Code's MLIR extension: mlir.server_path) and speaks JSON-RPC over stdin and stdout.
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "tools/heddle-opt/AllDialects.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  heddle::registerEveryDialect(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
