// Whether an executable can be written at all.
#include "compiler/pipeline/Room.h"
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

bool heddle::hasRoom(const ModelInfo &info, const std::string &path, Diagnostics &diagnostics) {
  uint64_t memory = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  for (const WeightInfo &weight : info.weights) {
    if (uint64_t(weight.bytes) <= memory)
      continue;
    diagnostics.error({}, fmt::format("weight '{}' has {} bytes, the machine has a memory of {}", weight.name, weight.bytes, memory));
    return false;
  }
  std::error_code code;
  std::filesystem::path folder = std::filesystem::absolute(path, code).parent_path();
  std::filesystem::space_info space = std::filesystem::space(folder, code);
  if (code || uint64_t(info.sectionBytes) <= space.available)
    return true; // a folder that is not there is reported by who writes to it
  diagnostics.error({path, 0, 0}, fmt::format("no room: the weights take {} bytes, the disk has {} free", info.sectionBytes, space.available));
  return false;
}
