#include "tools/heddle/Machine.h"
#include "compiler/support/Peak.h"
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <sched.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace heddle;

namespace {

constexpr int64_t fmaRounds = 400'000; // some 5 ms: long beside the start of threads, short beside what disturbs them
constexpr int fmaPasses = 60, readPasses = 12;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// The best rate of several passes, each of all threads at once: a shared machine gives its full speed only now and then.
double bestRate(int threads, int passes, const std::function<double(int thread)> &work) {
  struct Pass {
    double begin, end, amount;
  };
  std::vector<std::vector<Pass>> measured(threads);
  std::barrier together(threads);
  auto run = [&](int thread) {
    for (int pass = 0; pass < passes; ++pass) {
      together.arrive_and_wait();
      double begin = seconds(), amount = work(thread);
      measured[thread].push_back({begin, seconds(), amount});
    }
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread)
    others.emplace_back(run, thread);
  run(0);
  for (std::thread &other : others)
    other.join();
  double best = 0;
  for (int pass = 0; pass < passes; ++pass) {
    Pass all = measured[0][pass];
    for (int thread = 1; thread < threads; ++thread) {
      const Pass &one = measured[thread][pass];
      all = {std::min(all.begin, one.begin), std::max(all.end, one.end), all.amount + one.amount};
    }
    best = std::max(best, all.amount / (all.end - all.begin));
  }
  return best;
}

double measureReading(int threads) {
  int64_t cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  int64_t bytes = std::clamp<int64_t>(8 * cache, int64_t{256} << 20, int64_t{2} << 30);
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return 0;
  madvise(memory, bytes, MADV_HUGEPAGE);
  char *data = static_cast<char *>(memory);
  int64_t share = bytes / threads / 1024 * 1024;
  std::memset(data, 1, bytes); // a page that nobody wrote is the one page of zeros
  double rate = bestRate(threads, readPasses, [&](int thread) {
    readMemory(data + thread * share, share);
    return static_cast<double>(share);
  });
  munmap(memory, bytes);
  return rate;
}

} // namespace

MachineLimits heddle::measureMachine(int threads) {
  bool wide = hasWideRegisters();
  double flops = bestRate(threads, fmaPasses, [&](int) { return runFmaLoop(fmaRounds, wide); });
  return {flops, measureReading(threads)};
}

std::string heddle::cpuName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "unknown CPU";
}

int heddle::processors() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}
