// From locations of IR to places in the user's files.
#pragma once
#include "compiler/support/Diagnostics.h"
#include "mlir/IR/Location.h"

namespace heddle {

/// The innermost place in a file that a location knows: of a call, where the callee's text stands; of several, the first. Line 0 if there is none.
Place placeOf(mlir::Location location);
/// The same as file:line:column; empty if there is none.
std::string placeText(mlir::Location location);

} // namespace heddle
