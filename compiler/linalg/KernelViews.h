// The views that kernels can read through: the outliner asks here which ones, the lowerings how.
#pragma once
#include "dialect/View.h"

namespace heddle {

/// How a row kernel sees a value: rows are all axes of the kernel but the columns, its last loop.
struct RowView {
  mlir::Value base;
  mlir::AffineMap rows; // (row loops) -> indices of the base, the column at 0
  enum { Scalar, Contiguous, Scattered } kind;
  mlir::AffineMap map; // (row loops, column) -> indices of the base
};
/// `value` has the extents of `rowAxes` rows, then possibly columns.
std::optional<RowView> rowViewOf(mlir::Value value, int64_t rowAxes, const Stops &stops = {});

/// A value [.., k] that is the columns first .. first + k of its base.
struct ColumnView {
  mlir::Value base;
  int64_t first;
};
std::optional<ColumnView> columnViewOf(mlir::Value value, const Stops &stops = {});

/// A value [tokens, heads, width], or [batch, heads, tokens, width] with batch and tokens one axis of rows in memory, whose element (t, h, d) is
/// element (t, h * headColumns + first + d) of a base [tokens, columns], or (t, h, first + d) of a base [tokens, heads, columns] (then headColumns is
/// 0).
struct HeadView {
  mlir::Value base;
  int64_t headColumns, first;
  bool headsFirst = false; // the base is [batch, heads, tokens, columns]
};
std::optional<HeadView> headViewOf(mlir::Value value, const Stops &stops = {});

} // namespace heddle
