// Broadcast, reshape, transpose, slice, concat, gather, flatten, unflatten.
#include "compiler/reference/Operations.h"
#include <algorithm>

using namespace mlir;

namespace heddle {

Tensor evaluate(BroadcastOp op, Tensors operands, Site &site) {
  Tensor result(site.shape(op.getType()));
  size_t at = 0;
  SmallVector<int64_t> from(op.getAxes().size());
  forEachIndex(result.shape, [&](ArrayRef<int64_t> index) {
    for (auto [i, axis] : llvm::enumerate(op.getAxes()))
      from[i] = index[axis];
    result.data[at++] = (*operands[0])[from];
  });
  return result;
}

Tensor evaluate(ReshapeOp op, Tensors operands, Site &site) { return Tensor(site.shape(op.getType()), operands[0]->data); }

Tensor evaluate(TransposeOp op, Tensors operands, Site &site) {
  Tensor result(site.shape(op.getType()));
  size_t at = 0;
  SmallVector<int64_t> from(op.getPermutation().size());
  forEachIndex(result.shape, [&](ArrayRef<int64_t> index) {
    for (auto [i, axis] : llvm::enumerate(op.getPermutation()))
      from[axis] = index[i];
    result.data[at++] = (*operands[0])[from];
  });
  return result;
}

Tensor evaluate(SliceOp op, Tensors operands, Site &site) {
  Tensor result(site.shape(op.getType()));
  size_t at = 0;
  forEachIndex(result.shape, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index);
    from[op.getAxis()] += op.getFirst();
    result.data[at++] = (*operands[0])[from];
  });
  return result;
}

Tensor evaluate(ConcatOp op, Tensors operands, Site &site) {
  Tensor result(site.shape(op.getType()));
  int64_t axis = op.getAxis(), first = 0;
  for (const Tensor *part : operands) {
    size_t at = 0;
    forEachIndex(part->shape, [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> to(index);
      to[axis] += first;
      result[to] = part->data[at++];
    });
    first += part->shape[axis];
  }
  return result;
}

Tensor evaluate(GatherOp op, Tensors operands, Site &site) {
  const Tensor &table = *operands[0], &ids = *operands[1];
  Tensor result(site.shape(op.getType()));
  if (table.shape[0] == 0) {
    site.refusal = "a gather from an empty table";
    return result;
  }
  auto row = static_cast<size_t>(table.count() / table.shape[0]);
  auto to = result.data.begin();
  for (double id : ids.data) {
    auto from = table.data.begin() + static_cast<ptrdiff_t>(std::clamp<double>(id, 0, static_cast<double>(table.shape[0] - 1))) * static_cast<ptrdiff_t>(row);
    to = std::copy_n(from, row, to);
  }
  return result;
}

namespace {
/// Calls `f` with (element in [batch, s, ..], element in [tokens, ..], elements of a token) for each real token.
template <class F> void forEachToken(const Tensor &padded, const std::vector<int64_t> &offsets, F f) {
  int64_t batch = padded.shape[0], width = padded.shape[1], inner = batch * width ? padded.count() / (batch * width) : 0;
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t i = 0; i < offsets[b + 1] - offsets[b]; ++i)
      f((b * width + i) * inner, (offsets[b] + i) * inner, inner);
}

/// Offsets come from outside when single ops are evaluated: they must describe the padded array and the rows.
bool describe(const std::vector<int64_t> &offsets, const Tensor &padded, int64_t tokens, Site &site) {
  bool fine = static_cast<int64_t>(offsets.size()) == padded.shape[0] + 1 && offsets.front() == 0 && offsets.back() == tokens;
  for (size_t b = 0; fine && b + 1 < offsets.size(); ++b)
    fine = offsets[b + 1] >= offsets[b] && offsets[b + 1] - offsets[b] <= padded.shape[1];
  if (!fine)
    site.refusal = "offsets do not describe the rows";
  return fine;
}
} // namespace

Tensor evaluate(FlattenOp op, Tensors operands, Site &site) {
  const Tensor &source = *operands[0];
  if (!operands[1])
    return source;
  Tensor result(site.shape(op.getType()));
  auto offsets = wholeNumbers(*operands[1]);
  if (describe(offsets, source, result.shape[0], site))
    forEachToken(source, offsets, [&](int64_t padded, int64_t token, int64_t inner) {
      std::copy_n(source.data.begin() + padded, inner, result.data.begin() + token);
    });
  return result;
}

Tensor evaluate(UnflattenOp op, Tensors operands, Site &site) {
  const Tensor &source = *operands[0];
  if (!operands[1])
    return source;
  Tensor result(site.shape(op.getType()));
  auto offsets = wholeNumbers(*operands[1]);
  bool isPadded = dimsOf(op.getSource()) == dimsOf(op.getType()); // two ragged axes: taken in place
  if (describe(offsets, result, isPadded ? offsets.back() : source.shape[0], site))
    forEachToken(result, offsets, [&](int64_t padded, int64_t token, int64_t inner) {
      std::copy_n(source.data.begin() + (isPadded ? padded : token), inner, result.data.begin() + padded);
    });
  return result;
}

} // namespace heddle
