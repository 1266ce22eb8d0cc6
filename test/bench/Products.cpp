// Matrix products as the compiler makes them, on one thread and on all: shares of the machine's FMA peak, and for few rows, whose weights come from
// memory, of its read bandwidth. Both limits are measured in turn with the products: speeds differ from machine to machine and from second to second.
// products.heddle is compiled to the object that is linked in here; regions run on the pool of the runtime.
//
//   bench-products [ENTRY ...] [ROWS ...]     e.g. bench-products n768_k768 1 128; under `taskset -c 0` on one thread only
#include "compiler/support/Peak.h"
#include "runtime/Context.h"
#include "runtime/Form.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

using namespace heddle::runtime;

namespace {

constexpr double secondsPerCell = 0.3;
constexpr int64_t cacheBytes = int64_t{128} << 20; // weights are read again after this many bytes: more than any cache
constexpr int64_t manyRows = 8;                    // from here on the arithmetic binds

struct Aligned {
  explicit Aligned(int64_t bytes) : data(static_cast<char *>(std::aligned_alloc(4096, (bytes + 4096) / 4096 * 4096))) {
    float *numbers = reinterpret_cast<float *>(data);
    for (int64_t i = 0; i < bytes / 4; ++i) // small, none denormal
      numbers[i] = static_cast<float>(static_cast<uint32_t>(i) * 2654435761u >> 22) / 1024.f - 0.5f;
  }
  ~Aligned() { std::free(data); }
  Aligned(const Aligned &) = delete;
  char *data;
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

int64_t valueOf(const heddle_form &form, const int64_t *dimensions) {
  int64_t value = 0;
  return evaluate(form, dimensions, value) ? value : 0;
}

struct Times {
  std::vector<double> all;
  void add(double begin) { all.push_back(now() - begin); }
  double best() const { return *std::min_element(all.begin(), all.end()); }
  double median() {
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
  }
};

struct Reading {
  const char *data;
  int64_t bytes, parts;
};
void readParts(void *captured, int64_t begin, int64_t end) {
  const Reading &reading = *static_cast<Reading *>(captured);
  int64_t part = reading.bytes / reading.parts / 1024 * 1024;
  readMemory(reading.data + begin * part, (end - begin) * part);
}

/// One product at one number of rows, on one pool.
struct Cell {
  heddle_context &context;
  const heddle_variant &variant;
  int64_t entry, rows;
  char *weights; // [section bytes + cacheBytes]

  /// Weights `run` times further on, so that none is met again in a cache.
  char *sectionFor(int64_t run) const {
    int64_t bytes = heddle_model.weights[entry].bytes;
    return weights + run % (cacheBytes / bytes + 1) * bytes;
  }

  /// The time of one run; prints the row of the table.
  double measure() {
    const heddle_entry &table = heddle_model.entries[entry];
    int64_t inner = valueOf(table.arguments[0].extents[1], &rows), columns = valueOf(table.results[0].extents[1], &rows);
    int64_t bytes = heddle_model.weights[entry].bytes, offset = heddle_model.weights[entry].offset;
    Aligned in(rows * inner * 4), out(rows * columns * 4), arena(valueOf(table.arena, &rows));
    bool wide = variant.level >= 4;
    Times product, limit;
    double operations = 0;
    double end = now() + secondsPerCell;
    for (int64_t run = 0; now() < end || run < 5; ++run) {
      bool fromMemory = rows < manyRows;
      char *section = fromMemory ? sectionFor(3 * run) : weights, *other = fromMemory ? sectionFor(3 * run + 2) : weights;
      Reading reading{sectionFor(3 * run + 1) + offset, bytes, 64};
      double begin = now();
      if (fromMemory)
        heddle_parallel(&context, readParts, &reading, reading.parts);
      else
        operations = runFmaLoop(50'000, wide);
      limit.add(begin);
      void *buffers[] = {in.data, out.data, other, arena.data};
      if (context.pool.threads() > 1) // wakes them: in a model one region follows the other
        variant.entries[entry](&context, buffers, &rows);
      buffers[2] = section;
      begin = now();
      variant.entries[entry](&context, buffers, &rows);
      product.add(begin);
    }
    double best = product.best(), flops = 2. * static_cast<double>(rows * inner * columns);
    std::printf("%-12s %5ld %2d  %9.3f ms  ", table.name, static_cast<long>(rows), context.pool.threads(), best * 1e3);
    if (rows < manyRows) {
      double size = static_cast<double>(bytes);
      std::printf("%6.1f GB/s of %6.1f  %5.1f %% (median %5.1f %%)", size / best * 1e-9, size / limit.best() * 1e-9, 100 * limit.best() / best,
                  100 * limit.median() / product.median());
    } else {
      double peak = operations / limit.best() * context.pool.threads(), usual = operations / limit.median() * context.pool.threads();
      std::printf("%6.1f GFLOP/s of %6.1f  %5.1f %% (median %5.1f %%)", flops / best * 1e-9, peak * 1e-9, 100 * flops / best / peak,
                  100 * flops / product.median() / usual);
    }
    return best;
  }
};

const heddle_variant *chooseVariant(const char *wanted) {
  const heddle_variant *best = nullptr;
  for (int64_t i = 0; i < heddle_model.variant_count; ++i)
    if (const heddle_variant &each = heddle_model.variants[i]; each.level < 4 || hasWideRegisters()) // ascending levels
      if (!wanted || !std::strcmp(wanted, each.cpu))
        best = &each;
  return best;
}

std::string cpuName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name"))
      return line.substr(line.find(':') + 2);
  return "unknown CPU";
}

} // namespace

int main(int argc, char **argv) {
  std::vector<int64_t> rowCounts;
  std::vector<std::string> names;
  const char *cpu = nullptr;
  for (int i = 1; i < argc; ++i)
    if (int64_t rows = std::atoll(argv[i]); rows > 0)
      rowCounts.push_back(rows);
    else if (!std::strncmp(argv[i], "x86-64", 6))
      cpu = argv[i];
    else
      names.push_back(argv[i]);
  if (rowCounts.empty())
    rowCounts = {1, 2, 3, 4, 32, 128, 512};
  const heddle_variant *variant = chooseVariant(cpu);
  heddle_context one, all;
  Failure failure;
  int processors = availableProcessors();
  if (!variant || !one.pool.start(1, failure) || !all.pool.start(processors, failure))
    return 1;
  std::printf("%s, %d processors, code for %s\n", cpuName().c_str(), processors, variant->cpu);
  Aligned weights(heddle_model.section_bytes + cacheBytes);
  for (int64_t entry = 0; entry < heddle_model.entry_count; ++entry) {
    if (!names.empty() && std::find(names.begin(), names.end(), heddle_model.entries[entry].name) == names.end())
      continue;
    for (int64_t rows : rowCounts) {
      double alone = Cell{one, *variant, entry, rows, weights.data}.measure();
      std::printf("\n");
      if (processors > 1)
        std::printf("  %.2fx\n", alone / Cell{all, *variant, entry, rows, weights.data}.measure());
      std::fflush(stdout);
    }
  }
  return 0;
}
