// See Tensor.h.
#include "compiler/reference/Tensor.h"
#include <cassert>

namespace heddle {

static int64_t product(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

Tensor::Tensor(llvm::ArrayRef<int64_t> shape, double value) : shape(shape), data(static_cast<size_t>(product(shape)), value) {}

Tensor::Tensor(llvm::ArrayRef<int64_t> shape, std::vector<double> data) : shape(shape), data(std::move(data)) {
  assert(count() == product(this->shape) && "as many elements as the shape says");
}

int64_t Tensor::offset(llvm::ArrayRef<int64_t> index) const {
  assert(index.size() == shape.size() && "one index for each axis");
  int64_t at = 0;
  for (size_t axis = 0; axis < index.size(); ++axis) {
    assert(index[axis] >= 0 && index[axis] < shape[axis] && "within the axis");
    at = at * shape[axis] + index[axis];
  }
  return at;
}

void forEachIndex(llvm::ArrayRef<int64_t> shape, llvm::function_ref<void(llvm::ArrayRef<int64_t>)> f) {
  llvm::SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t left = product(shape); left > 0; --left) {
    f(index);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis])
        break;
      index[axis] = 0;
    }
  }
}

} // namespace heddle
