// Which tokenizer serves which text of an executable, and which ids are padding.
#pragma once
#include "runtime/Context.h"
#include "runtime/Tokenizer.h"

namespace heddle::runtime {

/// The setting of a task by name, or `otherwise`.
int64_t settingOf(const heddle_task &task, const char *name, int64_t otherwise);

/// Whether a text of the task ends with this id.
bool isEnd(const heddle_task &task, int64_t id);

/// The executable's task of that kind, or null.
const heddle_task *findTask(const heddle_model_table &model, const char *kind);

/// Opens the tokenizer for `side` (HEDDLE_SOURCE or HEDDLE_TARGET): the one of that side, else the one for both.
bool openTokenizer(const heddle_context &context, int64_t side, Tokenizer &tokenizer, Failure &failure);

/// The side that argument `name` of an entry is on: that of the target if it is named like the target of the task that translates.
int64_t sideOf(const heddle_model_table &model, const char *name);

/// The id of padding, -1: none is known. One that ends texts too is no padding: it says something.
int64_t paddingId(const heddle_model_table &model);

/// Appends the ids of a text, without the padding that is written at its end: neither what the tokenizer puts there itself nor a word without an id.
bool encodeRow(const Tokenizer &tokenizer, std::string_view text, const char *what, int64_t padding, Array<int32_t> &ids, Failure &failure);

} // namespace heddle::runtime
