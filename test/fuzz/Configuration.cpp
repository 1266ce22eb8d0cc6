// A config.json for the example that has its `model_type` (gpt2 where none has). What follows a NUL, up to the next one, is a --set.
#include "compiler/support/Json.h"
#include "test/fuzz/Import.h"
#include <cstdint>
#include <map>

using namespace heddle::fuzz;
namespace fs = std::filesystem;

namespace {

/// The folder of each example: its text, and config.json from memory.
class Examples {
public:
  explicit Examples(const std::string &configuration) {
    for (const fs::directory_entry &file : fs::recursive_directory_iterator(HEDDLE_SOURCE_DIR "/examples"))
      if (file.path().extension() == ".heddle") {
        const Folder &folder = folders[file.path().stem()];
        folder.link("model.heddle", file.path());
        folder.link("config.json", configuration);
      }
  }
  const std::string &of(std::string_view configuration) const {
    heddle::Diagnostics quiet;
    std::optional<heddle::Json> json = heddle::parseJson(configuration, "config.json", quiet);
    const heddle::Json *type = json ? json->find("model_type") : nullptr;
    auto found = type && type->string() ? folders.find(*type->string()) : folders.end();
    return (found != folders.end() ? found : folders.find("gpt2"))->second.path;
  }

private:
  std::map<std::string, Folder> folders;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static MemoryFile file;
  static const Examples examples(file.path());
  static Importer importer;
  std::string_view rest(reinterpret_cast<const char *>(data), size), configuration = takePart(rest);
  std::vector<std::string> settings;
  while (!rest.empty())
    settings.emplace_back(takePart(rest));
  file.set(configuration);
  importer.import(examples.of(configuration), settings);
  return 0;
}
