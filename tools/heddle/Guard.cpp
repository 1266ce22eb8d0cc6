// A crash of ours is an internal error with a status and a report.
#include "tools/heddle/Guard.h"
#include "compiler/support/File.h"
#include "llvm/Support/ErrorHandling.h"
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <new>
#include <string_view>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

bool isCrash(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGABRT || signal == SIGILL || signal == SIGFPE || signal == SIGTRAP;
}

std::string quoted(const char *argument) {
  std::string text = "'";
  for (const char *at = argument; *at; ++at)
    text += *at == '\'' ? std::string("'\\''") : std::string(1, *at);
  return text + "'";
}

/// The command line, where no pass wrote IR already.
void writeCommandLine(const std::string &path, int argc, char **argv, int signal) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0)
    return;
  std::FILE *file = std::fopen(path.c_str(), "w");
  if (!file)
    return;
  fmt::print(file, "# {}\n", strsignal(signal));
  for (int i = 0; i < argc; ++i)
    fmt::print(file, "{}{}", i ? " " : "", quoted(argv[i]));
  fmt::print(file, "\n");
  std::fclose(file);
}

/// What the machine has not is no fault of ours.
int sayOutOfMemory() {
  static constexpr std::string_view text = "heddle: error: out of memory\n";
  (void)!write(STDERR_FILENO, text.data(), text.size()); // no stream: it might want memory
  return heddle::exitContents;
}

int workWithinMemory(const std::function<int()> &work) {
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { _exit(sayOutOfMemory()); });
  try {
    return work();
  } catch (const std::bad_alloc &) {
    _exit(sayOutOfMemory()); // half of the work's objects may be gone
  }
}

/// Signals from outside that end a program, and are no crash.
constexpr int endings[] = {SIGHUP, SIGINT, SIGTERM};

void onEnding(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  for (int signal : endings) {
    struct sigaction old;
    if (sigaction(signal, nullptr, &old) == 0 && old.sa_handler != SIG_IGN) // nohup
      sigaction(signal, &action, nullptr);
  }
}

/// In the child: what lies beside an output goes.
void endWork(int signal) {
  heddle::removeUnfinishedOutputs();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

std::atomic<pid_t> watched = 0;
std::atomic<int> ending = 0;

/// In the parent: the child ends first, then waitpid() returns and the parent follows.
void passOn(int signal) {
  ending = signal;
  if (watched > 0)
    kill(watched, signal);
}

/// The place of temporary files: the parent's, so that it goes however the child ends.
class Scratch {
public:
  Scratch() {
    std::error_code code;
    std::string name = (std::filesystem::temp_directory_path(code) / "heddle-XXXXXX").string();
    if (!code && mkdtemp(name.data()) && setenv("TMPDIR", name.c_str(), 1) == 0)
      path = name;
  }
  ~Scratch() { remove(); }
  void remove() {
    std::error_code code;
    if (!path.empty())
      std::filesystem::remove_all(path, code);
  }

private:
  std::string path; // empty where none can be made: who needs it says so
};

} // namespace

int heddle::runGuarded(const std::function<int()> &work, int argc, char **argv, const std::string &reproducer) {
  std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error of write()
  std::fflush(nullptr);
  onEnding(passOn);
  Scratch scratch;
  pid_t parent = getpid();
  pid_t child = fork();
  if (child < 0) { // without a second process a crash is a crash
    onEnding(endWork);
    return work();
  }
  if (child == 0) {
    onEnding(endWork);
    prctl(PR_SET_PDEATHSIG, SIGTERM); // whoever ends the parent ends the work
    if (getppid() != parent || ending)
      _exit(128 + SIGTERM);
    std::exit(workWithinMemory(work));
  }
  watched = child;
  if (ending) // it came before there was anybody to pass it on to
    kill(child, ending);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  watched = 0;
  if (ending) {
    scratch.remove();
    std::signal(ending, SIG_DFL);
    raise(ending);
  }
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  int signal = WTERMSIG(status);
  if (!isCrash(signal))
    return 128 + signal;
  writeCommandLine(reproducer, argc, argv, signal);
  fmt::print(stderr, "heddle: internal error: {}; please report it with the file '{}'\n", strsignal(signal), reproducer);
  return exitInternal;
}
