// Where the inputs of a task come from: the words of the command line, a file (-f), or standard input.
#pragma once
#include "runtime/Lines.h"
#include "runtime/Options.h"
#include <optional>

namespace heddle::runtime {

class InputLines {
public:
  InputLines() = default;
  InputLines(const InputLines &) = delete;
  InputLines &operator=(const InputLines &) = delete;
  ~InputLines();
  bool open(const Options &options, Failure &failure);
  Lines &get() { return *lines; }

private:
  std::optional<Lines> lines;
  int file = -1;
};

} // namespace heddle::runtime
