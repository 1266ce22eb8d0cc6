// Threads of one context. A region's tasks are claimed in chunks through one atomic ticket; who computes a task does not affect bits. A chunk is a
// share of what is left: large at first, which is cheap, small at last, so that all threads end together (guided self-scheduling; Polychronopoulos,
// Kuck 1987).
//
// The caller waits for tasks, not for threads: a worker that the system does not run just now claims nothing and holds nobody up. Threads spin
// briefly for the next region (a region of a small model takes microseconds, a system call as long), then sleep in the kernel.
//
// Where other processes want the processors too: a worker on the processor of the caller only keeps it from running. It goes to another (the system
// may start and wake it there, and moves it only after a while), or takes no part. A worker that loses its processor while it holds a chunk costs the
// caller a time slice of the system, milliseconds. Where either happens again and again, the caller does better alone: it works alone for some time,
// and for longer each time it was no use to try again.
#pragma once
#include "runtime/Array.h"
#include "runtime/Failure.h"
#include "runtime/heddle_model.h"
#include <atomic>
#include <cstdint>
#include <pthread.h>

namespace heddle::runtime {

class Pool {
public:
  Pool() = default;
  ~Pool() { stop(); }

  /// Starts `threads` - 1 workers; the caller of run() is the last thread. Everything the pool needs is allocated here.
  bool start(int threads, Failure &failure);
  void stop();

  /// Runs tasks 0 .. count-1 and returns when all are done. Regions do not nest, and one thread at a time calls this.
  void run(heddle_region region, void *captured, int64_t count);
  int threads() const { return threadCount; }

private:
  static void *worker(void *pool);
  bool runOneChunk(uint64_t expectedRegion);
  void waitForAll(uint32_t grains);
  void sleepUntilDone(uint32_t grains);
  int64_t workersTime() const;
  bool isAlone();
  void weighStall(int64_t now, int64_t stalled);
  bool sharesProcessor() const;
  bool waitForRegion(uint32_t &seen);

  // The region being run. Written by run() only while nothing is left to claim; atomic because a late worker may read them in vain.
  std::atomic<heddle_region> region{nullptr};
  std::atomic<void *> captured{nullptr};
  std::atomic<int64_t> taskCount{0}, grainSize{0};
  std::atomic<uint32_t> grainCount{0};

  alignas(64) std::atomic<uint64_t> ticket{0};   // number of the region << 20 | grains left to claim
  alignas(64) std::atomic<uint32_t> finished{0}; // grains done; the caller sleeps on it
  std::atomic<uint32_t> callerSleeps{0};
  alignas(64) std::atomic<uint32_t> epoch{0}; // counts regions; workers sleep on it
  std::atomic<uint32_t> sleepers{0};
  std::atomic<int> callerProcessor{-1}, sharing{0}; // workers that found themselves on the caller's processor
  std::atomic<bool> stopping{false};

  alignas(64) Array<pthread_t> workers;
  int threadCount = 1, spins = 0;
  int64_t aloneUntil = 0, togetherSince = 0, aloneRatio = 0; // nanoseconds of the monotonic clock; 0: not alone
};

/// Processors this process may run on.
int availableProcessors();

} // namespace heddle::runtime
