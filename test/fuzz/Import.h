// A model's folder read and expanded to ops, in a context that serves many inputs: making one takes longer than most inputs do.
#pragma once
#include "compiler/frontend/Frontend.h"
#include "test/fuzz/MemoryFile.h"
#include <memory>

namespace heddle::fuzz {

class Importer {
public:
  /// A model is ops or messages that say why not, and never ops that do not verify.
  void import(const std::string &folder, const std::vector<std::string> &settings) {
    constexpr int64_t steps = 1 << 18;   // seconds, under sanitizers
    constexpr int inputsOfContext = 500; // types and attributes are kept until a context ends
    if (count++ % inputsOfContext == 0)
      context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
    Diagnostics diagnostics;
    mlir::OwningOpRef<mlir::ModuleOp> module = importModel(*context, {folder, "", settings, "", steps}, diagnostics);
    require(!module == diagnostics.hasErrors());
    for (const Diagnostic &record : diagnostics.records())
      require(!record.message.starts_with("internal error"));
    diagnostics.render();
  }

private:
  std::unique_ptr<mlir::MLIRContext> context;
  int count = 0;
};

} // namespace heddle::fuzz
