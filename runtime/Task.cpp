#include "runtime/Task.h"
#include "runtime/Context.h"
#include "runtime/InputLines.h"
#include "runtime/Tokenizers.h"
#include <cstring>

using namespace heddle::runtime;

const heddle_entry &TaskRun::entry(int64_t index) const { return context.model->entries[task.entries[index]]; }

bool TaskRun::misfit() const { return failure.contents("task %s: the entry '%s' does not fit it", task.kind, entry(task.entry_count - 1).name); }

bool heddle::runtime::runTask(heddle_context &context, const Options &options, Output &out, Output &notes, Failure &failure) {
  struct {
    const char *kind;
    int64_t entries;
    bool (*run)(const TaskRun &);
  } kinds[] = {{"translate", 2, translate}, {"generate", 1, generate}, {"embed", 1, embed}, {"classify", 1, classify}};
  const heddle_task *task = options.task ? options.task : context.model->tasks;
  for (auto &kind : kinds) {
    if (std::strcmp(task->kind, kind.kind) != 0 || task->entry_count < kind.entries)
      continue;
    InputLines lines;
    return lines.open(options, failure) && context.pool.start(options.threads ? options.threads : availableProcessors(), failure) &&
           kind.run({context, *task, options, lines.get(), out, notes, failure});
  }
  return failure.contents("the task '%s' of this executable is not known to its runtime", task->kind);
}
