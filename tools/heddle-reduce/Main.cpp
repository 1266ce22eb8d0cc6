// heddle-reduce: shrinks IR that makes a command fail, crash or print something, to what it takes for that.
#include "compiler/pipeline/ForwardDiagnostics.h"
#include "compiler/pipeline/Stages.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/support/File.h"
#include "mlir/Parser/Parser.h"
#include "tools/heddle-reduce/Reducer.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

using namespace mlir;

namespace {

constexpr const char *description = R"(Shrink IR to the least that still ends a command with the same status.

Examples:
  heddle-reduce bad.mlir --test 'heddle-opt --heddle-stage-linalg'        a crash or an error of passes
  heddle-reduce bad.mlir --test ./departs.sh -o small.mlir                whatever a script finds

The command is run by the shell with the file's name behind it. Its status on the file as given is what has to stay: give a script that tells what you
look for from other failures. Operations are left out in slices, then one by one (who reads one gets another value of the same type, or zeros), then
results, arguments, functions and weights that nobody needs; every step is verified before the command sees it. One step is tried at a time.
)";

struct Arguments {
  std::string file, command, output;
  unsigned seconds = 60;
};

std::string print(ModuleOp module, bool places) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().enableDebugInfo(places));
  return text + "\n";
}

/// The command's status on a text; -2 for a crash or no end in time.
class Command {
public:
  Command(const Arguments &arguments, std::string file) : arguments(arguments), file(std::move(file)) {}

  int run(const std::string &text) const {
    heddle::Diagnostics diagnostics;
    if (!heddle::writeFile(file, text, /*executable=*/false, diagnostics)) {
      diagnostics.print(stderr);
      return -1;
    }
    std::string line = arguments.command + " \"$0\"";
    return llvm::sys::ExecuteAndWait("/bin/sh", {"/bin/sh", "-c", line, file}, std::nullopt,
                                     {llvm::StringRef(), llvm::StringRef(), llvm::StringRef()}, arguments.seconds);
  }

private:
  const Arguments &arguments;
  std::string file;
};

int reduce(const Arguments &arguments) {
  heddle::Diagnostics diagnostics;
  auto fail = [&] { return diagnostics.print(stderr), 1; };
  std::optional<std::string> text = heddle::readFile(arguments.file, uint64_t(1) << 30, diagnostics);
  if (!text)
    return fail();
  DialectRegistry registry;
  heddle::registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  heddle::ForwardDiagnostics forward(&context, diagnostics);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(*text, ParserConfig(&context), arguments.file);
  if (!module)
    return fail();
  llvm::SmallString<128> file;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("heddle-reduce", "mlir", file)) {
    diagnostics.error({}, fmt::format("cannot make a temporary file: {}", code.message()));
    return fail();
  }
  bool places = llvm::StringRef(*text).contains("loc(");
  Command command(arguments, file.str().str());
  int wanted = command.run(print(*module, places));
  auto count = [](ModuleOp of) {
    size_t operations = 0;
    of.walk([&](Operation *) { ++operations; });
    return operations;
  };
  size_t before = count(*module);
  heddle::Reducer reducer(std::move(module), [&](ModuleOp tried) { return command.run(print(tried, places)) == wanted; });
  reducer.run();
  llvm::sys::fs::remove(file);
  fmt::print(stderr, "heddle-reduce: {} operations of {} are left, after {} tries; the command {}\n", count(reducer.module()), before,
             reducer.tries(), wanted < 0 ? "crashes or does not end" : fmt::format("ends with status {}", wanted));
  std::string left = print(reducer.module(), places);
  if (!arguments.output.empty())
    return heddle::writeFile(arguments.output, left, /*executable=*/false, diagnostics) ? 0 : fail();
  return std::fputs(left.c_str(), stdout) < 0 || std::fflush(stdout) != 0;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app(description, "heddle-reduce");
  Arguments arguments;
  app.add_option("FILE", arguments.file, "a module")->required()->type_name("");
  app.add_option("--test", arguments.command, "the command")->required()->type_name("COMMAND");
  app.add_option("-o,--output", arguments.output, "where the result goes; default: stdout")->type_name("FILE");
  app.add_option("--seconds", arguments.seconds, "how long the command may run; default: 60")->check(CLI::Range(1, 86400))->type_name("N");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) ? 2 : 0;
  }
  return reduce(arguments);
}
