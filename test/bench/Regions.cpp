// bench-regions [THREADS...]: what a parallel region costs beside its work, in nanoseconds: empty tasks, one region after the other, as in a model of
// many small kernels. The first thread counts are 1 and all processors.
#include "runtime/Pool.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace heddle::runtime;

namespace {

void nothing(void *, int64_t, int64_t) {}

int64_t nanoseconds() { return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Mean of short series, because reading the clock takes as long as a region.
bool measure(int threads) {
  constexpr int series = 4000, regions = 32;
  Pool pool;
  Failure failure;
  if (!pool.start(threads, failure)) {
    std::fprintf(stderr, "bench-regions: error: %s\n", failure.text);
    return false;
  }
  for (int64_t tasks : {1, 2, 12, 96, 1000}) {
    std::vector<double> times(series);
    for (double &time : times) {
      int64_t begin = nanoseconds();
      for (int i = 0; i < regions; ++i)
        pool.run(nothing, nullptr, tasks);
      time = static_cast<double>(nanoseconds() - begin) / regions;
    }
    std::sort(times.begin(), times.end());
    std::printf("%2d threads, %4ld tasks: %7.0f ns best, %7.0f median, %7.0f of 9 in 10\n", threads, static_cast<long>(tasks), times[0],
                times[series / 2], times[series * 9 / 10]);
  }
  return true;
}

} // namespace

int main(int count, char **arguments) {
  std::vector<int> threads{1, availableProcessors()};
  if (count > 1)
    threads.clear();
  for (int i = 1; i < count; ++i)
    threads.push_back(std::atoi(arguments[i]));
  for (int each : threads)
    if (each < 1 || each > 1024 || !measure(each))
      return 2;
  return 0;
}
