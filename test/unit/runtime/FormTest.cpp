// Extents: sums of products of dimensions. Overflow is found, one unknown is solved for.
#include "runtime/Form.h"
#include <climits>
#include <gtest/gtest.h>

using namespace heddle::runtime;

namespace {

constexpr heddle_term constant(int64_t value) { return {value, {-1, -1, -1, -1}}; }
constexpr heddle_term product(int64_t coefficient, int64_t a, int64_t b = -1) { return {coefficient, {a, b, -1, -1}}; }

TEST(Form, IsASumOfProducts) {
  const heddle_term terms[] = {product(3, 0, 1), product(2, 1), constant(5)};
  const int64_t values[] = {7, 11};
  int64_t result = 0;
  ASSERT_TRUE(evaluate({3, terms}, values, result));
  EXPECT_EQ(result, 3 * 7 * 11 + 2 * 11 + 5);
  ASSERT_TRUE(evaluate({0, nullptr}, values, result));
  EXPECT_EQ(result, 0);
}

TEST(Form, FindsOverflow) {
  const heddle_term square[] = {product(1, 0, 0)}, sum[] = {product(1, 0), product(1, 0)};
  const int64_t big[] = {int64_t{1} << 32}, bigger[] = {INT64_MAX / 2 + 1};
  int64_t result = 0;
  EXPECT_FALSE(evaluate({1, square}, big, result));
  EXPECT_FALSE(evaluate({2, sum}, bigger, result));
}

TEST(Form, SolvesForOneDimension) {
  const bool none[] = {false, false}, first[] = {true, false};
  const int64_t values[] = {3, 0};
  int64_t value = 0;
  const heddle_term doubled[] = {product(2, 1), constant(4)};
  EXPECT_EQ(solve({2, doubled}, 10, values, none, value), 1);
  EXPECT_EQ(value, 3);
  EXPECT_EQ(solve({2, doubled}, 11, values, none, value), -1) << "not whole";
  EXPECT_EQ(solve({2, doubled}, 4, values, none, value), 1);
  EXPECT_EQ(value, 0) << "a batch of no rows";
  EXPECT_EQ(solve({2, doubled}, 2, values, none, value), -1) << "would be -1";
  const heddle_term both[] = {product(1, 0), product(1, 1)}, area[] = {product(1, 0, 1)}, square[] = {product(1, 1, 1)};
  EXPECT_EQ(solve({2, both}, 10, values, none, value), -1) << "two unknowns";
  EXPECT_EQ(solve({2, both}, 10, values, first, value), 1);
  EXPECT_EQ(value, 7);
  EXPECT_EQ(solve({1, area}, 12, values, first, value), 1);
  EXPECT_EQ(value, 4);
  EXPECT_EQ(solve({1, square}, 16, values, first, value), -1) << "squares are only checked";
}

TEST(Form, PrintsTypes) {
  const heddle_dimension dimensions[] = {{"batch", HEDDLE_PLAIN, -1, 0}, {"tokens", HEDDLE_RAGGED, 0, 128}};
  const heddle_term batch[] = {product(1, 0)}, tokens[] = {product(1, 1)}, mixed[] = {product(2, 0, 1), constant(1)}, width[] = {constant(64)};
  const heddle_form extents[] = {{1, batch}, {1, tokens}, {2, mixed}, {1, width}};
  const heddle_entry entry = {"forward", "", 2, dimensions, 0, nullptr, 0, nullptr, {0, nullptr}, {}, 0, nullptr};
  const heddle_value value = {"x", HEDDLE_F32, 4, extents, 1, 0, 0, 0}, scalar = {"y", HEDDLE_BOOL, 0, nullptr, -1, 0, 0, 0};
  EXPECT_STREQ(TypeText(entry, value, true).text(), "f32[batch, tokens... <= 128, 2 * batch * tokens... + 1, 64]");
  EXPECT_STREQ(TypeText(entry, value, false).text(), "f32[batch, tokens..., 2 * batch * tokens... + 1, 64]");
  EXPECT_STREQ(TypeText(entry, scalar, true).text(), "bool");
  RaggedAxes axes = raggedAxes(entry, value);
  EXPECT_EQ(axes.batch, 0);
  EXPECT_EQ(axes.position, 1);
}

} // namespace
