// rearrange: what each pattern becomes, and what is said of one that does not fit.
#include "test/unit/frontend/Import.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle::test;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace {
std::string done(const std::string &pattern, const std::string &result) {
  return accepted({entryText("    return rearrange(x, " + pattern + ")", "", result), "", {}});
}
std::string said(const std::string &pattern, const std::string &functions = "") {
  return refusal({entryText("    return rearrange(x, " + pattern + ")", functions), "", {}});
}
} // namespace

TEST(Rearrange, cutMoveMerge) {
  std::string heads = done("[.., s, n_head * d] -> [.., n_head, s, d]", "f32[batch, n_head, sequence..., 16]");
  EXPECT_THAT(heads, HasSubstr("heddle.reshape %arg1 : tensor<?x?x64xf32, #heddle.dims<batch, sequence, 64>> -> tensor<?x?x4x16xf32"));
  EXPECT_THAT(heads, HasSubstr("heddle.transpose %0 [0, 2, 1, 3]"));
  EXPECT_THAT(done("[.., a * 4] -> [.., 4 * a]", "f32[batch, sequence..., n_embd]"), HasSubstr("[0, 1, 3, 2]")); // an int is a name for itself
}

TEST(Rearrange, nothingToDo) {
  EXPECT_THAT(done("[b, s, d] -> [b, s, d]", "f32[batch, sequence..., n_embd]"), HasSubstr("return %arg1")); // no op at all
}

TEST(Rearrange, unitAxesExistInTheFrontendOnly) {
  std::string ir = done("[b, s, d] -> [b, 1, s, d]", "f32[batch, sequence..., n_embd]"); // the result may leave a unit axis out
  EXPECT_THAT(ir, Not(HasSubstr("heddle.reshape")));
  ir = done("[b, s, d] -> [b, 1, s, d]", "f32[batch, 1, sequence..., n_embd]"); // but an array that has it gets it
  EXPECT_THAT(ir, HasSubstr("dims<batch, 1, sequence, 64>"));
}

TEST(Rearrange, repeat) {
  std::string ir = done("[.., d] -> [.., n_head, d]", "f32[batch, sequence..., n_head, n_embd]");
  EXPECT_THAT(ir, HasSubstr("heddle.broadcast %arg1 along [0, 1, 3]"));
  ir = accepted({entryText("    k = heads(x, n_head)\n    g = 3\n    return rearrange(k, [.., k, t, d] -> [.., k * g, t, d])", "",
                           "f32[batch, 12, sequence..., 16]"),
                 "",
                 {}});
  EXPECT_THAT(ir, HasSubstr("along [0, 1, 3, 4]")); // query head h reads key head h / g
}

TEST(Rearrange, messages) {
  EXPECT_THAT(said("[b, s, p * p] -> [b, s, p]"),
              HasSubstr("x.heddle:9:36: error: rearrange: axis 'p' twice on one side; give the second a name of its own (q = p)"));
  EXPECT_THAT(said("[b, s * 2, d] -> [b, s, 2, d]"), HasSubstr("x.heddle:9:29: error: rearrange: 'sequence' is ragged and cannot be cut or merged"));
  EXPECT_THAT(said("[b, s, d] -> [b, s * d]"), HasSubstr("'sequence' is ragged and cannot be cut or merged"));
  EXPECT_THAT(said("[b, s, d] -> [s, b * d]"), HasSubstr("'batch' is the batch and cannot be cut or merged"));
  EXPECT_THAT(said("[b, s, d] -> [b, s]"), HasSubstr("rearrange: axis 'd' stands on the left only"));
  EXPECT_THAT(said("[b, s, d] -> [b, s, d, e]"), HasSubstr("rearrange: 'e' stands on the right only and is no int in scope"));
  EXPECT_THAT(said("[b, d] -> [d, b]"), HasSubstr("has 3 axes, the pattern 2"));
  EXPECT_THAT(said("[.., d] -> [d]"), HasSubstr("'..' stands on both sides or on none"));
  EXPECT_THAT(said("[b, s, p * q] -> [b, s, q * p]"), HasSubstr("both 'p' and 'q' are unknown"));
  EXPECT_THAT(said("[b, s, n_head] -> [b, s, n_head]"), HasSubstr("rearrange: 'n_head' is n_head 4 here, the axis is n_embd 64"));
  EXPECT_THAT(said("[b, s, 1] -> [b, s]"), HasSubstr("rearrange: 1 meets n_embd 64"));
  EXPECT_THAT(said("[b, s, 3 * d] -> [b, s, d * 3]"), HasSubstr("n_embd 64 is not divisible by 3"));
  EXPECT_THAT(said("[b, s, d + 1] -> [b, s, d]"), HasSubstr("an axis is a product of names and ints"));
}
