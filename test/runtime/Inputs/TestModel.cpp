// A model written by hand, so that the runtime is tested without a compiler: a table as the compiler emits it and C++ functions in place of kernels.
//
//   encode(source: i32[batch, source... <= 16]) -> f32[batch, source..., 4]
//       element c of a token is (the weight of its id, c) + position: shows weights from the section, starts and the pool
//   decode(target: i32[batch, target... <= 12], memory: f32[batch, source..., 4]) -> f32[batch, target..., 8]
//       after t ids the best next one is the source's id number t (the end where the source is over; the source's id 6 repeats for ever)
//   scale(x: f32[rows, 2 * half], factor: f32 = 2, keep: bool = true, shift: i32 = 0) -> (scaled: f32[rows, 2 * half], positive: bool[rows, 2 *
//   half]) squares(tokens: i32[batch, tokens...], signs: i32[batch, tokens...] = 1) -> f32[batch, tokens..., tokens...]
#include "runtime/heddle_model.h"
#include <cstring>

#ifndef TOKENIZERS
#define TOKENIZERS 1 // 0: a model whose tokenizers are of kinds that are not built
#endif
#include "TestSection.inc" // SOURCE_OFFSET, SOURCE_BYTES, TARGET_OFFSET, TARGET_BYTES, SECTION_BYTES, SECTION_FILE

__asm__(".pushsection .heddle_weights,\"\",@progbits\n.balign 4096\n.incbin \"" SECTION_FILE "\"\n.popsection\n");

namespace {

constexpr int64_t sourceIds = 7, targetIds = 8, width = 4, endId = 2, forEverId = 6;

// What an entry's function finds, in the order that heddle_model.h states.
struct Rows {
  const int64_t *offsets, *starts;
};
Rows rows(void *const *buffers, int first) {
  return {static_cast<const int64_t *>(buffers[first]), static_cast<const int64_t *>(buffers[first + 1])};
}

struct EncodeRegion {
  const int32_t *source;
  float *result;
  Rows rows;
  const float *weights; // [sourceIds, width]
  int64_t columns;
};

void encodeTasks(void *captured, int64_t begin, int64_t end) {
  const EncodeRegion &r = *static_cast<EncodeRegion *>(captured);
  for (int64_t task = begin; task < end; ++task) { // one a token slot
    int64_t row = task / r.columns, column = task % r.columns;
    bool isReal = column < r.rows.offsets[row + 1] - r.rows.offsets[row];
    for (int64_t c = 0; c < width; ++c)
      r.result[task * width + c] = isReal ? r.weights[r.source[task] * width + c] + static_cast<float>(r.rows.starts[row] + column) : 0;
  }
}

void encode(heddle_context *context, void *const *buffers, const int64_t *dimensions) {
  std::memset(buffers[5], 0xff, static_cast<size_t>(dimensions[2] * 16 + 64)); // the arena: its size is part of what is tested
  EncodeRegion region = {static_cast<const int32_t *>(buffers[0]), static_cast<float *>(buffers[1]), rows(buffers, 2),
                         static_cast<const float *>(buffers[4]), dimensions[1]};
  heddle_mark(context, 0);
  heddle_parallel(context, encodeTasks, &region, dimensions[0] * dimensions[1]);
  heddle_mark(context, 1); // the same kernel at the same place, as another layer has it
  heddle_parallel(context, encodeTasks, &region, dimensions[0] * dimensions[1]);
  heddle_mark(context, 2);
}

void decode(heddle_context *, void *const *buffers, const int64_t *dimensions) {
  const float *memory = static_cast<const float *>(buffers[1]);
  float *result = static_cast<float *>(buffers[2]);
  Rows target = rows(buffers, 3), source = rows(buffers, 5);
  std::memset(buffers[8], 0xff, static_cast<size_t>(dimensions[3] * 8));
  for (int64_t row = 0; row < dimensions[0]; ++row)
    for (int64_t t = 0; t < dimensions[1]; ++t) {
      float *logits = result + (row * dimensions[1] + t) * targetIds;
      std::memset(logits, 0, targetIds * sizeof *logits);
      if (t >= target.offsets[row + 1] - target.offsets[row])
        continue;
      int64_t length = source.offsets[row + 1] - source.offsets[row], at = t < length ? t : length - 1;
      // Weight c = 0 of id i is i, plus the position: see TestWeights.
      double id = static_cast<double>(memory[(row * dimensions[2] + at) * width]) - static_cast<double>(source.starts[row] + at);
      double next = t < length || id == forEverId ? id + 1 : endId;
      for (int64_t i = 0; i < targetIds; ++i)
        logits[i] = static_cast<double>(i) == next ? 5.0F : -1.0F - static_cast<float>(i);
    }
}

void scale(heddle_context *, void *const *buffers, const int64_t *dimensions) {
  const float *x = static_cast<const float *>(buffers[0]);
  float factor = *static_cast<const float *>(buffers[1]);
  bool keep = *static_cast<const char *>(buffers[2]);
  float shift = static_cast<float>(*static_cast<const int32_t *>(buffers[3]));
  for (int64_t i = 0; i < dimensions[0] * dimensions[1] * 2; ++i) {
    float value = keep ? x[i] * factor + shift : 0;
    static_cast<float *>(buffers[4])[i] = value;
    static_cast<char *>(buffers[5])[i] = value > 0;
  }
}

void squares(heddle_context *, void *const *buffers, const int64_t *dimensions) {
  const int32_t *tokens = static_cast<const int32_t *>(buffers[0]), *signs = static_cast<const int32_t *>(buffers[1]);
  Rows lengths = rows(buffers, 3);
  for (int64_t b = 0; b < dimensions[0]; ++b)
    for (int64_t i = 0; i < dimensions[1]; ++i)
      for (int64_t j = 0; j < dimensions[1]; ++j) {
        int64_t length = lengths.offsets[b + 1] - lengths.offsets[b];
        bool isReal = i < length && j < length;
        int64_t first = b * dimensions[1] + i, second = b * dimensions[1] + j;
        float product = static_cast<float>(signs[first]) * static_cast<float>(tokens[first]) * static_cast<float>(tokens[second]);
        static_cast<float *>(buffers[2])[first * dimensions[1] + j] = isReal ? product : 0;
      }
}

const heddle_term one[] = {{1, {0, -1, -1, -1}}}, two[] = {{1, {1, -1, -1, -1}}}, third[] = {{1, {2, -1, -1, -1}}};
const heddle_term four[] = {{4, {-1, -1, -1, -1}}}, eight[] = {{8, {-1, -1, -1, -1}}}, twice[] = {{2, {1, -1, -1, -1}}};
const heddle_term encodeArena[] = {{16, {2, -1, -1, -1}}, {64, {-1, -1, -1, -1}}}, decodeArena[] = {{8, {3, -1, -1, -1}}};

const heddle_dimension encodeDimensions[] = {{"batch", HEDDLE_PLAIN, -1, 0}, {"source", HEDDLE_RAGGED, 0, 16}, {"tokens", HEDDLE_TOKENS, 1, 0}};
const heddle_form idsExtents[] = {{1, one}, {1, two}}, encodeExtents[] = {{1, one}, {1, two}, {1, four}};
const heddle_value encodeArguments[] = {{"source", HEDDLE_I32, 2, idsExtents, 1, sourceIds, 0, 0}};
const heddle_value encodeResults[] = {{"result", HEDDLE_F32, 3, encodeExtents, 1, 0, 0, 0}};

const heddle_dimension decodeDimensions[] = {
    {"batch", HEDDLE_PLAIN, -1, 0}, {"target", HEDDLE_RAGGED, 0, 12}, {"source", HEDDLE_RAGGED, 0, 16}, {"tokens", HEDDLE_TOKENS, 1, 0}};
const heddle_form memoryExtents[] = {{1, one}, {1, third}, {1, four}}, decodeExtents[] = {{1, one}, {1, two}, {1, eight}};
const heddle_value decodeArguments[] = {{"target", HEDDLE_I32, 2, idsExtents, 1, targetIds, 0, 0},
                                        {"memory", HEDDLE_F32, 3, memoryExtents, 2, 0, 0, 0}};
const heddle_value decodeResults[] = {{"result", HEDDLE_F32, 3, decodeExtents, 1, 0, 0, 0}};

const heddle_dimension scaleDimensions[] = {{"rows", HEDDLE_PLAIN, -1, 0}, {"half", HEDDLE_PLAIN, -1, 0}};
const heddle_form scaleExtents[] = {{1, one}, {1, twice}};
const heddle_value scaleArguments[] = {{"x", HEDDLE_F32, 2, scaleExtents, -1, 0, 0, 0},
                                       {"factor", HEDDLE_F32, 0, nullptr, -1, 0, 1, 2},
                                       {"keep", HEDDLE_BOOL, 0, nullptr, -1, 0, 1, 1},
                                       {"shift", HEDDLE_I32, 0, nullptr, -1, 0, 1, 0}};
const heddle_value scaleResults[] = {{"scaled", HEDDLE_F32, 2, scaleExtents, -1, 0, 0, 0}, {"positive", HEDDLE_BOOL, 2, scaleExtents, -1, 0, 0, 0}};

const heddle_dimension squaresDimensions[] = {{"batch", HEDDLE_PLAIN, -1, 0}, {"tokens", HEDDLE_RAGGED, 0, 0}};
const heddle_form squaresExtents[] = {{1, one}, {1, two}, {1, two}};
const heddle_value squaresArguments[] = {{"tokens", HEDDLE_I32, 2, idsExtents, 1, 0, 0, 0}, {"signs", HEDDLE_I32, 2, idsExtents, 1, 0, 1, 1}};
const heddle_value squaresResults[] = {{"result", HEDDLE_F32, 3, squaresExtents, 1, 0, 0, 0}};

const heddle_kernel kernels[] = {{"encode.rows.0", "by-hand.heddle:3:5"}, {"encode.attention.1", "by-hand.heddle:9:7"}};
const heddle_term tokensTwice[] = {{2, {2, -1, -1, -1}}}, tokensFour[] = {{4, {2, -1, -1, -1}}};
const heddle_work rowWork[] = {{{1, tokensTwice}, {1, tokensFour}, 0, -1, -1, 0, 0}};
const heddle_work pairWork[] = {{{0, nullptr}, {1, tokensFour}, 10, 1, 1, 2, 1}}; // a query sees itself and the token before
const heddle_call encodeCalls[] = {{0, "by-hand.heddle:3:5", rowWork}, {0, "by-hand.heddle:3:5", rowWork}, {1, "by-hand.heddle:9:7", pairWork}};

const heddle_entry entries[] = {
    {"encode", "What the source says.", 3, encodeDimensions, 1, encodeArguments, 1, encodeResults, {2, encodeArena}, {1, tokensFour}, 3, encodeCalls},
    {"decode", "", 4, decodeDimensions, 2, decodeArguments, 1, decodeResults, {1, decodeArena}, {0, nullptr}, 0, nullptr},
    {"scale", "x * factor + shift,\nand its signs.", 2, scaleDimensions, 4, scaleArguments, 2, scaleResults, {0, nullptr}, {0, nullptr}, 0, nullptr},
    {"squares", "", 2, squaresDimensions, 2, squaresArguments, 1, squaresResults, {0, nullptr}, {0, nullptr}, 0, nullptr},
};
const heddle_entry_function functions[] = {encode, decode, scale, squares};
// A level that no CPU has: what HEDDLE_CPU says about it is tested everywhere.
const heddle_variant variants[] = {{"x86-64-v3", 3, functions, nullptr}, {"x86-64-v9", 9, functions, nullptr}};
const heddle_weight weights[] = {{"words", "tensor(\"words\")", HEDDLE_F32, HEDDLE_CONSTANT, 0, 0, sourceIds * width * 4}};
const heddle_tokenizer tokenizers[] = {{HEDDLE_SOURCE, SOURCE_OFFSET, TOKENIZERS ? SOURCE_BYTES : 0},
                                       {HEDDLE_TARGET, TARGET_OFFSET, TOKENIZERS ? TARGET_BYTES : 0}};
const heddle_setting settings[] = {{"start", 1}, {"end", endId}, {"pad", 0}, {"limit", 10}};
const int64_t taskEntries[] = {0, 1};
const heddle_task tasks[] = {{"translate", 2, taskEntries, 4, settings, 0, nullptr, 0, nullptr, nullptr}};

} // namespace

extern "C" const heddle_model_table heddle_model = {HEDDLE_MODEL_VERSION,
                                                    "by-hand",
                                                    "A model for tests.",
                                                    "heddle 0.1.0",
                                                    "weights by hand",
                                                    28,
                                                    SECTION_BYTES,
                                                    4,
                                                    entries,
                                                    2,
                                                    variants,
                                                    2,
                                                    kernels,
                                                    1,
                                                    weights,
                                                    2,
                                                    tokenizers,
                                                    1,
                                                    tasks,
                                                    0,
                                                    nullptr};
