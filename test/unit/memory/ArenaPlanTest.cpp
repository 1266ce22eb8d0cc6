// The arena's plan: what may never happen (two living buffers on one byte, whatever the dimensions are), and that it is a good one.
#include "compiler/memory/ArenaPlan.h"
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace heddle;

namespace {

constexpr int64_t alignment = 64;
const std::vector<double> usual = {8, 512, 4096}; // batch, source, tokens

Polynomial bytes(int64_t coefficient, const Monomial &monomial) {
  Polynomial result = Polynomial::constant(coefficient);
  for (int64_t index : monomial)
    result = *result.times(Polynomial::dimension(index));
  return result;
}
Polynomial perToken(int64_t coefficient) { return bytes(coefficient, {2}); }

int64_t valueOf(const Polynomial &polynomial, const std::vector<double> &dimensions) {
  return static_cast<int64_t>(polynomial.evaluate(dimensions)); // exact for the sizes used here
}
/// As the entry computes it.
int64_t placeOf(const ArenaBuffer &buffer, const std::vector<double> &dimensions) {
  return (valueOf(buffer.offset, dimensions) + alignment - 1) / alignment * alignment;
}

/// Living buffers never meet and the arena holds them all, for these dimensions.
void expectSound(const std::vector<ArenaBuffer> &buffers, const Polynomial &total, const std::vector<double> &dimensions) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    int64_t begin = placeOf(buffers[i], dimensions), end = begin + valueOf(buffers[i].bytes, dimensions);
    EXPECT_LE(end, valueOf(total, dimensions));
    for (size_t j = 0; j < i; ++j) {
      if (buffers[i].first > buffers[j].last || buffers[j].first > buffers[i].last)
        continue;
      int64_t otherBegin = placeOf(buffers[j], dimensions), otherEnd = otherBegin + valueOf(buffers[j].bytes, dimensions);
      EXPECT_TRUE(end <= otherBegin || otherEnd <= begin) << "buffers " << j << " and " << i << " share bytes";
    }
  }
}

TEST(ArenaPlan, ReusesWhatIsDead) {
  // A chain: each buffer is written by one call and read by the next. Two places are enough.
  std::vector<ArenaBuffer> buffers;
  for (int64_t call = 0; call < 100; ++call)
    buffers.push_back({perToken(512), call, call + 1});
  Polynomial total = *planArena(buffers, usual, alignment);
  EXPECT_EQ(total, perToken(1024));
  expectSound(buffers, total, {3, 7, 19});
}

TEST(ArenaPlan, SharesALargePlaceAmongSmallBuffers) {
  // q, k, v in one buffer of three widths; once it is dead, three others lie in its place.
  std::vector<ArenaBuffer> buffers = {{perToken(768), 0, 1}, {perToken(256), 2, 5}, {perToken(256), 3, 5}, {perToken(256), 4, 5}};
  Polynomial total = *planArena(buffers, usual, alignment);
  EXPECT_EQ(total, perToken(768));
  expectSound(buffers, total, {1, 9, 9});
}

TEST(ArenaPlan, AttentionLayer) {
  // x | norm | q, k, v (3) | attention | projection + x | norm | feed forward (4) | its product + projection: the most at one time is x, the sum of
  // attention and feed forward: 1 + 1 + 4 widths.
  std::vector<ArenaBuffer> buffers = {{perToken(1024), 0, 4}, {perToken(1024), 1, 2}, {perToken(3072), 2, 3}, {perToken(1024), 3, 4},
                                      {perToken(1024), 4, 7}, {perToken(1024), 5, 6}, {perToken(4096), 6, 7}, {perToken(1024), 7, 8}};
  Polynomial total = *planArena(buffers, usual, alignment);
  EXPECT_EQ(total, perToken(6 * 1024));
  expectSound(buffers, total, {1, 4096, 4096});
}

TEST(ArenaPlan, TakesTheMaximumPerCoefficientOfWhatCannotBeCompared) {
  // Which of the two is larger depends on the run; both lie at the start.
  std::vector<ArenaBuffer> buffers = {{bytes(64, {1}), 0, 1}, {perToken(128), 2, 3}, {perToken(64), 3, 4}};
  Polynomial total = *planArena(buffers, usual, alignment);
  EXPECT_EQ(total, *bytes(64, {1}).plus(perToken(192)));
  expectSound(buffers, total, {1, 1000, 1});
  expectSound(buffers, total, {1, 1, 1000});
}

TEST(ArenaPlan, RoundsPlacesThatAreNoMultiples) {
  std::vector<ArenaBuffer> buffers = {{bytes(1, {0, 1, 1}), 0, 1}, {perToken(4), 0, 1}, {perToken(128), 0, 1}};
  Polynomial total = *planArena(buffers, usual, alignment);
  for (double batch : {1, 3, 8})
    for (double source : {1, 5, 63, 64})
      expectSound(buffers, total, {batch, source, batch * source});
}

TEST(ArenaPlan, HandlesNothing) {
  std::vector<ArenaBuffer> none;
  EXPECT_EQ(planArena(none, usual, alignment), Polynomial());
  std::vector<ArenaBuffer> empty = {{Polynomial(), 0, 1}, {perToken(64), 0, 1}};
  EXPECT_EQ(planArena(empty, usual, alignment), perToken(64));
}

TEST(ArenaPlan, SeesOverflow) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  std::vector<ArenaBuffer> apart = {{perToken(most), 0, 1}, {perToken(most), 2, 3}};
  EXPECT_EQ(planArena(apart, usual, alignment), perToken(most));
  std::vector<ArenaBuffer> together = {{perToken(most), 0, 1}, {perToken(most), 1, 2}};
  EXPECT_EQ(planArena(together, usual, alignment), std::nullopt);
}

TEST(ArenaPlan, IsSoundForRandomEntries) {
  std::mt19937 random(7);
  auto below = [&](int n) { return static_cast<int64_t>(random() % n); };
  const Monomial monomials[] = {{}, {0}, {1}, {2}, {2}, {2}, {0, 1}, {0, 1, 1}};
  for (int round = 0; round < 200; ++round) {
    std::vector<ArenaBuffer> buffers;
    for (int64_t i = 0, count = 1 + below(30); i < count; ++i) {
      int64_t first = below(20), coefficient = below(3) ? 128 * (1 + below(8)) : 1 + below(500);
      buffers.push_back({*bytes(coefficient, monomials[below(8)]).plus(bytes(below(2) * 4, {0})), first, first + below(5)});
    }
    std::optional<Polynomial> total = planArena(buffers, usual, alignment);
    ASSERT_TRUE(total);
    for (const std::vector<double> &dimensions : {std::vector<double>{1, 1, 1}, {3, 5, 11}, {8, 512, 4000}, {0, 0, 0}, {1, 4096, 1}})
      expectSound(buffers, *total, dimensions);
  }
}

} // namespace
