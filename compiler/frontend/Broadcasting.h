// How the axes of two operands of elementwise mathematics go together: from the right, unit axes widen, the operand with fewer axes never widens the
// other.
#pragma once
#include "compiler/frontend/Value.h"

namespace heddle::frontend {

struct Joined {
  Axes axes;
  std::string problem; // empty if they go together
  std::vector<std::string> remedies;
  /// The problem is that an operand would widen the other; it then says so on its own.
  bool widens = false;
};

/// `leftType` and `rightType` are for the message.
Joined joinAxes(const Axes &left, const Axes &right, const std::string &leftType, const std::string &rightType);

/// `n_embd 64 meets n_inner 256`, `'source' meets 'target'`
std::string printMeeting(const Extent &left, const Extent &right);

} // namespace heddle::frontend
