// heddle explain: which fusions fired, which did not and why, at their places in the model text.
#include "compiler/pipeline/FusionNotes.h"
#include "tools/heddle/Commands.h"

using namespace heddle;

static constexpr const char *description = R"(Explain a model's fusions: which fired, which did not and why.

Examples:
  heddle explain models/mine
  heddle explain model.heddle --weights seed:1
  heddle explain model.heddle --json
  heddle explain before.heddle --diff after.heddle     what only one of the two has
)";

/// The notes of one model; false after messages.
static bool collect(const ModelSource &source, CompileOptions options, std::vector<FusionNote> &notes, int &status) {
  options.source = source;
  options.emit = "graph";
  mlir::TimingScope timing;
  Diagnostics diagnostics;
  Compilation compilation(options, diagnostics, timing);
  compilation.collectFusions(notes);
  status = report(compilation.run(), diagnostics);
  return status == 0;
}

static int explain(const ModelArguments &arguments, const CompileOptions &options, const std::string &other, bool json) {
  std::vector<FusionNote> notes, after;
  int status = 0;
  bool good = collect(arguments.source(), options, notes, status);
  if (other.empty() && (good || !notes.empty())) // a broken @fused is an error; what was fused until then still helps
    return writeStandardOutput(json ? printFusionNotesAsJson(notes) : printFusionNotes(notes)) ? status : 1;
  if (!good)
    return status;
  ModelArguments second = arguments;
  second.model = other;
  if (!collect(second.source(), options, after, status))
    return status;
  return writeStandardOutput(printFusionDifference(notes, after)) ? 0 : 1;
}

void heddle::addExplain(CLI::App &app, Chosen &chosen) {
  auto arguments = std::make_shared<ModelArguments>();
  auto options = std::make_shared<CompileOptions>();
  auto other = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  CLI::App *command = app.add_subcommand("explain", description);
  arguments->addTo(*command);
  CLI::Option *diff =
      command->add_option("--diff", *other, "another text, with the same weights and settings: say what only one of them has")->type_name("MODEL");
  addNoFuse(*command, options->noFuse);
  addRewriteOptions(*command, options->rewrites);
  command->add_flag("--json", *json, "for programs")->excludes(diff);
  command->callback([=, &chosen] { chosen.work = [=] { return explain(*arguments, *options, *other, *json); }; });
}
