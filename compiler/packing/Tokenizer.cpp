#include "compiler/packing/Tokenizer.h"
#include "compiler/packing/TokenizerBytes.h"
#include "compiler/packing/TokenizerJson.h"
#include "compiler/support/File.h"
#include "compiler/support/Json.h"
#include "runtime/tokenizer_format.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <unordered_set>

using namespace heddle;

namespace {

constexpr uint64_t maxFile = uint64_t{256} << 20; // the largest vocabularies in use take 20 MB

/// A list of words or characters: the place is the id.
std::optional<TokenizerParts> readList(const Json &root, const TokenizerSource &source, Diagnostics &diagnostics) {
  if (!root.isArray()) {
    diagnostics.error(root.at(source.path), fmt::format("expected a list of strings, got {}", root.describe()));
    return std::nullopt;
  }
  TokenizerParts parts;
  std::unordered_set<std::string_view> seen;
  for (const Json &element : root.elements()) {
    const std::string *symbol = element.string();
    if (!symbol)
      diagnostics.error(element.at(source.path), fmt::format("expected a string, got {}", element.describe()));
    else if (!seen.insert(*symbol).second)
      diagnostics.error(element.at(source.path), fmt::format("{} is in the list twice", element.describe()));
    else
      parts.symbols.push_back({*symbol, static_cast<int32_t>(parts.symbols.size())});
    if (diagnostics.errorCount() >= 20)
      return std::nullopt;
  }
  if (source.unknown && (*source.unknown < 0 || *source.unknown >= static_cast<int64_t>(root.elements().size())))
    diagnostics.error({source.path}, fmt::format("the id of the unknown symbol is {}, expected 0 to {}: the list has {} symbols", *source.unknown,
                                                 static_cast<int64_t>(root.elements().size()) - 1, root.elements().size()));
  bool words = source.kind == TokenizerSource::Kind::Words;
  parts.unknown = static_cast<int32_t>(source.unknown.value_or(-1));
  parts.model = words ? HEDDLE_MODEL_WORDS : HEDDLE_MODEL_CHARACTERS;
  parts.join = words ? HEDDLE_JOIN_BLANK : HEDDLE_JOIN_NONE;
  if (words)
    parts.steps = {{HEDDLE_STEP_WHITESPACE, 0}};
  return parts;
}

} // namespace

std::optional<std::vector<char>> heddle::packTokenizer(const TokenizerSource &source, Diagnostics &diagnostics) {
  if (!isThere(source.path)) {
    diagnostics.note({source.path}, "the tokenizer is missing; ids still work, text does not");
    return std::nullopt;
  }
  unsigned before = diagnostics.errorCount();
  std::optional<std::string> text = readFile(source.path, maxFile, diagnostics);
  std::optional<Json> root = text ? parseJson(*text, source.path, diagnostics) : std::nullopt;
  if (!root)
    return std::nullopt;
  std::optional<TokenizerParts> parts =
      source.kind == TokenizerSource::Kind::Json ? readTokenizerJson(*root, source.path, diagnostics) : readList(*root, source, diagnostics);
  if (!parts || diagnostics.errorCount() > before)
    return std::nullopt;
  return tokenizerBytes(std::move(*parts));
}

int64_t heddle::idsOfTokenizer(std::span<const char> bytes) {
  heddle_tokenizer_header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  int64_t last = -1;
  auto take = [&](int64_t table, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      heddle_tokenizer_symbol symbol;
      std::memcpy(&symbol, bytes.data() + table + i * static_cast<int64_t>(sizeof symbol), sizeof symbol);
      last = std::max<int64_t>(last, symbol.id);
    }
  };
  take(header.symbols, header.symbol_count);
  take(header.added, header.added_count);
  return last + 1;
}
