// Attention.
#include "compiler/reference/Operations.h"
#include <cmath>

using namespace mlir;

namespace heddle {

namespace {
/// Offsets that are operands must lie within the tokens they speak of.
bool within(const Tensor *offsets, const Tensor *starts, int64_t tokens) {
  if (!offsets)
    return true;
  auto places = wholeNumbers(*offsets);
  return !places.empty() && places.front() >= 0 && places.back() <= tokens && llvm::is_sorted(places) && starts->count() + 1 == offsets->count();
}

/// The attention of one query: the visible keys' values, weighed. `key` and `value` give the first element of row j.
class Query {
public:
  Query(const double *query, int64_t width, double scale, int64_t valueWidth) : query(query), width(width), scale(scale), result(valueWidth, 0.0) {}

  void see(const double *key, const double *value, const MaskFunction *mask, const MaskPair &pair) {
    double score = 0;
    for (int64_t i = 0; i < width; ++i)
      score += query[i] * key[i];
    score *= scale;
    if (mask && !(*mask)(pair, score))
      return; // hidden: neither score nor value leave a trace
    scores.push_back(score);
    values.push_back(value);
  }

  /// softmax(scores) @ values; 0 where no key is seen, or every score is -infinity.
  const std::vector<double> &attend() {
    double top = -std::numeric_limits<double>::infinity(), total = 0;
    for (double score : scores)
      top = score > top || std::isnan(score) ? score : top;
    if (scores.empty() || top == -std::numeric_limits<double>::infinity())
      return result;
    for (double &score : scores)
      total += score = std::exp(score - top);
    for (auto [score, value] : llvm::zip(scores, values))
      for (size_t e = 0; e < result.size(); ++e)
        result[e] += score / total * value[e];
    return result;
  }

private:
  const double *query;
  int64_t width;
  double scale;
  std::vector<double> scores;
  std::vector<const double *> values;
  std::vector<double> result;
};
} // namespace

/// Tokens as rows: [tokens, heads, width], the batch rows one after the other.
static Tensor attentionOfRows(AttentionOp op, const MaskFunction *mask, Tensors operands, Site &site) {
  const Tensor &query = *operands[0], &key = *operands[1], &value = *operands[2];
  Tensor result(site.shape(op.getType()));
  if (!within(operands[4], operands[5], query.shape[0]) || !within(operands[6], operands[7], key.shape[0]) ||
      operands[4]->count() != operands[6]->count()) {
    site.refusal = "offsets and starts do not describe the rows";
    return result;
  }
  auto queryOffsets = wholeNumbers(*operands[4]), queryStarts = wholeNumbers(*operands[5]);
  auto keyOffsets = wholeNumbers(*operands[6]), keyStarts = wholeNumbers(*operands[7]);
  int64_t heads = query.shape[1], width = query.shape[2], keyHeads = key.shape[1], valueWidth = value.shape[2], group = heads / keyHeads;
  double scale = op.getScale().convertToDouble();
  for (int64_t b = 0; b + 1 < static_cast<int64_t>(queryOffsets.size()); ++b)
    for (int64_t i = queryOffsets[b]; i < queryOffsets[b + 1]; ++i)
      for (int64_t h = 0; h < heads; ++h) {
        Query one(query.data.data() + (i * heads + h) * width, width, scale, valueWidth);
        for (int64_t j = keyOffsets[b]; j < keyOffsets[b + 1]; ++j) {
          MaskPair pair{b, h, queryStarts[b] + i - queryOffsets[b], keyStarts[b] + j - keyOffsets[b], queryStarts[b], keyStarts[b]};
          int64_t row = j * keyHeads + h / group;
          one.see(key.data.data() + row * width, value.data.data() + row * valueWidth, mask, pair);
        }
        llvm::copy(one.attend(), result.data.begin() + (i * heads + h) * valueWidth);
      }
  return result;
}

/// [.., heads, tokens, width], padded.
static Tensor attentionOfPadded(AttentionOp op, const MaskFunction *mask, Tensors operands, Site &site) {
  const Tensor &query = *operands[0], &key = *operands[1], &value = *operands[2];
  Tensor result(site.shape(op.getType()));
  int64_t rank = query.rank(), heads = query.shape[rank - 3], queries = query.shape[rank - 2], width = query.shape[rank - 1];
  int64_t keyHeads = key.shape[rank - 3], keys = key.shape[rank - 2], valueWidth = value.shape[rank - 1], group = heads / keyHeads;
  int64_t leads = 1, batches = rank > 3 ? query.shape[0] : 1;
  for (int64_t extent : ArrayRef<int64_t>(query.shape).drop_back(3))
    leads *= extent;
  Side querySide = Side::make(nullptr, nullptr, dimsOf(op.getQuery()).nameOf(rank - 2), queries, site.environment);
  Side keySide = Side::make(nullptr, nullptr, dimsOf(op.getKey()).nameOf(rank - 2), keys, site.environment);
  double scale = op.getScale().convertToDouble();
  for (int64_t lead = 0; lead < leads; ++lead) {
    int64_t b = lead / (leads / batches);
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < querySide.length(b); ++i) {
        int64_t row = (lead * heads + h) * queries + i, keyRow = (lead * keyHeads + h / group) * keys;
        Query one(query.data.data() + row * width, width, scale, valueWidth);
        for (int64_t j = 0; j < keySide.length(b); ++j) {
          MaskPair pair{b, h, querySide.start(b) + i, keySide.start(b) + j, querySide.start(b), keySide.start(b)};
          one.see(key.data.data() + (keyRow + j) * width, value.data.data() + (keyRow + j) * valueWidth, mask, pair);
        }
        llvm::copy(one.attend(), result.data.begin() + row * valueWidth);
      }
  }
  return result;
}

Tensor evaluate(AttentionOp op, const MaskFunction *mask, Tensors operands, Site &site) {
  return op.hasRows() ? attentionOfRows(op, mask, operands, site) : attentionOfPadded(op, mask, operands, site);
}

} // namespace heddle
