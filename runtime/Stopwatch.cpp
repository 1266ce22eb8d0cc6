#include "runtime/Stopwatch.h"
#include <ctime>

using namespace heddle::runtime;

static int ascending(const void *left, const void *right) {
  int64_t a = *static_cast<const int64_t *>(left), b = *static_cast<const int64_t *>(right);
  return a < b ? -1 : a > b;
}

int64_t heddle::runtime::now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
}

void Stopwatch::finish() { times.sort(ascending); }

double Stopwatch::best() const { return count ? static_cast<double>(times[0]) * 1e-6 : 0; }

double Stopwatch::median() const { return count ? static_cast<double>(times[(count - 1) / 2] + times[count / 2]) / 2 * 1e-6 : 0; }

double Stopwatch::mean() const {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += static_cast<double>(times[i]) * 1e-6;
  return count ? sum / static_cast<double>(count) : 0;
}

void Stopwatch::print(Output &out) const {
  out.print("time: best %.6f ms, median %.6f ms of %lld\n", best(), median(), static_cast<long long>(count));
}
