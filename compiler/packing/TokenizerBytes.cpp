#include "compiler/packing/TokenizerBytes.h"
#include "runtime/tokenizer_format.h"
#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>

using namespace heddle;

namespace {

template <typename T> int64_t append(std::vector<char> &bytes, const T *items, size_t count) {
  bytes.resize((bytes.size() + 7) / 8 * 8);
  int64_t offset = static_cast<int64_t>(bytes.size());
  bytes.resize(bytes.size() + count * sizeof(T));
  if (count)
    std::memcpy(bytes.data() + offset, items, count * sizeof(T));
  return offset;
}

} // namespace

std::vector<char> heddle::tokenizerBytes(TokenizerParts parts) {
  std::sort(parts.symbols.begin(), parts.symbols.end()); // by bytes: the order in which the runtime searches
  std::string strings;
  std::vector<heddle_tokenizer_symbol> symbols;
  for (const auto &[text, id] : parts.symbols) {
    symbols.push_back({static_cast<uint32_t>(strings.size()), static_cast<uint32_t>(text.size()), id, 0});
    strings += text;
  }
  assert(strings.size() <= UINT32_MAX && "files are limited to less");
  std::vector<int32_t> byId(symbols.size());
  std::iota(byId.begin(), byId.end(), 0);
  std::sort(byId.begin(), byId.end(), [&](int32_t a, int32_t b) { return symbols[a].id < symbols[b].id; });
  std::vector<heddle_tokenizer_step> steps;
  for (auto [kind, character] : parts.steps)
    steps.push_back({kind, character});

  heddle_tokenizer_header header = {};
  header.magic = HEDDLE_TOKENIZER_MAGIC;
  header.version = HEDDLE_TOKENIZER_VERSION;
  header.model = parts.model;
  header.join = parts.join;
  header.unknown = parts.unknown;
  header.merge_unknown = parts.mergeUnknown;
  header.step_count = static_cast<int64_t>(steps.size());
  header.symbol_count = static_cast<int64_t>(symbols.size());
  header.string_bytes = static_cast<int64_t>(strings.size());
  std::vector<char> bytes(sizeof header);
  header.steps = append(bytes, steps.data(), steps.size());
  header.symbols = append(bytes, symbols.data(), symbols.size());
  header.by_id = append(bytes, byId.data(), byId.size());
  header.strings = append(bytes, strings.data(), strings.size());
  header.bytes = static_cast<int64_t>(bytes.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}
