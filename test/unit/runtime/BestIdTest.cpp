#include "runtime/BestId.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using heddle::runtime::bestId;

namespace {

TEST(BestId, IsTheLowestOfTheGreatest) { // B128
  std::mt19937 chance(1);
  std::uniform_int_distribution<int> few(0, 20);
  for (int row = 0; row < 1000; ++row) {
    std::vector<float> scores(512);
    for (float &score : scores)
      score = static_cast<float>(few(chance)) - 30; // often equal
    int64_t expected = std::max_element(scores.begin(), scores.end()) - scores.begin();
    EXPECT_EQ(bestId(scores.data(), 512), expected);
    scores[static_cast<size_t>(few(chance))] = NAN;
    int64_t best = bestId(scores.data(), 512);
    for (int64_t id = 0; id < 512; ++id)
      EXPECT_FALSE(scores[static_cast<size_t>(id)] > scores[static_cast<size_t>(best)]);
  }
}

TEST(BestId, OfNothing) {
  float none[] = {NAN, NAN}, infinite[] = {-INFINITY, -INFINITY};
  EXPECT_EQ(bestId(none, 2), -1);
  EXPECT_EQ(bestId(none, 0), -1);
  EXPECT_EQ(bestId(infinite, 2), 0);
}

} // namespace
