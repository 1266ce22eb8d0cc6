// heddle build: a model -> one executable, or what comes out of a stage.
#include "compiler/support/File.h"
#include "tools/heddle/Commands.h"
#include "tools/heddle/DryRun.h"
#include "tools/heddle/Guard.h"
#include "tools/heddle/Inputs.h"
#include "tools/heddle/Installation.h"
#include "tools/heddle/Talk.h"
#include "llvm/ADT/STLExtras.h"
#include <filesystem>
#include <fmt/format.h>
#include <optional>

using namespace heddle;

namespace {

struct BuildArguments {
  ModelArguments model;
  std::string output, emit = "exe", reproducer;
  std::vector<std::string> cpus, noFuse;
  RewriteOptions rewrites;
  bool timing = false, dryRun = false, json = false;
};

constexpr const char *description = R"(Compile a model to one executable.

Examples:
  heddle build models/mine -o mine                 a Hugging Face style directory
  heddle build model.heddle --weights DIR          a model text, weights from elsewhere
  heddle build model.heddle --weights seed:1       invented weights, to try a text
  heddle build model.heddle --emit=linalg          IR after a stage, on stdout
  heddle build models/mine --dry-run               what would be built, of what; nothing is written
)";

/// "models/mine/" and "texts/mine.heddle" are both called mine.
std::string modelName(const std::string &model) {
  std::filesystem::path path = std::filesystem::path(model).lexically_normal();
  if (path.filename().empty())
    path = path.parent_path();
  if (path.extension() == ".heddle")
    path = path.stem();
  std::string name = path.filename().string();
  return name.empty() || name == "." || name == ".." ? "model" : name;
}

/// Where the result goes; empty: stdout.
std::string outputOf(const BuildArguments &arguments) {
  if (!arguments.output.empty())
    return arguments.output == "-" ? "" : arguments.output;
  return arguments.emit == "exe" ? modelName(arguments.model.model) : arguments.emit == "obj" ? modelName(arguments.model.model) + ".o" : "";
}

int build(const BuildArguments &arguments) {
  CompileOptions options;
  options.source = arguments.model.source();
  options.emit = arguments.emit;
  options.runtimeArchive = findInstallation().runtimeArchive;
  options.compilerVersion = "heddle " HEDDLE_VERSION;
  options.reproducer = arguments.reproducer;
  options.noFuse = arguments.noFuse;
  options.rewrites = arguments.rewrites;
  for (const Target &target : allTargets())
    if (arguments.cpus.empty() || llvm::is_contained(arguments.cpus, target.cpu))
      options.targets.push_back(&target);

  mlir::DefaultTimingManager manager;
  manager.setEnabled(arguments.timing);
  mlir::TimingScope timing = manager.getRootScope();
  Diagnostics diagnostics;
  std::string output = outputOf(arguments);
  if (!output.empty() && !(isNoFolder(output, diagnostics) && isNoInput(output, options.source, diagnostics)))
    return report(Outcome::Refused, diagnostics);
  std::optional<ProgressLine> progress(std::in_place);
  options.progress = &*progress;
  Compilation compilation(options, diagnostics, timing);
  if (arguments.dryRun) {
    Outcome outcome = compilation.plan(output);
    progress.reset();
    bool said = outcome != Outcome::Good || writeStandardOutput(describeBuild(compilation, options, output, arguments.json));
    int status = report(outcome, diagnostics);
    return said ? status : exitContents;
  }
  Outcome outcome = compilation.run();
  if (outcome == Outcome::Good && options.emit == "exe")
    outcome = compilation.writeExecutable(output);
  progress.reset(); // its line is gone before anything else is said
  if (outcome != Outcome::Good || options.emit == "exe")
    return report(outcome, diagnostics);
  if (output.empty()) {
    talk().print(diagnostics);
    return writeStandardOutput(compilation.result()) ? exitGood : exitContents;
  }
  bool written = writeFile(output, compilation.result(), /*executable=*/false, diagnostics);
  return report(written ? Outcome::Good : Outcome::Refused, diagnostics);
}

} // namespace

void heddle::addNoFuse(CLI::App &command, std::vector<std::string> &names) {
  command
      .add_flag("--no-fuse{all}", names,
                "compute formulas as they are written; --no-fuse=attention,softmax: these. A product by a weight is linear anyhow")
      ->delimiter(',');
}

void heddle::addBuild(CLI::App &app, Chosen &chosen) {
  auto arguments = std::make_shared<BuildArguments>();
  CLI::App *command = app.add_subcommand("build", description);
  arguments->model.addTo(*command);
  command->add_option("-o,--output", arguments->output, "file to write; default: the model's name, or stdout for text")->type_name("FILE");
  std::vector<std::string> emits, cpus;
  for (llvm::StringRef name : emitNames())
    emits.push_back(name.str());
  for (const Target &target : allTargets())
    cpus.push_back(target.cpu.str());
  command->add_option("--emit", arguments->emit, "what comes out; default: exe")->check(CLI::IsMember(emits))->type_name("KIND");
  command->add_option("--cpu", arguments->cpus, "CPU variants, by commas; default: all")
      ->delimiter(',')
      ->check(CLI::IsMember(cpus))
      ->type_name("LIST");
  addNoFuse(*command, arguments->noFuse);
  addRewriteOptions(*command, arguments->rewrites);
  command->add_flag("--timing", arguments->timing, "print where the time went, on stderr");
  CLI::Option *dryRun = command->add_flag("--dry-run", arguments->dryRun, "say what would be built, and write nothing");
  command->add_flag("--json", arguments->json, "the same for programs")->needs(dryRun);
  command->callback([arguments, &chosen] {
    if (arguments->dryRun && arguments->emit != "exe")
      throw CLI::ValidationError("--dry-run", "expected --emit=exe, got " + arguments->emit);
    if (arguments->emit == "exe" && arguments->output == "-")
      throw CLI::ValidationError("--output", "an executable needs a file, got -");
    std::string base = arguments->output.empty() || arguments->output == "-" ? modelName(arguments->model.model) : arguments->output;
    arguments->reproducer = chosen.reproducer = base + ".reproducer.mlir";
    chosen.work = [arguments] { return build(*arguments); };
  });
}
