// Characters of a text with the columns they came from, and the normalizers that change them. Unicode's tables are those of utf8proc.
#pragma once
#include "runtime/Array.h"
#include "runtime/Failure.h"
#include <cstdint>
#include <string_view>

namespace heddle::runtime {

struct Character {
  int32_t value;  // code point
  int32_t column; // in the original text, from 1
};

/// Splits `text` into characters; broken UTF-8 is refused with `what` and its column.
bool decodeText(std::string_view text, const char *what, Array<Character> &characters, Failure &failure);

/// Canonical composition (NFC). Linear in the text, whatever marks it piles up.
bool normalizeNfc(Array<Character> &characters, Failure &failure);

/// Canonical decomposition (NFD). Linear too.
bool normalizeNfd(Array<Character> &characters, Failure &failure);

/// Nonspacing marks vanish; with `all`, spacing and enclosing ones too.
void stripMarks(Array<Character> &characters, bool all);

/// BERT's: controls, private characters and U+FFFD vanish; tabs, line ends and all white space become blanks.
void clean(Array<Character> &characters);

/// BERT's: a blank on both sides of each CJK ideograph.
bool spaceIdeographs(Array<Character> &characters, Failure &failure);

/// Lower case, each character by itself: no final sigma; U+0130 becomes i and a dot above.
bool lowercase(Array<Character> &characters, Failure &failure);

/// Unicode's White_Space.
bool isWhitespace(int32_t character);

/// Punctuation by Unicode's categories, and all of ASCII that is no letter, digit, control or blank.
bool isPunctuation(int32_t character);

/// The bytes of a character, in `bytes`.
std::string_view utf8Of(int32_t character, char (&bytes)[4]);

} // namespace heddle::runtime
