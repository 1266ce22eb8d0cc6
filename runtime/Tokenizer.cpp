#include "runtime/Tokenizer.h"
#include <cstring>

using namespace heddle::runtime;

namespace {

/// Whether `count` items of `size` bytes at `offset` lie inside `bytes`, aligned.
bool tableInside(int64_t offset, int64_t count, int64_t size, int64_t bytes) {
  return offset >= 0 && count >= 0 && offset <= bytes && offset % 8 == 0 && count <= (bytes - offset) / size;
}

bool isNormalizer(int32_t kind) { return kind >= HEDDLE_STEP_NFC && kind <= HEDDLE_LAST_NORMALIZER; }
bool isSplitter(int32_t kind) { return kind >= HEDDLE_STEP_WHITESPACE && kind <= HEDDLE_LAST_SPLITTER; }

/// Whether the symbols lie inside `stringBytes`, ascending.
bool areOrdered(const Symbols &symbols, int64_t stringBytes) {
  std::string_view last;
  for (int64_t i = 0; i < symbols.size(); ++i) {
    if (int64_t{symbols[i].string} + symbols[i].length > stringBytes || (i > 0 && symbols.text(i) <= last) || symbols[i].id < 0)
      return false;
    last = symbols.text(i);
  }
  return true;
}

} // namespace

bool Tokenizer::open(const char *bytes, int64_t size, Failure &failure) {
  auto broken = [&] { return failure.contents("the tokenizer in this executable is damaged"); };
  const auto *found = reinterpret_cast<const heddle_tokenizer_header *>(bytes);
  if (size < static_cast<int64_t>(sizeof *found) || reinterpret_cast<uintptr_t>(bytes) % 8 != 0 || found->magic != HEDDLE_TOKENIZER_MAGIC ||
      found->bytes != size)
    return broken();
  if (found->version != HEDDLE_TOKENIZER_VERSION)
    return failure.contents("the tokenizer in this executable has version %u, expected %d", found->version, HEDDLE_TOKENIZER_VERSION);
  if (!tableInside(found->steps, found->step_count, sizeof(heddle_tokenizer_step), size) ||
      !tableInside(found->symbols, found->symbol_count, sizeof(heddle_tokenizer_symbol), size) ||
      !tableInside(found->by_id, found->symbol_count, sizeof(int32_t), size) ||
      !tableInside(found->added, found->added_count, sizeof(heddle_tokenizer_symbol), size) ||
      !tableInside(found->template_ids, found->template_count, sizeof(int32_t), size) || !tableInside(found->strings, found->string_bytes, 1, size))
    return broken();
  if (found->model < HEDDLE_MODEL_WORDS || found->model > HEDDLE_MODEL_WORD_PIECES || found->unknown < -1 || found->prefix_length < 0 ||
      found->prefix_length > found->string_bytes)
    return broken();
  steps = reinterpret_cast<const heddle_tokenizer_step *>(bytes + found->steps);
  byId = reinterpret_cast<const int32_t *>(bytes + found->by_id);
  around = reinterpret_cast<const int32_t *>(bytes + found->template_ids);
  strings = bytes + found->strings;
  symbols = Symbols(reinterpret_cast<const heddle_tokenizer_symbol *>(bytes + found->symbols), found->symbol_count, strings);
  added = Symbols(reinterpret_cast<const heddle_tokenizer_symbol *>(bytes + found->added), found->added_count, strings);
  bool splits = false;
  for (int64_t i = 0; i < found->step_count; ++i) {
    if (!(isNormalizer(steps[i].kind) && !splits) && !isSplitter(steps[i].kind))
      return broken();
    splits |= isSplitter(steps[i].kind);
  }
  if (!areOrdered(symbols, found->string_bytes) || !areOrdered(added, found->string_bytes) || (added.size() > 0 && added.text(0).empty()))
    return broken();
  int64_t lastId = -1;
  for (int64_t i = 0; i < found->symbol_count; ++i) {
    if (byId[i] < 0 || byId[i] >= found->symbol_count || symbols[byId[i]].id <= lastId)
      return broken();
    lastId = symbols[byId[i]].id;
  }
  int64_t texts = 0;
  for (int64_t i = 0; i < found->template_count; ++i)
    texts += around[i] < 0;
  if (found->template_count > 0 && texts != 1)
    return broken();
  header = found;
  continuing = symbols.narrow(symbols.all(), prefix());
  return true;
}

int32_t Tokenizer::idOf(std::string_view symbol) const {
  const heddle_tokenizer_symbol *found = symbols.find(symbol);
  return found ? found->id : -1;
}

int64_t Tokenizer::closing() const {
  int64_t count = 0;
  while (count < header->template_count && around[header->template_count - 1 - count] >= 0)
    ++count;
  return count;
}

std::string_view Tokenizer::symbolOf(int32_t id) const {
  int64_t low = 0, high = symbols.size();
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (symbols[byId[middle]].id == id)
      return symbols.text(byId[middle]);
    (id < symbols[byId[middle]].id ? high : low) = id < symbols[byId[middle]].id ? middle : middle + 1;
  }
  for (int64_t i = 0; i < added.size(); ++i)
    if (added[i].id == id)
      return added.text(i);
  return {};
}

bool Tokenizer::standsClose(std::string_view symbol) const {
  for (const char *close : {".", "?", "!", ",", "n't", "'m", "'s", "'ve", "'re"})
    if (header->join == HEDDLE_JOIN_CLEAN && symbol.starts_with(close))
      return true;
  return false;
}

bool Tokenizer::isSpecial(int32_t id) const {
  for (int64_t i = 0; i < added.size(); ++i)
    if (added[i].id == id)
      return added[i].flags & HEDDLE_ADDED_SPECIAL;
  return false;
}

bool Tokenizer::encode(std::string_view text, const char *what, Array<int32_t> &ids, Failure &failure) const {
  Array<Character> characters;
  Array<Piece> sections;
  if (!decodeText(text, what, characters, failure))
    return false;
  if (!splitAtAdded(added, false, characters, sections))
    return failure.outOfMemory();
  bool hasTemplate = header->template_count > 0;
  for (int64_t t = 0; t < (hasTemplate ? header->template_count : 1); ++t) {
    if (hasTemplate && around[t] >= 0) {
      if (!ids.push(around[t]))
        return failure.outOfMemory();
      continue;
    }
    for (const Piece &section : sections)
      if (section.added ? !ids.push(section.added->id) && !failure.outOfMemory() : !encodeSection(characters, section, {what, ids, failure}))
        return false;
  }
  return true;
}

bool Tokenizer::normalize(Array<Character> &characters, Failure &failure) const {
  for (int64_t i = 0; i < header->step_count && isNormalizer(steps[i].kind); ++i) {
    bool good = true;
    switch (steps[i].kind) {
    case HEDDLE_STEP_NFC:
      good = normalizeNfc(characters, failure);
      break;
    case HEDDLE_STEP_NFD:
      good = normalizeNfd(characters, failure);
      break;
    case HEDDLE_STEP_LOWERCASE:
      good = lowercase(characters, failure);
      break;
    case HEDDLE_STEP_STRIP:
      stripMarks(characters, steps[i].argument == HEDDLE_STRIP_ALL);
      break;
    case HEDDLE_STEP_CLEAN:
      clean(characters);
      break;
    case HEDDLE_STEP_IDEOGRAPHS:
      good = spaceIdeographs(characters, failure);
      break;
    }
    if (!good)
      return false;
  }
  return true;
}

/// What lies between added tokens that are looked for in the text as it is given.
bool Tokenizer::encodeSection(const Array<Character> &whole, const Piece &section, const Text &text) const {
  Array<Character> characters;
  Array<Piece> sections, pieces;
  int64_t length = section.end - section.begin;
  if (!characters.resize(length))
    return text.failure.outOfMemory();
  if (length > 0)
    std::memcpy(static_cast<void *>(characters.data()), whole.data() + section.begin, static_cast<size_t>(length) * sizeof(Character));
  if (!normalize(characters, text.failure))
    return false;
  if (!splitAtAdded(added, true, characters, sections))
    return text.failure.outOfMemory();
  for (const Piece &one : sections) {
    if (one.added) {
      if (!text.ids.push(one.added->id))
        return text.failure.outOfMemory();
      continue;
    }
    pieces.clear();
    bool good = one.begin == one.end || pieces.push(one);
    for (int64_t step = 0; good && step < header->step_count; ++step)
      good = isNormalizer(steps[step].kind) || split(steps[step], characters, pieces);
    if (!good)
      return text.failure.outOfMemory();
    for (const Piece &piece : pieces)
      if (!encodePiece(characters, piece, text))
        return false;
  }
  return true;
}

bool Tokenizer::encodePiece(const Array<Character> &characters, const Piece &piece, const Text &text) const {
  int64_t length = piece.end - piece.begin;
  if (header->model != HEDDLE_MODEL_WORD_PIECES)
    return encodeSymbols(characters, piece, header->model == HEDDLE_MODEL_WORDS ? length : 1, text);
  Array<char> word;
  for (int64_t i = piece.begin; i < piece.end; ++i) {
    char bytes[4];
    for (char c : utf8Of(characters[i].value, bytes))
      if (!word.push(c))
        return text.failure.outOfMemory();
  }
  return encodeWord({word.data(), static_cast<size_t>(word.size())}, piece, characters, text);
}

/// Symbols of `width` characters each.
bool Tokenizer::encodeSymbols(const Array<Character> &characters, const Piece &piece, int64_t width, const Text &text) const {
  Array<char> symbol;
  bool wasUnknown = false;
  for (int64_t begin = piece.begin; begin < piece.end; begin += width) {
    symbol.clear();
    for (int64_t i = begin; i < begin + width; ++i) {
      char bytes[4];
      for (char c : utf8Of(characters[i].value, bytes))
        if (!symbol.push(c))
          return text.failure.outOfMemory();
    }
    std::string_view bytes(symbol.data(), static_cast<size_t>(symbol.size()));
    int32_t id = idOf(bytes);
    bool isUnknown = id < 0, isMerged = isUnknown && wasUnknown && header->merge_unknown;
    if (isUnknown && !isMerged && !pushUnknown(bytes, characters[begin].column, text))
      return false;
    if (!isUnknown && !text.ids.push(id))
      return text.failure.outOfMemory();
    wasUnknown = isUnknown;
  }
  return true;
}

/// The longest symbol that the word begins with, then the longest of those that continue it, and so on; all of it unknown where there is none, or
/// where it is too long (Devlin et al. 2018).
bool Tokenizer::encodeWord(std::string_view word, const Piece &piece, const Array<Character> &characters, const Text &text) const {
  int64_t before = text.ids.size(), length = piece.end - piece.begin;
  std::string_view rest = word;
  while (!rest.empty() && length <= header->most) {
    bool isFirst = rest.size() == word.size();
    const heddle_tokenizer_symbol *found = symbols.longest(isFirst ? symbols.all() : continuing, rest);
    if (!found)
      break;
    if (!text.ids.push(found->id))
      return text.failure.outOfMemory();
    rest.remove_prefix(found->length - (isFirst ? 0 : prefix().size()));
  }
  if (rest.empty())
    return true;
  while (text.ids.size() > before)
    text.ids.pop();
  return pushUnknown(word, characters[piece.begin].column, text);
}

bool Tokenizer::pushUnknown(std::string_view symbol, int32_t column, const Text &text) const {
  if (header->unknown < 0)
    return text.failure.contents("%s, column %d: %s has no id in the vocabulary", text.what, column, Quoted(symbol).text());
  return text.ids.push(header->unknown) || text.failure.outOfMemory();
}
