// How far the results of a snapshot are from those of the float64 interpreter.
#pragma once
#include "compiler/reference/Tensor.h"
#include "compiler/support/Npy.h"
#include "mlir/IR/Types.h"
#include <string>

namespace heddle {

/// What one result departs by: 0 and no words where it is equal.
struct Departure {
  bool departs = false;
  double error = 0; // sum of squared differences over the sum of squares expected
  std::string what; // "worst at [0, 3]: expected 0.5, got 0.25", or what else is wrong
};

/// Rounding of the graph's formulas in float64 stays below 1e-24 (a relative 1e-12: thousands of roundings of 1e-16, after cancellation); f32 below
/// the 1e-10 that the design promises.
inline constexpr double graphBound = 1e-24, machineBound = 1e-10;

/// NaN and infinities must stand in the same places, and a row (along the last axis) of zeros must be one. `exact`: any difference departs.
Departure compareResults(const Tensor &expected, const Tensor &got, double bound, bool exact);

/// A file of an executable as the interpreter's numbers.
Tensor tensorOf(const NpyArray &array);

} // namespace heddle
