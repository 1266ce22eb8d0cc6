// Text to ids and back, from the bytes that the compiler packed (runtime/tokenizer_format.h).
#pragma once
#include "runtime/JsonText.h"
#include "runtime/Output.h"
#include "runtime/Split.h"

namespace heddle::runtime {

class Tokenizer {
public:
  /// Checks every offset of the bytes once; they stay where they are and must outlive the tokenizer.
  bool open(const char *bytes, int64_t size, Failure &failure);

  /// Appends the ids of `text` to `ids`, with what the tokenizer puts around every text. A symbol without id is refused with `what` ("line 3"), its
  /// column (characters, from 1) and itself.
  bool encode(std::string_view text, const char *what, Array<int32_t> &ids, Failure &failure) const;

  /// The text of `ids`, piece by piece: take(piece) while it gives true. Ids for which `isHidden` holds, special ones, and ids without a symbol are
  /// left out.
  template <typename Predicate, typename Take> bool decode(const int32_t *ids, int64_t count, Predicate isHidden, Take take) const {
    bool first = true;
    for (int64_t i = 0; i < count; ++i) {
      std::string_view symbol = symbolOf(ids[i]);
      if (isHidden(ids[i]) || isSpecial(ids[i]) || !symbol.data())
        continue;
      bool continues = !first && header->join >= HEDDLE_JOIN_PREFIX && symbol.starts_with(prefix());
      if (!first && !continues && header->join != HEDDLE_JOIN_NONE && !standsClose(symbol) && !take(" "))
        return false;
      if (!take(continues ? symbol.substr(prefix().size()) : symbol))
        return false;
      first = false;
    }
    return true;
  }

  /// Writes that text, control characters escaped, as one line without its end.
  template <typename Predicate> void write(const int32_t *ids, int64_t count, Predicate isHidden, Output &out) const {
    decode(ids, count, isHidden, [&](std::string_view piece) { return out.escaped(piece), true; });
  }

  /// Writes that text as a string of JSON. False: out of memory.
  template <typename Predicate> bool writeAsJson(const int32_t *ids, int64_t count, Predicate isHidden, Output &out) const {
    Array<char> text;
    bool fits = decode(ids, count, isHidden, [&](std::string_view piece) {
      for (char c : piece)
        if (!text.push(c))
          return false;
      return true;
    });
    if (fits)
      writeJson({text.data(), static_cast<size_t>(text.size())}, out);
    return fits;
  }

  /// Ids that stand behind those of every text.
  int64_t closing() const;
  /// The id of what has none, -1: it is refused.
  int64_t unknown() const { return header->unknown; }

  /// The symbol of an id; data() is null where it has none.
  std::string_view symbolOf(int32_t id) const;
  int32_t idOf(std::string_view symbol) const; // -1: none
  bool isSpecial(int32_t id) const;

private:
  struct Text { // what is encoded
    const char *what;
    Array<int32_t> &ids;
    Failure &failure;
  };
  bool encodeSection(const Array<Character> &whole, const Piece &section, const Text &text) const;
  bool normalize(Array<Character> &characters, Failure &failure) const;
  bool encodePiece(const Array<Character> &characters, const Piece &piece, const Text &text) const;
  bool encodeSymbols(const Array<Character> &characters, const Piece &piece, int64_t width, const Text &text) const;
  bool encodeWord(std::string_view word, const Piece &piece, const Array<Character> &characters, const Text &text) const;
  bool pushUnknown(std::string_view symbol, int32_t column, const Text &text) const;
  bool standsClose(std::string_view symbol) const; // no blank before it
  std::string_view prefix() const { return {strings, static_cast<size_t>(header->prefix_length)}; }

  const heddle_tokenizer_header *header = nullptr;
  const heddle_tokenizer_step *steps = nullptr;
  Symbols symbols, added;          // by their bytes
  const int32_t *byId = nullptr;   // indices of `symbols`, by id
  const int32_t *around = nullptr; // the template
  const char *strings = nullptr;
  Symbols::Range continuing = {}; // of `symbols`: those that begin with the prefix
};

} // namespace heddle::runtime
