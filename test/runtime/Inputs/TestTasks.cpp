// A second model written by hand: one entry for each task of one entry, so that their command lines are tested without a compiler.
//
//   sentence(tokens: i32[batch, tokens... <= 16]) -> f32[batch, 2]           the number of tokens, and the sum of the ids
//   forward(tokens: i32[batch, tokens... <= 16]) -> f32[batch, tokens..., 7] after id i the best next one is i + 1; after the last, 6, only NaN
//   labels(pixels: f32[batch, 1, 2, 2]) -> f32[batch, 4]                     the pixels themselves
#include "runtime/heddle_model.h"
#include <cmath>

#include "TestSection.inc"

__asm__(".pushsection .heddle_weights,\"\",@progbits\n.balign 4096\n.incbin \"" SECTION_FILE "\"\n.popsection\n");

namespace {

constexpr int64_t ids = 7, pixelsEach = 4;

void sentence(heddle_context *, void *const *buffers, const int64_t *dimensions) {
  const int32_t *tokens = static_cast<const int32_t *>(buffers[0]);
  const int64_t *offsets = static_cast<const int64_t *>(buffers[2]);
  for (int64_t row = 0; row < dimensions[0]; ++row) {
    int64_t length = offsets[row + 1] - offsets[row], sum = 0;
    for (int64_t t = 0; t < length; ++t)
      sum += tokens[row * dimensions[1] + t];
    static_cast<float *>(buffers[1])[row * 2] = static_cast<float>(length);
    static_cast<float *>(buffers[1])[row * 2 + 1] = static_cast<float>(sum);
  }
}

void forward(heddle_context *, void *const *buffers, const int64_t *dimensions) {
  const int32_t *tokens = static_cast<const int32_t *>(buffers[0]);
  for (int64_t place = 0; place < dimensions[0] * dimensions[1]; ++place)
    for (int64_t id = 0; id < ids; ++id)
      static_cast<float *>(buffers[1])[place * ids + id] = tokens[place] == ids - 1 ? NAN : id == tokens[place] + 1 ? 1.0F : 0.0F;
}

void labels(heddle_context *, void *const *buffers, const int64_t *dimensions) {
  for (int64_t i = 0; i < dimensions[0] * pixelsEach; ++i)
    static_cast<float *>(buffers[1])[i] = static_cast<const float *>(buffers[0])[i];
}

const heddle_term first[] = {{1, {0, -1, -1, -1}}}, second[] = {{1, {1, -1, -1, -1}}};
const heddle_term one[] = {{1, {-1, -1, -1, -1}}}, two[] = {{2, {-1, -1, -1, -1}}}, four[] = {{4, {-1, -1, -1, -1}}};
const heddle_term seven[] = {{7, {-1, -1, -1, -1}}};
const heddle_dimension textDimensions[] = {{"batch", HEDDLE_PLAIN, -1, 0}, {"tokens", HEDDLE_RAGGED, 0, 16}},
                       pictureDimensions[] = {{"batch", HEDDLE_PLAIN, -1, 0}};
const heddle_form idsExtents[] = {{1, first}, {1, second}}, vectorExtents[] = {{1, first}, {1, two}};
const heddle_form scoresExtents[] = {{1, first}, {1, second}, {1, seven}};
const heddle_form pixelsExtents[] = {{1, first}, {1, one}, {1, two}, {1, two}}, labelsExtents[] = {{1, first}, {1, four}};
const heddle_value tokens[] = {{"tokens", HEDDLE_I32, 2, idsExtents, 1, ids, 0, 0}};
const heddle_value pixels[] = {{"pixels", HEDDLE_F32, 4, pixelsExtents, -1, 0, 0, 0}};
const heddle_value vectors[] = {{"result", HEDDLE_F32, 2, vectorExtents, -1, 0, 0, 0}};
const heddle_value scores[] = {{"result", HEDDLE_F32, 3, scoresExtents, 1, 0, 0, 0}};
const heddle_value ofLabels[] = {{"result", HEDDLE_F32, 2, labelsExtents, -1, 0, 0, 0}};

const heddle_entry entries[] = {
    {"sentence", "", 2, textDimensions, 1, tokens, 1, vectors, {0, nullptr}, {0, nullptr}, 0, nullptr},
    {"forward", "", 2, textDimensions, 1, tokens, 1, scores, {0, nullptr}, {0, nullptr}, 0, nullptr},
    {"labels", "", 1, pictureDimensions, 1, pixels, 1, ofLabels, {0, nullptr}, {0, nullptr}, 0, nullptr},
};
const heddle_entry_function functions[] = {sentence, forward, labels};
const heddle_variant variants[] = {{"x86-64-v3", 3, functions, nullptr}};
const heddle_tokenizer tokenizers[] = {{HEDDLE_BOTH, SOURCE_OFFSET, SOURCE_BYTES}};
const heddle_setting ends[] = {{"end", 5}, {"pad", 0}, {"new", 2}}, pads[] = {{"pad", 0}};
const double zero[] = {0}, unit[] = {1}, none[] = {-1};
const heddle_numbers numbers[] = {{"mean", 1, zero}, {"std", 1, unit}, {"rescale", 1, unit}, {"resample", 1, none}};
const char *const names[] = {"plain", "a\tb\n", "\"q\"\\", "\xe2\x80\xae"};
const int64_t taskEntries[] = {0, 1, 2};
const heddle_task tasks[] = {{"embed", 1, taskEntries, 1, pads, 0, nullptr, 0, nullptr, nullptr},
                             {"generate", 1, taskEntries + 1, 3, ends, 0, nullptr, 0, nullptr, nullptr},
                             {"classify", 1, taskEntries + 2, 0, nullptr, 4, numbers, 4, names, heddle_read_picture}};

} // namespace

extern "C" const heddle_model_table heddle_model = {HEDDLE_MODEL_VERSION,
                                                    "tasks-by-hand",
                                                    "",
                                                    "heddle 0.1.0",
                                                    "",
                                                    0,
                                                    SECTION_BYTES,
                                                    3,
                                                    entries,
                                                    1,
                                                    variants,
                                                    0,
                                                    nullptr,
                                                    0,
                                                    nullptr,
                                                    1,
                                                    tokenizers,
                                                    3,
                                                    tasks,
                                                    0,
                                                    nullptr};
