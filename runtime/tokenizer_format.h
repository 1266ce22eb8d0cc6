/* The bytes of a tokenizer in an executable: written by compiler/packing/Tokenizer, read (and checked) by runtime/Tokenizer.
 *
 * A header, then tables and strings, at the offsets given from the start of the bytes. Little-endian, every table aligned to 8 bytes. Text is cut at
 * added tokens; what lies between them goes through the steps in order: normalizers change characters, splitters cut pieces; then the model gives
 * ids, and the template puts ids before and behind. A new kind of tokenizer adds kinds of steps and models; a change of what exists is a change of
 * HEDDLE_TOKENIZER_VERSION.
 */
#ifndef HEDDLE_TOKENIZER_FORMAT_H
#define HEDDLE_TOKENIZER_FORMAT_H

#include <stdint.h>

#define HEDDLE_TOKENIZER_MAGIC 0x6b6f7448u /* "Htok" */
#define HEDDLE_TOKENIZER_VERSION 2

/* Kinds of steps: normalizers, then splitters. A splitter cuts each piece of the text so far into smaller ones; empty pieces vanish. */
enum {
  HEDDLE_STEP_NFC = 1,        /* canonical composition */
  HEDDLE_STEP_NFD = 2,        /* canonical decomposition */
  HEDDLE_STEP_LOWERCASE = 3,  /* each character by itself: no final sigma */
  HEDDLE_STEP_STRIP = 4,      /* marks vanish: HEDDLE_STRIP_NONSPACING or HEDDLE_STRIP_ALL */
  HEDDLE_STEP_CLEAN = 5,      /* controls and U+FFFD vanish, white space becomes blanks (BERT) */
  HEDDLE_STEP_IDEOGRAPHS = 6, /* a blank on both sides of each CJK ideograph (BERT) */
  HEDDLE_LAST_NORMALIZER = 6,
  HEDDLE_STEP_WHITESPACE = 16,  /* cut at white space, which is dropped */
  HEDDLE_STEP_ISOLATE = 17,     /* each match is a piece of its own */
  HEDDLE_STEP_REMOVE = 18,      /* cut at matches, which are dropped */
  HEDDLE_STEP_PUNCTUATION = 19, /* each punctuation character is a piece of its own (BERT) */
  HEDDLE_LAST_SPLITTER = 19
};
#define HEDDLE_STEP_ANY (-1) /* `argument` of ISOLATE and REMOVE: every character but the line feed matches */
enum { HEDDLE_STRIP_NONSPACING = 0, HEDDLE_STRIP_ALL = 1 };

enum {
  HEDDLE_MODEL_WORDS = 1,      /* a piece is a symbol */
  HEDDLE_MODEL_CHARACTERS = 2, /* each character of a piece is a symbol */
  HEDDLE_MODEL_WORD_PIECES = 3 /* the longest symbol first; those that continue a piece begin with `prefix` */
};

/* What stands between symbols on output. */
enum {
  HEDDLE_JOIN_NONE = 0,
  HEDDLE_JOIN_BLANK = 1,
  HEDDLE_JOIN_PREFIX = 2, /* a blank, but not before a symbol that begins with `prefix`, which is left out */
  HEDDLE_JOIN_CLEAN = 3   /* the same, and none before . , ! ? and the short forms of English */
};

/* Flags of added tokens. */
enum {
  HEDDLE_ADDED_SPECIAL = 1,    /* not shown on output */
  HEDDLE_ADDED_WORD = 2,       /* only where no letter or digit stands beside it */
  HEDDLE_ADDED_LEFT = 4,       /* takes the white space before it */
  HEDDLE_ADDED_RIGHT = 8,      /* and behind it */
  HEDDLE_ADDED_NORMALIZED = 16 /* looked for in the normalized text */
};

typedef struct {
  uint32_t magic;
  uint32_t version;
  int64_t bytes; /* all of it */
  int32_t model;
  int32_t join;
  int32_t unknown;       /* id of what has no symbol; -1: such text is refused */
  int32_t merge_unknown; /* 1: neighbouring unknown symbols of a piece become one */
  int32_t prefix_length; /* of strings, from their start: what continues a piece */
  int32_t most;          /* characters of a piece, of word pieces; a longer one is unknown */
  int64_t step_count;
  int64_t steps; /* offset of heddle_tokenizer_step[step_count] */
  int64_t symbol_count;
  int64_t symbols; /* offset of heddle_tokenizer_symbol[symbol_count], ascending by bytes, no two equal */
  int64_t by_id;   /* offset of int32_t[symbol_count]: indices of symbols, ascending by id, no id twice */
  int64_t added_count;
  int64_t added; /* offset of heddle_tokenizer_symbol[added_count], ascending by bytes, no two equal, none empty */
  int64_t template_count;
  int64_t template_ids; /* offset of int32_t[template_count]: ids, and one -1 for those of the text */
  int64_t strings;      /* offset */
  int64_t string_bytes;
} heddle_tokenizer_header;

typedef struct {
  int32_t kind;
  int32_t argument; /* of ISOLATE and REMOVE: a code point or HEDDLE_STEP_ANY */
} heddle_tokenizer_step;

typedef struct {
  uint32_t string; /* offset in the strings */
  uint32_t length;
  int32_t id;
  int32_t flags; /* of added tokens; else 0 */
} heddle_tokenizer_symbol;

#endif
