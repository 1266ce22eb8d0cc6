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

namespace {
/// Queries, keys or values: [tokens, heads, width], the batch rows one after the other, or [.., heads, tokens, width], padded.
struct Tokens {
  const Tensor &tensor;
  int64_t heads, width;
  std::vector<int64_t> offsets; // empty: padded

  Tokens(const Tensor &tensor, const Tensor *offsets)
      : tensor(tensor), heads(tensor.shape[offsets ? 1 : tensor.rank() - 3]), width(tensor.shape.back()),
        offsets(offsets ? wholeNumbers(*offsets) : std::vector<int64_t>()) {}
  int64_t padding() const { return tensor.shape[static_cast<size_t>(tensor.rank() - 2)]; }
  /// The first element of token i of a head; `lead` counts the axes before the heads as one.
  int64_t at(int64_t lead, int64_t head, int64_t i) const {
    return (offsets.empty() ? (lead * heads + head) * padding() + i : (offsets[static_cast<size_t>(lead)] + i) * heads + head) * width;
  }
  int64_t leads() const { return offsets.empty() ? tensor.count() / std::max<int64_t>(heads * padding() * width, 1) : std::ssize(offsets) - 1; }
};
} // namespace

Tensor evaluate(AttentionOp op, const MaskFunction *mask, Tensors operands, Site &site) {
  Tensor result(site.shape(op.getType()));
  if (!within(operands[4], operands[5], operands[0]->shape[0]) || !within(operands[6], operands[7], operands[1]->shape[0])) {
    site.refusal = "offsets and starts do not describe the rows";
    return result;
  }
  Tokens query(*operands[0], operands[4]), key(*operands[1], operands[6]), value(*operands[2], operands[6]), out(result, operands[4]);
  auto side = [&](const Tokens &tokens, unsigned first, Value type) {
    StringAttr name = tokens.offsets.empty() ? dimsOf(type).nameOf(tokens.tensor.rank() - 2) : StringAttr();
    return Side::make(operands[first], operands[first + 1], name, tokens.offsets.empty() ? tokens.padding() : 0, site.environment);
  };
  Side queries = side(query, 4, op.getQuery()), keys = side(key, 6, op.getKey());
  int64_t leads = query.leads(), batches = query.offsets.empty() && query.tensor.rank() == 3 ? 1
                                           : query.offsets.empty()                           ? query.tensor.shape[0]
                                                                                             : leads;
  if (leads != key.leads()) {
    site.refusal = "queries and keys have not as many batch rows";
    return result;
  }
  double scale = op.getScale().convertToDouble();
  for (int64_t lead = 0; lead < leads; ++lead)
    for (int64_t h = 0, b = lead / (leads / batches); h < query.heads; ++h)
      for (int64_t i = 0; i < queries.length(b); ++i) {
        Query one(query.tensor.data.data() + query.at(lead, h, i), query.width, scale, value.width);
        for (int64_t j = 0, keyHead = h / (query.heads / key.heads); j < keys.length(b); ++j) {
          MaskPair pair = pairOf(queries, keys, b, h, i, j);
          one.see(key.tensor.data.data() + key.at(lead, keyHead, j), value.tensor.data.data() + value.at(lead, keyHead, j), mask, pair);
        }
        llvm::copy(one.attend(), result.data.begin() + out.at(lead, h, i));
      }
  return result;
}

} // namespace heddle
