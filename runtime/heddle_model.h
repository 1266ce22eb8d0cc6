/* The table `heddle_model`: everything an executable knows about itself.
 *
 * compiler/native emits one constant of type heddle_model per executable; the runtime, `--info` and the self-test read only this table. Every field
 * is a 64-bit integer, a double or a pointer, so the layout has no padding and is the same for the compiler that writes it and the C++ that reads it.
 * Strings are UTF-8, NUL-terminated, never null. Bytes (weights, tokenizers) lie in the section `.heddle_weights`, which no segment loads: the
 * runtime maps it from the file itself. A change of any field is a change of HEDDLE_MODEL_VERSION.
 */
#ifndef HEDDLE_MODEL_H
#define HEDDLE_MODEL_H

#include <stdint.h>

#define HEDDLE_MODEL_VERSION 4
#define HEDDLE_SECTION ".heddle_weights"

#ifdef __cplusplus
extern "C" {
#endif

/* One run-time context: the mapped section, the arena and the thread pool (runtime/Context.h). Compiled code only hands it on. */
typedef struct heddle_context heddle_context;

/* A parallel region: tasks [begin, end) of the captured values. */
typedef void (*heddle_region)(void *captured, int64_t begin, int64_t end);

/* Runs tasks 0 .. count-1 on the pool and returns when all are done. The one symbol of the runtime that kernels call. */
void heddle_parallel(heddle_context *context, heddle_region region, void *captured, int64_t count);

/* An entry says before each call of a kernel which of heddle_entry.calls it is, so that a profile can tell their times apart. Where nobody listens it
 * costs a call and a test, a nanosecond. */
void heddle_mark(heddle_context *context, int64_t call);

/* An entry. `buffers`: arguments, then results, in the order of the table, each contiguous in row-major order at the extents given (bool: one byte, 0
 * or 1); then for each ragged dimension, in the order of `dimensions`, its offsets (int64 [batch + 1], offsets[0] = 0, offsets[i+1] - offsets[i] =
 * length of row i) and its starts (int64 [batch]); then the base of the mapped section; then the arena (64-byte aligned, heddle_entry.arena bytes).
 * `dimensions`: the value of each of heddle_entry.dimensions. */
typedef void (*heddle_entry_function)(heddle_context *context, void *const *buffers, const int64_t *dimensions);

enum { HEDDLE_F32 = 0, HEDDLE_I32 = 1, HEDDLE_BOOL = 2 };
enum { HEDDLE_CONSTANT = 0, HEDDLE_PARAMETER = 1 };             /* storage classes of weights */
enum { HEDDLE_BOTH = 0, HEDDLE_SOURCE = 1, HEDDLE_TARGET = 2 }; /* sides of tokenizers */

/* coefficient * product of the dimensions with these indices; unused places hold -1. */
typedef struct {
  int64_t coefficient;
  int64_t dimensions[4];
} heddle_term;

/* A sum of terms over an entry's dimensions: the extent of an axis, the bytes of an arena. */
typedef struct {
  int64_t count;
  const heddle_term *terms;
} heddle_form;

enum { HEDDLE_PLAIN = 0, HEDDLE_RAGGED = 1, HEDDLE_TOKENS = 2 };

typedef struct {
  const char *name;
  int64_t kind;  /* HEDDLE_PLAIN: inferred from the arrays. HEDDLE_RAGGED: the padded width, inferred from the arrays; has lengths and starts.
                    HEDDLE_TOKENS: the sum of the lengths of the ragged dimension `of`. */
  int64_t of;    /* HEDDLE_TOKENS: index of the ragged dimension. HEDDLE_RAGGED: index of the batch dimension its lengths run over. Else -1. */
  int64_t bound; /* HEDDLE_RAGGED: start + length may not exceed it; 0: no bound. */
} heddle_dimension;

typedef struct {
  const char *name;
  int64_t element; /* HEDDLE_F32 ... */
  int64_t rank;
  const heddle_form *extents; /* [rank] */
  int64_t ragged;             /* index of the argument's or result's first ragged dimension, or -1 */
  int64_t id_bound;           /* i32 arguments that index a table: ids are 0 .. id_bound-1; 0: no bound */
  int64_t has_default;        /* an argument that may be left out: the runtime fills the array with default_value */
  double default_value;
} heddle_value;

/* What a call of a kernel cannot do without. Products and attention count two operations for each multiplication with its addition; all else counts
 * none. */
typedef struct {
  heddle_form flops;
  heddle_form bytes;  /* read and written, each once; of a table that is looked up, the rows found */
  int64_t pair_flops; /* attention between ragged dimensions: for each pair of a query and a key that it sees; 0: no such attention */
  int64_t queries;    /* their ragged dimensions, */
  int64_t keys;
  int64_t left;  /* and the pairs that are seen, in positions: query - key < left */
  int64_t right; /* and key - query < right */
} heddle_work;

/* One call of a kernel by its entry. Layers call the same kernels. */
typedef struct {
  int64_t kernel;    /* index of heddle_model_table.kernels */
  const char *place; /* file:line:column in the model text of this call */
  const heddle_work *work;
} heddle_call;

typedef struct {
  const char *name;
  const char *documentation;
  int64_t dimension_count;
  const heddle_dimension *dimensions;
  int64_t argument_count;
  const heddle_value *arguments;
  int64_t result_count;
  const heddle_value *results;
  heddle_form arena; /* bytes */
  heddle_form bytes; /* of arguments, results and weights, each once */
  int64_t call_count;
  const heddle_call *calls; /* in order */
} heddle_entry;

typedef struct {
  const char *name;
  const char *place; /* file:line:column in the model text of the first use */
} heddle_kernel;

typedef struct {
  const char *cpu;                      /* "x86-64-v3" */
  int64_t level;                        /* 3, 4: the least x86-64 level that runs it */
  const heddle_entry_function *entries; /* as heddle_model_table.entries */
  const void *const *kernels;           /* [kernel_count]: addresses of the kernels of this variant */
} heddle_variant;

typedef struct {
  const char *name;
  const char *recipe; /* the text of its recipe attribute */
  int64_t element;
  int64_t storage;   /* HEDDLE_CONSTANT ... */
  int64_t cpu_class; /* 0: the bytes serve every CPU */
  int64_t offset;    /* in the section, a multiple of 64 */
  int64_t bytes;
} heddle_weight;

/* A tokenizer's bytes, in the layout of runtime/tokenizer_format.h. */
typedef struct {
  int64_t side;
  int64_t offset;
  int64_t bytes;
} heddle_tokenizer;

typedef struct {
  const char *name;
  int64_t value;
} heddle_setting;

typedef struct {
  const char *name;
  int64_t count;
  const double *values;
} heddle_numbers;

/* The file of a picture -> pixels. `form` and `failure` are the runtime's own (runtime/Image.h, Failure.h); 0: it cannot. The table names it where a
 * task takes pictures, so that no other executable carries their decoders. */
typedef int64_t (*heddle_picture_reader)(const char *path, const void *form, float *pixels, void *failure);
int64_t heddle_read_picture(const char *path, const void *form, float *pixels, void *failure);

/* What an executable does with texts and pictures, beside its entries. Settings are start, end (as often as there are), pad, limit (ids of a text)
 * and new (ids that are made, unless the user says how many).
 *   "translate": encode, decode. "generate": forward. "embed": sentence.
 *   "classify": forward; the names of its scores, if they have any; and of pictures mean and std (a number a channel), rescale and
 *   resample (-1: pictures of another size are refused). */
typedef struct {
  const char *kind;
  int64_t entry_count;
  const int64_t *entries;
  int64_t setting_count;
  const heddle_setting *settings;
  int64_t number_count;
  const heddle_numbers *numbers;
  int64_t label_count;
  const char *const *labels;
  heddle_picture_reader read_picture; /* heddle_read_picture, or null */
} heddle_task;

/* A call of an entry whose results the float64 interpreter computed when the executable was built: an entry of the text, or one that calls one
 * kernel, whose name is HEDDLE_CHECK_PREFIX and the kernel's. Arguments without a default are seeded (runtime/seeded.h), 0 beyond the lengths of
 * rows; there results of kernels are not looked at. In the section stand the elements of the results that are kept, of each result at a multiple of
 * 64 bytes. Row b of a ragged dimension has as many elements as its width less 2 b, but one at least, from position 0. */
#define HEDDLE_CHECK_PREFIX "check."
typedef struct {
  int64_t entry;
  const char *unchecked; /* why nothing is stored, or empty */
  int64_t dimension_count;
  const int64_t *dimensions; /* of the entry's; those that count tokens are not looked at */
  int64_t seeds;             /* HEDDLE_AROUND_ZERO ... (runtime/seeded.h) */
  int64_t offset;
  int64_t bytes;
} heddle_check;

typedef struct {
  int64_t version;
  const char *name;
  const char *documentation;
  const char *compiler;  /* "heddle 0.1.0" */
  const char *built;     /* what else it depends on: "weights seed:1, --set hidden_size=64, --no-fuse=softmax"; may be empty */
  int64_t parameters;    /* elements of the tensors that the model reads */
  int64_t section_bytes; /* the last eight are the checksum of those before (runtime/checksum.h) */
  int64_t entry_count;
  const heddle_entry *entries; /* those of the text; behind them, not counted, those that only checks call */
  int64_t variant_count;       /* ascending level */
  const heddle_variant *variants;
  int64_t kernel_count;
  const heddle_kernel *kernels;
  int64_t weight_count;
  const heddle_weight *weights;
  int64_t tokenizer_count;
  const heddle_tokenizer *tokenizers;
  int64_t task_count;
  const heddle_task *tasks;
  int64_t check_count;
  const heddle_check *checks;
} heddle_model_table;

extern const heddle_model_table heddle_model;

#ifdef __cplusplus
}
#endif
#endif
