// See RewriteJudge.h.
#include "compiler/pipeline/RewriteJudge.h"
#include "compiler/graph/BadRewrites.h"
#include "compiler/graph/Rewrite.h"
#include "compiler/reference/Disprove.h"
#include "dialect/View.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include <fmt/format.h>

using namespace mlir;
using namespace heddle;

RewriteJudge::RewriteJudge(const RewriteOptions &options) : validates(options.validate), bad(findBadRewrite(options.injectBadRewrite)) {}

void RewriteJudge::watch(MLIRContext &context) {
  context.registerActionHandler([this](function_ref<void()> act, const tracing::Action &action) { see(act, action); });
}

void RewriteJudge::see(function_ref<void()> act, const tracing::Action &action) {
  if (const auto *execution = dyn_cast<PassExecutionAction>(&action); execution && isa<ModuleOp>(execution->getOp()))
    pass = execution->getPass().getArgument().str(); // of modules one pass runs at a time, of functions several do
  if (const auto *replace = dyn_cast<ReplaceFormula>(&action))
    record(*replace);
  if (const auto *judge = dyn_cast<JudgeRewrites>(&action)) {
    for (const Pair &pair : pending)
      judge->wrong |= isWrong(pair);
    pending.clear();
  }
  act();
}

void RewriteJudge::record(const ReplaceFormula &replace) {
  if (bad)
    spoiled += spoilRewrite(*bad, recordRewrite(replace.root, replace.by), replace.by);
  if (!validates)
    return;
  std::string text;
  llvm::raw_string_ostream stream(text);
  OwningOpRef<ModuleOp> functions = functionsOf(recordRewrite(replace.root, replace.by));
  shrinkRewrite(*functions);
  functions->print(stream, OpPrintingFlags().enableDebugInfo(false));
  if (!known.insert(text).second)
    return;
  Operation *by = replace.by.getDefiningOp();
  while (by && isView(by) && by->getOperand(0).getDefiningOp()) // what was made, not how it is looked at
    by = by->getOperand(0).getDefiningOp();
  std::string made = by ? fmt::format("'{}'", by->getName().getStringRef().str()) : "an argument";
  pending.push_back(
      {text, fmt::format("{}: '{}' was replaced by {}", pass, replace.root->getName().getStringRef().str(), made), replace.root->getLoc()});
}

bool RewriteJudge::isWrong(const Pair &pair) {
  auto module = parseSourceString<ModuleOp>(pair.text, pair.place.getContext());
  assert(module && "a rewrite was cut out wrongly");
  auto disproof = disprove(module->lookupSymbol<func::FuncOp>("formula"), module->lookupSymbol<func::FuncOp>("replacement"));
  if (!disproof)
    return false;
  InFlightDiagnostic error = emitError(pair.place) << pair.what << ", which computes something else: " << disproof->what;
  error.attachNote() << "for " << disproof->inputs;
  error.attachNote() << "the formula and its replacement:\n" << pair.text;
  if (wrong.empty())
    wrong = pair.text;
  return true;
}

std::string RewriteJudge::unmet() const {
  return bad && !spoiled ? fmt::format("no rewrite was spoiled: '{}' needs {}", bad->kind.str(), bad->needs.str()) : std::string();
}
