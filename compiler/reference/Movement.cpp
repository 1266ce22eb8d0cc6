// Broadcast, reshape, transpose, slice, concat, gather, pick, spread, windows, flatten, unflatten.
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
  int64_t rows = table.shape[op.getTransposed() ? 1 : 0];
  if (rows == 0) {
    site.refusal = "a gather from an empty table";
    return result;
  }
  int64_t width = table.count() / rows; // of a row of the table, or a column of a transposed one
  auto to = result.data.begin();
  for (double id : ids.data) {
    auto row = static_cast<int64_t>(std::clamp<double>(id, 0, static_cast<double>(rows - 1)));
    for (int64_t i = 0; i < width; ++i)
      *to++ = table.data[static_cast<size_t>(op.getTransposed() ? i * rows + row : row * width + i)];
  }
  return result;
}

/// The first token and the number of real tokens of each batch row of a pick's source.
static std::vector<std::pair<int64_t, int64_t>> rowsOf(PickOp op, Tensors operands, Site &site) {
  const Tensor &source = *operands[0];
  std::vector<std::pair<int64_t, int64_t>> rows;
  if (operands[1]) {
    auto offsets = wholeNumbers(*operands[1]);
    if (cutsTokens(offsets, source.shape[0]))
      for (size_t b = 0; b + 1 < offsets.size(); ++b)
        rows.push_back({offsets[b], offsets[b + 1] - offsets[b]});
    return rows;
  }
  StringAttr name = dimsOf(op.getSource()).nameOf(1);
  auto ragged = name ? site.environment.ragged.find(name.str()) : site.environment.ragged.end();
  for (int64_t b = 0; b < source.shape[0]; ++b)
    rows.push_back({b * source.shape[1], ragged == site.environment.ragged.end() ? source.shape[1] : ragged->second.lengths[static_cast<size_t>(b)]});
  return rows;
}

Tensor evaluate(PickOp op, Tensors operands, Site &site) {
  Tensor result(site.shape(op.getType()));
  auto rows = rowsOf(op, operands, site);
  if (static_cast<int64_t>(rows.size()) != result.shape[0]) {
    site.refusal = "offsets do not describe the rows";
    return result;
  }
  int64_t inner = rows.empty() ? 0 : result.count() / result.shape[0];
  auto to = result.data.begin();
  for (auto [first, length] : rows) {
    if (length > 0)
      std::copy_n(operands[0]->data.begin() + (first + (op.getLast() ? length - 1 : 0)) * inner, inner, to);
    to += inner;
  }
  return result;
}

Tensor evaluate(SpreadOp op, Tensors operands, Site &site) {
  const Tensor &source = *operands[0];
  Tensor result(site.shape(op.getType()));
  auto offsets = wholeNumbers(*operands[1]);
  int64_t batch = source.shape[0], inner = batch ? source.count() / batch : 0;
  if (static_cast<int64_t>(offsets.size()) != batch + 1 || !cutsTokens(offsets, result.shape[0])) {
    site.refusal = "offsets do not describe the rows";
    return result;
  }
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t token = offsets[b]; token < offsets[b + 1]; ++token)
      std::copy_n(source.data.begin() + b * inner, inner, result.data.begin() + token * inner);
  return result;
}

Tensor evaluate(WindowsOp op, Tensors operands, Site &site) {
  const Tensor &source = *operands[0];
  Tensor result(site.shape(op.getType()));
  auto axis = static_cast<size_t>(op.getAxis());
  size_t at = 0;
  forEachIndex(result.shape, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index.drop_back());
    from[axis] = index[axis] * static_cast<int64_t>(op.getStride()) + index.back() - static_cast<int64_t>(op.getPadding());
    result.data[at++] = from[axis] >= 0 && from[axis] < source.shape[axis] ? source[from] : 0;
  });
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
  bool fine = cutsTokens(offsets, tokens) && cutsPadded(offsets, padded.shape[0], padded.shape[1]);
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
