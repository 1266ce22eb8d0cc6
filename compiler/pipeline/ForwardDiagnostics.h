// What passes say through MLIR becomes records for the user: the place in the model text, the message, the notes.
#pragma once
#include "compiler/support/Location.h"
#include "mlir/IR/Diagnostics.h"

namespace heddle {

/// The innermost place in a file of the user's that a location knows; line 0 if there is none.
Place placeOf(mlir::Location location);

/// While it lives, diagnostics of the context go to `diagnostics`.
class ForwardDiagnostics {
public:
  ForwardDiagnostics(mlir::MLIRContext *context, Diagnostics &diagnostics);

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace heddle
