// heddle: the command line. Parses it, runs the chosen command in a guarded child, maps outcomes to exit codes.
#include "compiler/graph/BadRewrites.h"
#include "compiler/support/Diagnostics.h"
#include "tools/heddle/Commands.h"
#include "tools/heddle/Guard.h"
#include "tools/heddle/Installation.h"
#include "tools/heddle/Talk.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sstream>

using namespace heddle;

void heddle::ModelArguments::addTo(CLI::App &command) {
  command.add_option("MODEL", model, "a .heddle file, or a directory with config.json and weights")->required()->type_name("");
  talk().addTo(command);
  command.add_option("--weights", weights, "where weights come from: a directory or seed:N; default: the model's directory")->type_name("DIR|seed:N");
  CLI::Option *set = command.add_option("--set", settings, "give or override a configuration value");
  set->type_name("KEY=VALUE")->allow_extra_args(false)->check([](const std::string &text) {
    size_t at = text.find('=');
    return at == 0 || at == std::string::npos ? "expected KEY=VALUE, got " + text : std::string();
  });
}

ModelSource heddle::ModelArguments::source() const {
  ModelSource source;
  source.path = model;
  source.weights = weights;
  source.settings = settings;
  source.builtinTexts = findInstallation().texts;
  return source;
}

void heddle::addRewriteOptions(CLI::App &command, RewriteOptions &options) {
  command.add_flag("--validate-rewrites", options.validate, "prove each fusion on small hostile inputs in float64");
  addInjection(command, options);
}

void heddle::addInjection(CLI::App &command, RewriteOptions &options) {
  std::vector<std::string> kinds;
  for (const BadRewrite &bad : badRewrites())
    kinds.push_back(bad.kind.str());
  command.add_option("--inject-bad-rewrite", options.injectBadRewrite)->check(CLI::IsMember(kinds))->group("");
}

int heddle::report(Outcome outcome, const Diagnostics &diagnostics) {
  talk().print(diagnostics);
  if (diagnostics.isMisuse())
    return exitUsage;
  return outcome == Outcome::Good ? exitGood : outcome == Outcome::Refused ? exitContents : exitInternal;
}

bool heddle::writeStandardOutput(const std::string &bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() && std::fflush(stdout) == 0)
    return true;
  fmt::print(stderr, "heddle: error: cannot write: 'standard output': {}\n", std::strerror(errno));
  return false;
}

namespace {

/// A command's own help begins with its examples; the list of commands has one line each.
struct HelpFormatter : CLI::Formatter {
  std::string make_subcommand(const CLI::App *command) const override {
    std::string text = command->get_description();
    return fmt::format("  {:<{}}{}\n", command->get_name(), get_column_width() - 2, text.substr(0, text.find('\n')));
  }
};

/// A first word that is no command gets a message of its own; CLI11 would only say that one is required.
bool isUnknownCommand(const CLI::App &app, const std::string &given) {
  std::vector<std::string> names;
  for (const CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; }))
    names.push_back(command->get_name());
  if (given.starts_with('-') || std::find(names.begin(), names.end(), given) != names.end())
    return false;
  std::string near = nearestName(given, names);
  fmt::print(stderr, "heddle: error: no command '{}'{}\nSee heddle --help\n", escapeForTerminal(given),
             near.empty() ? "" : fmt::format(", did you mean '{}'?", near));
  return true;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Heddle compiles Transformers: a model becomes one executable.\n\nExamples:\n"
               "  heddle build models/mine -o mine     compile a model\n"
               "  heddle check model.heddle            find its errors without compiling\n"
               "  heddle fmt model.heddle              give it the layout that all texts have\n"
               "  heddle explain models/mine           which fusions fired, which did not and why\n"
               "  heddle eval model.heddle forward --in tokens=t.npy --out result=r.npy\n"
               "                                       run it slowly in float64\n"
               "  heddle bisect model.heddle --in tokens=t.npy\n"
               "                                       find the pass that spoils a result\n",
               "heddle");
  app.set_version_flag("--version", "heddle " HEDDLE_VERSION);
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  Chosen chosen;
  addBuild(app, chosen);
  addCheck(app, chosen);
  addFormat(app, chosen);
  addExplain(app, chosen);
  addEval(app, chosen);
  addBisect(app, chosen);
  addBench(app, chosen);
  addCompletion(app, chosen);
  addManual(app, chosen); // the last: it lists the others
  if (argc > 1 && isUnknownCommand(app, argv[1]))
    return exitUsage;
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &success) { // --help, --version
    std::ostringstream text;
    app.exit(success, text, text);
    return writeStandardOutput(text.str()) ? exitGood : exitContents;
  } catch (const CLI::ParseError &error) {
    std::string command;
    for (const CLI::App *used : app.get_subcommands())
      command += " " + used->get_name();
    fmt::print(stderr, "heddle: error: {}\nSee heddle{} --help\n", escapeForTerminal(error.what()), command);
    return exitUsage;
  }
  return runGuarded(chosen.work, argc, argv, chosen.reproducer);
}
