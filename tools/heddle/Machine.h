// What this machine can do at most, for benchmarks to divide by: measured beside them, never remembered.
#pragma once
#include <string>

namespace heddle {

struct MachineLimits {
  double flops = 0, bytes = 0; // a second
};

/// Of so many threads at once. Takes a second, and memory several times the last cache.
MachineLimits measureMachine(int threads);

std::string cpuName();
int processors();

} // namespace heddle
