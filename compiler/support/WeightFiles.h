// Which files of a folder hold its weights: model.safetensors, or several files and an index that says which tensor lies in which. Comes before
// Checkpoint, which reads elements.
#pragma once
#include "compiler/support/Safetensors.h"

namespace heddle {

class WeightFiles {
public:
  struct Held {
    const Safetensors *file;
    const SafetensorsTensor *tensor;
  };

  /// Whether `folder` has weights at all, good or bad ones.
  static bool areIn(const std::string &folder);
  /// Opens them and checks every header. An index is believed only as far as its files bear it out: each must lie inside the folder and hold the
  /// tensors that are said to be in it, and no tensor may lie in two. Tensors that the index does not name are not seen, which is a note. Its
  /// `metadata` are not looked at: writers count shared tensors once or twice in `total_size`.
  static std::optional<WeightFiles> open(const std::string &folder, Diagnostics &diagnostics);

  /// The single file or the index, for messages about the whole.
  const std::string &path() const { return source; }
  const std::vector<Safetensors> &files() const { return opened; }
  /// Sorted by name.
  const std::vector<Held> &tensors() const { return sorted; }

private:
  friend class IndexReader;
  WeightFiles(std::string source, std::vector<Safetensors> opened) : source(std::move(source)), opened(std::move(opened)) {}

  std::string source;
  std::vector<Safetensors> opened; // `sorted` points into it, also after a move
  std::vector<Held> sorted;
};

} // namespace heddle
