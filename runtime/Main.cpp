// main() of an executable: the only place that knows the table, the environment and the process. Everything else is given what it needs.
#include "runtime/Context.h"
#include "runtime/Cpu.h"
#include "runtime/Help.h"
#include "runtime/Options.h"
#include "runtime/Run.h"
#include "runtime/SelfTest.h"
#include "runtime/Task.h"
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

using namespace heddle::runtime;

namespace {

constexpr const char *self = "/proc/self/exe";

/// A closed standard stream must not become the number of a file we open: then its place is taken by one that fails as a closed one does.
void holdStandardStreams() {
  for (int stream : {0, 1, 2})
    if (fcntl(stream, F_GETFD) < 0)
      open("/dev/null", stream == 1 ? O_RDONLY : O_WRONLY);
}

bool execute(const Options &options, const char *program, Output &out, Output &notes, Failure &failure) {
  const char *wanted = std::getenv("HEDDLE_CPU");
  if (wanted && !*wanted)
    wanted = nullptr;
  if (options.command == Command::Help)
    return printHelp(heddle_model, program, out), true;
  if (options.command == Command::Version)
    return out.print("%s, compiled by %s\n", heddle_model.name, heddle_model.compiler), true;
  if (options.command == Command::Info) {
    Failure reason;
    printInfo(heddle_model, chooseVariant(heddle_model, cpuLevel(), wanted, reason), reason.text, out);
    return true;
  }
  heddle_context context;
  context.variant = chooseVariant(heddle_model, cpuLevel(), wanted, failure);
  if (!context.variant || !context.open(heddle_model, self, failure))
    return false;
  if (options.command == Command::SelfTest)
    return selfTest(context, options.threads, out, failure);
  if (options.command == Command::Tokenize)
    return showTokens(context, options, out, failure);
  return options.command == Command::Run ? run(context, options, out, notes, failure) : runTask(context, options, out, notes, failure);
}

} // namespace

int main(int argc, char **argv) {
  holdStandardStreams();
  std::signal(SIGPIPE, SIG_IGN); // a reader that went away is an error of write(),
  std::signal(SIGXFSZ, SIG_IGN); // so is a file that may not grow
  Failure failure;
  Output out(STDOUT_FILENO), err(STDERR_FILENO);
  const char *program = argc > 0 ? argv[0] : "model";
  Options options;
  bool good = parseOptions(heddle_model, argc, argv, options, failure) && execute(options, program, out, err, failure) && out.finish(failure);
  if (failure.text[0]) {
    err.write("heddle: error: ");
    err.write(failure.text);
    err.write("\n");
    if (failure.code == 2) {
      err.write("heddle: note: see '");
      err.escaped(program);
      err.write(" --help'\n");
    }
  }
  Failure lost; // whoever closed standard error wants to hear nothing
  err.finish(lost);
  return good ? 0 : failure.code;
}
