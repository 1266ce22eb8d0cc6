// See Bisect.h.
#include "compiler/pipeline/Bisect.h"
#include "compiler/pipeline/Departure.h"
#include "compiler/pipeline/FirstDifference.h"
#include "compiler/pipeline/Snapshots.h"
#include "compiler/reference/Arguments.h"
#include "compiler/support/File.h"
#include "llvm/Support/FileSystem.h"
#include <fmt/format.h>

using namespace mlir;
using namespace heddle;

namespace {

enum class Verdict { Agrees, Departs, Unknown };

struct Judgement {
  Verdict verdict;
  std::string result, failure; // the result that departs most; a failure instead of results
  Departure departure;
};

std::string describe(const Judgement &judgement) {
  if (!judgement.failure.empty())
    return judgement.failure;
  const Departure &departure = judgement.departure;
  return fmt::format("'{}': normalised squared error {:.3g}{}{}", judgement.result, departure.error, departure.what.empty() ? "" : ", ",
                     departure.what);
}

class Bisection {
public:
  Bisection(const BisectOptions &options, std::vector<Snapshot> snapshots, const EntryArguments &arguments, SnapshotRunner &runner)
      : options(options), snapshots(std::move(snapshots)), arguments(arguments.tensors()), environment(arguments.environment()), runner(runner),
        judged(this->snapshots.size()) {
    environment.roundsTables = false; // a table and the formula of its elements are one number
  }

  /// The interpreter's results of the module as given; false after a message.
  bool interpretExpected(Diagnostics &diagnostics) {
    func::FuncOp entry = entryOf(0);
    names = resultNames(entry);
    for (Type type : entry.getResultTypes())
      exact.push_back(!isa<FloatType>(getElementTypeOrSelf(type)));
    auto results = evaluateEntry(entry, arguments, environment, options.checkpoint, diagnostics);
    if (results)
      expected = std::move(*results);
    return results.has_value();
  }

  /// Two snapshots of which the first agrees and the second departs, one after the other but for those that cannot be judged; 0, 0 if none departs.
  std::pair<size_t, size_t> find() {
    size_t last = snapshots.size() - 1, interpreted = 0;
    for (size_t i = 0; i <= last; ++i)
      if (snapshots[i].module && isInterpretable(i))
        interpreted = i;
    if (options.every)
      return findFirst();
    if (departs(interpreted))
      return halve(0, interpreted);
    return departs(last) ? halve(interpreted, last) : std::pair<size_t, size_t>(0, 0);
  }

  std::string report(size_t agrees, size_t found) {
    if (options.every)
      for (size_t i = 1; i < snapshots.size(); ++i)
        if (isNew(i))
          text += fmt::format("{:<7} {:<44} {}\n", options.steps[i - 1].stage, shortPass(i), describe(judge(i)));
    size_t count = llvm::count_if(judged, [](const auto &one) { return one.has_value(); });
    if (found == 0)
      return text +
             fmt::format("no pass departs: {} passes, {} snapshots judged; {}\n", options.steps.size(), count, describe(judge(snapshots.size() - 1)));
    text += fmt::format("stage {}: the result departs in the pass {}\n", options.steps[found - 1].stage, shortPass(found));
    text += fmt::format("  before: {}\n  after:  {}\n", agrees ? describe(judge(agrees)) : "as the model text says", describe(judge(found)));
    for (size_t i = agrees + 1; i < found; ++i)
      if (isNew(i))
        text += fmt::format("  or in {}, after which no result is known: {}\n", shortPass(i), describe(judge(i)));
    if (isInterpretable(found) && snapshots[found].failure.empty())
      text += findFirstDifference(entryOf(found - 1), entryOf(found), arguments, environment, options.checkpoint);
    return text + reproduce(agrees, found);
  }

private:
  /// A pass without its options.
  std::string shortPass(size_t i) {
    StringRef pass = options.steps[i - 1].pass;
    if (pass.empty())
      return "(LLVM's optimisations)";
    return pass.take_until([](char c) { return c == '{'; }).str() + (pass.contains('{') && pass.ends_with(")") ? ")" : "");
  }
  bool isNew(size_t i) const { return snapshots[i].module || !snapshots[i].failure.empty(); }
  ModuleOp moduleAt(size_t i) {
    while (!snapshots[i].module)
      --i;
    return *snapshots[i].module;
  }
  func::FuncOp entryOf(size_t i) {
    Diagnostics quiet;
    return findEntry(moduleAt(i), options.request.entry, quiet);
  }
  /// Lowered entries take buffers.
  bool isInterpretable(size_t i) {
    auto entry = moduleAt(i).lookupSymbol<func::FuncOp>(options.request.entry);
    return entry && llvm::all_of(entry.getArgumentTypes(), llvm::IsaPred<RankedTensorType>);
  }

  bool departs(size_t i) { return judge(i).verdict == Verdict::Departs; }

  std::pair<size_t, size_t> findFirst() {
    size_t agrees = 0;
    for (size_t i = 1; i < snapshots.size(); ++i)
      if (isNew(i)) {
        if (judge(i).verdict == Verdict::Agrees)
          agrees = i;
        else if (departs(i))
          return judgeRest(i), std::pair(agrees, i);
      }
    return {0, 0};
  }
  void judgeRest(size_t i) {
    for (; i < snapshots.size(); ++i)
      if (isNew(i))
        judge(i);
  }

  /// Halves what lies between one that agrees and one that departs. What cannot be judged is passed over.
  std::pair<size_t, size_t> halve(size_t agrees, size_t departs) {
    std::vector<size_t> between;
    for (size_t i = agrees + 1; i < departs; ++i)
      if (isNew(i))
        between.push_back(i);
    while (!between.empty()) {
      auto middle = between.begin() + static_cast<ptrdiff_t>(between.size() / 2);
      size_t at = *middle;
      Verdict verdict = judge(at).verdict;
      if (verdict == Verdict::Unknown)
        between.erase(middle);
      else if (verdict == Verdict::Agrees)
        agrees = at, between.erase(between.begin(), middle + 1);
      else
        departs = at, between.erase(middle, between.end());
    }
    return {agrees, departs};
  }

  const Judgement &judge(size_t i) {
    while (!isNew(i))
      --i;
    if (!judged[i])
      judged[i] = i == 0 ? Judgement{Verdict::Agrees, names.front(), "", {}} : judgeNew(i);
    return *judged[i];
  }

  Judgement judgeNew(size_t i) {
    if (!snapshots[i].failure.empty())
      return {Verdict::Departs, "", "the pass " + snapshots[i].failure, {}};
    return isInterpretable(i) ? interpret(i) : run(i);
  }

  Judgement interpret(size_t i) {
    Diagnostics diagnostics;
    auto results = evaluateEntry(entryOf(i), arguments, environment, options.checkpoint, diagnostics);
    if (!results)
      return {Verdict::Departs, "", "cannot be interpreted: " + diagnostics.render(), {}};
    return compare(*results, graphBound);
  }

  Judgement run(size_t i) {
    SnapshotRun made = runner.run(moduleAt(i), options.steps[i - 1].pass.empty());
    if (!made.failure.empty())
      return {made.built ? Verdict::Departs : Verdict::Unknown, "", made.failure, {}};
    std::vector<Tensor> results;
    for (const NpyArray &array : made.results)
      results.push_back(tensorOf(array));
    return compare(results, machineBound);
  }

  Judgement compare(ArrayRef<Tensor> results, double bound) {
    Judgement worst{Verdict::Agrees, names.front(), "", {}};
    for (size_t i = 0; i < expected.size(); ++i) {
      Departure departure = compareResults(expected[i], results[i], bound, exact[i]);
      bool isWorse = departure.departs == worst.departure.departs ? departure.error > worst.departure.error : departure.departs;
      if (isWorse)
        worst = {departure.departs ? Verdict::Departs : Verdict::Agrees, names[i], "", departure};
    }
    return worst;
  }

  /// The passes from the last snapshot that agrees on.
  std::string pipeline(size_t agrees, size_t found) {
    std::string passes;
    for (size_t i = agrees + 1; i <= found; ++i)
      if (isNew(i) && !options.steps[i - 1].pass.empty())
        passes += (passes.empty() ? "" : ",") + options.steps[i - 1].pass;
    return passes;
  }

  std::string reproduce(size_t agrees, size_t found) {
    std::string passes = pipeline(agrees, found), folder = options.keep.empty() ? "" : options.keep + "/";
    std::string command = passes.empty() ? "" : fmt::format("  heddle-opt --pass-pipeline='builtin.module({})' {}before.mlir\n", passes, folder);
    if (options.keep.empty())
      return command + "  -o DIR keeps the IR before and after it\n";
    Diagnostics diagnostics;
    if (std::error_code code = llvm::sys::fs::create_directories(options.keep))
      return command + fmt::format("  cannot write: '{}': {}\n", options.keep, code.message());
    write("before.mlir", moduleAt(agrees), diagnostics);
    if (snapshots[found].failure.empty())
      write("after.mlir", moduleAt(found), diagnostics);
    return command + diagnostics.render();
  }
  void write(const char *name, ModuleOp module, Diagnostics &diagnostics) {
    std::string ir;
    llvm::raw_string_ostream stream(ir);
    module.print(stream, OpPrintingFlags().enableDebugInfo());
    stream << "\n";
    writeFile(options.keep + "/" + name, ir, /*executable=*/false, diagnostics);
  }

  const BisectOptions &options;
  std::vector<Snapshot> snapshots;
  std::vector<Tensor> arguments;
  Environment environment;
  SnapshotRunner &runner;
  std::vector<std::optional<Judgement>> judged;
  std::vector<std::string> names;
  std::vector<bool> exact;
  std::vector<Tensor> expected;
  std::string text;
};
} // namespace

BisectReport heddle::bisect(ModuleOp module, const BisectOptions &given, Diagnostics &diagnostics) {
  BisectOptions options = given;
  func::FuncOp entry = findEntry(module, options.request.entry, diagnostics);
  if (!entry)
    return {EvaluateStatus::Misused, "", -1};
  options.request.entry = entry.getName().str();
  options.request.outputs.clear();
  for (const std::string &name : resultNames(entry))
    options.request.outputs.emplace_back(name, "");
  EntryArguments arguments(entry, diagnostics);
  if (EvaluateStatus status = arguments.read(options.request); status != EvaluateStatus::Done)
    return {status, "", -1};
  llvm::Expected<PrivateFolder> folder = PrivateFolder::create();
  if (!folder) {
    diagnostics.error({}, llvm::toString(folder.takeError()));
    return {EvaluateStatus::Refused, "", -1};
  }
  SnapshotRunner runner({options.target, options.runtimeArchive, options.checkpoint, options.seconds}, options.request, *folder);
  Bisection bisection(options, takeSnapshots(module, options.steps), arguments, runner);
  BisectReport report;
  if (!bisection.interpretExpected(diagnostics)) {
    report.status = EvaluateStatus::Refused;
  } else {
    auto [agrees, found] = bisection.find();
    report.step = static_cast<int>(found) - 1;
    report.text = bisection.report(agrees, found);
  }
  return report;
}
