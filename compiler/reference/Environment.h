// The sizes of named dimensions during one evaluation, and which indices of a ragged axis hold real tokens.
#pragma once
#include "compiler/reference/Tensor.h"
#include "dialect/Heddle.h"
#include <map>
#include <optional>
#include <string>

namespace heddle {

/// The rows of one ragged dimension: a length and a start for each row of its batch.
struct Rows {
  std::string batch; // the dimension that the rows are counted by
  std::vector<int64_t> lengths, starts;

  /// lengths summed up: row b lies at [offsets[b], offsets[b + 1]) among the tokens.
  std::vector<int64_t> offsets() const;
};

struct Environment {
  std::map<std::string, int64_t> sizes; // a ragged dimension's size is its padded width
  std::map<std::string, Rows> ragged;
  /// Sinusoidal positions and weights are f32, as an executable's tables are; not where a formula is compared with what replaced it.
  bool roundsTables = true;

  /// The size of a dimension; `s.tokens` of a ragged dimension s is the sum of its lengths. None where it is unknown.
  std::optional<int64_t> size(llvm::StringRef name) const;
  /// The extents of a tensor, or none where a name is unknown.
  std::optional<llvm::SmallVector<int64_t>> shape(DimsAttr dims) const;
  /// Takes the sizes of names that are still unknown from the shape of a tensor with these extents.
  void bind(DimsAttr dims, llvm::ArrayRef<int64_t> shape);
  /// A message where the shape is not that of the extents, else empty.
  std::string compare(DimsAttr dims, llvm::ArrayRef<int64_t> shape) const;
};

/// The ragged axes of a tensor. An axis is ragged if its extent is a ragged dimension and the batch of that dimension is an axis of the tensor too.
class RaggedAxes {
public:
  RaggedAxes(DimsAttr dims, const Environment &environment);

  bool empty() const { return axes.empty(); }
  /// Whether the index of `axis` is a real token; true for axes that are not ragged.
  bool isReal(llvm::ArrayRef<int64_t> index, int64_t axis) const;
  /// Whether the indices of all ragged axes are real tokens.
  bool isReal(llvm::ArrayRef<int64_t> index) const;
  /// Puts 0 wherever the first ragged axis holds no real token: what results promise.
  void clearPadding(Tensor &tensor) const;
  /// Puts 0 wherever any ragged axis holds no real token.
  void clearAllPadding(Tensor &tensor) const;
  int64_t count() const { return static_cast<int64_t>(axes.size()); }

private:
  struct Axis {
    int64_t axis, batch;
    const Rows *rows;
    bool isReal(llvm::ArrayRef<int64_t> index) const { return index[axis] < rows->lengths[static_cast<size_t>(index[batch])]; }
  };
  llvm::SmallVector<Axis> axes;
};

} // namespace heddle
