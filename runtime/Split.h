// Pieces of a text: the splitters of a tokenizer, and the added tokens that stand in it.
#pragma once
#include "runtime/Normalize.h"
#include "runtime/Symbols.h"

namespace heddle::runtime {

/// Characters [begin, end) of the text; the added token that they are, or null.
struct Piece {
  int64_t begin, end;
  const heddle_tokenizer_symbol *added = nullptr;
};

/// Replaces `pieces`, none of them an added token, by the smaller ones that `step`, a splitter, makes of them. False: out of memory.
bool split(const heddle_tokenizer_step &step, const Array<Character> &text, Array<Piece> &pieces);

/// Cuts all of `text` at those added tokens that are looked for in normalized text, or those that are not: from the left, of several at a place the
/// longest. Linear in the text. False: out of memory.
bool splitAtAdded(const Symbols &added, bool normalized, const Array<Character> &text, Array<Piece> &pieces);

} // namespace heddle::runtime
