// A crash of ours is an internal error with a status and a report.
#include "tools/heddle/Guard.h"
#include "llvm/Support/ErrorHandling.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

} // namespace

int heddle::runGuarded(const std::function<int()> &work, int argc, char **argv, const std::string &reproducer) {
  std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error of write()
  std::fflush(nullptr);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child < 0)
    return work(); // without a second process a crash is a crash
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); // whoever ends the parent ends the work
    if (getppid() != parent)
      _exit(128 + SIGKILL);
    std::exit(workWithinMemory(work));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  int signal = WTERMSIG(status);
  if (!isCrash(signal))
    return 128 + signal;
  writeCommandLine(reproducer, argc, argv, signal);
  fmt::print(stderr, "heddle: internal error: {}; please report it with the file '{}'\n", strsignal(signal), reproducer);
  return exitInternal;
}
