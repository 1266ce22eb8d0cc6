// The commands of `heddle`. Each adds itself to the command line and, when chosen, becomes a function that does the work and returns an exit code.
#pragma once
#include "compiler/frontend/Frontend.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/reference/Evaluate.h"
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace heddle {

/// What the chosen command will do, and where its reproducer would go.
struct Chosen {
  std::function<int()> work;
  std::string reproducer = "heddle-reproducer.mlir";
};

/// MODEL, --weights and --set, as every command that reads a model has them.
struct ModelArguments {
  std::string model, weights;
  std::vector<std::string> settings;
  void addTo(CLI::App &command);
  ModelSource source() const;
};

/// --no-fuse, alone or with names by commas.
void addNoFuse(CLI::App &command, std::vector<std::string> &names);
/// --validate-rewrites, and --inject-bad-rewrite, which --help does not show.
void addRewriteOptions(CLI::App &command, RewriteOptions &options);
/// --inject-bad-rewrite alone.
void addInjection(CLI::App &command, RewriteOptions &options);

/// --in, --lengths and --starts, as every command that runs an entry has them.
struct RunArguments {
  std::string entry;
  std::vector<std::string> inputs, lengths, starts;
  void addTo(CLI::App &command);
  /// Without outputs.
  EvaluateRequest request() const;
};

/// An option that is a list of NAME=FILE, and such a list taken apart.
void addFiles(CLI::App &command, const std::string &option, std::vector<std::string> &files, const std::string &help);
EvaluateRequest::Files splitFiles(const std::vector<std::string> &given);

void addBuild(CLI::App &app, Chosen &chosen);
void addCheck(CLI::App &app, Chosen &chosen);
void addFormat(CLI::App &app, Chosen &chosen);
void addExplain(CLI::App &app, Chosen &chosen);
void addBisect(CLI::App &app, Chosen &chosen);
void addBench(CLI::App &app, Chosen &chosen);
void addEval(CLI::App &app, Chosen &chosen);
void addCompletion(CLI::App &app, Chosen &chosen);
void addManual(CLI::App &app, Chosen &chosen);

/// Prints what there is to say; the exit code of a command that ended so.
int report(Outcome outcome, const Diagnostics &diagnostics);

/// Bytes on stdout; false with a message where it is closed or full.
bool writeStandardOutput(const std::string &bytes);

} // namespace heddle
