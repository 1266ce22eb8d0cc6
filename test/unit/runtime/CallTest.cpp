// What the shapes of the arguments say about the dimensions, and what the rows of a ragged dimension may be.
#include "runtime/Call.h"
#include <gtest/gtest.h>

using namespace heddle::runtime;

namespace {

const heddle_term batch[] = {{1, {0, -1, -1, -1}}}, source[] = {{1, {1, -1, -1, -1}}}, inner[] = {{2, {2, -1, -1, -1}}, {1, {-1, -1, -1, -1}}};
const heddle_term area[] = {{1, {0, 2, -1, -1}}}, four[] = {{4, {-1, -1, -1, -1}}}, arena[] = {{128, {3, -1, -1, -1}}};
const heddle_dimension dimensions[] = {
    {"batch", HEDDLE_PLAIN, -1, 0}, {"source", HEDDLE_RAGGED, 0, 8}, {"inner", HEDDLE_PLAIN, -1, 0}, {"tokens", HEDDLE_TOKENS, 1, 0}};
const heddle_form idsExtents[] = {{1, batch}, {1, source}}, memoryExtents[] = {{1, batch}, {1, source}, {1, four}}, tableExtents[] = {{2, inner}},
                  areaExtents[] = {{1, area}};

// f(ids: i32[batch, source... <= 8], memory: f32[batch, source..., 4], table: f32[2 * inner + 1], kinds: i32[batch, source...] = 3) -> f32[batch *
// inner]
const heddle_value arguments[] = {{"ids", HEDDLE_I32, 2, idsExtents, 1, 10, 0, 0},
                                  {"memory", HEDDLE_F32, 3, memoryExtents, 1, 0, 0, 0},
                                  {"table", HEDDLE_F32, 1, tableExtents, -1, 0, 0, 0},
                                  {"kinds", HEDDLE_I32, 2, idsExtents, 1, 4, 1, 3}};
const heddle_value results[] = {{"result", HEDDLE_F32, 1, areaExtents, -1, 0, 0, 0}};
const heddle_entry entry = {"f", "", 4, dimensions, 4, arguments, 1, results, {1, arena}, {}, 0, nullptr};

using Shape = std::vector<int64_t>;

class CallTest : public testing::Test {
protected:
  CallTest() { EXPECT_TRUE(call.prepare(failure)); }
  bool give(int64_t argument, const Shape &shape) { return call.giveShape(argument, static_cast<int>(shape.size()), shape.data(), failure); }
  bool giveAll(const Shape &ids, const Shape &memory, const Shape &table) {
    return give(0, ids) && give(1, memory) && give(2, table) && call.inferDimensions(failure);
  }
  Failure failure;
  Call call{entry};
};

TEST_F(CallTest, InfersDimensionsFromShapes) {
  ASSERT_TRUE(giveAll({2, 5}, {2, 5, 4}, {7})) << failure.text;
  call.rows(1).lengths[1] = 3;
  ASSERT_TRUE(call.finishRows(failure)) << failure.text;
  EXPECT_EQ(call.dimension(0), 2);
  EXPECT_EQ(call.dimension(1), 5);
  EXPECT_EQ(call.dimension(2), 3) << "2 * inner + 1 = 7";
  EXPECT_EQ(call.dimension(3), 8) << "5 + 3 tokens";
  heddle_context context;
  ASSERT_TRUE(call.allocate(context, failure)) << failure.text;
  EXPECT_EQ(call.elements(4), 6) << "batch * inner";
  EXPECT_GE(context.arena.size(), 8 * 128);
  EXPECT_EQ(static_cast<int32_t *>(call.argument(3))[9], 3) << "filled with its default";
}

TEST_F(CallTest, RefusesShapesThatDisagree) {
  EXPECT_FALSE(giveAll({2, 5}, {2, 6, 4}, {7}));
  EXPECT_STREQ(failure.text, "argument 'memory': axis 1 (from 0), source, has 6 elements, but elsewhere it has 5");
  EXPECT_EQ(failure.code, 1);
}
TEST_F(CallTest, RefusesAnotherConstant) {
  EXPECT_FALSE(giveAll({2, 5}, {2, 5, 3}, {7}));
  EXPECT_STREQ(failure.text, "argument 'memory': axis 2 (from 0) has 3 elements, expected 4 (f32[batch, source... <= 8, 4])");
}
TEST_F(CallTest, RefusesWhatNoDimensionSolves) {
  EXPECT_FALSE(giveAll({2, 5}, {2, 5, 4}, {6}));
  EXPECT_STREQ(failure.text, "the dimension 'inner' of entry 'f' follows from no argument given");
}
TEST_F(CallTest, RefusesAnotherRank) {
  EXPECT_FALSE(give(0, {2, 5, 1}));
  EXPECT_STREQ(failure.text, "argument 'ids': expected 2 axes, i32[batch, source... <= 8], got 3");
}
TEST_F(CallTest, RefusesEmptyAxes) {
  EXPECT_FALSE(give(0, {2, 0}));
  EXPECT_STREQ(failure.text, "argument 'ids': axis 1 (from 0) has 0 elements, expected at least 1");
}

class RowsTest : public CallTest {
protected:
  RowsTest() { EXPECT_TRUE(giveAll({2, 5}, {2, 5, 4}, {7})); }
  std::string refusal(int64_t length, int64_t start) {
    call.rows(1).lengths[1] = length, call.rows(1).starts[1] = start;
    EXPECT_FALSE(call.finishRows(failure));
    return failure.text;
  }
};

TEST_F(RowsTest, HaveLengthsWithinTheWidth) {
  EXPECT_EQ(refusal(6, 0), "argument 'ids': row 1 (from 0) has length 6, expected 0 to 5");
  EXPECT_EQ(refusal(-1, 0), "argument 'ids': row 1 (from 0) has length -1, expected 0 to 5");
  call.rows(1).lengths[1] = 0;
  EXPECT_TRUE(call.finishRows(failure));
}
TEST_F(RowsTest, HavePositionsWithinTheBound) {
  EXPECT_EQ(refusal(5, 4), "argument 'ids': row 1 (from 0) has positions 4 to 8, expected 0 to 7");
  EXPECT_EQ(refusal(2, -1), "argument 'ids': row 1 (from 0) has positions -1 to 0, expected 0 to 7");
  EXPECT_EQ(refusal(0, INT64_MAX), "argument 'ids': row 1 (from 0) has positions 9223372036854775807 to 9223372036854775807, expected 0 to 7");
  call.rows(1).lengths[1] = 5, call.rows(1).starts[1] = 3;
  EXPECT_TRUE(call.finishRows(failure));
}
TEST_F(RowsTest, HaveIdsWithinTheirBound) {
  heddle_context context;
  call.rows(1).lengths[1] = 3;
  ASSERT_TRUE(call.finishRows(failure) && call.allocate(context, failure)) << failure.text;
  int32_t *ids = static_cast<int32_t *>(call.argument(0));
  ids[5 + 3] = -7; // beyond the length: not looked at
  EXPECT_TRUE(call.checkIds(0, failure)) << failure.text;
  ids[5 + 2] = 10;
  EXPECT_FALSE(call.checkIds(0, failure));
  EXPECT_STREQ(failure.text, "argument 'ids': id 10 at row 1, column 2 (from 0), expected 0 to 9");
  ids[4] = -1;
  EXPECT_FALSE(call.checkIds(0, failure));
  EXPECT_STREQ(failure.text, "argument 'ids': id -1 at row 0, column 4 (from 0), expected 0 to 9");
}

TEST(CallLimits, TooLargeIsSaidBeforeAnythingIsAllocated) {
  const heddle_term huge[] = {{int64_t{1} << 60, {0, -1, -1, -1}}}, many[] = {{int64_t{1} << 45, {0, -1, -1, -1}}};
  const heddle_form plain[] = {{1, batch}}, hugeExtents[] = {{1, huge}}, manyExtents[] = {{1, many}};
  const heddle_value argument[] = {{"x", HEDDLE_F32, 1, plain, -1, 0, 0, 0}}, overflowing[] = {{"y", HEDDLE_F32, 1, hugeExtents, -1, 0, 0, 0}},
                     large[] = {{"y", HEDDLE_F32, 1, manyExtents, -1, 0, 0, 0}};
  int64_t four = 4;
  for (auto [result, message] :
       {std::pair{overflowing, "'y' would have more than 2^63 bytes"}, {large, "out of memory: 'y' takes 562949953421312 bytes"}}) {
    const heddle_entry wide = {"f", "", 1, dimensions, 1, argument, 1, result, {0, nullptr}, {}, 0, nullptr};
    Call call(wide);
    Failure failure;
    heddle_context context;
    ASSERT_TRUE(call.prepare(failure) && call.giveShape(0, 1, &four, failure) && call.inferDimensions(failure) && call.finishRows(failure));
    EXPECT_FALSE(call.allocate(context, failure));
    EXPECT_STREQ(failure.text, message);
  }
}

} // namespace
