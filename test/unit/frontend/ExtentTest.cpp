#include "compiler/frontend/Extent.h"
#include <gtest/gtest.h>

using namespace heddle::frontend;

namespace {
ExtentName named(std::string name, unsigned order, std::optional<int64_t> value, bool ragged = false) {
  ExtentName result;
  result.name = std::move(name);
  result.order = order;
  result.value = value;
  result.ragged = ragged;
  return result;
}

struct Extents : testing::Test {
  ExtentName nNamed = named("n", 0, 4), dNamed = named("d", 1, 64), sNamed = named("s", 2, std::nullopt, true);
  Extent n{nNamed}, d{dNamed}, s{sNamed};
};
} // namespace

TEST_F(Extents, normalForm) {
  EXPECT_TRUE((*(n * *(d / n))).sameForm(d)); // n * (d / n) is d
  EXPECT_TRUE((*(n + d)).sameForm(*(d + n)));
  EXPECT_TRUE((*(*(n + n) - n)).sameForm(n));
  EXPECT_TRUE((*(*(n * d) - *(d * n))).isLiteral(0));
  EXPECT_FALSE((*(Extent(2) * n)).sameForm(n));
}

TEST_F(Extents, staticOnesAgreeByValueOthersByForm) {
  EXPECT_TRUE((*(d / n)).agrees(Extent(16)));
  EXPECT_FALSE((*(d / n)).sameForm(Extent(16)));
  EXPECT_TRUE(s.agrees(s));
  ExtentName other = named("t", 3, std::nullopt);
  EXPECT_FALSE(s.agrees(Extent(other)));
  EXPECT_FALSE(s.agrees(Extent(16)));
}

TEST_F(Extents, print) {
  EXPECT_EQ((*(Extent(3) * d)).print(), "3 * d 192");
  EXPECT_EQ((*(d / n)).print(), "d / n 16");
  EXPECT_EQ((*(*(n * n) + Extent(1))).print(), "n ^ 2 + 1 17");
  EXPECT_EQ((*(d - Extent(1))).print(), "d - 1 63");
  EXPECT_EQ((*(d / Extent(2))).print(), "d / 2 32");
  EXPECT_EQ(s.print(), "s...");
  EXPECT_EQ(Extent(7).print(), "7");
  EXPECT_EQ(Extent(0).print(), "0");
}

TEST_F(Extents, overflowIsNoNumber) {
  Extent large(INT64_MAX);
  EXPECT_FALSE(large + Extent(1));
  EXPECT_FALSE(large * n);
  EXPECT_FALSE(Extent(-INT64_MAX) - Extent(1)); // the int without a negative counts as overflow
  EXPECT_EQ((*(large - large)).staticValue(), 0);
}

TEST_F(Extents, largeFormsBecomeTheirValue) {
  Extent sum = n;
  std::vector<ExtentName> names;
  names.reserve(20);
  for (unsigned i = 0; i < 20; ++i) {
    names.push_back(named("x" + std::to_string(i), 10 + i, 1));
    sum = *(sum + Extent(names.back()));
  }
  EXPECT_EQ(sum.staticValue(), 24);
}
