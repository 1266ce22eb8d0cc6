// What passes say through MLIR becomes records for the user: the place in the model text, the message, the notes.
#pragma once
#include "compiler/support/Location.h"
#include "mlir/IR/Diagnostics.h"

namespace heddle {

/// While it lives, diagnostics of the context go to `diagnostics`.
class ForwardDiagnostics {
public:
  ForwardDiagnostics(mlir::MLIRContext *context, Diagnostics &diagnostics);

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace heddle
