// What an executable does with texts and pictures. Task.cpp chooses; each kind has a file of its own.
#pragma once
#include "runtime/Lines.h"
#include "runtime/Options.h"
#include "runtime/Output.h"

struct heddle_context;

namespace heddle::runtime {

/// Runs a task on the inputs of the command line, else on the lines of a file or of standard input: one line out for each.
bool runTask(heddle_context &context, const Options &options, Output &out, Output &notes, Failure &failure);

/// Shows the ids and pieces of each input.
bool showTokens(heddle_context &context, const Options &options, Output &out, Failure &failure);

/// A task at work on its inputs, whose lines it takes a batch at a time.
struct TaskRun {
  heddle_context &context;
  const heddle_task &task;
  const Options &options;
  Lines &lines;
  Output &out, &notes;
  Failure &failure;

  const heddle_entry &entry(int64_t index) const;
  bool misfit() const; // the message that the table's entries do not fit the task
};
bool translate(const TaskRun &run);
bool generate(const TaskRun &run);
bool embed(const TaskRun &run);
bool classify(const TaskRun &run);

} // namespace heddle::runtime
