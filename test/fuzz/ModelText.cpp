// A model text: lexer, parser and the whole expansion to ops, with the configuration of test/fuzz/config.json and no weights.
#include "test/fuzz/Import.h"
#include <cstdint>

using namespace heddle::fuzz;

namespace {

struct Model {
  Model() {
    folder.link("model.heddle", text.path());
    folder.link("config.json", HEDDLE_SOURCE_DIR "/test/fuzz/config.json");
  }
  MemoryFile text;
  Folder folder;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Model model;
  static Importer importer;
  model.text.set({reinterpret_cast<const char *>(data), size});
  importer.import(model.folder.path, {});
  return 0;
}
