// The command line of an executable, taken apart. Nothing is opened here; unknown and doubled options and names are usage errors (exit 2).
#pragma once
#include "runtime/Array.h"
#include "runtime/Failure.h"
#include "runtime/heddle_model.h"
#include <string_view>

namespace heddle::runtime {

/// `--in NAME=VALUE` and its like. Both lie in argv.
struct Assignment {
  std::string_view name;
  const char *value;
};

enum class ProfileForm { None, Text, Json };

enum class Command { Task, Run, Tokenize, SelfTest, Help, Info, Version };

struct Options {
  Command command = Command::Task;
  int threads = 0; // 0: as many as processors
  int repeats = 0; // timed calls of the entry after the first, which is not timed; 0: none
  ProfileForm profile = ProfileForm::None;
  const heddle_entry *entry = nullptr;
  Array<Assignment> in, lengths, starts, text, out;
  // Of a task:
  const heddle_task *task = nullptr; // null: the first
  Array<const char *> inputs;
  const char *inputFile = nullptr, *outputFile = nullptr;
  int count = 0; // of ids to make; 0: not said
  bool json = false, compares = false;
};

bool parseOptions(const heddle_model_table &model, int argc, const char *const *argv, Options &options, Failure &failure);

/// The index of the argument or result of that name, or -1.
int64_t findValue(const heddle_value *values, int64_t count, std::string_view name);

} // namespace heddle::runtime
