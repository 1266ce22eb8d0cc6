#include "runtime/Tokenizer.h"
#include "runtime/Normalize.h"
#include <climits>
#include <cstring>
#include <utf8proc.h>

using namespace heddle::runtime;

namespace {

/// Characters [begin, end) of the text.
struct Piece {
  int64_t begin, end;
};

bool matches(const heddle_tokenizer_step &step, int32_t c) {
  if (step.kind == HEDDLE_STEP_WHITESPACE)
    return isWhitespace(c);
  return step.character == HEDDLE_STEP_ANY ? c != '\n' : c == step.character;
}

/// Replaces `pieces` by the smaller ones that `step` makes of them.
bool split(const heddle_tokenizer_step &step, const Array<Character> &text, Array<Piece> &pieces) {
  Array<Piece> made;
  for (const Piece &piece : pieces) {
    int64_t begin = piece.begin;
    for (int64_t i = piece.begin; i < piece.end; ++i) {
      if (!matches(step, text[i].value))
        continue;
      if (begin < i && !made.push({begin, i}))
        return false;
      if (step.kind == HEDDLE_STEP_ISOLATE && !made.push({i, i + 1}))
        return false;
      begin = i + 1;
    }
    if (begin < piece.end && !made.push({begin, piece.end}))
      return false;
  }
  pieces.clear();
  for (const Piece &piece : made)
    if (!pieces.push(piece))
      return false;
  return true;
}

bool appendUtf8(int32_t character, Array<char> &bytes) {
  utf8proc_uint8_t encoded[4];
  utf8proc_ssize_t length = utf8proc_encode_char(character, encoded);
  for (utf8proc_ssize_t i = 0; i < length; ++i)
    if (!bytes.push(static_cast<char>(encoded[i])))
      return false;
  return true;
}

/// Whether `count` items of `size` bytes at `offset` lie inside `bytes`, aligned.
bool tableInside(int64_t offset, int64_t count, int64_t size, int64_t bytes) {
  return offset >= 0 && count >= 0 && offset <= bytes && offset % 8 == 0 && count <= (bytes - offset) / size;
}

bool isKnownStep(int32_t kind) { return kind >= HEDDLE_STEP_NFC && kind <= HEDDLE_STEP_REMOVE; }

} // namespace

bool Tokenizer::open(const char *bytes, int64_t size, Failure &failure) {
  auto broken = [&] { return failure.contents("the tokenizer in this executable is damaged"); };
  const auto *found = reinterpret_cast<const heddle_tokenizer_header *>(bytes);
  if (size < static_cast<int64_t>(sizeof *found) || reinterpret_cast<uintptr_t>(bytes) % 8 != 0 || found->magic != HEDDLE_TOKENIZER_MAGIC ||
      found->bytes != size)
    return broken();
  if (found->version != HEDDLE_TOKENIZER_VERSION)
    return failure.contents("the tokenizer in this executable has version %u, expected %d", found->version, HEDDLE_TOKENIZER_VERSION);
  if (!tableInside(found->steps, found->step_count, sizeof *steps, size) ||
      !tableInside(found->symbols, found->symbol_count, sizeof *symbols, size) ||
      !tableInside(found->by_id, found->symbol_count, sizeof *byId, size) || !tableInside(found->strings, found->string_bytes, 1, size))
    return broken();
  if ((found->model != HEDDLE_MODEL_WORDS && found->model != HEDDLE_MODEL_CHARACTERS) || found->unknown < -1)
    return broken();
  steps = reinterpret_cast<const heddle_tokenizer_step *>(bytes + found->steps);
  symbols = reinterpret_cast<const heddle_tokenizer_symbol *>(bytes + found->symbols);
  byId = reinterpret_cast<const int32_t *>(bytes + found->by_id);
  strings = bytes + found->strings;
  for (int64_t i = 0; i < found->step_count; ++i)
    if (!isKnownStep(steps[i].kind))
      return broken();
  std::string_view last;
  int64_t lastId = -1;
  for (int64_t i = 0; i < found->symbol_count; ++i) {
    const heddle_tokenizer_symbol &symbol = symbols[i];
    if (int64_t{symbol.string} + symbol.length > found->string_bytes || byId[i] < 0 || byId[i] >= found->symbol_count)
      return broken();
    std::string_view text(strings + symbol.string, symbol.length);
    if ((i > 0 && text <= last) || symbols[byId[i]].id <= lastId)
      return broken();
    last = text;
    lastId = symbols[byId[i]].id;
  }
  header = found;
  return true;
}

int32_t Tokenizer::idOf(std::string_view symbol) const {
  int64_t low = 0, high = header->symbol_count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    int order = symbol.compare({strings + symbols[middle].string, symbols[middle].length});
    if (order == 0)
      return symbols[middle].id;
    (order < 0 ? high : low) = order < 0 ? middle : middle + 1;
  }
  return -1;
}

std::string_view Tokenizer::symbolOf(int32_t id) const {
  int64_t low = 0, high = header->symbol_count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    const heddle_tokenizer_symbol &symbol = symbols[byId[middle]];
    if (symbol.id == id)
      return {strings + symbol.string, symbol.length};
    (id < symbol.id ? high : low) = id < symbol.id ? middle : middle + 1;
  }
  return {};
}

bool Tokenizer::encode(std::string_view text, const char *what, Array<int32_t> &ids, Failure &failure) const {
  Array<Character> characters;
  if (!decodeText(text, what, characters, failure))
    return false;
  Array<Piece> pieces;
  int64_t step = 0;
  for (; step < header->step_count && steps[step].kind <= HEDDLE_STEP_LOWERCASE; ++step)
    if (steps[step].kind == HEDDLE_STEP_NFC ? !normalizeNfc(characters, failure) : !lowercase(characters, failure))
      return false;
  if (!characters.empty() && !pieces.push({0, characters.size()}))
    return failure.outOfMemory();
  for (; step < header->step_count; ++step)
    if (!split(steps[step], characters, pieces))
      return failure.outOfMemory();
  Array<char> symbol;
  for (const Piece &piece : pieces) {
    int64_t width = header->model == HEDDLE_MODEL_WORDS ? piece.end - piece.begin : 1;
    bool wasUnknown = false;
    for (int64_t begin = piece.begin; begin < piece.end; begin += width) {
      symbol.clear();
      for (int64_t i = begin; i < begin + width; ++i)
        if (!appendUtf8(characters[i].value, symbol))
          return failure.outOfMemory();
      std::string_view bytes(symbol.data(), static_cast<size_t>(symbol.size()));
      int32_t id = idOf(bytes);
      bool isUnknown = id < 0;
      if (isUnknown && header->unknown < 0)
        return failure.contents("%s, column %d: %s has no id in the vocabulary", what, characters[begin].column, Quoted(bytes).text());
      if (!(isUnknown && wasUnknown && header->merge_unknown) && !ids.push(isUnknown ? header->unknown : id))
        return failure.outOfMemory();
      wasUnknown = isUnknown;
    }
  }
  return true;
}
