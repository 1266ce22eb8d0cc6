#include "runtime/Pool.h"
#include <cerrno>
#include <climits>
#include <cstring>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

using namespace heddle::runtime;

namespace {

constexpr int spinPauses = 4000;    // about 0.2 ms at most; regions of one entry follow each other within microseconds
constexpr int shares = 2;           // a chunk is what is left, divided by so many a thread ...
constexpr int grainsPerThread = 16; // ... but at least a grain, of which there are about so many a thread
constexpr int grainBits = 20;       // of the ticket; 16 * 1024 threads need 14
constexpr uint64_t grainMask = (uint64_t{1} << grainBits) - 1;
constexpr int64_t leastAlone = 4;          // times of a stall that the caller works alone after it, the first time
constexpr int64_t mostAlone = 256'000'000; // nanoseconds that it does at most
constexpr int64_t sharedStall = 1'000'000; // nanoseconds that it counts for that all workers sit on the caller's processor
constexpr size_t stackBytes = 4 << 20;     // regions keep their static tiles on the stack

void futexWait(std::atomic<uint32_t> &word, uint32_t expected) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}
void futexWake(std::atomic<uint32_t> &word, int count) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

int64_t nanoseconds(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
}

} // namespace

namespace {

/// The processors a thread may run on. The mask of a large machine does not fit cpu_set_t; the kernel says so by EINVAL.
struct Processors {
  static_assert(sizeof(unsigned long) == 8);
  unsigned long mask[1024] = {};
  long bytes = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);

  int count() const {
    int bits = 0;
    for (long i = 0; i < bytes / 8; ++i)
      bits += __builtin_popcountl(mask[i]);
    return bits;
  }
  bool give() const { return syscall(SYS_sched_setaffinity, 0, bytes, mask) == 0; }
};

/// This thread goes to another processor that it may use; later it may come back. False where there is none.
bool leaveProcessor(int own) {
  Processors all, others = all;
  if (own < 0 || own >= all.bytes * 8 || all.count() < 2)
    return false;
  others.mask[own / 64] &= ~(1UL << own % 64);
  return others.give() && all.give();
}

} // namespace

int heddle::runtime::availableProcessors() {
  int count = Processors().count();
  return count < 1 ? 1 : count > 1024 ? 1024 : count;
}

bool Pool::start(int threads, Failure &failure) {
  threadCount = 1;
  aloneUntil = 0;
  aloneRatio = leastAlone;
  togetherSince = nanoseconds(CLOCK_MONOTONIC);
  // With more threads than processors a spinning thread only keeps a working one from running.
  spins = threads <= availableProcessors() ? spinPauses : 0;
  if (!workers.resize(threads - 1))
    return failure.outOfMemory();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes);
  int reason = 0;
  while (threadCount < threads && !(reason = pthread_create(&workers[threadCount - 1], &attributes, worker, this)))
    ++threadCount;
  pthread_attr_destroy(&attributes);
  if (!reason)
    return true;
  failure.contents("cannot start thread %d of %d: %s", threadCount + 1, threads, std::strerror(reason));
  stop();
  return false;
}

void Pool::stop() {
  stopping.store(true);
  epoch.fetch_add(1);
  futexWake(epoch, INT_MAX);
  for (int i = 0; i < threadCount - 1; ++i)
    pthread_join(workers[i], nullptr);
  workers.clear();
  stopping.store(false);
  threadCount = 1;
}

void Pool::run(heddle_region function, void *values, int64_t count) {
  if (count <= 0)
    return;
  if (threadCount == 1 || count == 1 || isAlone())
    return function(values, 0, count);
  int64_t parts = static_cast<int64_t>(threadCount) * grainsPerThread;
  int64_t size = count / parts + (count % parts != 0);
  uint32_t grains = static_cast<uint32_t>(count / size + (count % size != 0));
  region.store(function, std::memory_order_relaxed);
  captured.store(values, std::memory_order_relaxed);
  taskCount.store(count, std::memory_order_relaxed);
  grainSize.store(size, std::memory_order_relaxed);
  grainCount.store(grains, std::memory_order_relaxed);
  finished.store(0, std::memory_order_relaxed);
  callerProcessor.store(sched_getcpu(), std::memory_order_relaxed);
  uint64_t number = (ticket.load(std::memory_order_relaxed) >> grainBits) + 1;
  ticket.store(number << grainBits | grains, std::memory_order_release);
  epoch.fetch_add(1); // before the look at sleepers; a worker counts itself before it looks at epoch: one of the two sees the other
  if (sleepers.load() > 0)
    futexWake(epoch, threadCount);
  while (runOneChunk(number & (UINT64_MAX >> grainBits))) {
  }
  waitForAll(grains);
}

/// Claims and runs one chunk of the given region; false when it has none left (or is over).
bool Pool::runOneChunk(uint64_t expected) {
  uint64_t now = ticket.load(std::memory_order_acquire);
  for (;;) {
    if (now >> grainBits != expected)
      return false;
    uint64_t left = now & grainMask;
    if (left == 0)
      return false; // and nothing below may be trusted: run() may be writing the next region
    // These belong to `expected` if the exchange below succeeds: run() writes them only when nothing of it is left to claim.
    heddle_region function = region.load(std::memory_order_relaxed);
    void *values = captured.load(std::memory_order_relaxed);
    int64_t count = taskCount.load(std::memory_order_relaxed), size = grainSize.load(std::memory_order_relaxed);
    uint32_t grains = grainCount.load(std::memory_order_relaxed);
    uint32_t share = static_cast<uint32_t>(left) / static_cast<uint32_t>(threadCount * shares), claimed = share ? share : 1;
    if (!ticket.compare_exchange_weak(now, now - claimed, std::memory_order_acq_rel, std::memory_order_acquire))
      continue;
    int64_t begin = (grains - static_cast<int64_t>(left)) * size, most = claimed * size;
    function(values, begin, count - begin < most ? count : begin + most);
    if (finished.fetch_add(claimed) + claimed == grains && callerSleeps.load())
      futexWake(finished, 1);
    return true;
  }
}

void Pool::waitForAll(uint32_t grains) {
  if (sharing.load(std::memory_order_relaxed) > 0 && sharing.exchange(0) >= threadCount - 1)
    weighStall(nanoseconds(CLOCK_MONOTONIC), sharedStall);
  for (int spin = 0; spin < spins; ++spin) {
    if (finished.load(std::memory_order_acquire) == grains)
      return;
    __builtin_ia32_pause();
  }
  int64_t begin = nanoseconds(CLOCK_MONOTONIC), worked = workersTime();
  sleepUntilDone(grains);
  int64_t now = nanoseconds(CLOCK_MONOTONIC), stalled = now - begin - (workersTime() - worked);
  if (stalled > (now - begin) / 2) // else somebody computed all the while: chunks that take their time
    weighStall(now, stalled);
}

/// Works together again unless stalls are frequent.
void Pool::weighStall(int64_t now, int64_t stalled) {
  if (now - togetherSince > leastAlone * stalled)
    aloneRatio = leastAlone;
  else if (int64_t wanted = aloneRatio * stalled; wanted < mostAlone) {
    aloneUntil = now + wanted;
    aloneRatio *= 2;
  } else
    aloneUntil = now + mostAlone;
  togetherSince = now;
}

void Pool::sleepUntilDone(uint32_t grains) {
  callerSleeps.store(1);
  for (uint32_t done; (done = finished.load()) != grains;)
    futexWait(finished, done);
  callerSleeps.store(0);
}

/// Nanoseconds that the system has given the workers.
int64_t Pool::workersTime() const {
  int64_t sum = 0;
  clockid_t clock;
  for (int i = 0; i < threadCount - 1; ++i)
    if (pthread_getcpuclockid(workers[i], &clock) == 0)
      sum += nanoseconds(clock);
  return sum;
}

/// Whether stalls have been so many that the caller works alone for now.
bool Pool::isAlone() {
  if (aloneUntil == 0)
    return false;
  int64_t now = nanoseconds(CLOCK_MONOTONIC);
  if (now < aloneUntil)
    return true;
  aloneUntil = 0;
  togetherSince = now;
  return false;
}

/// Of a worker: whether it keeps the caller from running. Then it had better sleep.
bool Pool::sharesProcessor() const {
  int own = sched_getcpu(); // negative where the system does not tell
  return own >= 0 && own == callerProcessor.load(std::memory_order_relaxed);
}

/// Waits until `epoch` differs from `seen` and takes it over; false when the pool stops.
bool Pool::waitForRegion(uint32_t &seen) {
  uint32_t now = epoch.load();
  int most = sharesProcessor() ? 0 : spins;
  for (int spin = 0; now == seen && spin < most; ++spin) {
    __builtin_ia32_pause();
    now = epoch.load(std::memory_order_acquire);
  }
  if (now == seen) {
    sleepers.fetch_add(1);
    while ((now = epoch.load()) == seen)
      futexWait(epoch, seen);
    sleepers.fetch_sub(1);
  }
  seen = now;
  return !stopping.load();
}

void *Pool::worker(void *argument) {
  Pool &pool = *static_cast<Pool *>(argument);
  uint32_t seen = 0;
  while (pool.waitForRegion(seen)) {
    uint64_t number = pool.ticket.load(std::memory_order_acquire) >> grainBits;
    if (pool.sharesProcessor() && !leaveProcessor(sched_getcpu())) {
      pool.sharing.fetch_add(1, std::memory_order_relaxed);
      continue;
    }
    while (pool.runOneChunk(number)) {
    }
  }
  return nullptr;
}
