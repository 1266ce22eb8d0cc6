// How long calls of an entry take, each measured inside the process by the steady clock.
#pragma once
#include "runtime/Array.h"
#include "runtime/Output.h"

namespace heddle::runtime {

/// Nanoseconds of the steady clock.
int64_t now();

class Stopwatch {
public:
  /// Room for that many calls; false when there is no memory.
  [[nodiscard]] bool make(int64_t calls) { return times.resize(calls); }
  void start() { begin = now(); }
  void stop() { times[count++] = now() - begin; }
  /// After the last call.
  void finish();

  // Of the calls, in milliseconds; 0 of none.
  double best() const;
  double median() const;
  double mean() const;
  /// "time: best 1.234567 ms, median 1.345678 ms of 20". Scripts read this line: its form stays.
  void print(Output &out) const;

private:
  Array<int64_t> times; // [calls], nanoseconds; ascending once finished
  int64_t count = 0, begin = 0;
};

} // namespace heddle::runtime
