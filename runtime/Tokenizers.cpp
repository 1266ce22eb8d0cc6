#include "runtime/Tokenizers.h"
#include <cstring>

using namespace heddle::runtime;

int64_t heddle::runtime::settingOf(const heddle_task &task, const char *name, int64_t otherwise) {
  for (int64_t i = 0; i < task.setting_count; ++i)
    if (std::strcmp(task.settings[i].name, name) == 0)
      return task.settings[i].value;
  return otherwise;
}

bool heddle::runtime::isEnd(const heddle_task &task, int64_t id) {
  for (int64_t i = 0; i < task.setting_count; ++i)
    if (task.settings[i].value == id && std::strcmp(task.settings[i].name, "end") == 0)
      return true;
  return false;
}

const heddle_task *heddle::runtime::findTask(const heddle_model_table &model, const char *kind) {
  for (int64_t i = 0; i < model.task_count; ++i)
    if (std::strcmp(model.tasks[i].kind, kind) == 0)
      return &model.tasks[i];
  return nullptr;
}

bool heddle::runtime::openTokenizer(const heddle_context &context, int64_t side, Tokenizer &tokenizer, Failure &failure) {
  const heddle_tokenizer *found = nullptr;
  for (int64_t i = 0; i < context.model->tokenizer_count; ++i) {
    const heddle_tokenizer &candidate = context.model->tokenizers[i];
    if (candidate.bytes == 0)
      continue; // of a kind that is not built yet
    if (candidate.side == side || (candidate.side == HEDDLE_BOTH && !found))
      found = &candidate;
  }
  if (!found)
    return failure.contents("this executable has no tokenizer for its %s: text is not understood, 'run' with ids (--in) works",
                            side == HEDDLE_TARGET ? "target" : "source");
  return tokenizer.open(context.section.data() + found->offset, found->bytes, failure);
}

int64_t heddle::runtime::sideOf(const heddle_model_table &model, const char *name) {
  const heddle_task *task = findTask(model, "translate");
  if (!task || task->entry_count < 2)
    return HEDDLE_SOURCE;
  const heddle_entry &decode = model.entries[task->entries[1]];
  return decode.argument_count > 0 && std::strcmp(decode.arguments[0].name, name) == 0 ? HEDDLE_TARGET : HEDDLE_SOURCE;
}

int64_t heddle::runtime::paddingId(const heddle_model_table &model) {
  for (int64_t i = 0; i < model.task_count; ++i)
    if (int64_t id = settingOf(model.tasks[i], "pad", -1); id >= 0 && !isEnd(model.tasks[i], id))
      return id;
  return -1;
}

bool heddle::runtime::encodeRow(const Tokenizer &tokenizer, std::string_view text, const char *what, int64_t padding, Array<int32_t> &ids,
                                Failure &failure) {
  int64_t before = ids.size();
  if (!tokenizer.encode(text, what, ids, failure))
    return false;
  if (padding < 0 || padding == tokenizer.unknown() || tokenizer.closing() > 0)
    return true;
  while (ids.size() > before && ids.back() == padding)
    ids.pop();
  return true;
}
