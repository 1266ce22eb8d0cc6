#include "runtime/InputLines.h"
#include <fcntl.h>
#include <unistd.h>

using namespace heddle::runtime;

InputLines::~InputLines() {
  if (file >= 0)
    close(file);
}

bool InputLines::open(const Options &options, Failure &failure) {
  if (!options.inputs.empty()) {
    lines.emplace(options.inputs);
  } else if (options.inputFile && std::string_view(options.inputFile) != "-") {
    file = ::open(options.inputFile, O_RDONLY | O_CLOEXEC | O_NOCTTY); // a FIFO too: a shell's <(...) is one
    if (file < 0)
      return failure.system("cannot open", options.inputFile);
    lines.emplace(file, options.inputFile);
  } else {
    lines.emplace(STDIN_FILENO, "standard input");
  }
  return true;
}
