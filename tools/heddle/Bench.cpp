// heddle bench: how long an entry and its kernels take, beside what the machine can do.
#include "compiler/native/PrivateFolder.h"
#include "tools/heddle/BenchInputs.h"
#include "tools/heddle/BenchReport.h"
#include "tools/heddle/Commands.h"
#include "tools/heddle/Guard.h"
#include "tools/heddle/Installation.h"
#include "llvm/Support/Program.h"
#include <algorithm>
#include <fmt/format.h>

using namespace heddle;

namespace {

constexpr const char *description = R"(Time an entry and its kernels, beside what this machine can do.

Examples:
  heddle bench models/mine                                       the only entry, its default dimensions
  heddle bench model.heddle --weights seed:1 --dim batch=8 sequence=128
  heddle bench model.heddle --weights seed:1 --dim batch=4 sequence=128 --lengths sequence=16,64,128,32
  heddle bench models/mine --entry encode -t 1 --repeat 50 --json

The model is built into a folder of its own, which is gone afterwards, and runs on arrays drawn from a seed: ids inside their tables, rows of full width
unless --lengths says otherwise. A dimension that --dim does not name is 128 where it is ragged (or its bound), else 1. After a call that is not timed
come N timed ones; a kernel's line has, for each of its calls, the least of the N, summed over the layers that share it.

GFLOP/s and GB/s are of needed work: a product is 2 M N K, attention 2 (d + e) for each head and each pair of a query and a key of real tokens, without
the pairs that a causal mask or a window hides (other masks count as if they hid nothing); norms, activations and the like count no operations. Bytes
are arguments, results and weights, each once; of a table that ids look up, the rows found. Their shares are of an FMA loop and of a loop that reads
memory, on as many threads, right before and after the model; a bound is the larger of both shares.

Exit status: 0, 1 the model or a dimension is refused, 2 usage.
)";

struct BenchArguments {
  ModelArguments model;
  BenchRequest request;
  std::vector<int> threads;
  int repeats = 20;
  bool json = false;
};

class Bench {
public:
  Bench(const BenchArguments &arguments, PrivateFolder folder, Diagnostics &diagnostics)
      : arguments(arguments), folder(std::move(folder)), diagnostics(diagnostics) {}

  Outcome run(std::string &result) {
    CompileOptions options;
    options.source = arguments.model.source();
    options.emit = "exe";
    options.runtimeArchive = findInstallation().runtimeArchive;
    options.compilerVersion = "heddle " HEDDLE_VERSION;
    options.reproducer = "heddle-reproducer.mlir";
    for (const Target &target : allTargets())
      options.targets.push_back(&target);
    mlir::TimingScope timing;
    Compilation compilation(options, diagnostics, timing);
    Outcome outcome = compilation.run();
    if (outcome != Outcome::Good)
      return outcome;
    const EntryInfo *entry = findEntry(compilation.description(), arguments.request.entry, diagnostics);
    if (!entry)
      return Outcome::Refused;
    std::vector<std::string> inputs = writeInputs(*entry, arguments.request, folder.file(""), diagnostics);
    if (diagnostics.hasErrors())
      return Outcome::Refused;
    if ((outcome = compilation.writeExecutable(folder.file("model"))) != Outcome::Good)
      return outcome;
    std::vector<BenchRun> runs;
    for (int threads : chosenThreads())
      if (!measure(entry->name, inputs, threads, runs))
        return Outcome::Refused;
    result = arguments.json ? benchJson(arguments.model.model, runs) : benchText(arguments.model.model, runs);
    return Outcome::Good;
  }

private:
  std::vector<int> chosenThreads() const {
    if (!arguments.threads.empty())
      return arguments.threads;
    return processors() > 1 ? std::vector<int>{1, processors()} : std::vector<int>{1};
  }

  bool measure(const std::string &entry, const std::vector<std::string> &inputs, int threads, std::vector<BenchRun> &runs) {
    MachineLimits before = measureMachine(threads);
    std::vector<std::string> words{
        folder.file("model"), "run", entry, "--profile=json", "-t", std::to_string(threads), "--repeat", std::to_string(arguments.repeats)};
    words.insert(words.end(), inputs.begin(), inputs.end());
    std::vector<llvm::StringRef> command(words.begin(), words.end());
    std::string name = fmt::format("said{}", threads), said = folder.file(name), problem;
    std::optional<llvm::StringRef> streams[] = {"", "", llvm::StringRef(said)}; // nothing in, results nowhere
    int status = llvm::sys::ExecuteAndWait(words[0], command, std::nullopt, streams, 0, 0, &problem);
    MachineLimits after = measureMachine(threads);
    llvm::Expected<std::string> text = folder.read(name);
    if (!text) {
      diagnostics.error({}, llvm::toString(text.takeError()));
      return false;
    }
    auto profile = nlohmann::ordered_json::parse(llvm::StringRef(*text).rtrim().rsplit('\n').second.str(), nullptr, false);
    if (status != 0 || !isWhole(profile)) {
      diagnostics.error({}, fmt::format("the executable failed: {}", problem.empty() ? llvm::StringRef(*text).trim().str() : problem));
      return false;
    }
    runs.push_back({std::move(profile), {std::max(before.flops, after.flops), std::max(before.bytes, after.bytes)}});
    return true;
  }

  const BenchArguments &arguments;
  PrivateFolder folder;
  Diagnostics &diagnostics;
};

int run(const BenchArguments &arguments) {
  Diagnostics diagnostics;
  llvm::Expected<PrivateFolder> folder = PrivateFolder::create();
  if (!folder) {
    diagnostics.error({}, llvm::toString(folder.takeError()));
    return report(Outcome::Refused, diagnostics);
  }
  std::string result;
  Outcome outcome = Bench(arguments, std::move(*folder), diagnostics).run(result);
  int code = report(outcome, diagnostics);
  return outcome != Outcome::Good ? code : writeStandardOutput(result) ? exitGood : exitContents;
}

/// NAME=N, N from `least` on.
int64_t takeNumber(const std::string &option, const std::string &text, int64_t least) {
  int64_t value = 0;
  if (llvm::StringRef(text).getAsInteger(10, value) || value < least || value > INT32_MAX)
    throw CLI::ValidationError(option, fmt::format("expected a number from {} to {}, got {}", least, INT32_MAX, text.empty() ? "nothing" : text));
  return value;
}

std::pair<std::string, std::string> takeName(const std::string &option, const std::string &text, const char *expected) {
  size_t at = text.find('=');
  if (at == 0 || at == std::string::npos)
    throw CLI::ValidationError(option, fmt::format("expected {}, got {}", expected, text));
  return {text.substr(0, at), text.substr(at + 1)};
}

void readDimensions(const std::vector<std::string> &dimensions, const std::vector<std::string> &lengths, BenchRequest &request) {
  for (const std::string &one : dimensions) {
    auto [name, value] = takeName("--dim", one, "NAME=N");
    if (!request.dimensions.emplace(name, takeNumber("--dim", value, 1)).second)
      throw CLI::ValidationError("--dim", name + " is given twice");
  }
  for (const std::string &one : lengths) {
    auto [name, list] = takeName("--lengths", one, "NAME=N,N,...");
    auto [place, fresh] = request.lengths.try_emplace(name);
    if (!fresh)
      throw CLI::ValidationError("--lengths", name + " is given twice");
    llvm::SmallVector<llvm::StringRef> numbers;
    llvm::StringRef(list).split(numbers, ',');
    for (llvm::StringRef number : numbers)
      place->second.push_back(takeNumber("--lengths", number.str(), 0));
  }
}

} // namespace

void heddle::addBench(CLI::App &app, Chosen &chosen) {
  auto arguments = std::make_shared<BenchArguments>();
  auto dimensions = std::make_shared<std::vector<std::string>>(), lengths = std::make_shared<std::vector<std::string>>();
  CLI::App *command = app.add_subcommand("bench", description);
  arguments->model.addTo(*command);
  command->add_option("--entry", arguments->request.entry, "the entry to time; default: the only one")->type_name("NAME");
  command->add_option("--dim", *dimensions, "dimensions of the entry, as many as one likes")->type_name("NAME=N ...");
  command->add_option("--lengths", *lengths, "lengths of the rows of a ragged dimension, again from the first where the batch has more")
      ->type_name("NAME=N,N,...");
  command->add_option("-t", arguments->threads, "threads, by commas; default: 1, and one for each processor")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024))
      ->type_name("LIST");
  command->add_option("--repeat", arguments->repeats, "timed calls; default: 20")->check(CLI::Range(1, 1'000'000))->type_name("N");
  command->add_flag("--json", arguments->json, "for programs");
  command->callback([=, &chosen] {
    readDimensions(*dimensions, *lengths, arguments->request);
    chosen.work = [arguments] { return run(*arguments); };
  });
}
