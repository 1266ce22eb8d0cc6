// A crash of ours is an internal error with a status and a report.
#include "tools/heddle/Guard.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
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

} // namespace

int heddle::runGuarded(const std::function<int()> &work, int argc, char **argv, const std::string &reproducer) {
  std::fflush(nullptr);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child < 0)
    return work(); // without a second process a crash is a crash
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); // whoever ends the parent ends the work
    if (getppid() != parent)
      _exit(128 + SIGKILL);
    std::exit(work());
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
