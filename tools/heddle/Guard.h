// A crash of ours is an internal error with a status and a report, not a core dump: the work is done in a child process that this one watches.
#pragma once
#include <functional>
#include <string>

namespace heddle {

/// Exit codes of design section 2.
enum ExitCode { exitGood = 0, exitContents = 1, exitUsage = 2, exitInternal = 70 };

/// Runs `work` in a child and returns its exit code: 70 with a report where it crashed, 128 + n where signal n from outside ended it. If no pass
/// wrote `reproducer` before the crash, the command line goes there.
int runGuarded(const std::function<int()> &work, int argc, char **argv, const std::string &reproducer);

} // namespace heddle
