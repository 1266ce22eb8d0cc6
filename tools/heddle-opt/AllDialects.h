// Everything that upstream and we have: what the tools for IR know, whatever stage it is of.
#pragma once
#include "mlir/IR/DialectRegistry.h"

namespace heddle {

/// Upstream's dialects with their extensions, and ours.
void registerEveryDialect(mlir::DialectRegistry &registry);

/// Upstream's passes, by their names.
void registerUpstreamPasses();

} // namespace heddle
