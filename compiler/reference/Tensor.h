// The interpreter's data: dense float64 arrays, and masks as functions of positions.
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

namespace heddle {

/// Elements in row-major order. Every element type is held as double: ints and bools up to 2^53 are exact, f32 is not rounded to f32
/// (weights and sinusoids are, since their descriptions say so).
struct Tensor {
  llvm::SmallVector<int64_t> shape;
  std::vector<double> data;

  Tensor() = default;
  explicit Tensor(llvm::ArrayRef<int64_t> shape, double value = 0);
  Tensor(llvm::ArrayRef<int64_t> shape, std::vector<double> data);

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t count() const { return static_cast<int64_t>(data.size()); }
  int64_t offset(llvm::ArrayRef<int64_t> index) const;
  double &operator[](llvm::ArrayRef<int64_t> index) { return data[static_cast<size_t>(offset(index))]; }
  double operator[](llvm::ArrayRef<int64_t> index) const { return data[static_cast<size_t>(offset(index))]; }
};

/// Calls `f` with every index of `shape`, in row-major order.
void forEachIndex(llvm::ArrayRef<int64_t> shape, llvm::function_ref<void(llvm::ArrayRef<int64_t>)> f);

/// One query and one key that a mask is asked about. Positions are start + index; offsets say which token the row's first one is, where a side has
/// rows.
struct MaskPair {
  int64_t batch, head;
  int64_t query, key;
  int64_t queryStart, keyStart;
  int64_t queryOffset, keyOffset;
};

/// Whether the query sees the key; may change the score.
using MaskFunction = std::function<bool(const MaskPair &, double &score)>;

/// What an SSA value stands for.
using Datum = std::variant<Tensor, MaskFunction>;

} // namespace heddle
