// The command line of an executable, words ended by NUL, and what it runs: the model of test/runtime/Inputs/TestModel.cpp. Behind an empty word
// stands what standard input holds and the file input.npy, which the other words may name.
#include "runtime/Context.h"
#include "runtime/Cpu.h"
#include "runtime/Help.h"
#include "runtime/Run.h"
#include "runtime/SelfTest.h"
#include "runtime/Task.h"
#include "test/fuzz/MemoryFile.h"
#include <algorithm>
#include <cstdint>
#include <fcntl.h>
#include <vector>

using namespace heddle::fuzz;
using namespace heddle::runtime;

namespace {

/// What main() does with a command line that was understood.
bool execute(const Options &options, Output &out, Output &notes, Failure &failure) {
  if (options.command == Command::Help)
    return printHelp(heddle_model, "model", out), true;
  Failure reason;
  const heddle_variant *variant = chooseVariant(heddle_model, cpuLevel(), nullptr, reason);
  if (options.command == Command::Version)
    return true;
  if (options.command == Command::Info)
    return printInfo(heddle_model, variant, reason.text, out), true;
  heddle_context context;
  context.variant = variant;
  require(variant && context.open(heddle_model, "/proc/self/exe", failure));
  if (options.command == Command::SelfTest)
    return selfTest(context, options.threads, out, failure);
  if (options.command == Command::Tokenize)
    return showTokens(context, options, out, failure);
  return options.command == Command::Run ? run(context, options, out, notes, failure) : runTask(context, options, out, notes, failure);
}

/// Threads and repetitions are many if one asks for many; files are written where the fuzzer says.
void limit(Options &options) {
  options.threads = std::clamp(options.threads, 1, 2);
  options.repeats = std::min(options.repeats, 3);
  for (Assignment &one : options.out)
    one.value = "output.npy";
  if (options.outputFile)
    options.outputFile = "output.npy";
}

/// What the words may name, in the current folder, and standard input.
struct Files {
  Files() {
    folder.link("input.npy", file.path());
    require(::chdir(folder.path.c_str()) == 0 && ::dup2(file.descriptor, STDIN_FILENO) == STDIN_FILENO);
  }
  MemoryFile file;
  Folder folder;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Files files;
  static const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  std::string_view rest(reinterpret_cast<const char *>(data), size);
  std::vector<std::string> words = {"model"};
  for (std::string_view word; !rest.empty() && !(word = takePart(rest)).empty();)
    words.emplace_back(word);
  files.file.set(rest);

  std::vector<const char *> argv;
  for (const std::string &word : words)
    argv.push_back(word.c_str());
  argv.push_back(nullptr);
  Options options;
  Failure failure;
  Output out(nowhere), notes(nowhere);
  bool good = parseOptions(heddle_model, static_cast<int>(words.size()), argv.data(), options, failure);
  if (good) {
    limit(options);
    good = execute(options, out, notes, failure) && out.finish(failure);
  }
  require(good == (failure.code == 0) && (good || failure.text[0]));
  return 0;
}
