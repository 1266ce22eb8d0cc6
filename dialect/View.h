// Views: what reshape, transpose, slice and broadcast say is only arithmetic on indices. Matchers see through them, kernels read the base instead of
// a moved copy.
#pragma once
#include "dialect/Heddle.h"
#include <optional>

namespace heddle {

/// Ops without work of their own: every kernel that needs one gets its own copy.
bool isView(mlir::Operation *op); // broadcast, reshape, transpose, slice
bool isFree(mlir::Operation *op); // views, constants, masks

/// Element (i..) of a value is element map(i..) of `base`; the base is no view, or the result of one in `stops`.
struct View {
  mlir::Value base;
  mlir::AffineMap map;
  bool operator==(const View &other) const { return base == other.base && map == other.map; }
};
using Stops = llvm::DenseSet<mlir::Operation *>;
/// A view of `value` read at `map`, through as many views as can be seen through; `shape` are the extents of the map's dimensions.
View viewAt(mlir::Value value, mlir::AffineMap map, llvm::ArrayRef<int64_t> shape, const Stops &stops = {});
/// Nothing where a reshape moves elements across an extent that is not static.
std::optional<View> viewOf(mlir::Value value, const Stops &stops = {});

} // namespace heddle
