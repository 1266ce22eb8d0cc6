// What `heddle bench` says: times beside the machine's limits, in words and as JSON.
#pragma once
#include "tools/heddle/Machine.h"
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace heddle {

/// One run of the executable: what its --profile=json says, and what the machine could do around it.
struct BenchRun {
  nlohmann::ordered_json profile;
  MachineLimits limits;
};

/// Whether a profile has everything that is read here.
bool isWhole(const nlohmann::ordered_json &profile);
std::string benchText(const std::string &model, const std::vector<BenchRun> &runs);
std::string benchJson(const std::string &model, const std::vector<BenchRun> &runs);

} // namespace heddle
