// Runs weight recipes: checkpoint tensors -> the bytes an executable carries. Comes after linking of code (code depends on shapes alone), or alone
// when weights are exchanged.
#pragma once
#include "mlir/IR/Attributes.h"
#include <cstdint>
#include <optional>
#include <span>

namespace heddle {

class Checkpoint;
class Diagnostics;

/// Bytes of the result of a recipe, or none where the recipe is inconsistent, passes 2^63 bytes or yields an element type that is not built yet; the
/// reason is reported.
std::optional<int64_t> recipeBytes(mlir::Attribute recipe, Diagnostics &diagnostics);

/// Writes the result into `out`, which has recipeBytes() bytes: elements in row-major order of the recipe's type, little-endian, bools as bytes;
/// padding is 0. Tensors are read in pieces of a megabyte and written to their final place; only a reshape across panels or transposed axes needs its
/// source whole. `checkpoint` may be null for recipes without checkpoint tensors. False after a message.
bool runRecipe(mlir::Attribute recipe, const Checkpoint *checkpoint, std::span<char> out, Diagnostics &diagnostics);

} // namespace heddle
