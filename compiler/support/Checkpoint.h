// Where weights come from: the tensors of a folder's weight files, or numbers made from a seed. Names, shapes and element types are known from the
// headers; elements are read in pieces, on demand.
#pragma once
#include "compiler/support/Diagnostics.h"
#include "compiler/support/ElementType.h"
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

struct TensorInfo {
  std::string name;
  std::vector<int64_t> shape;
  ElementType element;
};

class Checkpoint {
public:
  /// `source` is a folder or `seed:N`. Null with a message where there is nothing to read.
  static std::unique_ptr<Checkpoint> open(const std::string &source, Diagnostics &diagnostics);
  virtual ~Checkpoint() = default;

  /// Seeded weights have any tensor in any shape: find() knows none of them, read() makes all of them.
  virtual bool isSeeded() const = 0;
  /// The file, the index of several files, or `seed:N`, for messages.
  virtual const std::string &source() const = 0;
  /// For messages about one tensor: the file that holds it, or source() where none does.
  virtual const std::string &fileOf(std::string_view) const { return source(); }
  /// Sorted by name; none for seeded weights.
  virtual const std::vector<TensorInfo> &tensors() const = 0;
  const TensorInfo *find(std::string_view name) const;
  /// All names, for suggestions.
  std::vector<std::string> names() const;

  /// Elements `first`, first + 1, ... of tensor `name`, which must have this shape, in row-major order; half precision and bfloat16 are widened. An
  /// error where the tensor is missing, has another shape or an element type that is not built yet.
  virtual bool read(std::string_view name, std::span<const int64_t> shape, int64_t first, std::span<float> to, Diagnostics &diagnostics) const = 0;

  /// Whether read() would give such a tensor, and a file holds it in this element type; an error if not.
  bool holds(std::string_view name, std::span<const int64_t> shape, ElementType element, Diagnostics &diagnostics) const;
};

/// Element `index` of a seeded tensor: a function of seed, name, shape and index alone, so pieces come out the same in any order.
///
///   z     = sum of the four 16-bit parts of h, minus 131070, over 37837 (mean 0, standard deviation 1, at most 3.46 from 0)
///   h     = mix(mix(seed + golden) ^ fnv1a(name), + (index + 1) * golden), mix the finaliser of splitmix64, golden = 0x9E3779B97F4A7C15
///   value = z / sqrt(last extent)    for two axes and more: a row times such a matrix keeps its size
///           1 + z / 10               for one axis and a name that ends in `.weight`: gains of norms
///           z / 10                   for anything else: biases
class SeededTensor {
public:
  SeededTensor(uint64_t seed, std::string_view name, std::span<const int64_t> shape);
  float element(int64_t index) const;

private:
  uint64_t key;
  double scale, centre;
};

} // namespace heddle
