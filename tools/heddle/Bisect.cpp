// heddle bisect: which stage and pass spoils a result.
#include "compiler/pipeline/Bisect.h"
#include "compiler/native/EmitObject.h"
#include "compiler/pipeline/ForwardDiagnostics.h"
#include "compiler/pipeline/RewriteJudge.h"
#include "compiler/pipeline/Stages.h"
#include "compiler/support/Checkpoint.h"
#include "tools/heddle/Commands.h"
#include "tools/heddle/Guard.h"
#include "tools/heddle/Installation.h"

using namespace heddle;

namespace {

constexpr const char *description = R"(Find the first stage and pass whose result departs from the float64 interpreter.

Examples:
  heddle bisect models/mine forward --in tokens=t.npy
  heddle bisect model.heddle --weights seed:1 --in tokens=t.npy --lengths tokens=l.npy -o found

The module is kept after each pass. Graphs are interpreted in float64 and may depart by rounding alone (normalised squared error under 1e-24); what
follows them is finished plainly (no tiles, vectors, arena or threads), compiled, and run in a child process (1e-10, for f32). Zeros in whole rows, NaN
and infinities must stand in the same places. The pass found agrees before and departs after.

Exit status: 0 no pass departs, 1 one does, or the model or an argument is refused, 2 usage.
)";

struct BisectArguments {
  ModelArguments model;
  RunArguments run;
  RewriteOptions rewrites;
  std::string cpu, output;
  unsigned seconds = 60;
  bool every = false;
};

/// The best variant that this machine runs.
const Target *hostTarget() { return findTarget(__builtin_cpu_supports("x86-64-v4") ? "x86-64-v4" : "x86-64-v3"); }

int run(const BisectArguments &arguments) {
  RewriteJudge judge(arguments.rewrites);
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerTranslations(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  if (!arguments.rewrites.injectBadRewrite.empty())
    judge.watch(context);
  Diagnostics diagnostics;
  ForwardDiagnostics forward(&context, diagnostics);
  ModelSource source = arguments.model.source();
  mlir::OwningOpRef<mlir::ModuleOp> module = importModel(context, source, diagnostics);
  std::unique_ptr<Checkpoint> checkpoint;
  if (module && !diagnostics.hasErrors())
    checkpoint = Checkpoint::open(weightsOf(source), diagnostics);
  if (!checkpoint)
    return report(Outcome::Refused, diagnostics);
  const Target *target = arguments.cpu.empty() ? hostTarget() : findTarget(arguments.cpu);
  BisectReport found = bisect(*module,
                              {arguments.run.request(), bisectSteps(*target), target, findInstallation().runtimeArchive, checkpoint.get(),
                               arguments.seconds, arguments.every, arguments.output},
                              diagnostics);
  if (std::string unmet = judge.unmet(); !unmet.empty() && !diagnostics.hasErrors()) {
    diagnostics.error({}, unmet);
    found.status = EvaluateStatus::Refused;
  }
  int code = report(found.status == EvaluateStatus::Done ? Outcome::Good : Outcome::Refused, diagnostics);
  if (found.status != EvaluateStatus::Done)
    return found.status == EvaluateStatus::Misused ? exitUsage : code;
  return writeStandardOutput(found.text) && found.step < 0 ? exitGood : exitContents;
}

} // namespace

void heddle::addBisect(CLI::App &app, Chosen &chosen) {
  auto arguments = std::make_shared<BisectArguments>();
  CLI::App *command = app.add_subcommand("bisect", description);
  arguments->model.addTo(*command);
  command->add_option("ENTRY", arguments->run.entry, "the entry to run; default: the only one")->type_name("");
  arguments->run.addTo(*command);
  addInjection(*command, arguments->rewrites);
  command->add_option("-o,--output", arguments->output, "folder for the IR before and after the pass; default: none")->type_name("DIR");
  std::vector<std::string> cpus;
  for (const Target &target : allTargets())
    cpus.push_back(target.cpu.str());
  command->add_option("--cpu", arguments->cpu, "CPU variant; default: the best that runs here")->check(CLI::IsMember(cpus))->type_name("CPU");
  command->add_option("--seconds", arguments->seconds, "how long a snapshot may compile, and how long it may run; default: 60")
      ->check(CLI::Range(1, 86400))
      ->type_name("N");
  command->add_flag("--every", arguments->every, "judge each snapshot and print a line about it, instead of halving");
  command->callback([arguments, &chosen] { chosen.work = [arguments] { return run(*arguments); }; });
}
