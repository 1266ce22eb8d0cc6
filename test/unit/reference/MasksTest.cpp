// Masks as values: what the three attentions of a translation hide.
#include "ReferenceTest.h"

using namespace heddle;
using testing::ElementsAre;

using Masks = ReferenceTest;

namespace {
const std::string ragged = "attributes {heddle.dimensions = [#heddle.dimension<\"batch\">, #heddle.dimension<\"t\" over \"batch\">, "
                           "#heddle.dimension<\"s\" over \"batch\">]}";

/// The values of a mask over two ragged axes t and s.
std::string maskValues(std::string ops, std::string mask, std::string query = "t", std::string key = "s") {
  std::string type = "tensor<?x?x?xi1, #heddle.dims<batch, " + query + ", " + key + ">>";
  return "func.func @f(%x: tensor<?x?xi32, #heddle.dims<batch, t>>, %y: tensor<?x?xi32, #heddle.dims<batch, s>>) -> " + type + " " + ragged + " {\n" +
         ops + "\n%r = heddle.mask_values " + mask + " : " + type + "\nreturn %r : " + type + "\n}";
}
} // namespace

TEST_F(Masks, causalKeepsTheDiagonal) {
  EXPECT_THAT(run(maskValues("%m = heddle.mask_causal", "%m", "t", "t"), {Tensor({1, 3}), Tensor({1, 1})}).data,
              ElementsAre(1, 0, 0, 1, 1, 0, 1, 1, 1));
}

TEST_F(Masks, paddingIsHiddenWithoutAMask) { // the lesson's masks: source of 5 with 4 real, target of 4 with 3 real
  Environment rows;
  rows.ragged["s"] = {"batch", {4}, {0}};
  rows.ragged["t"] = {"batch", {3}, {0}};
  std::vector<Tensor> arguments{Tensor({1, 4}), Tensor({1, 5})};
  EXPECT_THAT(run(maskValues("", "", "s", "s"), arguments, rows).data,
              ElementsAre(1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(run(maskValues("%m = heddle.mask_causal", "%m", "t", "t"), arguments, rows).data,
              ElementsAre(1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0));
  EXPECT_THAT(run(maskValues("", ""), arguments, rows).data, ElementsAre(1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0));
}

TEST_F(Masks, causalSpeaksOfPositions) { // queries 4 and 5 of a row whose keys begin at 0: a cache changes nothing
  Environment rows;
  rows.ragged["t"] = {"batch", {2}, {4}};
  rows.ragged["s"] = {"batch", {6}, {0}};
  EXPECT_THAT(run(maskValues("%m = heddle.mask_causal", "%m"), {Tensor({1, 2}), Tensor({1, 6})}, rows).data,
              ElementsAre(1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1));
}

TEST_F(Masks, tensorAndAnd) {
  std::string type = "tensor<?x?x?xi1, #heddle.dims<batch, t, s>>";
  std::string text = "func.func @f(%v: " + type + ") -> " + type + " " + ragged +
                     " {\n%a = heddle.mask_causal\n%b = heddle.mask_tensor %v : " + type +
                     "\n%m = heddle.mask_and %a, %b\n%r = heddle.mask_values %m : " + type + "\nreturn %r : " + type + "\n}";
  EXPECT_THAT(run(text, Tensor({1, 2, 3}, {1, 1, 0, 0, 1, 1})).data, ElementsAre(1, 0, 0, 0, 1, 0));
  Environment rows; // the tensor is indexed by place, the causal mask by position
  rows.ragged["t"] = {"batch", {2}, {1}};
  EXPECT_THAT(run(text, Tensor({1, 2, 3}, {1, 1, 0, 0, 1, 1}), rows).data, ElementsAre(1, 1, 0, 0, 1, 1));
}

TEST_F(Masks, windowsCountTheQueryItself) { // B073: window 3 of 6 with causality shows 1, 2, 3, 3, 3, 3 keys
  std::string ops = "%a = heddle.mask_causal\n%b = heddle.mask_window left 3\n%m = heddle.mask_and %a, %b";
  Tensor result = run(maskValues(ops, "%m", "t", "t"), {Tensor({1, 6}), Tensor({1, 1})});
  std::vector<int> seen(6, 0);
  for (int64_t i = 0; i < 6; ++i)
    for (int64_t j = 0; j < 6; ++j)
      seen[i] += (result[{0, i, j}]) != 0;
  EXPECT_THAT(seen, ElementsAre(1, 2, 3, 3, 3, 3));
  EXPECT_THAT(run(maskValues("%m = heddle.mask_window left 1 right 2", "%m", "t", "t"), {Tensor({1, 3}), Tensor({1, 1})}).data,
              ElementsAre(1, 1, 0, 0, 1, 1, 0, 0, 1));
  EXPECT_THAT(run(maskValues("%m = heddle.mask_window right 1", "%m", "t", "t"), {Tensor({1, 3}), Tensor({1, 1})}).data,
              ElementsAre(1, 0, 0, 1, 1, 0, 1, 1, 1));
}

TEST_F(Masks, windowsSpeakOfPositions) { // B074: a query at position 8 of 9 keys, window 4: it sees 5 to 8
  Environment rows;
  rows.ragged["t"] = {"batch", {1}, {8}};
  rows.ragged["s"] = {"batch", {9}, {0}};
  EXPECT_THAT(run(maskValues("%m = heddle.mask_window left 4", "%m"), {Tensor({1, 1}), Tensor({1, 9})}, rows).data,
              ElementsAre(0, 0, 0, 0, 0, 1, 1, 1, 1));
}

namespace {
/// Scores [batch, 2, t, s] changed by a mask; %v is [batch, t, s] and %h [2, 5].
std::string maskScores(std::string ops) {
  std::string type = "tensor<?x2x?x?xf32, #heddle.dims<batch, 2, t, s>>";
  return "func.func @f(%x: " + type + ", %v: tensor<?x?x?xf32, #heddle.dims<batch, t, s>>, %h: tensor<2x5xf32, #heddle.dims<2, 5>>) -> " + type +
         " " + ragged + " {\n" + ops + "\n%r = heddle.mask_scores %x, %m : " + type + "\nreturn %r : " + type + "\n}";
}
} // namespace

TEST_F(Masks, scoresAreCappedShiftedAndHidden) {
  std::vector<Tensor> arguments{counting({1, 2, 2, 3}), Tensor({1, 2, 3}, {0, 10, 20, 30, 40, 50}), counting({2, 5})};
  expectNear(run(maskScores("%m = heddle.mask_causal"), arguments).data,
             {0, -infinity, -infinity, 3, 4, -infinity, 6, -infinity, -infinity, 9, 10, -infinity});
  Tensor capped = run(maskScores("%m = heddle.softcap 5.0"), arguments);
  for (int64_t i = 0; i < 12; ++i)
    EXPECT_NEAR(capped.data[i], 5 * std::tanh(static_cast<double>(i) / 5), 1e-12);
  std::string values = "%m = heddle.bias_tensor %v : tensor<?x?x?xf32, #heddle.dims<batch, t, s>>"; // both heads get the same
  expectNear(run(maskScores(values), arguments).data, {0, 11, 22, 33, 44, 55, 6, 17, 28, 39, 50, 61});
  // Distances -2 .. 2 of head 0 add 0 1 2 3 4, of head 1 5 6 7 8 9.
  std::string relative = "%m = heddle.bias_relative %h : tensor<2x5xf32, #heddle.dims<2, 5>>";
  expectNear(run(maskScores(relative), arguments).data, {2, 4, 6, 4, 6, 8, 13, 15, 17, 15, 17, 19});
}

TEST_F(Masks, distancesBeyondTheReachAreClamped) {
  Environment rows; // the queries are at positions 9 and 10, the keys at 0 to 2
  rows.ragged["t"] = {"batch", {2}, {9}};
  std::string relative = "%m = heddle.bias_relative %h : tensor<2x5xf32, #heddle.dims<2, 5>>";
  expectNear(run(maskScores(relative), {Tensor({1, 2, 2, 3}), Tensor({1, 2, 3}), counting({2, 5})}, rows).data, {0, 0, 0, 0, 0, 0, 5, 5, 5, 5, 5, 5});
}

TEST_F(Masks, changesComeInOrder) { // first capped, then biased; and the other way round
  std::vector<Tensor> arguments{counting({1, 2, 2, 3}), Tensor({1, 2, 3}, 1.0), counting({2, 5})};
  std::string cap = " = heddle.softcap 2.0\n", bias = " = heddle.bias_tensor %v : tensor<?x?x?xf32, #heddle.dims<batch, t, s>>\n";
  Tensor first = run(maskScores("%a" + cap + "%b" + bias + "%m = heddle.mask_and %a, %b"), arguments);
  Tensor second = run(maskScores("%a" + cap + "%b" + bias + "%m = heddle.mask_and %b, %a"), arguments);
  EXPECT_NEAR(first.data[3], 2 * std::tanh(1.5) + 1, 1e-12);
  EXPECT_NEAR(second.data[3], 2 * std::tanh(2.0), 1e-12);
}

TEST_F(Masks, scoresOfPaddingKeysAreHidden) {
  Environment rows;
  rows.ragged["s"] = {"batch", {2}, {0}};
  rows.ragged["t"] = {"batch", {2}, {0}};
  Tensor result = run(maskScores("%m = heddle.mask_window left 9"), {counting({1, 2, 2, 3}), Tensor({1, 2, 3}), counting({2, 5})}, rows);
  expectNear(result.data, {0, 1, -infinity, 3, 4, -infinity, 6, 7, -infinity, 9, 10, -infinity});
}

TEST_F(Masks, scoresWithRowsAsOperands) { // the form after the graph stage; row 1 has one key, its queries begin at 1
  std::string type = "tensor<?x?x?xf32, #heddle.dims<batch, t, s>>", offsets = "tensor<?xi64, #heddle.dims<batch + 1>>",
              starts = "tensor<?xi64, #heddle.dims<batch>>";
  std::string text = "func.func @f(%x: " + type + ", %to: " + offsets + ", %ts: " + starts + ", %so: " + offsets + ", %ss: " + starts + ") -> " +
                     type + " {\n%m = heddle.mask_causal\n%r = heddle.mask_scores %x, %m queries %to, %ts : " + offsets + ", " + starts +
                     " keys %so, %ss : " + offsets + ", " + starts + " : " + type + "\nreturn %r : " + type + "\n}";
  Tensor result = run(text, {counting({2, 2, 2}), Tensor({3}, {0, 2, 4}), Tensor({2}, {0, 1}), Tensor({3}, {0, 2, 3}), Tensor({2}, {0, 0})});
  expectNear(result.data, {0, -infinity, 2, 3, 4, -infinity, 6, -infinity});
}

TEST_F(Masks, prefixesSegmentsAndTokens) {
  std::string type = "tensor<?x?x?xi1, #heddle.dims<batch, t, s>>", ids = "tensor<?x?xi32, #heddle.dims<batch, ";
  auto text = [&](std::string mask) {
    return "func.func @f(%n: tensor<?xi32, #heddle.dims<batch>>, %a: " + ids + "t>>, %b: " + ids + "s>>) -> " + type + " " + ragged +
           " {\n%m = " + mask + "\n%r = heddle.mask_values %m : " + type + "\nreturn %r : " + type + "\n}";
  };
  std::vector<Tensor> arguments{Tensor({1}, std::vector<double>{2}), Tensor({1, 2}, {1, 0}), Tensor({1, 3}, {0, 1, 0})};
  EXPECT_THAT(run(text("heddle.mask_prefix %n : tensor<?xi32, #heddle.dims<batch>>"), arguments).data, ElementsAre(1, 1, 0, 1, 1, 0));
  Environment rows; // positions 1 and 2 of queries, 0 to 2 of keys
  rows.ragged["t"] = {"batch", {2}, {1}};
  EXPECT_THAT(run(text("heddle.mask_prefix %n : tensor<?xi32, #heddle.dims<batch>>"), arguments, rows).data, ElementsAre(1, 1, 0, 1, 1, 1));
  EXPECT_THAT(run(text("heddle.mask_segments %a, %b : " + ids + "t>>, " + ids + "s>>"), arguments).data, ElementsAre(0, 1, 0, 1, 0, 1));
}
