// Masks and score changes as functions of positions, and what they make of written-out scores.
#include "compiler/reference/Operations.h"
#include <cmath>

using namespace mlir;

namespace heddle {

MaskFunction evaluateMaskCausal() {
  return [](const MaskPair &pair, double &) { return pair.key <= pair.query; };
}

MaskFunction evaluateMaskWindow(MaskWindowOp op) {
  auto limit = [](std::optional<uint64_t> given) { return given ? static_cast<int64_t>(*given) : INT64_MAX; };
  return [left = limit(op.getLeft()), right = limit(op.getRight())](const MaskPair &pair, double &) {
    return pair.query - pair.key < left && pair.key - pair.query < right;
  };
}

/// values[batch, head, query, key], as many of these axes as there are; none outside of the tensor.
static std::optional<double> pairValue(const Tensor &values, const MaskPair &pair) {
  SmallVector<int64_t> index{pair.batch, pair.head, pair.query - pair.queryStart, pair.key - pair.keyStart};
  if (values.rank() == 3)
    index.erase(index.begin() + 1);
  else if (values.rank() == 2)
    index.erase(index.begin(), index.begin() + 2);
  for (auto [i, extent] : llvm::zip(index, values.shape))
    if (i < 0 || i >= extent)
      return std::nullopt;
  return values[index];
}

MaskFunction evaluateMaskTensor(Tensor values) {
  return [values = std::move(values)](const MaskPair &pair, double &) { return pairValue(values, pair).value_or(0) != 0; };
}

MaskFunction evaluateMaskPrefix(Tensor lengths) {
  return [lengths = std::move(lengths)](const MaskPair &pair, double &) {
    return pair.key <= pair.query || static_cast<double>(pair.key) < lengths[{pair.batch}];
  };
}

/// values[batch, token] of the query or the key, or [token] of rows; none outside of the tensor.
static std::optional<double> tokenValue(const Tensor &values, const MaskPair &pair, bool ofKey) {
  int64_t i = ofKey ? pair.key - pair.keyStart : pair.query - pair.queryStart;
  if (values.rank() == 1)
    i += ofKey ? pair.keyOffset : pair.queryOffset;
  if (i < 0 || i >= values.shape.back())
    return std::nullopt;
  return values.rank() == 1 ? values[{i}] : values[{pair.batch, i}];
}

MaskFunction evaluateMaskSegments(Tensor queries, Tensor keys) {
  return [queries = std::move(queries), keys = std::move(keys)](const MaskPair &pair, double &) {
    auto mine = tokenValue(queries, pair, false), other = tokenValue(keys, pair, true);
    return mine && other && *mine == *other;
  };
}

MaskFunction evaluateMaskTokens(const Tensor *queries, const Tensor *keys) {
  auto copy = [](const Tensor *side) { return side ? std::optional(*side) : std::nullopt; };
  return [queries = copy(queries), keys = copy(keys)](const MaskPair &pair, double &) {
    return (!queries || tokenValue(*queries, pair, false).value_or(0) != 0) && (!keys || tokenValue(*keys, pair, true).value_or(0) != 0);
  };
}

MaskFunction evaluateBiasAlibi(Tensor slopes) {
  return [slopes = std::move(slopes)](const MaskPair &pair, double &score) {
    score += slopes[{pair.head}] * static_cast<double>(pair.key - pair.query);
    return true;
  };
}

MaskFunction evaluateSoftcap(SoftcapOp op) {
  return [cap = op.getCap().convertToDouble()](const MaskPair &, double &score) {
    score = cap * std::tanh(score / cap);
    return true;
  };
}

MaskFunction evaluateBiasTensor(Tensor values) {
  return [values = std::move(values)](const MaskPair &pair, double &score) {
    double bias = pairValue(values, pair).value_or(0);
    score += bias;
    return bias != -std::numeric_limits<double>::infinity();
  };
}

MaskFunction evaluateBiasTokens(Tensor keys) {
  return [keys = std::move(keys)](const MaskPair &pair, double &score) {
    double bias = tokenValue(keys, pair, true).value_or(0);
    score += bias;
    return bias != -std::numeric_limits<double>::infinity();
  };
}

MaskFunction evaluateBiasRelative(Tensor table) {
  return [table = std::move(table)](const MaskPair &pair, double &score) {
    int64_t reach = table.shape[1] / 2;
    score += table[{pair.head, std::clamp(pair.key - pair.query, -reach, reach) + reach}];
    return true;
  };
}

MaskFunction evaluateMaskAnd(MaskFunction lhs, MaskFunction rhs) {
  return [lhs = std::move(lhs), rhs = std::move(rhs)](const MaskPair &pair, double &score) { return lhs(pair, score) && rhs(pair, score); };
}

MaskPair pairOf(const Side &queries, const Side &keys, int64_t batch, int64_t head, int64_t i, int64_t j) {
  int64_t queryStart = queries.start(batch), keyStart = keys.start(batch);
  return {batch, head, queryStart + i, keyStart + j, queryStart, keyStart, queries.offset(batch), keys.offset(batch)};
}

Side Side::make(const Tensor *offsets, const Tensor *starts, StringAttr name, int64_t width, const Environment &environment) {
  Side side;
  side.width = width;
  if (offsets) {
    auto places = wholeNumbers(*offsets);
    for (size_t b = 0; b + 1 < places.size(); ++b)
      side.lengths.push_back(places[b + 1] - places[b]);
    side.offsets = places;
    side.starts = wholeNumbers(*starts);
  } else if (auto rows = name ? environment.ragged.find(name.str()) : environment.ragged.end(); rows != environment.ragged.end()) {
    side.lengths = rows->second.lengths;
    side.starts = rows->second.starts;
  }
  return side;
}

Tensor evaluate(MaskValuesOp op, const MaskFunction *mask, Tensors operands, Site &site) {
  Tensor result(site.shape(op.getType()));
  DimsAttr dims = dimsOf(op.getType());
  Side queries = Side::make(operands[1], operands[2], dims.nameOf(1), result.shape[1], site.environment);
  Side keys = Side::make(operands[3], operands[4], dims.nameOf(2), result.shape[2], site.environment);
  size_t at = 0;
  forEachIndex(result.shape, [&](ArrayRef<int64_t> index) {
    int64_t b = index[0];
    MaskPair pair = pairOf(queries, keys, b, 0, index[1], index[2]);
    double score = 0;
    bool real = index[1] < queries.length(b) && index[2] < keys.length(b);
    result.data[at++] = real && (!mask || (*mask)(pair, score));
  });
  return result;
}

Tensor evaluate(MaskScoresOp op, const MaskFunction *mask, Tensors operands, Site &site) {
  Tensor result = *operands[0];
  DimsAttr dims = dimsOf(op.getType());
  int64_t rank = result.rank();
  Side queries = Side::make(operands[2], operands[3], dims.nameOf(rank - 2), result.shape[rank - 2], site.environment);
  Side keys = Side::make(operands[4], operands[5], dims.nameOf(rank - 1), result.shape[rank - 1], site.environment);
  size_t at = 0;
  forEachIndex(result.shape, [&](ArrayRef<int64_t> index) {
    int64_t b = rank > 2 ? index[0] : 0, h = rank > 3 ? index[1] : 0, i = index[rank - 2], j = index[rank - 1];
    MaskPair pair = pairOf(queries, keys, b, h, i, j);
    double &score = result.data[at++];
    if (j >= keys.length(b) || !(*mask)(pair, score))
      score = -std::numeric_limits<double>::infinity();
  });
  return result;
}

} // namespace heddle
