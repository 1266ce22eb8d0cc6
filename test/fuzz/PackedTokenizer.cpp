// A tokenizer's bytes in an executable, damaged: opened by the runtime, which refuses it or encodes a text and writes the ids without harm. The
// input is patches of six bytes (where, and four bytes to put there), so that it serves every version of the format; its first byte chooses the
// tokenizer.
#include "compiler/packing/Tokenizer.h"
#include "runtime/Tokenizer.h"
#include "test/fuzz/MemoryFile.h"
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <vector>

using namespace heddle::fuzz;
using namespace heddle::runtime;

namespace {

constexpr std::string_view jsons[] = {
    R"({"model": {"type": "WordLevel", "unk_token": "?", "vocab": {"ab": 0, "ba": 1, "?": 2}}, "pre_tokenizer": {"type": "WhitespaceSplit"},
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Lowercase"}]}})",
    R"({"model": {"type": "BPE", "fuse_unk": true, "unk_token": "?", "vocab": {"a": 0, "b": 1, "?": 2, "ä": 5}, "merges": []},
        "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "."}, "behavior": "Isolated"}})",
    R"({"model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "a": 3, "##b": 4}},
        "normalizer": {"type": "BertNormalizer", "lowercase": true}, "pre_tokenizer": {"type": "BertPreTokenizer"}})"};

/// Those that are built.
std::vector<std::vector<char>> packAll() {
  std::vector<std::vector<char>> all;
  MemoryFile file;
  for (std::string_view json : jsons) {
    file.set(json);
    heddle::Diagnostics diagnostics;
    if (std::optional<std::vector<char>> packed = heddle::packTokenizer({heddle::TokenizerSource::Kind::Json, file.path(), {}}, diagnostics))
      all.push_back(std::move(*packed));
  }
  return all;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const std::vector<std::vector<char>> tokenizers = packAll();
  static const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  const std::vector<char> &sound = tokenizers[size > 0 ? data[0] % tokenizers.size() : 0];
  std::vector<int64_t> bytes((sound.size() + 7) / 8); // aligned
  std::memcpy(bytes.data(), sound.data(), sound.size());
  for (size_t at = 1; at + 6 <= size; at += 6) {
    uint16_t where;
    std::memcpy(&where, data + at, sizeof where);
    std::memcpy(reinterpret_cast<char *>(bytes.data()) + where % (sound.size() - 3), data + at + 2, 4);
  }
  Tokenizer tokenizer;
  Failure failure;
  if (!tokenizer.open(reinterpret_cast<const char *>(bytes.data()), static_cast<int64_t>(sound.size()), failure))
    return 0;
  Array<int32_t> ids;
  tokenizer.encode("ab  Ba \u00c4 e\u0301 12\nabab", "line 1", ids, failure);
  for (int32_t id : {-1, 0, 5, INT32_MAX, INT32_MIN})
    require(ids.push(id));
  Output out(nowhere);
  tokenizer.write(ids.data(), ids.size(), [](int32_t) { return false; }, out);
  out.finish(failure);
  return 0;
}
