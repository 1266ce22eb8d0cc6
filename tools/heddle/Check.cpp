// heddle check: everything that is known of a model before any weight is read, and nothing is written.
#include "tools/heddle/Commands.h"

using namespace heddle;

static constexpr const char *description = R"(Check a model: its text, its configuration, the names and shapes of its weights.

Examples:
  heddle check model.heddle
  heddle check models/mine
  heddle check model.heddle --weights DIR --set num_hidden_layers=2
)";

static int check(const ModelArguments &arguments) {
  CompileOptions options;
  options.source = arguments.source();
  options.emit = "heddle";
  mlir::TimingScope timing;
  Diagnostics diagnostics;
  Compilation compilation(options, diagnostics, timing);
  return report(compilation.run(), diagnostics);
}

void heddle::addCheck(CLI::App &app, Chosen &chosen) {
  auto arguments = std::make_shared<ModelArguments>();
  CLI::App *command = app.add_subcommand("check", description);
  arguments->addTo(*command);
  command->callback([arguments, &chosen] { chosen.work = [arguments] { return check(*arguments); }; });
}
