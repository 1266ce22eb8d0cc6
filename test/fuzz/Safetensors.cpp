// Weights: a safetensors file as it stands; or, where the input begins as JSON, its header and, behind a NUL, its data, so that changes of the
// header need not find its length too.
#include "compiler/support/Checkpoint.h"
#include "test/fuzz/MemoryFile.h"
#include <algorithm>
#include <cstdint>

using namespace heddle::fuzz;

namespace {

struct Weights {
  Weights() { folder.link("model.safetensors", file.path()); }
  MemoryFile file;
  Folder folder;
};

/// The last elements of each tensor; those of a file are no more than its bytes.
void readTensors(const heddle::Checkpoint &checkpoint, heddle::Diagnostics &diagnostics) {
  for (const heddle::TensorInfo &tensor : checkpoint.tensors()) {
    uint64_t elements = 1; // wraps where an extent of 0 follows
    for (int64_t extent : tensor.shape)
      elements *= static_cast<uint64_t>(extent);
    std::vector<float> values(std::min<uint64_t>(elements, 100));
    checkpoint.read(tensor.name, tensor.shape, static_cast<int64_t>(elements - values.size()), values, diagnostics);
    require(checkpoint.find(tensor.name) == &tensor);
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Weights weights;
  std::string_view input(reinterpret_cast<const char *>(data), size);
  if (input.starts_with('{')) {
    std::string_view header = takePart(input);
    uint64_t length = header.size();
    weights.file.set(std::string(reinterpret_cast<const char *>(&length), sizeof length).append(header).append(input));
  } else {
    weights.file.set(input);
  }
  heddle::Diagnostics diagnostics;
  std::unique_ptr<heddle::Checkpoint> checkpoint = heddle::Checkpoint::open(weights.folder.path, diagnostics);
  require(!checkpoint == diagnostics.hasErrors());
  if (checkpoint)
    readTensors(*checkpoint, diagnostics);
  diagnostics.render();
  return 0;
}
