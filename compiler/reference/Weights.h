// Weight recipes in float64, recipe by recipe, each made whole: a second implementation beside compiler/packing, simple enough to judge it.
#pragma once
#include "compiler/reference/Tensor.h"
#include "mlir/IR/Attributes.h"
#include <optional>
#include <string>

namespace heddle {

class Checkpoint;
class Diagnostics;

/// The value of a consistent recipe; `checkpoint` may be null. None after a message. `pack` and `pad` lay bytes out and are the identity here.
/// `exact`: nothing is rounded to a float type.
std::optional<Tensor> evaluateRecipe(mlir::Attribute recipe, const Checkpoint *checkpoint, Diagnostics &diagnostics, bool exact = false);

} // namespace heddle
