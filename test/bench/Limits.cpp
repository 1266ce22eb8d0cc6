// What this machine can do at most, for tools/dev/bench-peers: a line asks "MS", a line answers {"gflops": .., "gbytes": ..}, measured for about that
// long, on as many threads as the first argument says.
#include "compiler/support/Peak.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;

namespace {

constexpr int64_t bytesRead = int64_t(256) << 20; // on each thread: eight times the largest L3 of a machine this was used on

double secondsSince(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Runs `work` on every thread; returns seconds.
template <typename Work> double onThreads(int threads, Work work) {
  auto begin = Clock::now();
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i)
    others.emplace_back([=] { work(i); });
  work(0);
  for (std::thread &other : others)
    other.join();
  return secondsSince(begin);
}

} // namespace

int main(int argc, char **argv) {
  int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  std::vector<uint64_t *> buffers;
  for (int i = 0; i < threads; ++i) {
    void *buffer = mmap(nullptr, bytesRead, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (buffer == MAP_FAILED)
      return 1;
    madvise(buffer, bytesRead, MADV_HUGEPAGE);
    buffers.push_back(static_cast<uint64_t *>(buffer));
    for (int64_t word = 0; word < bytesRead / 8; word += 512)
      buffers[i][word] = word;
  }
  bool wide = hasWideRegisters();
  for (double ms; std::scanf("%lf", &ms) == 1; std::fflush(stdout)) {
    double flops = 0, bytes = 0, best = 1e30;
    int64_t rounds = 1 << 20;
    // A short piece each, the best counts: it is a limit.
    auto begin = Clock::now();
    do {
      double seconds = onThreads(threads, [=](int) { runFmaLoop(rounds, wide); });
      best = std::min(best, seconds);
    } while (secondsSince(begin) * 1e3 < ms / 2);
    flops = runFmaLoop(rounds, wide) * threads / best;
    best = 1e30;
    begin = Clock::now();
    do {
      double seconds = onThreads(threads, [&](int i) { readMemory(buffers[i], bytesRead); });
      best = std::min(best, seconds);
    } while (secondsSince(begin) * 1e3 < ms / 2);
    bytes = double(bytesRead) * threads / best;
    std::printf("{\"gflops\": %.1f, \"gbytes\": %.2f}\n", flops / 1e9, bytes / 1e9);
  }
}
