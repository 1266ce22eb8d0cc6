#include "runtime/ProfileReport.h"
#include "runtime/Context.h"
#include <cstdio>
#include <cstring>

using namespace heddle::runtime;

namespace {

/// The calls of one kernel at one place: those of all layers.
struct Line {
  int64_t kernel;
  const char *place;
  int64_t calls;
  double total, best; // ms of one call of the entry: the mean, and the sum of the least of each
  Work work;
};

int compareKinds(const void *left, const void *right) {
  const Line &a = *static_cast<const Line *>(left), &b = *static_cast<const Line *>(right);
  return a.kernel != b.kernel ? (a.kernel < b.kernel ? -1 : 1) : std::strcmp(a.place, b.place);
}

int compareTimes(const void *left, const void *right) {
  const Line &a = *static_cast<const Line *>(left), &b = *static_cast<const Line *>(right);
  return a.total != b.total ? (a.total > b.total ? -1 : 1) : compareKinds(left, right);
}

/// As the inside of a JSON string.
void writeText(const char *text, Output &out) {
  for (; *text; ++text) {
    unsigned char byte = static_cast<unsigned char>(*text);
    if (byte == '"' || byte == '\\' || byte < 0x20)
      out.print("\\u%04x", byte);
    else
      out.write({text, 1});
  }
}

class Report {
public:
  Report(const Profile &profile, Call &call, const heddle_context &context, Stopwatch &watch, Output &out)
      : profile(profile), call(call), context(context), watch(watch), out(out) {}

  bool collect() {
    const heddle_entry &entry = profile.entry;
    double rounds = profile.rounds() > 0 ? static_cast<double>(profile.rounds()) : 1;
    for (int64_t i = 0; i < entry.call_count; ++i) {
      const heddle_call &one = entry.calls[i];
      const Profile::Times &times = profile.of(i);
      if (!lines.push({one.kernel, one.place, 1, static_cast<double>(times.total) * 1e-6 / rounds, static_cast<double>(times.best) * 1e-6,
                       workOf(*one.work, call)}))
        return false;
    }
    lines.sort(compareKinds);
    int64_t kept = 0;
    for (int64_t i = 0; i < lines.size(); ++i) {
      if (kept > 0 && compareKinds(&lines[kept - 1], &lines[i]) == 0)
        add(lines[kept - 1], lines[i]);
      else
        lines[kept++] = lines[i];
    }
    if (!lines.resize(kept))
      return false;
    lines.sort(compareTimes);
    for (const Line &line : lines)
      flops += line.work.flops;
    return true;
  }

  void printText() {
    const heddle_entry &entry = profile.entry;
    out.print("profile: entry %s, %lld calls of kernels, -t %lld, %s, mean of %lld\n", entry.name, static_cast<long long>(entry.call_count),
              static_cast<long long>(context.pool.threads()), context.variant->cpu, static_cast<long long>(profile.rounds()));
    out.write("        ms  share  calls  GFLOP/s     GB/s  place, kernel\n");
    double whole = watch.mean();
    for (const Line &line : lines) {
      out.print("%10.6f %5.1f%% %6lld", line.total, whole > 0 ? line.total / whole * 100 : 0, static_cast<long long>(line.calls));
      printRate(line.work.flops, line.total);
      printRate(line.work.bytes, line.total);
      out.write("  ");
      out.escaped(line.place);
      out.print(" %s\n", context.model->kernels[line.kernel].name);
    }
    out.print("%10.6f 100.0%% %6lld", whole, static_cast<long long>(entry.call_count));
    printRate(flops, whole);
    printRate(valueOf(entry.bytes, call), whole);
    out.write("  in all\n");
  }

  /// One object on one line; its keys stay.
  void printJson() {
    const heddle_entry &entry = profile.entry;
    out.print("{\"entry\": \"%s\", \"cpu\": \"%s\", \"threads\": %lld, \"repeats\": %lld, \"dimensions\": {", entry.name, context.variant->cpu,
              static_cast<long long>(context.pool.threads()), static_cast<long long>(profile.rounds()));
    for (int64_t d = 0; d < entry.dimension_count; ++d)
      out.print("%s\"%s\": %lld", d ? ", " : "", entry.dimensions[d].name, static_cast<long long>(call.dimension(d)));
    out.print("}, \"best_ms\": %.6f, \"median_ms\": %.6f, \"mean_ms\": %.6f, \"flops\": %.0f, \"bytes\": %.0f, \"kernels\": [", watch.best(),
              watch.median(), watch.mean(), flops, valueOf(entry.bytes, call));
    for (const Line &line : lines) {
      out.print("%s{\"kernel\": \"%s\", \"place\": \"", &line == lines.begin() ? "" : ", ", context.model->kernels[line.kernel].name);
      writeText(line.place, out);
      out.print("\", \"calls\": %lld, \"mean_ms\": %.6f, \"best_ms\": %.6f, \"flops\": %.0f, \"bytes\": %.0f}", static_cast<long long>(line.calls),
                line.total, line.best, line.work.flops, line.work.bytes);
    }
    out.write("]}\n");
  }

private:
  static void add(Line &sum, const Line &line) {
    sum.calls += line.calls;
    sum.total += line.total;
    sum.best += line.best;
    sum.work.flops += line.work.flops;
    sum.work.bytes += line.work.bytes;
  }

  /// 10^9 a second.
  void printRate(double amount, double milliseconds) {
    if (amount > 0 && milliseconds > 0)
      out.print(" %8.1f", amount / milliseconds * 1e-6);
    else
      out.write("        -");
  }

  const Profile &profile;
  Call &call;
  const heddle_context &context;
  Stopwatch &watch;
  Output &out;
  Array<Line> lines;
  double flops = 0;
};

} // namespace

bool heddle::runtime::printProfile(const Profile &profile, Call &call, const heddle_context &context, Stopwatch &watch, ProfileForm form,
                                   Output &out) {
  Report report(profile, call, context, watch, out);
  if (!report.collect())
    return false;
  if (form == ProfileForm::Json)
    report.printJson();
  else
    report.printText();
  return true;
}
