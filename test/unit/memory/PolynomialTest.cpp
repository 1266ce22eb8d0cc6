// Sizes as polynomials of dimensions: arithmetic, bounds, and overflow that is seen.
#include "compiler/memory/Polynomial.h"
#include <gtest/gtest.h>
#include <limits>

using namespace heddle;

namespace {

const Polynomial batch = Polynomial::dimension(0), source = Polynomial::dimension(1);
Polynomial number(int64_t value) { return Polynomial::constant(value); }
constexpr int64_t most = std::numeric_limits<int64_t>::max();

TEST(Polynomial, MultipliesAndAddsAsOnPaper) {
  // (batch + 1) * (source + 2) = batch source + 2 batch + source + 2
  Polynomial product = *batch.plus(number(1))->times(*source.plus(number(2)));
  EXPECT_EQ(product.coefficient({0, 1}), 1);
  EXPECT_EQ(product.coefficient({0}), 2);
  EXPECT_EQ(product.coefficient({1}), 1);
  EXPECT_EQ(product.coefficient({}), 2);
  EXPECT_EQ(product.degree(), 2);
  EXPECT_EQ(product.evaluate({3, 5}), 28);
}

TEST(Polynomial, IsCanonical) {
  EXPECT_EQ(*batch.times(source), *source.times(batch));
  EXPECT_EQ(*batch.plus(source), *source.plus(batch));
  EXPECT_EQ(*source.plus(number(-1))->plus(number(1)), source); // no term with coefficient 0 stays
  EXPECT_EQ(*batch.times(number(0)), Polynomial());
  EXPECT_EQ(Polynomial().asConstant(), 0);
  EXPECT_EQ(number(7).asConstant(), 7);
  EXPECT_EQ(batch.asConstant(), std::nullopt);
}

TEST(Polynomial, SeesOverflow) {
  EXPECT_FALSE(number(most).plus(number(1)));
  EXPECT_FALSE(number(most / 2).times(number(3)));
  EXPECT_FALSE(number(std::numeric_limits<int64_t>::min()).times(number(-1)));
  EXPECT_FALSE(batch.times(number(most))->plus(batch));
  EXPECT_TRUE(batch.times(number(most))->plus(source)); // different terms do not meet
  // (m b + m s)^2 meets itself in the mixed term only
  Polynomial half = *batch.plus(source)->times(number(int64_t{1} << 31));
  EXPECT_FALSE(half.times(half));
}

TEST(Polynomial, RoundsDivisionUp) {
  EXPECT_EQ(source.times(number(7))->dividedUp(2), *source.times(number(4)));
  EXPECT_EQ(source.times(number(-7))->dividedUp(2), *source.times(number(-3)));
  EXPECT_EQ(source.times(number(8))->dividedUp(8), source);
  EXPECT_EQ(number(-1).dividedUp(2), Polynomial());
}

TEST(Polynomial, ComparesTermByTerm) {
  Polynomial more = *batch.plus(source);
  EXPECT_TRUE(batch.atMost(more));
  EXPECT_FALSE(more.atMost(batch));
  EXPECT_FALSE(batch.atMost(source));
  EXPECT_FALSE(source.atMost(batch));
  EXPECT_TRUE(Polynomial().atMost(batch));
  EXPECT_TRUE(source.plus(number(-1))->atMost(source));
  EXPECT_FALSE(source.atMost(*source.plus(number(-1))));
}

TEST(Polynomial, MaximumBoundsBoth) {
  Polynomial left = *batch.times(number(3)), right = *batch.plus(*source.times(number(2)));
  Polynomial both = left.maximum(right);
  EXPECT_TRUE(left.atMost(both));
  EXPECT_TRUE(right.atMost(both));
  EXPECT_EQ(both, *left.plus(*source.times(number(2))));
  EXPECT_EQ(number(-5).maximum(Polynomial()), Polynomial());
}

TEST(Polynomial, KnowsMultiples) {
  EXPECT_TRUE(batch.times(number(128))->isMultipleOf(64));
  EXPECT_FALSE(batch.times(number(128))->plus(number(1))->isMultipleOf(64));
  EXPECT_TRUE(Polynomial().isMultipleOf(64));
}

} // namespace
