// The heddle dialect in C++: attributes, types, ops, and the few questions that everybody asks of them.
#pragma once
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <functional>
#include <optional>

#include "dialect/Dialect.h.inc"
#include "dialect/Enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/Attributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/Types.h.inc"

namespace heddle {

/// Where a mask is asked: which batch row and head (index values), the positions of the row's first query and first key, and which tokens they are
/// where a side has rows; and how its tensor operands are read once they are lowered.
struct MaskSite {
  mlir::Value batch, head, queryStart, keyStart, queryOffset, keyOffset;
  /// Element `indices` of an operand of the mask.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value operand, llvm::ArrayRef<mlir::Value> indices)> read;
  /// The extent of an axis of an operand.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value operand, int64_t axis)> extent;
};

/// The named extents of a tensor type, or null.
inline DimsAttr dimsOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor ? llvm::dyn_cast_or_null<DimsAttr>(tensor.getEncoding()) : DimsAttr();
}
inline DimsAttr dimsOf(mlir::Value value) { return dimsOf(value.getType()); }
inline mlir::Type elementOf(mlir::Value value) { return mlir::getElementTypeOrSelf(value.getType()); }

/// The type (without encoding) a recipe yields, or null where the recipe is inconsistent; then `why`, if given, says how.
mlir::RankedTensorType recipeType(mlir::Attribute recipe, std::string *why = nullptr);

/// What the tokens of a ragged dimension are called once they are rows: "source" -> "source.tokens".
std::string tokensName(llvm::StringRef ragged);

/// On the op at the root of `@fused e`: the place of e. The graph stage checks it and takes it away.
inline constexpr llvm::StringLiteral fusedAttr = "heddle.fused";

// Attribute names on entries, their arguments and results, and the module.
inline constexpr llvm::StringLiteral entryAttr = "heddle.entry";                 // unit, on a func.func
inline constexpr llvm::StringLiteral documentationAttr = "heddle.documentation"; // string, on entries and the module
inline constexpr llvm::StringLiteral dimensionsAttr = "heddle.dimensions";       // array of DimensionAttr, on entries
inline constexpr llvm::StringLiteral nameAttr = "heddle.name";                   // string, on arguments, results, the module
inline constexpr llvm::StringLiteral defaultAttr = "heddle.default";             // number or bool, on an argument that may be left out
inline constexpr llvm::StringLiteral idBoundAttr = "heddle.id_bound";            // i64, on an argument: ids are 0 .. bound - 1
inline constexpr llvm::StringLiteral offsetsAttr = "heddle.offsets";             // string, on an argument: offsets of that ragged dimension
inline constexpr llvm::StringLiteral startsAttr = "heddle.starts";               // string, on an argument: starts of that ragged dimension
inline constexpr llvm::StringLiteral tasksAttr = "heddle.tasks";                 // array of dictionaries, on the module
inline constexpr llvm::StringLiteral tokenizersAttr = "heddle.tokenizers";       // array of dictionaries, on the module
inline constexpr llvm::StringLiteral recipeAttr = "heddle.recipe"; // recipe, on an argument that stands for a weight of a cut-out rewrite

} // namespace heddle

#include "dialect/Interfaces.h.inc"
#define GET_OP_CLASSES
#include "dialect/Ops.h.inc"
