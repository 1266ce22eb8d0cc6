#include "runtime/Split.h"
#include <utf8proc.h>

using namespace heddle::runtime;

static bool matches(const heddle_tokenizer_step &step, int32_t c) {
  switch (step.kind) {
  case HEDDLE_STEP_WHITESPACE:
    return isWhitespace(c);
  case HEDDLE_STEP_PUNCTUATION:
    return isPunctuation(c);
  default:
    return step.argument == HEDDLE_STEP_ANY ? c != '\n' : c == step.argument;
  }
}

bool heddle::runtime::split(const heddle_tokenizer_step &step, const Array<Character> &text, Array<Piece> &pieces) {
  bool isKept = step.kind == HEDDLE_STEP_ISOLATE || step.kind == HEDDLE_STEP_PUNCTUATION;
  Array<Piece> made;
  for (const Piece &piece : pieces) {
    int64_t begin = piece.begin;
    for (int64_t i = piece.begin; i < piece.end; ++i) {
      if (!matches(step, text[i].value))
        continue;
      if (begin < i && !made.push({begin, i}))
        return false;
      if (isKept && !made.push({i, i + 1}))
        return false;
      begin = i + 1;
    }
    if (begin < piece.end && !made.push({begin, piece.end}))
      return false;
  }
  pieces.swap(made);
  return true;
}

/// A letter, mark, digit or connector: \w of regular expressions.
static bool isWordCharacter(int32_t c) {
  switch (utf8proc_category(c)) {
  case UTF8PROC_CATEGORY_LU:
  case UTF8PROC_CATEGORY_LL:
  case UTF8PROC_CATEGORY_LT:
  case UTF8PROC_CATEGORY_LM:
  case UTF8PROC_CATEGORY_LO:
  case UTF8PROC_CATEGORY_MN:
  case UTF8PROC_CATEGORY_MC:
  case UTF8PROC_CATEGORY_ME:
  case UTF8PROC_CATEGORY_ND:
  case UTF8PROC_CATEGORY_NL:
  case UTF8PROC_CATEGORY_PC:
    return true;
  default:
    return c == 0x200c || c == 0x200d; // joiners
  }
}

/// The longest added token at character `at`, and the character behind it.
static const heddle_tokenizer_symbol *findAdded(const Symbols &added, bool normalized, const Array<Character> &text, int64_t at, int64_t &end) {
  const heddle_tokenizer_symbol *found = nullptr;
  Symbols::Range range = added.all();
  for (int64_t i = at; i < text.size() && range.low < range.high; ++i) {
    char bytes[4];
    range = added.narrow(range, utf8Of(text[i].value, bytes));
    if (range.low == range.high)
      break;
    const heddle_tokenizer_symbol &first = added[range.low];
    if (first.length == range.depth && ((first.flags & HEDDLE_ADDED_NORMALIZED) != 0) == normalized)
      found = &first, end = i + 1;
  }
  return found;
}

bool heddle::runtime::splitAtAdded(const Symbols &added, bool normalized, const Array<Character> &text, Array<Piece> &pieces) {
  pieces.clear();
  int64_t begin = 0;
  for (int64_t i = 0; added.size() > 0 && i < text.size();) {
    int64_t end = i;
    const heddle_tokenizer_symbol *token = findAdded(added, normalized, text, i, end);
    if (!token) {
      ++i;
      continue;
    }
    int64_t from = i;
    i = end;
    bool isInWord = (from > 0 && isWordCharacter(text[from - 1].value)) || (end < text.size() && isWordCharacter(text[end].value));
    if ((token->flags & HEDDLE_ADDED_WORD) && isInWord)
      continue;
    while ((token->flags & HEDDLE_ADDED_LEFT) && from > begin && isWhitespace(text[from - 1].value))
      --from;
    while ((token->flags & HEDDLE_ADDED_RIGHT) && end < text.size() && isWhitespace(text[end].value))
      ++end;
    if ((begin < from && !pieces.push({begin, from})) || !pieces.push({from, end, token}))
      return false;
    begin = end;
    i = end > i ? end : i;
  }
  return begin == text.size() || pieces.push({begin, text.size()});
}
