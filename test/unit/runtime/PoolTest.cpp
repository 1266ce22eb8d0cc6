// The pool gives every task to somebody exactly once and returns only when all are done, whatever the number of threads and regions.
#include "runtime/Pool.h"
#include <atomic>
#include <gtest/gtest.h>
#include <numeric>
#include <unistd.h>
#include <vector>

using namespace heddle::runtime;

namespace {

struct Counts {
  std::vector<int> perTask; // plain: a task done twice at once is a race, done twice in turn shows in the count
};

void countTasks(void *captured, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    ++static_cast<Counts *>(captured)->perTask[static_cast<size_t>(i)];
}

void expectOnce(Pool &pool, int64_t count) {
  Counts counts{std::vector<int>(static_cast<size_t>(count))};
  pool.run(countTasks, &counts, count);
  EXPECT_EQ(counts.perTask, std::vector<int>(static_cast<size_t>(count), 1)) << count << " tasks";
}

class PoolTest : public testing::TestWithParam<int> {
protected:
  void SetUp() override {
    ASSERT_TRUE(pool.start(GetParam(), failure)) << failure.text;
    ASSERT_EQ(pool.threads(), GetParam());
  }
  Failure failure;
  Pool pool;
};

TEST_P(PoolTest, RunsEveryTaskOnce) {
  for (int64_t count : {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 1000, 1001})
    expectOnce(pool, count);
}

TEST_P(PoolTest, TakesAMillionTasks) { expectOnce(pool, 1'000'000); }

struct Chain {
  std::vector<int64_t> values; // each region reads what the region before wrote, in other chunks
};

void addNeighbours(void *captured, int64_t begin, int64_t end) {
  std::vector<int64_t> &values = static_cast<Chain *>(captured)->values;
  int64_t half = static_cast<int64_t>(values.size()) / 2;
  for (int64_t i = begin; i < end; ++i)
    values[static_cast<size_t>(half + i)] = values[static_cast<size_t>(half - 1 - i)] + 1;
}
void copyBack(void *captured, int64_t begin, int64_t end) {
  std::vector<int64_t> &values = static_cast<Chain *>(captured)->values;
  int64_t half = static_cast<int64_t>(values.size()) / 2;
  for (int64_t i = begin; i < end; ++i)
    values[static_cast<size_t>(i)] = values[static_cast<size_t>(half + i)];
}

TEST_P(PoolTest, EachOfManyRegionsSeesTheOneBefore) {
  constexpr int64_t regions = 100'000, width = 16;
  Chain chain{std::vector<int64_t>(2 * width)};
  for (int64_t i = 0; i < regions / 2; ++i) {
    pool.run(addNeighbours, &chain, width);
    pool.run(copyBack, &chain, width);
  }
  for (int64_t i = 0; i < width; ++i)
    ASSERT_EQ(chain.values[static_cast<size_t>(i)], regions / 2) << i;
}

TEST_P(PoolTest, KeepsRegionsOfDifferentSizesApart) {
  Counts counts{std::vector<int>(64)};
  std::vector<int> expected(64);
  uint32_t state = 1;
  for (int i = 0; i < 100'000; ++i) {
    state = state * 1664525 + 1013904223;
    int64_t count = 1 + (state >> 16) % 64;
    pool.run(countTasks, &counts, count);
    for (int64_t task = 0; task < count; ++task)
      ++expected[static_cast<size_t>(task)];
    ASSERT_EQ(counts.perTask, expected) << "region " << i << " of " << count << " tasks";
  }
}

TEST_P(PoolTest, StartsAgainAfterAPause) {
  expectOnce(pool, 100);
  timespec pause{0, 20'000'000}; // long enough for the workers to go to sleep
  nanosleep(&pause, nullptr);
  expectOnce(pool, 100);
  pool.stop();
  EXPECT_EQ(pool.threads(), 1);
  expectOnce(pool, 100);
}

/// Two threads; tasks of the worker can lose their processor.
struct Taken {
  pthread_t caller = pthread_self();
  std::atomic<bool> byWorker{false};
  bool waited = false;
  timespec lost{0, 0};
};

void takeTurns(void *captured, int64_t, int64_t) {
  Taken &taken = *static_cast<Taken *>(captured);
  if (!pthread_equal(pthread_self(), taken.caller)) {
    taken.byWorker = true;
    nanosleep(&taken.lost, nullptr);
  } else if (!taken.waited) {
    taken.waited = true;
    for (int i = 0; i < 100 && !taken.byWorker; ++i) // until the worker has had a chance
      usleep(100);
  }
}

bool workerTakesPart(Pool &pool, int64_t lostMilliseconds) {
  Taken taken;
  taken.lost.tv_nsec = lostMilliseconds * 1'000'000;
  pool.run(takeTurns, &taken, 64);
  return taken.byWorker;
}

/// A worker takes no part while the system has it on the caller's processor.
bool workerTakesPartInTheEnd(Pool &pool, int64_t lostMilliseconds) {
  for (int i = 0; i < 5000; ++i, usleep(1000))
    if (workerTakesPart(pool, lostMilliseconds))
      return true;
  return false;
}

TEST(PoolStall, MakesTheCallerWorkAloneForSomeTime) {
  if (availableProcessors() < 2)
    GTEST_SKIP() << "needs two processors";
  Pool pool;
  Failure failure;
  ASSERT_TRUE(pool.start(2, failure)) << failure.text;
  ASSERT_TRUE(workerTakesPartInTheEnd(pool, 200)); // as if another process had had the processor
  EXPECT_FALSE(workerTakesPart(pool, 0));
  EXPECT_TRUE(workerTakesPartInTheEnd(pool, 0));
}

TEST(PoolOfOneProcessor, LeavesItToTheCaller) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  {
    Pool pool; // its worker inherits the one processor
    Failure failure;
    ASSERT_TRUE(pool.start(2, failure)) << failure.text;
    for (int i = 0; i < 5; ++i)
      EXPECT_FALSE(workerTakesPart(pool, 0));
  }
  sched_setaffinity(0, sizeof before, &before);
}

INSTANTIATE_TEST_SUITE_P(Threads, PoolTest, testing::Values(1, 2, 3, 16));

TEST(Processors, AreCountedFromTheAffinityMask) {
  int all = availableProcessors();
  EXPECT_GE(all, 1);
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  int first = 0;
  while (!CPU_ISSET(first, &before))
    ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(availableProcessors(), 1);
  sched_setaffinity(0, sizeof before, &before);
}

} // namespace
