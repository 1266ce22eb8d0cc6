#include "runtime/Symbols.h"

using namespace heddle::runtime;

const heddle_tokenizer_symbol *Symbols::find(std::string_view symbol) const {
  int64_t low = 0, high = count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    int order = symbol.compare(text(middle));
    if (order == 0)
      return items + middle;
    (order < 0 ? high : low) = order < 0 ? middle : middle + 1;
  }
  return nullptr;
}

int64_t Symbols::firstWith(Range range, int byte) const {
  while (range.low < range.high) {
    int64_t middle = range.low + (range.high - range.low) / 2;
    const heddle_tokenizer_symbol &symbol = items[middle]; // the shortest one ends here and comes before all others
    int here = symbol.length > range.depth ? static_cast<unsigned char>(strings[symbol.string + range.depth]) : -1;
    (here < byte ? range.low : range.high) = here < byte ? middle + 1 : middle;
  }
  return range.low;
}

Symbols::Range Symbols::narrow(Range range, std::string_view bytes) const {
  for (char c : bytes) {
    int byte = static_cast<unsigned char>(c);
    int64_t low = firstWith(range, byte);
    range = {low, firstWith({low, range.high, range.depth}, byte + 1), range.depth + 1};
    if (range.low == range.high)
      break;
  }
  return range;
}

const heddle_tokenizer_symbol *Symbols::longest(Range range, std::string_view text) const {
  const heddle_tokenizer_symbol *found = nullptr;
  for (char c : text) {
    range = narrow(range, {&c, 1});
    if (range.low == range.high)
      break;
    if (items[range.low].length == range.depth)
      found = items + range.low;
  }
  return found;
}
