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
  std::sort(parts.added.begin(), parts.added.end(), [](const auto &a, const auto &b) { return a.text < b.text; });
  std::string strings = parts.prefix;
  auto place = [&](const std::string &text, int32_t id, int32_t flags) {
    strings += text;
    return heddle_tokenizer_symbol{static_cast<uint32_t>(strings.size() - text.size()), static_cast<uint32_t>(text.size()), id, flags};
  };
  std::vector<heddle_tokenizer_symbol> symbols, added;
  for (const auto &[text, id] : parts.symbols)
    symbols.push_back(place(text, id, 0));
  for (const TokenizerParts::Added &token : parts.added)
    added.push_back(place(token.text, token.id, token.flags));
  assert(strings.size() <= UINT32_MAX && "files are limited to less");
  std::vector<int32_t> byId(symbols.size());
  std::iota(byId.begin(), byId.end(), 0);
  std::sort(byId.begin(), byId.end(), [&](int32_t a, int32_t b) { return symbols[a].id < symbols[b].id; });
  std::vector<heddle_tokenizer_step> steps;
  for (auto [kind, argument] : parts.steps)
    steps.push_back({kind, argument});

  heddle_tokenizer_header header = {};
  header.magic = HEDDLE_TOKENIZER_MAGIC;
  header.version = HEDDLE_TOKENIZER_VERSION;
  header.model = parts.model;
  header.join = parts.join;
  header.unknown = parts.unknown;
  header.merge_unknown = parts.mergeUnknown;
  header.prefix_length = static_cast<int32_t>(parts.prefix.size());
  header.most = parts.most;
  header.step_count = static_cast<int64_t>(steps.size());
  header.symbol_count = static_cast<int64_t>(symbols.size());
  header.added_count = static_cast<int64_t>(added.size());
  header.template_count = static_cast<int64_t>(parts.around.size());
  header.string_bytes = static_cast<int64_t>(strings.size());
  std::vector<char> bytes(sizeof header);
  header.steps = append(bytes, steps.data(), steps.size());
  header.symbols = append(bytes, symbols.data(), symbols.size());
  header.by_id = append(bytes, byId.data(), byId.size());
  header.added = append(bytes, added.data(), added.size());
  header.template_ids = append(bytes, parts.around.data(), parts.around.size());
  header.strings = append(bytes, strings.data(), strings.size());
  header.bytes = static_cast<int64_t>(bytes.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}
