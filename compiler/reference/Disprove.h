// Whether a rewrite is wrong: its formula and its replacement, two functions with the same arguments, run in float64 on hostile inputs.
//
// An element of the replacement's result may differ from the formula's by 64 units in the last place (of float64) of the largest value of its row,
// times the condition of the formula there; that NaN stands against NaN, and an infinity against itself, is equal.
//
// The condition is measured, not derived for each kind of formula: the formula is run again with every intermediate result of it, and every argument,
// changed by a relative 2^-40 up or down at random (Monte Carlo arithmetic; Parker 1997). What a row changes by, over 2^-40, is its condition times
// its largest value: how far rounding errors of one unit in each step can move it. It is measured only where a difference exceeds one condition of 1.
// A formula that changes by more than a thousandth of its values for rounding errors has no bound there, as E[x^2] - E[x]^2 for a large mean: nothing
// can be proved of it, and that is an error too.
//
// A zero that stays zero when everything is changed is a masked one: the replacement must have exactly 0 there (a number below the smallest normal
// one is 0).
//
// Four semantics of ops are decided otherwise than what their formulas, written out, compute (design section 5); they stand here and nowhere else:
// - a row of -infinity alone: exp(s - max(s)) / sum is NaN, heddle.softmax gives exactly 0, so exactly 0 is expected;
// - values behind a mask: 0 * NaN is NaN, but a key that the weights of heddle.softmax hide leaves no trace, so a product of such weights skips it;
// - scores that -infinity is added to by choice: NaN - infinity is NaN, but a pair that a mask hides leaves no trace, so the sum is -infinity;
// - weights and tables of angles are rounded to their type once, however they are made: here they are not rounded.
#pragma once
#include "compiler/support/Diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>
#include <string>

namespace heddle {

struct Disproof {
  std::string what;   // "expected 0.25, got 0.75 at [0, 2, 1] of the result"
  std::string inputs; // "hidden rows, with batch = 2, s = 3"
};

/// The first difference; none where there is none.
std::optional<Disproof> disprove(mlir::func::FuncOp formula, mlir::func::FuncOp replacement);

} // namespace heddle
