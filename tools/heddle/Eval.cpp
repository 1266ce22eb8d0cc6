// heddle eval: an entry run by the float64 interpreter, op by op as the frontend wrote it. Slow on purpose: it is what every other result is judged
// by.
#include "compiler/pipeline/ForwardDiagnostics.h"
#include "compiler/pipeline/Stages.h"
#include "compiler/reference/Evaluate.h"
#include "compiler/support/Checkpoint.h"
#include "tools/heddle/Commands.h"
#include "tools/heddle/Guard.h"

using namespace heddle;

namespace {

constexpr const char *description = R"(Run an entry in float64 by the reference interpreter.

Examples:
  heddle eval models/mine forward --in tokens=t.npy --out result=r.npy
  heddle eval model.heddle encode --in source=s.npy --lengths source=l.npy --out result=r.npy
)";

struct EvalArguments {
  ModelArguments model;
  RunArguments run;
  std::vector<std::string> outputs;
};

int evaluate(const ModelSource &source, const EvaluateRequest &request) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  Diagnostics diagnostics;
  ForwardDiagnostics forward(&context, diagnostics);
  mlir::OwningOpRef<mlir::ModuleOp> module = importModel(context, source, diagnostics);
  EvaluateStatus status = EvaluateStatus::Refused;
  if (module && !diagnostics.hasErrors()) {
    std::unique_ptr<Checkpoint> checkpoint = Checkpoint::open(weightsOf(source), diagnostics);
    if (checkpoint)
      status = evaluateFiles(*module, request, checkpoint.get(), diagnostics);
  }
  int code = report(status == EvaluateStatus::Done ? Outcome::Good : Outcome::Refused, diagnostics);
  return status == EvaluateStatus::Misused ? exitUsage : code;
}

} // namespace

void heddle::addFiles(CLI::App &command, const std::string &option, std::vector<std::string> &files, const std::string &help) {
  command.add_option(option, files, help)->type_name("NAME=FILE.npy")->allow_extra_args(false)->check([](const std::string &text) {
    size_t at = text.find('=');
    return at == 0 || at == std::string::npos ? "expected NAME=FILE, got " + text : std::string();
  });
}

/// addFiles has seen to the '='.
EvaluateRequest::Files heddle::splitFiles(const std::vector<std::string> &given) {
  EvaluateRequest::Files files;
  for (const std::string &one : given) {
    size_t at = one.find('=');
    files.emplace_back(one.substr(0, at), one.substr(at + 1));
  }
  return files;
}

void heddle::RunArguments::addTo(CLI::App &command) {
  addFiles(command, "--in", inputs, "an argument; a scalar one also takes its value (--in NAME=false)");
  addFiles(command, "--lengths", lengths, "the lengths of an argument's rows, int32 [batch]");
  addFiles(command, "--starts", starts, "the position of each row's first token, int32 [batch]");
}

EvaluateRequest heddle::RunArguments::request() const { return {entry, splitFiles(inputs), splitFiles(lengths), splitFiles(starts), {}}; }

void heddle::addEval(CLI::App &app, Chosen &chosen) {
  auto arguments = std::make_shared<EvalArguments>();
  CLI::App *command = app.add_subcommand("eval", description);
  arguments->model.addTo(*command);
  command->add_option("ENTRY", arguments->run.entry, "the entry to run")->required()->type_name("");
  arguments->run.addTo(*command);
  addFiles(*command, "--out", arguments->outputs, "where a result goes");
  command->callback([arguments, &chosen] {
    EvaluateRequest request = arguments->run.request();
    request.outputs = splitFiles(arguments->outputs);
    chosen.work = [arguments, request] { return evaluate(arguments->model.source(), request); };
  });
}
