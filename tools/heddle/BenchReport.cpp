#include "tools/heddle/BenchReport.h"
#include <algorithm>
#include <fmt/format.h>

using namespace heddle;
using Json = nlohmann::ordered_json;

namespace {

/// Of an entry or a kernel, with its best time.
struct Rates {
  double flops, bytes; // a second
  double ofPeak, ofBandwidth;
  double ofBound; // the larger one of the least times that arithmetic and memory need, over the time
};

Rates ratesOf(const Json &one, const MachineLimits &limits) {
  double seconds = one["best_ms"].get<double>() * 1e-3, flops = one["flops"], bytes = one["bytes"];
  if (seconds <= 0 || limits.flops <= 0 || limits.bytes <= 0)
    return {};
  Rates rates{flops / seconds, bytes / seconds, flops / seconds / limits.flops, bytes / seconds / limits.bytes, 0};
  rates.ofBound = std::max(rates.ofPeak, rates.ofBandwidth);
  return rates;
}

std::string columns(const Json &one, const MachineLimits &limits) {
  Rates rates = ratesOf(one, limits);
  std::string flops =
      rates.flops > 0 ? fmt::format("{:9.1f} {:5.1f}%", rates.flops * 1e-9, rates.ofPeak * 100) : fmt::format("{:>9} {:>6}", "-", "-");
  return fmt::format("{} {:8.1f} {:5.1f}%", flops, rates.bytes * 1e-9, rates.ofBandwidth * 100);
}

std::string dimensionsText(const Json &profile) {
  std::string text;
  for (const auto &[name, value] : profile["dimensions"].items())
    text += fmt::format(" {}={}", name, value.get<int64_t>());
  return text;
}

void addRates(Json &to, const Json &one, const MachineLimits &limits) {
  Rates rates = ratesOf(one, limits);
  to["gflops"] = rates.flops * 1e-9;
  to["gbytes"] = rates.bytes * 1e-9;
  to["of_peak"] = rates.ofPeak;
  to["of_bandwidth"] = rates.ofBandwidth;
  to["of_bound"] = rates.ofBound;
}

} // namespace

bool heddle::isWhole(const Json &profile) {
  auto has = [](const Json &object, std::initializer_list<const char *> numbers) {
    return object.is_object() &&
           std::all_of(numbers.begin(), numbers.end(), [&](const char *key) { return object.contains(key) && object[key].is_number(); });
  };
  auto isLine = [&](const Json &line) {
    return has(line, {"calls", "mean_ms", "best_ms", "flops", "bytes"}) && line.contains("kernel") && line.contains("place");
  };
  return has(profile, {"threads", "repeats", "best_ms", "median_ms", "mean_ms", "flops", "bytes"}) && profile.contains("entry") &&
         profile.contains("cpu") && profile.contains("dimensions") && profile.contains("kernels") && profile["kernels"].is_array() &&
         std::all_of(profile["kernels"].begin(), profile["kernels"].end(), isLine);
}

std::string heddle::benchText(const std::string &model, const std::vector<BenchRun> &runs) {
  std::string text = fmt::format("{} on {}\n", model, cpuName());
  for (const auto &[profile, limits] : runs) {
    text += fmt::format("\nentry {},{}; -t {}, {}; this machine: {:.1f} GFLOP/s by FMA, reads {:.1f} GB/s\n", profile["entry"].get<std::string>(),
                        dimensionsText(profile), profile["threads"].get<int>(), profile["cpu"].get<std::string>(), limits.flops * 1e-9,
                        limits.bytes * 1e-9);
    text += fmt::format("best {:.6f} ms, median {:.6f} ms of {}; {:.1f}% of the bound\n", profile["best_ms"].get<double>(),
                        profile["median_ms"].get<double>(), profile["repeats"].get<int64_t>(), ratesOf(profile, limits).ofBound * 100);
    text += "        ms  share  calls   GFLOP/s   peak     GB/s  band.  place, kernel\n";
    double whole = std::max(profile["best_ms"].get<double>(), 1e-9);
    int64_t calls = 0;
    for (const Json &line : profile["kernels"]) {
      double best = line["best_ms"];
      calls += line["calls"].get<int64_t>();
      text += fmt::format("{:10.6f} {:5.1f}% {:6} {}  {} {}\n", best, best / whole * 100, line["calls"].get<int64_t>(), columns(line, limits),
                          line["place"].get<std::string>(), line["kernel"].get<std::string>());
    }
    text += fmt::format("{:10.6f} {:5.1f}% {:6} {}  in all\n", whole, 100., calls, columns(profile, limits));
  }
  return text;
}

std::string heddle::benchJson(const std::string &model, const std::vector<BenchRun> &runs) {
  Json all{{"model", model}, {"machine", cpuName()}, {"runs", Json::array()}};
  for (const auto &[profile, limits] : runs) {
    Json run = profile;
    run["peak_gflops"] = limits.flops * 1e-9;
    run["bandwidth_gbytes"] = limits.bytes * 1e-9;
    addRates(run, profile, limits);
    for (Json &line : run["kernels"])
      addRates(line, Json(line), limits);
    all["runs"].push_back(std::move(run));
  }
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}
