// Text to ids and back, from the bytes that the compiler packed (runtime/tokenizer_format.h).
#pragma once
#include "runtime/Array.h"
#include "runtime/Failure.h"
#include "runtime/Output.h"
#include "runtime/tokenizer_format.h"
#include <string_view>

namespace heddle::runtime {

class Tokenizer {
public:
  /// Checks every offset of the bytes once; they stay where they are and must outlive the tokenizer.
  bool open(const char *bytes, int64_t size, Failure &failure);

  /// Appends the ids of `text` to `ids`. A symbol without id is refused with `what` ("line 3"), its column (characters, from 1) and itself.
  bool encode(std::string_view text, const char *what, Array<int32_t> &ids, Failure &failure) const;

  /// Writes the symbols of `ids`, control characters escaped, as one line without its end; ids for which `isHidden` holds, and ids without a symbol,
  /// are left out.
  template <typename Predicate> void write(const int32_t *ids, int64_t count, Predicate isHidden, Output &out) const {
    bool first = true;
    for (int64_t i = 0; i < count; ++i) {
      std::string_view symbol = symbolOf(ids[i]);
      if (isHidden(ids[i]) || !symbol.data())
        continue;
      if (!first && header->join == HEDDLE_JOIN_BLANK)
        out.write(" ");
      out.escaped(symbol);
      first = false;
    }
  }

  /// The symbol of an id; data() is null where it has none.
  std::string_view symbolOf(int32_t id) const;
  int32_t idOf(std::string_view symbol) const; // -1: none

private:
  const heddle_tokenizer_header *header = nullptr;
  const heddle_tokenizer_step *steps = nullptr;
  const heddle_tokenizer_symbol *symbols = nullptr; // by their bytes
  const int32_t *byId = nullptr;                    // indices of `symbols`, by id
  const char *strings = nullptr;
};

} // namespace heddle::runtime
