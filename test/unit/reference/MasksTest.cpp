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
  return "func.func @f(%x: tensor<?x?xi32, #heddle.dims<batch, t>>, %y: tensor<?x?xi32, #heddle.dims<batch, s>>) -> " + type + " " + ragged + " {\n" + ops +
         "\n%r = heddle.mask_values " + mask + " : " + type + "\nreturn %r : " + type + "\n}";
}
} // namespace

TEST_F(Masks, causalKeepsTheDiagonal) {
  EXPECT_THAT(run(maskValues("%m = heddle.mask_causal", "%m", "t", "t"), {Tensor({1, 3}), Tensor({1, 1})}).data, ElementsAre(1, 0, 0, 1, 1, 0, 1, 1, 1));
}

TEST_F(Masks, paddingIsHiddenWithoutAMask) { // the lesson's masks: source of 5 with 4 real, target of 4 with 3 real
  Environment rows;
  rows.ragged["s"] = {"batch", {4}, {0}};
  rows.ragged["t"] = {"batch", {3}, {0}};
  std::vector<Tensor> arguments{Tensor({1, 4}), Tensor({1, 5})};
  EXPECT_THAT(run(maskValues("", "", "s", "s"), arguments, rows).data,
              ElementsAre(1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(run(maskValues("%m = heddle.mask_causal", "%m", "t", "t"), arguments, rows).data, ElementsAre(1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0));
  EXPECT_THAT(run(maskValues("", ""), arguments, rows).data, ElementsAre(1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0));
}

TEST_F(Masks, causalSpeaksOfPositions) { // queries 4 and 5 of a row whose keys begin at 0: a cache changes nothing
  Environment rows;
  rows.ragged["t"] = {"batch", {2}, {4}};
  rows.ragged["s"] = {"batch", {6}, {0}};
  EXPECT_THAT(run(maskValues("%m = heddle.mask_causal", "%m"), {Tensor({1, 2}), Tensor({1, 6})}, rows).data, ElementsAre(1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1));
}

TEST_F(Masks, tensorAndAnd) {
  std::string type = "tensor<?x?x?xi1, #heddle.dims<batch, t, s>>";
  std::string text = "func.func @f(%v: " + type + ") -> " + type + " " + ragged +
                     " {\n%a = heddle.mask_causal\n%b = heddle.mask_tensor %v : " + type + "\n%m = heddle.mask_and %a, %b\n%r = heddle.mask_values %m : " + type +
                     "\nreturn %r : " + type + "\n}";
  EXPECT_THAT(run(text, Tensor({1, 2, 3}, {1, 1, 0, 0, 1, 1})).data, ElementsAre(1, 0, 0, 0, 1, 0));
  Environment rows; // the tensor is indexed by place, the causal mask by position
  rows.ragged["t"] = {"batch", {2}, {1}};
  EXPECT_THAT(run(text, Tensor({1, 2, 3}, {1, 1, 0, 0, 1, 1}), rows).data, ElementsAre(1, 1, 0, 0, 1, 1));
}
