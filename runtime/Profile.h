// Time by calls of kernels: the entry says before each one which it is (heddle_mark), and what passes until the next belongs to it.
#pragma once
#include "runtime/Array.h"
#include "runtime/Stopwatch.h"
#include "runtime/heddle_model.h"

namespace heddle::runtime {

class Profile {
public:
  struct Times {
    int64_t total = 0, best = 0; // nanoseconds; over all calls of the entry, and the least of one
  };

  explicit Profile(const heddle_entry &entry) : entry(entry) {}
  const heddle_entry &entry;

  [[nodiscard]] bool make() { return times.resize(entry.call_count); }
  /// Around each call of the entry.
  void begin();
  void end();
  /// Between the two.
  void mark(int64_t call) {
    int64_t time = now();
    account(time);
    current = call;
    since = time;
  }
  int64_t rounds() const { return roundCount; }
  const Times &of(int64_t call) const { return times[call]; }

private:
  void account(int64_t time);

  Array<Times> times; // [entry.call_count]
  int64_t current = -1, since = 0, roundCount = 0;
};

} // namespace heddle::runtime
