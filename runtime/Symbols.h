// A tokenizer's table of symbols, ascending by bytes: looked up whole, or byte by byte for the longest that a text begins with.
#pragma once
#include "runtime/tokenizer_format.h"
#include <string_view>

namespace heddle::runtime {

class Symbols {
public:
  Symbols() = default;
  Symbols(const heddle_tokenizer_symbol *items, int64_t count, const char *strings) : items(items), count(count), strings(strings) {}

  int64_t size() const { return count; }
  std::string_view text(int64_t i) const { return {strings + items[i].string, items[i].length}; }
  const heddle_tokenizer_symbol &operator[](int64_t i) const { return items[i]; }
  const heddle_tokenizer_symbol *find(std::string_view symbol) const; // null: none

  /// The symbols that begin with some bytes.
  struct Range {
    int64_t low, high;
    size_t depth; // how many bytes
  };
  Range all() const { return {0, count, 0}; }
  /// Those of `range` that go on with `bytes`; low == high where there are none.
  Range narrow(Range range, std::string_view bytes) const;
  /// The longest symbol of `range` whose further bytes begin `text`; null: none, or none with further bytes.
  const heddle_tokenizer_symbol *longest(Range range, std::string_view text) const;

private:
  /// The first of [low, high) whose byte at `depth` is at least `byte`.
  int64_t firstWith(Range range, int byte) const;

  const heddle_tokenizer_symbol *items = nullptr;
  int64_t count = 0;
  const char *strings = nullptr;
};

} // namespace heddle::runtime
