// See Environment.h.
#include "compiler/reference/Environment.h"
#include "compiler/support/Shape.h"
#include <fmt/format.h>
#include <numeric>

using namespace mlir;

namespace heddle {

std::vector<int64_t> Rows::offsets() const {
  std::vector<int64_t> offsets{0};
  for (int64_t length : lengths)
    offsets.push_back(offsets.back() + length);
  return offsets;
}

std::optional<int64_t> Environment::size(StringRef name) const {
  if (auto at = sizes.find(name.str()); at != sizes.end())
    return at->second;
  for (const auto &[ragged, rows] : ragged)
    if (name == tokensName(ragged))
      return rows.offsets().back();
  return std::nullopt;
}

std::optional<SmallVector<int64_t>> Environment::shape(DimsAttr dims) const {
  SmallVector<AffineExpr> values;
  for (StringAttr name : dims.getNames()) {
    auto known = size(name.getValue());
    if (!known)
      return std::nullopt;
    values.push_back(getAffineConstantExpr(*known, dims.getContext()));
  }
  SmallVector<int64_t> shape;
  for (AffineExpr extent : dims.getMap().getResults())
    shape.push_back(cast<AffineConstantExpr>(extent.replaceSymbols(values)).getValue());
  return shape;
}

void Environment::bind(DimsAttr dims, ArrayRef<int64_t> shape) {
  if (static_cast<int64_t>(shape.size()) != dims.getRank())
    return;
  for (int64_t axis = 0; axis < dims.getRank(); ++axis)
    if (StringAttr name = dims.nameOf(axis); name && !size(name.getValue()))
      sizes[name.str()] = shape[axis];
}

std::string Environment::compare(DimsAttr dims, ArrayRef<int64_t> shape) const {
  if (static_cast<int64_t>(shape.size()) != dims.getRank())
    return fmt::format("expected {} axes, got {}", dims.getRank(), shapeText(shape));
  auto expected = this->shape(dims);
  if (!expected)
    return "the size of a dimension is not known";
  for (int64_t axis = 0; axis < dims.getRank(); ++axis) {
    if ((*expected)[axis] == shape[axis])
      continue;
    StringAttr name = dims.nameOf(axis);
    return fmt::format("axis {}: expected {}{}, got {}", axis, name ? name.str() + " " : "", (*expected)[axis], shape[axis]);
  }
  return {};
}

RaggedAxes::RaggedAxes(DimsAttr dims, const Environment &environment) {
  if (!dims)
    return;
  for (int64_t axis = 0; axis < dims.getRank(); ++axis) {
    StringAttr name = dims.nameOf(axis);
    auto rows = name ? environment.ragged.find(name.str()) : environment.ragged.end();
    if (rows == environment.ragged.end())
      continue;
    if (auto batch = dims.find(rows->second.batch))
      axes.push_back({axis, *batch, &rows->second});
  }
}

bool RaggedAxes::isReal(ArrayRef<int64_t> index, int64_t axis) const {
  return llvm::all_of(axes, [&](const Axis &ragged) { return ragged.axis != axis || ragged.isReal(index); });
}

bool RaggedAxes::isReal(ArrayRef<int64_t> index) const {
  return llvm::all_of(axes, [&](const Axis &ragged) { return ragged.isReal(index); });
}

void RaggedAxes::clearPadding(Tensor &tensor) const {
  if (axes.empty())
    return;
  size_t at = 0;
  forEachIndex(tensor.shape, [&](ArrayRef<int64_t> index) {
    if (!axes.front().isReal(index))
      tensor.data[at] = 0;
    ++at;
  });
}

void RaggedAxes::clearAllPadding(Tensor &tensor) const {
  if (axes.empty())
    return;
  size_t at = 0;
  forEachIndex(tensor.shape, [&](ArrayRef<int64_t> index) {
    if (!isReal(index))
      tensor.data[at] = 0;
    ++at;
  });
}

} // namespace heddle
