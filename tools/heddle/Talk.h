// How much a command says, and to whom: -q, -v, --diagnostics. A person at a terminal sees what a long work is at; a pipe gets nothing but messages.
#pragma once
#include "compiler/support/Diagnostics.h"
#include "compiler/support/Progress.h"
#include <CLI/CLI.hpp>
#include <chrono>
#include <string>

namespace heddle {

struct Talk {
  bool quiet = false, verbose = false;
  std::string form = "text";
  void addTo(CLI::App &command);
  /// On standard error: text, in colours on a terminal unless NO_COLOR is set (no-color.org), or an object a line.
  void print(const Diagnostics &diagnostics) const;
};

/// That of the command line. Filled when it is parsed, read afterwards.
Talk &talk();

/// A line on standard error that is written over while the work goes on, and is gone at its end; nothing where it is no terminal. Verbose: a line for
/// each part, which stays.
class ProgressLine : public Progress {
public:
  ProgressLine();
  ~ProgressLine() override;
  void begin(std::string_view part) override;
  void advance(uint64_t done, uint64_t all) override;

private:
  using Clock = std::chrono::steady_clock;
  void show(const std::string &text);
  void endPart();

  bool isShown, isListed;
  std::string part;
  uint64_t doneBytes = 0;
  Clock::time_point start, shown;
};

} // namespace heddle
