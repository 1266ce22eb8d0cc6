// The f32 product 128 x 3072 x 768 as the compiler makes it, on one thread, as a ratio to an FMA loop of this same binary. The ratio is the figure:
// speeds differ from machine to machine, and the FMA loop runs right before each product. products.heddle is compiled to the object that is linked in
// here.
#include "runtime/heddle_model.h"
#include "test/bench/Peak.h"
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

struct heddle_context {};

/// One thread: a region is a call.
extern "C" void heddle_parallel(heddle_context *, heddle_region region, void *captured, int64_t count) { region(captured, 0, count); }

namespace {

constexpr int64_t rows = 128;

struct Aligned {
  explicit Aligned(int64_t bytes) : data(static_cast<float *>(std::aligned_alloc(64, (bytes + 64) / 64 * 64))), count(bytes / 4) {
    for (int64_t i = 0; i < count; ++i) // small numbers, none denormal
      data[i] = static_cast<float>((i * 2654435761u >> 8) % 1000) / 1000.f - 0.5f;
  }
  ~Aligned() { std::free(data); }
  float *data;
  int64_t count;
};

int64_t evaluate(const heddle_form &form, const int64_t *dimensions) {
  int64_t sum = 0;
  for (int64_t i = 0; i < form.count; ++i) {
    int64_t product = form.terms[i].coefficient;
    for (int64_t index : form.terms[i].dimensions)
      product *= index < 0 ? 1 : dimensions[index];
    sum += product;
  }
  return sum;
}

int64_t elements(const heddle_value &value, const int64_t *dimensions) {
  int64_t count = 1;
  for (int64_t axis = 0; axis < value.rank; ++axis)
    count *= evaluate(value.extents[axis], dimensions);
  return count;
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Operations a second of the FMA loop, best of many short runs: a shared machine gives its full speed only now and then.
double measurePeak(bool wide) {
  double best = 0;
  for (int run = 0; run < 200; ++run) {
    double begin = seconds(), operations = runFmaLoop(200'000, wide);
    best = std::max(best, operations / (seconds() - begin));
  }
  return best;
}

const heddle_variant *chooseVariant() {
  const heddle_variant *best = nullptr;
  for (int64_t i = 0; i < heddle_model.variant_count; ++i)
    if (heddle_model.variants[i].level < 4 || hasWideRegisters()) // ascending levels
      best = &heddle_model.variants[i];
  return best;
}

void product(benchmark::State &state) {
  const heddle_entry &entry = heddle_model.entries[state.range(0)];
  const heddle_variant *variant = chooseVariant();
  if (!variant || entry.dimension_count != 1 || entry.argument_count != 1 || entry.result_count != 1) {
    state.SkipWithError("the model is not what this benchmark expects");
    return;
  }
  heddle_context context;
  const int64_t dimensions[] = {rows};
  Aligned in(elements(entry.arguments[0], dimensions) * 4), out(elements(entry.results[0], dimensions) * 4);
  Aligned section(heddle_model.section_bytes), arena(evaluate(entry.arena, dimensions));
  void *buffers[] = {in.data, out.data, section.data, arena.data};
  double operations = 2. * in.count * out.count / rows;
  bool wide = variant->level >= 4;
  double peak = measurePeak(wide), best = 1e9;
  for (auto _ : state) {
    double begin = seconds();
    variant->entries[state.range(0)](&context, buffers, dimensions);
    best = std::min(best, seconds() - begin);
  }
  peak = std::max(peak, measurePeak(wide));
  benchmark::DoNotOptimize(out.data[0]);
  state.SetLabel(std::string(entry.name) + " on " + variant->cpu);
  state.counters["GFLOP/s"] = operations / best * 1e-9;
  state.counters["peak"] = peak * 1e-9;
  state.counters["ratio"] = operations / best / peak;
}
BENCHMARK(product)->DenseRange(0, 1)->Unit(benchmark::kMillisecond)->MinTime(1);

std::string cpuName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name"))
      return line.substr(line.find(':') + 2);
  return "unknown CPU";
}

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  benchmark::AddCustomContext("cpu", cpuName());
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
