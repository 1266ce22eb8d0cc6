// The way of a model through the stages. Export.cpp has what follows them: objects, the section, the executable.
#include "compiler/pipeline/Compile.h"
#include "compiler/graph/Fusion.h"
#include "compiler/native/EmitObject.h"
#include "compiler/pipeline/ForwardDiagnostics.h"
#include "compiler/pipeline/Room.h"
#include "compiler/pipeline/Stages.h"
#include "compiler/support/File.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using heddle::Outcome;

heddle::Compilation::Compilation(const CompileOptions &options, Diagnostics &diagnostics, TimingScope &timing)
    : options(options), diagnostics(diagnostics), timing(timing), judge(options.rewrites) {
  DialectRegistry registry;
  registerDialects(registry);
  registerTranslations(registry);
  context = std::make_unique<MLIRContext>(registry);
  if (options.rewrites.validate || !options.rewrites.injectBadRewrite.empty())
    judge.watch(*context);
}

heddle::Compilation::~Compilation() = default;

bool heddle::Compilation::importSource() {
  TimingScope scope = begin("frontend");
  module = importModel(*context, options.source, diagnostics);
  return module && !diagnostics.hasErrors();
}

Outcome heddle::Compilation::plan(const std::string &path) {
  ForwardDiagnostics forward(context.get(), diagnostics);
  if (!importSource() || !turnOffFusions())
    return Outcome::Refused;
  for (const Stage &stage : stages())
    if (!stage.perTarget)
      if (Outcome outcome = runStage(stage, *module, nullptr); outcome != Outcome::Good)
        return outcome;
  if (Outcome outcome = takeModelInfo(*module); outcome != Outcome::Good)
    return outcome;
  return hasRoom(info, path, diagnostics) && openWeights() ? Outcome::Good : Outcome::Refused;
}

TimingScope heddle::Compilation::begin(StringRef part) {
  if (options.progress)
    options.progress->begin(std::string_view(part));
  return timing.nest(part);
}

Outcome heddle::Compilation::run() {
  ForwardDiagnostics forward(context.get(), diagnostics);
  if (!importSource())
    return Outcome::Refused;
  if (options.emit == "heddle") {
    print(*module);
    return Outcome::Good;
  }
  if (options.emit == "exe") {
    imported = module->clone();
    (*module)->setAttr(checksAttr, UnitAttr::get(context.get()));
  }
  if (!turnOffFusions())
    return Outcome::Refused;
  if (Outcome outcome = runStages(); outcome != Outcome::Good)
    return outcome;
  if (std::string unmet = judge.unmet(); !unmet.empty()) {
    diagnostics.error({}, unmet);
    return Outcome::Refused;
  }
  if (!text.empty()) // --emit= named a stage
    return Outcome::Good;
  std::vector<ModuleOp> modules;
  for (Variant &variant : variants)
    modules.push_back(*variant.module);
  if (Outcome outcome = takeModelInfo(modules); outcome != Outcome::Good)
    return outcome;
  if (Outcome outcome = emitObjects(options.emit == "asm"); outcome != Outcome::Good || options.emit != "obj")
    return outcome;
  return joinObjects();
}

/// The graph stage reads their names from the module, so that a reproducer has them too.
bool heddle::Compilation::turnOffFusions() {
  for (const std::string &name : options.noFuse)
    if (name != "all" && !RegisteredOperationName::lookup("heddle." + name, context.get()))
      diagnostics.misuse("--no-fuse: no fusion makes '" + name + "'").note({}, "heddle explain shows the names");
  std::vector<StringRef> names(options.noFuse.begin(), options.noFuse.end());
  if (!names.empty())
    (*module)->setAttr(noFuseAttr, Builder(context.get()).getStrArrayAttr(names));
  return !diagnostics.isMisuse();
}

/// The common stages once, then those per CPU variant on a copy each.
Outcome heddle::Compilation::runStages() {
  for (const Stage &stage : stages()) {
    if (stage.perTarget && variants.empty())
      for (const Target *target : options.targets)
        variants.push_back({target, module->clone(), ""});
    if (options.emit == "exe" && stage.word == "linalg")
      graph = module->clone();
    if (!stage.perTarget) {
      if (Outcome outcome = runStage(stage, *module, nullptr); outcome != Outcome::Good)
        return outcome;
      if (options.emit == stage.emit)
        print(*module);
    }
    for (Variant &variant : variants) {
      if (Outcome outcome = runStage(stage, *variant.module, variant.target); outcome != Outcome::Good)
        return outcome;
      if (options.emit == stage.emit)
        print(*variant.module);
    }
    if (options.emit == stage.emit)
      return Outcome::Good;
  }
  return Outcome::Good;
}

Outcome heddle::Compilation::runStage(const Stage &stage, ModuleOp on, const Target *target) {
  std::string name = stage.word.str() + (target ? " for " + target->cpu.str() : "");
  TimingScope scope = begin(name);
  PassManager pm(context.get());
  pm.enableTiming(scope);
  if (!options.reproducer.empty())
    pm.enableCrashReproducerGeneration(options.reproducer);
  pm.enableVerifier(false); // heddle-opt verifies after each pass; here once a stage is enough
  stage.build(pm, target);
  size_t before = diagnostics.records().size();
  if (succeeded(pm.run(on)) && succeeded(verify(on)))
    return Outcome::Good;
  // What is not built yet, and an @fused that does not hold, is refused by the pass that meets it; any other failure of a stage is a promise of the
  // stage before that was not kept.
  for (const Diagnostic &record : llvm::drop_begin(diagnostics.records(), before)) {
    StringRef message(record.message);
    if (message.contains("not built yet") || message.starts_with("@fused: ")) {
      llvm::sys::fs::remove(options.reproducer);
      return Outcome::Refused;
    }
  }
  if (!judge.evidence().empty() && !options.reproducer.empty()) // the two functions say more than the whole module
    writeFile(options.reproducer, judge.evidence(), /*executable=*/false, diagnostics);
  return broken("the stage '" + name + "' failed");
}

Outcome heddle::Compilation::broken(const std::string &what) {
  Diagnostic &record = diagnostics.error({}, "internal error: " + what);
  if (llvm::sys::fs::exists(options.reproducer))
    record.note("please report it with the file '" + options.reproducer + "'");
  return Outcome::Broken;
}

void heddle::Compilation::print(ModuleOp printed) {
  if (!text.empty())
    text += "// -----\n";
  llvm::raw_string_ostream stream(text);
  printed.print(stream, OpPrintingFlags().enableDebugInfo(false));
  stream << "\n";
}
