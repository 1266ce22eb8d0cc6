// Attention: values by hand, masked rows, ragged rows, grouped heads.
#include "ReferenceTest.h"

using namespace heddle;

namespace {
class Attention : public ReferenceTest {
protected:
  static std::string type(std::string dims) {
    std::string shape;
    for (size_t at = 0; at <= dims.size();) {
      size_t end = std::min(dims.find(", ", at), dims.size());
      std::string extent = dims.substr(at, end - at);
      shape += (isdigit(extent[0]) ? extent : "?") + "x";
      at = end + 2;
    }
    return "tensor<" + shape + "f32, #heddle.dims<" + dims + ">>";
  }

  /// [batch, heads, t, d] on [batch, key heads, s, d], both ragged, with an i1 mask [batch, t, s] as third operand.
  static std::string attention(int heads, int keyHeads, int width, std::string mask, std::string scale = "1.0") {
    auto side = [&](int heads, std::string tokens) { return type("batch, " + std::to_string(heads) + ", " + tokens + ", " + std::to_string(width)); };
    std::string q = side(heads, "t"), k = side(keyHeads, "s"), masks = "tensor<?x?x?xi1, #heddle.dims<batch, t, s>>";
    std::string ops = mask == "causal" ? "%m = heddle.mask_causal\n" : mask == "tensor" ? "%m = heddle.mask_tensor %v : " + masks + "\n" : "";
    return "func.func @f(%q: " + q + ", %k: " + k + ", %w: " + k + ", %v: " + masks + ") -> " + q +
           " attributes {heddle.dimensions = [#heddle.dimension<\"batch\">, #heddle.dimension<\"t\" over \"batch\">, #heddle.dimension<\"s\" over "
           "\"batch\">]} {\n" +
           ops + "%r = heddle.attention %q, %k, %w " + (mask.empty() ? "" : "mask %m ") + "scale " + scale + " : " + q + ", " + k + ", " + k +
           " -> " + q + "\nreturn %r : " + q + "\n}";
  }
  static Tensor noMask(int64_t batch, int64_t t, int64_t s) { return Tensor({batch, t, s}, 1.0); }

  /// softmax(scale * q @ k^T) @ v of one head, hidden pairs left out.
  static std::vector<double> byHand(const Tensor &q, const Tensor &k, const Tensor &v, int64_t head, int64_t keyHead, int64_t query, double scale,
                                    llvm::function_ref<bool(int64_t)> visible) {
    int64_t width = q.shape[3], keys = k.shape[2];
    std::vector<double> weights(static_cast<size_t>(keys), 0.0), result(static_cast<size_t>(width), 0.0);
    double total = 0;
    for (int64_t j = 0; j < keys; ++j) {
      double score = 0;
      for (int64_t i = 0; i < width && visible(j); ++i)
        score += scale * q[{0, head, query, i}] * k[{0, keyHead, j, i}];
      weights[j] = visible(j) ? std::exp(score) : 0;
      total += weights[j];
    }
    for (int64_t j = 0; j < keys; ++j)
      for (int64_t i = 0; i < width && visible(j); ++i)
        result[i] += weights[j] / total * v[{0, keyHead, j, i}];
    return result;
  }
  static std::vector<double> rowOf(const Tensor &tensor, int64_t head, int64_t query) {
    std::vector<double> row;
    for (int64_t i = 0; i < tensor.shape[3]; ++i)
      row.push_back(tensor[{0, head, query, i}]);
    return row;
  }
};
} // namespace

TEST_F(Attention, causalRowsOfTheLesson) { // with W_Q zero: 1; 1/2 1/2; 1/3 1/3 1/3; 1/4 ...
  Tensor v = scattered({1, 1, 4, 4});
  Tensor result = run(attention(1, 1, 4, "causal", "0.125"), {Tensor({1, 1, 4, 4}), scattered({1, 1, 4, 4}, 2), v, noMask(1, 4, 4)});
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_EQ((result[{0, 0, 0, i}]), (v[{0, 0, 0, i}])); // the first row equals the first value bit for bit
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_NEAR((result[{0, 0, 2, i}]), (v[{0, 0, 0, i}] + v[{0, 0, 1, i}] + v[{0, 0, 2, i}]) / 3, 1e-12);
}

TEST_F(Attention, equalsTheFormula) {
  Tensor q = scattered({1, 2, 3, 5}, 1), k = scattered({1, 2, 4, 5}, 2), v = scattered({1, 2, 4, 5}, 3);
  Tensor plain = run(attention(2, 2, 5, "", "0.3"), {q, k, v, noMask(1, 3, 4)});
  Tensor causal = run(attention(2, 2, 5, "causal", "0.3"), {q, k, v, noMask(1, 3, 4)});
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t i = 0; i < 3; ++i) {
      expectNear(rowOf(plain, h, i), byHand(q, k, v, h, h, i, 0.3, [](int64_t) { return true; }));
      expectNear(rowOf(causal, h, i), byHand(q, k, v, h, h, i, 0.3, [&](int64_t j) { return j <= i; }));
    }
}

TEST_F(Attention, rowsThatSeeNothingAreZero) { // B001, B002, B004
  Tensor q = scattered({1, 1, 8, 8}, 1), k = scattered({1, 1, 8, 8}, 2), v = scattered({1, 1, 8, 8}, 3);
  Tensor mask({1, 8, 8});
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 4; ++j)
      mask[{0, i, j}] = 1;
  Tensor result = run(attention(1, 1, 8, "tensor"), {q, k, v, mask});
  for (int64_t i = 0; i < 8; ++i)
    expectNear(rowOf(result, 0, i),
               i < 4 ? byHand(q, k, v, 0, 0, i, 1, [](int64_t j) { return j < 4; }) : std::vector<double>(8, 0.0), i < 4 ? 1e-12 : 0);
}

TEST_F(Attention, whatIsHiddenLeavesNoTrace) {
  Tensor q = scattered({1, 1, 3, 2}, 1), k = scattered({1, 1, 3, 2}, 2), v = scattered({1, 1, 3, 2}, 3);
  Tensor before = run(attention(1, 1, 2, "causal"), {q, k, v, noMask(1, 3, 3)});
  k[{0, 0, 2, 0}] = nan, k[{0, 0, 2, 1}] = infinity, v[{0, 0, 2, 0}] = nan, v[{0, 0, 2, 1}] = -infinity;
  Tensor after = run(attention(1, 1, 2, "causal"), {q, k, v, noMask(1, 3, 3)});
  for (int64_t i = 0; i < 2; ++i)
    EXPECT_EQ(rowOf(before, 0, i), rowOf(after, 0, i));
  EXPECT_TRUE(std::isnan((after[{0, 0, 2, 0}]))); // row 2 sees it
}

TEST_F(Attention, raggedRowsSeeTheirOwnKeysOnly) { // B017, B061: lengths 3, 0, 5, 0
  Tensor q = scattered({4, 1, 5, 2}, 1), k = scattered({4, 1, 5, 2}, 2), v = scattered({4, 1, 5, 2}, 3);
  Environment rows;
  rows.ragged["t"] = rows.ragged["s"] = {"batch", {3, 0, 5, 0}, {0, 0, 0, 0}};
  for (int64_t j = 3; j < 5; ++j)
    k[{0, 0, j, 0}] = v[{0, 0, j, 0}] = nan;
  Tensor result = run(attention(1, 1, 2, ""), {q, k, v, noMask(4, 5, 5)}, rows);
  for (int64_t i = 0; i < 3; ++i)
    expectNear(rowOf(result, 0, i), byHand(q, k, v, 0, 0, i, 1, [](int64_t j) { return j < 3; }));
  for (int64_t b : {1, 3})
    for (int64_t i = 0; i < 5; ++i)
      EXPECT_EQ((result[{b, 0, i, 0}]), 0);
  EXPECT_EQ((result[{0, 0, 3, 0}]), 0);
  EXPECT_NE((result[{2, 0, 4, 1}]), 0);
}

TEST_F(Attention, groupedHeadsShareKeys) { // B020: 8 query heads on 2 key heads, one row masked
  Tensor q = scattered({1, 8, 2, 3}, 1), k = scattered({1, 2, 4, 3}, 2), v = scattered({1, 2, 4, 3}, 3);
  Tensor mask({1, 2, 4}, {1, 0, 1, 1, 0, 0, 0, 0});
  Tensor result = run(attention(8, 2, 3, "tensor"), {q, k, v, mask});
  for (int64_t h = 0; h < 8; ++h) {
    expectNear(rowOf(result, h, 0), byHand(q, k, v, h, h / 4, 0, 1, [](int64_t j) { return j != 1; }));
    expectNear(rowOf(result, h, 1), {0, 0, 0}, 0);
  }
}

TEST_F(Attention, largeScoresDoNotOverflow) {
  Tensor q({1, 1, 1, 1}, 1e4), k({1, 1, 2, 1}, {1e4, -1e4}), v({1, 1, 2, 1}, {3, 5});
  expectNear(run(attention(1, 1, 1, ""), {q, k, v, noMask(1, 1, 2)}).data, {3});
}

TEST_F(Attention, tokensAsRowsGiveTheSame) {
  std::string q = "tensor<?x2x3xf32, #heddle.dims<t.tokens, 2, 3>>", k = "tensor<?x1x3xf32, #heddle.dims<s.tokens, 1, 3>>";
  std::string offsets = "tensor<?xi64, #heddle.dims<batch + 1>>", starts = "tensor<?xi64, #heddle.dims<batch>>";
  std::string text = "func.func @f(%q: " + q + ", %k: " + k + ", %v: " + k + ", %to: " + offsets + " {heddle.offsets = \"t\"}, %ts: " + starts +
                     " {heddle.starts = \"t\"}, %so: " + offsets + " {heddle.offsets = \"s\"}, %ss: " + starts + " {heddle.starts = \"s\"}) -> " + q +
                     " {\n%m = heddle.mask_causal\n%r = heddle.attention %q, %k, %v mask %m scale 0.5 queries %to, %ts : " + offsets + ", " + starts +
                     " keys %so, %ss : " + offsets + ", " + starts + " : " + q + ", " + k + ", " + k + " -> " + q + "\nreturn %r : " + q + "\n}";
  Environment rows;
  rows.sizes = {{"batch", 2}, {"t", 2}, {"s", 5}};
  rows.ragged["t"] = {"batch", {2, 1}, {3, 0}}; // row 0: queries at positions 3 and 4 of 5 keys
  rows.ragged["s"] = {"batch", {5, 2}, {0, 0}};
  Tensor queries = scattered({3, 2, 3}, 1), keys = scattered({7, 1, 3}, 2), values = scattered({7, 1, 3}, 3);
  Tensor flat = run(text, {queries, keys, values}, rows);
  // The same as padded arrays [batch, heads, tokens, width].
  auto padded = [&](const Tensor &tokens, const Rows &lengths, int64_t width) {
    Tensor result({2, tokens.shape[1], width, 3}, nan);
    auto first = lengths.offsets();
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t i = 0; i < lengths.lengths[b]; ++i)
        for (int64_t h = 0; h < tokens.shape[1]; ++h)
          for (int64_t e = 0; e < 3; ++e)
            result[{b, h, i, e}] = tokens[{first[b] + i, h, e}];
    return result;
  };
  // Keys of which every batch row has as many need no rows of their own.
  std::string still = "tensor<?x1x5x3xf32, #heddle.dims<batch, 1, 5, 3>>";
  std::string mixed = "func.func @f(%q: " + q + ", %k: " + still + ", %v: " + still + ", %to: " + offsets +
                      " {heddle.offsets = \"t\"}, %ts: " + starts + " {heddle.starts = \"t\"}) -> " + q +
                      " {\n%m = heddle.mask_causal\n%r = heddle.attention %q, %k, %v mask %m scale 0.5 queries %to, %ts : " + offsets + ", " +
                      starts + " : " + q + ", " + still + ", " + still + " -> " + q + "\nreturn %r : " + q + "\n}";
  Tensor fiveKeys = padded(keys, rows.ragged["s"], 5), fiveValues = padded(values, rows.ragged["s"], 5);
  Tensor beside = run(mixed, {queries, fiveKeys, fiveValues}, rows);
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t e = 0; e < 3; ++e)
      EXPECT_EQ((beside[{0, h, e}]), (flat[{0, h, e}])) << "every key of batch row 0 is real";
  Tensor whole =
      run(attention(2, 1, 3, "causal", "0.5"),
          {padded(queries, rows.ragged["t"], 2), padded(keys, rows.ragged["s"], 5), padded(values, rows.ragged["s"], 5), noMask(2, 2, 5)}, rows);
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t e = 0; e < 3; ++e) {
      EXPECT_EQ((flat[{0, h, e}]), (whole[{0, h, 0, e}]));
      EXPECT_EQ((flat[{1, h, e}]), (whole[{0, h, 1, e}]));
      EXPECT_EQ((flat[{2, h, e}]), (whole[{1, h, 0, e}]));
      EXPECT_EQ((whole[{1, h, 1, e}]), 0);
    }
}

TEST_F(Attention, scoreChangesOfAMask) { // one query, two keys with scores 3 and 0: capped to 2 tanh(1.5), then biased by distance
  std::string q = type("batch, 1, t, 1"), k = type("batch, 1, s, 1"), table = "tensor<1x3xf32, #heddle.dims<1, 3>>";
  std::string text = "func.func @f(%q: " + q + ", %k: " + k + ", %v: " + k + ", %h: " + table + ") -> " + q +
                     " {\n%c = heddle.softcap 2.0\n%b = heddle.bias_relative %h : " + table +
                     "\n%m = heddle.mask_and %c, %b\n%r = heddle.attention %q, %k, %v mask %m" + " scale 1.0 : " + q + ", " + k + ", " + k + " -> " +
                     q + "\nreturn %r : " + q + "\n}";
  Tensor result = run(text, {Tensor({1, 1, 1, 1}, 1.0), Tensor({1, 1, 2, 1}, {3, 0}), Tensor({1, 1, 2, 1}, {1, 0}), Tensor({1, 3}, {9, 0.25, 0.5})});
  double first = std::exp(2 * std::tanh(1.5) + 0.25), second = std::exp(0.5);
  expectNear(result.data, {first / (first + second)});
}
