// heddle check: everything that is known of a model before any weight is read, and nothing is written.
#include "compiler/pipeline/Compile.h"
#include "tools/heddle/Commands.h"
#include "tools/heddle/Guard.h"

using namespace heddle;

static constexpr const char *description = R"(Check a model: its text, its configuration, the names and shapes of its weights.

Examples:
  heddle check model.heddle
  heddle check models/gpt2
  heddle check model.heddle --weights DIR --set num_hidden_layers=2
)";

static int check(const ModelArguments &arguments) {
  CompileOptions options;
  options.source = arguments.source();
  options.emit = "heddle";
  mlir::TimingScope timing;
  Diagnostics diagnostics;
  Compilation compilation(options, diagnostics, timing);
  Outcome outcome = compilation.run();
  diagnostics.print(stderr);
  return outcome == Outcome::Good ? exitGood : outcome == Outcome::Refused ? exitContents : exitInternal;
}

void heddle::addCheck(CLI::App &app, Chosen &chosen) {
  auto arguments = std::make_shared<ModelArguments>();
  CLI::App *command = app.add_subcommand("check", description);
  arguments->addTo(*command);
  command->callback([arguments, &chosen] { chosen.work = [arguments] { return check(*arguments); }; });
}
