// What all CPU variants of a model share beside their code. Comes between the stages and the table.
#pragma once
#include "compiler/support/ModelInfo.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace heddle {

/// The description that the modules of all variants carry. They agree but for the arenas, of which the largest in each coefficient serves all. Places
/// lose their folders: an executable does not depend on where its source lay. None where a module has no description or they disagree.
std::optional<ModelInfo> describeModel(llvm::ArrayRef<mlir::ModuleOp> variants);

} // namespace heddle
