// No command may replace what it reads.
#include "tools/heddle/Inputs.h"
#include <filesystem>
#include <system_error>

namespace fs = std::filesystem;

bool heddle::isNoInput(const std::string &output, const ModelSource &source, Diagnostics &diagnostics) {
  std::error_code code;
  if (!fs::is_regular_file(output, code))
    return true;
  fs::path file = fs::canonical(output, code), model = fs::canonical(source.path, code);
  fs::path folder = fs::is_directory(model, code) ? model : model.parent_path(), weights = fs::canonical(weightsOf(source), code);
  auto isOfModel = [&](const fs::path &path) {
    std::string kind = path.extension().string();
    return (path.parent_path() == folder || path.parent_path() == weights) && (kind == ".json" || kind == ".heddle" || kind == ".safetensors");
  };
  // The folder's file may be a link to one of another name, as in a hub's cache.
  fs::path named = fs::canonical(fs::path(output).parent_path() / ".", code) / fs::path(output).filename();
  if (file != model && !isOfModel(file) && !isOfModel(named))
    return true;
  diagnostics.error({output, 0, 0}, "the output would replace a file that the model is made of");
  return false;
}

bool heddle::isNoFolder(const std::string &output, Diagnostics &diagnostics) {
  std::error_code code;
  if (!fs::is_directory(output, code))
    return true;
  diagnostics.error({output, 0, 0}, "cannot write: expected a file or nothing there, got a folder").note({}, "give -o FILE");
  return false;
}
