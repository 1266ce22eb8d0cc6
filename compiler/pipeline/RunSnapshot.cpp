// See RunSnapshot.h.
#include "compiler/pipeline/RunSnapshot.h"
#include "compiler/native/EmitObject.h"
#include "compiler/native/EmitTable.h"
#include "compiler/native/LinkExecutable.h"
#include "compiler/pipeline/DescribeModel.h"
#include "compiler/pipeline/LowerPlainly.h"
#include "compiler/support/File.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Program.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace heddle;

namespace {

/// The end of what a child said: enough for a message.
std::string said(const std::string &log) {
  Diagnostics quiet;
  std::string text = readFile(log, 1 << 20, quiet).value_or("");
  StringRef words = StringRef(text).trim().take_back(1000);
  return words.empty() ? "" : ": " + escapeForTerminal(words.str());
}

std::string noEnd(unsigned seconds) { return fmt::format("does not end within {} s", seconds); }

/// Waits for a child, at most so long; then ends it.
std::string wait(pid_t child, unsigned seconds) {
  int status = 0;
  for (unsigned round = 0; waitpid(child, &status, WNOHANG) == 0; ++round) {
    if (round >= seconds * 200) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return noEnd(seconds);
    }
    usleep(5000);
  }
  if (WIFSIGNALED(status))
    return fmt::format("crashes: {}", strsignal(WTERMSIG(status)));
  return WEXITSTATUS(status) ? "fails" : "";
}
} // namespace

llvm::Error SnapshotRunner::build(ModuleOp module, bool optimized) {
  auto failed = [](const std::string &what) { return llvm::createStringError(what); };
  if (mlir::failed(lowerPlainly(module)))
    return failed("it has no plain lowering");
  std::optional<ModelInfo> info = describeModel(ArrayRef(module));
  if (!info)
    return failed("the description of the model is lost");
  info->tokenizers.clear();
  info->tasks.clear();
  closeSection(*info);
  ObjectOptions options;
  options.cpu = setting.target->cpu.str();
  options.optimized = optimized;
  options.suffix = setting.target->suffix.str();
  for (const EntryInfo &entry : info->entries)
    options.exported.insert(entrySymbol(entry.name));
  for (const KernelInfo &kernel : info->kernels)
    options.exported.insert(kernel.name);
  llvm::Expected<std::string> object = emitObject(module, options);
  if (!object)
    return object.takeError();
  llvm::Expected<std::string> table = emitTable(*info, {setting.target}, "heddle bisect");
  if (!table)
    return table.takeError();
  llvm::Expected<std::string> linked = linkExecutable({{"code.o", *object}, {"table.o", *table}}, setting.runtimeArchive);
  if (!linked)
    return linked.takeError();
  Diagnostics diagnostics;
  std::optional<OutputFile> out = OutputFile::create(folder.file("snapshot"), /*executable=*/true, diagnostics);
  if (!out)
    return failed(diagnostics.render());
  std::vector<std::string> none;
  SectionWriter section(*module.getContext(), *info, none, none, setting.checkpoint, diagnostics);
  auto write = [&](StringRef bytes) { return out->write(bytes), llvm::Error::success(); };
  if (llvm::Error error = appendSection(*linked, weightsSection, info->sectionBytes, [&](WriteBytes to) { return section.write(to); }, write))
    return error;
  return out->commit(diagnostics) ? llvm::Error::success() : failed(diagnostics.render());
}

/// An assertion of a conversion, on IR that a wrong pass made, may end the child; whatever it says goes to a file.
std::string SnapshotRunner::buildInChild(ModuleOp module, bool optimized) {
  std::string log = folder.file("log");
  std::fflush(nullptr);
  pid_t child = fork();
  if (child < 0)
    return fmt::format("cannot be compiled: {}", std::strerror(errno));
  if (child > 0) {
    std::string failure = wait(child, setting.seconds);
    return failure.empty() ? failure : fmt::format("its plain lowering {}{}", failure, said(log));
  }
  int to = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(to, STDOUT_FILENO);
  dup2(to, STDERR_FILENO);
  ScopedDiagnosticHandler handler(module.getContext(), [](mlir::Diagnostic &diagnostic) {
    fmt::print(stderr, "{}\n", diagnostic.str());
    return success();
  });
  llvm::Error error = build(module, optimized);
  bool good = !error;
  fmt::print(stderr, "{}", llvm::toString(std::move(error)));
  std::fflush(nullptr);
  _exit(good ? 0 : 1);
}

std::string SnapshotRunner::execute() {
  std::vector<std::string> words{folder.file("snapshot"), "run", request.entry};
  auto add = [&](const char *option, const EvaluateRequest::Files &files) {
    for (const auto &[name, value] : files)
      words.insert(words.end(), {option, name + "=" + value});
  };
  add("--in", request.inputs);
  add("--lengths", request.lengths);
  add("--starts", request.starts);
  for (const auto &output : request.outputs)
    words.insert(words.end(), {"--out", output.first + "=" + folder.file(output.first + ".npy")});
  std::string log = folder.file("log"), message;
  SmallVector<StringRef> pointers(words.begin(), words.end());
  int code = llvm::sys::ExecuteAndWait(words[0], pointers, std::nullopt, {StringRef(), StringRef(log), StringRef(log)}, setting.seconds, 0, &message);
  if (code == 0)
    return "";
  if (code < 0)
    return StringRef(message).contains("timed out") ? noEnd(setting.seconds) : "crashes: " + message + said(log);
  return fmt::format("ends with status {}", code) + said(log);
}

SnapshotRun SnapshotRunner::run(ModuleOp module, bool optimized) {
  OwningOpRef<ModuleOp> copy = module.clone();
  llvm::scope_exit clean([&] { unlink(folder.file("snapshot").c_str()); });
  SnapshotRun made;
  made.failure = buildInChild(*copy, optimized);
  made.built = made.failure.empty();
  if (made.built)
    made.failure = execute();
  Diagnostics diagnostics;
  for (const auto &output : request.outputs) {
    if (!made.failure.empty())
      return made;
    std::optional<NpyArray> array = readNpy(folder.file(output.first + ".npy"), diagnostics);
    if (array)
      made.results.push_back(std::move(*array));
    else
      made.failure = diagnostics.render();
    unlink(folder.file(output.first + ".npy").c_str());
  }
  return made;
}
