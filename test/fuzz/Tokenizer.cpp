// A tokenizer.json, or a list of symbols, packed by the compiler and opened by the runtime, which encodes what follows a NUL and writes the ids.
#include "runtime/Tokenizer.h"
#include "compiler/packing/Tokenizer.h"
#include "test/fuzz/MemoryFile.h"
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <vector>

using namespace heddle::fuzz;
using namespace heddle::runtime;
using heddle::TokenizerSource;

static void useText(const std::vector<char> &packed, std::string_view text) {
  std::vector<int64_t> aligned((packed.size() + 7) / 8);
  std::memcpy(aligned.data(), packed.data(), packed.size());
  Tokenizer tokenizer;
  Failure failure;
  require(tokenizer.open(reinterpret_cast<const char *>(aligned.data()), static_cast<int64_t>(packed.size()), failure));
  heddle::idsOfTokenizer(packed);
  Array<int32_t> ids;
  require(tokenizer.encode(text, "line 1", ids, failure) == (failure.code == 0));
  static const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  Output out(nowhere);
  tokenizer.write(ids.data(), ids.size(), [](int32_t id) { return id == 0; }, out);
  out.finish(failure);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static MemoryFile file;
  std::string_view text(reinterpret_cast<const char *>(data), size), json = takePart(text);
  file.set(json);
  using Kind = TokenizerSource::Kind;
  bool isList = json.find_first_not_of(" \t\r\n") != json.npos && json[json.find_first_not_of(" \t\r\n")] == '[';
  std::vector<TokenizerSource> sources = {{Kind::Json, file.path(), {}}};
  if (isList)
    sources = {{Kind::Words, file.path(), 0}, {Kind::Characters, file.path(), {}}};
  for (const TokenizerSource &source : sources) {
    heddle::Diagnostics diagnostics;
    std::optional<std::vector<char>> packed = heddle::packTokenizer(source, diagnostics);
    require(!packed || !diagnostics.hasErrors());
    diagnostics.render();
    if (packed)
      useText(*packed, text);
  }
  return 0;
}
