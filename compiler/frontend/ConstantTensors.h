// Tensors known when compiling, computed in double.
#pragma once
#include "compiler/frontend/Trace.h"
#include <functional>

namespace heddle::frontend {

/// More elements than a text needs for frequencies and positions; a text that asks for more is refused before anything is allocated.
inline constexpr int64_t maxConstantElements = 1 << 20;

/// 0, 1, ... extent - 1
Value makeIota(const Extent &extent, Position at, Trace &trace);
/// From a list of numbers.
Value makeConstant(const Value &list, Position at, Trace &trace);
/// A number as a constant without axes.
ConstantTensor constantOf(const Value &number);

/// Applies a function element by element over operands whose axes `axes` is the join of.
Value mapConstants(Element element, const Axes &axes, const std::vector<const ConstantTensor *> &operands,
                   const std::function<double(const double *)> &function, Position at, Trace &trace);

} // namespace heddle::frontend
