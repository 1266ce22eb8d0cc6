// What an entry is timed on: arrays of the dimensions given, drawn from a fixed seed.
#pragma once
#include "compiler/support/Diagnostics.h"
#include "compiler/support/ModelInfo.h"
#include <map>
#include <string>
#include <vector>

namespace heddle {

struct BenchRequest {
  std::string entry;                                   // empty: the only one
  std::map<std::string, int64_t> dimensions;           // what is not given has a default
  std::map<std::string, std::vector<int64_t>> lengths; // of the rows of a ragged dimension, again from the first where the batch has more
};

/// The entry that `request` names; null with an error.
const EntryInfo *findEntry(const ModelInfo &info, const std::string &name, Diagnostics &diagnostics);

/// Writes the arguments that have no default to `folder`; the words with which the executable reads them. Empty with an error where they do not fit.
std::vector<std::string> writeInputs(const EntryInfo &entry, const BenchRequest &request, const std::string &folder, Diagnostics &diagnostics);

} // namespace heddle
