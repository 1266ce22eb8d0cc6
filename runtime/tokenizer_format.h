/* The bytes of a tokenizer in an executable: written by compiler/packing/Tokenizer, read (and checked) by runtime/Tokenizer.
 *
 * A header, then steps, symbols, the order by id and the strings, at the offsets given from the start of the bytes. Little-endian, every table
 * aligned to 8 bytes. Text goes through the steps in order: normalizers change characters, splitters cut pieces; then the model gives ids. A new kind
 * of tokenizer adds kinds of steps and models; a change of what exists is a change of HEDDLE_TOKENIZER_VERSION.
 */
#ifndef HEDDLE_TOKENIZER_FORMAT_H
#define HEDDLE_TOKENIZER_FORMAT_H

#include <stdint.h>

#define HEDDLE_TOKENIZER_MAGIC 0x6b6f7448u /* "Htok" */
#define HEDDLE_TOKENIZER_VERSION 1

/* Kinds of steps. A splitter cuts each piece of the text so far into smaller ones; empty pieces vanish. */
enum {
  HEDDLE_STEP_NFC = 1,        /* canonical composition */
  HEDDLE_STEP_LOWERCASE = 2,  /* each character by itself: no final sigma */
  HEDDLE_STEP_WHITESPACE = 3, /* cut at white space, which is dropped */
  HEDDLE_STEP_ISOLATE = 4,    /* each match is a piece of its own */
  HEDDLE_STEP_REMOVE = 5      /* cut at matches, which are dropped */
};
#define HEDDLE_STEP_ANY (-1) /* `character`: every character but the line feed matches */

enum {
  HEDDLE_MODEL_WORDS = 1,     /* a piece is a symbol */
  HEDDLE_MODEL_CHARACTERS = 2 /* each character of a piece is a symbol */
};

enum { HEDDLE_JOIN_NONE = 0, HEDDLE_JOIN_BLANK = 1 };

typedef struct {
  uint32_t magic;
  uint32_t version;
  int64_t bytes; /* all of it */
  int32_t model;
  int32_t join;          /* what stands between symbols on output */
  int32_t unknown;       /* id of what has no symbol; -1: such text is refused */
  int32_t merge_unknown; /* 1: neighbouring unknown symbols of a piece become one */
  int64_t step_count;
  int64_t steps; /* offset of heddle_tokenizer_step[step_count] */
  int64_t symbol_count;
  int64_t symbols; /* offset of heddle_tokenizer_symbol[symbol_count], ascending by bytes, no two equal */
  int64_t by_id;   /* offset of int32_t[symbol_count]: indices of symbols, ascending by id, no id twice */
  int64_t strings; /* offset */
  int64_t string_bytes;
} heddle_tokenizer_header;

typedef struct {
  int32_t kind;
  int32_t character; /* of ISOLATE and REMOVE: a code point or HEDDLE_STEP_ANY */
} heddle_tokenizer_step;

typedef struct {
  uint32_t string; /* offset in the strings */
  uint32_t length;
  int32_t id;
  int32_t reserved; /* 0 */
} heddle_tokenizer_symbol;

#endif
