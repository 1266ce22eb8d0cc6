#include "tools/heddle/Talk.h"
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

using namespace heddle;

static bool isTerminal() {
  const char *kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) && kind && std::string_view(kind) != "dumb";
}

Talk &heddle::talk() {
  static Talk talk;
  return talk;
}

void Talk::addTo(CLI::App &command) {
  CLI::Option *quietly = command.add_flag("-q,--quiet", quiet, "errors only, no notes and no progress")->group("Messages");
  command.add_flag("-v,--verbose", verbose, "a line for each part of the work, with its time, on stderr")->excludes(quietly)->group("Messages");
  command.add_option("--diagnostics", form, "messages as text, or as JSON: an object a line")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORM")
      ->group("Messages");
}

void Talk::print(const Diagnostics &diagnostics) const {
  const char *never = std::getenv("NO_COLOR");
  bool colours = isTerminal() && !(never && *never);
  std::string text = form == "json" ? diagnostics.renderJson(quiet) : diagnostics.render(colours, quiet);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

ProgressLine::ProgressLine() : isShown(isTerminal() && !talk().quiet && talk().form == "text"), isListed(talk().verbose) {}

ProgressLine::~ProgressLine() {
  endPart();
  if (isShown)
    show("");
}

void ProgressLine::show(const std::string &text) {
  std::string line = "\r\x1b[K" + text; // back to its start, and cleared
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void ProgressLine::endPart() {
  if (part.empty() || !isListed)
    return;
  double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  std::string line = fmt::format("heddle: {}: {:.2f} s", part, seconds);
  if (doneBytes > 0)
    line += fmt::format(", {:.1f} MB, {:.0f} MB/s", static_cast<double>(doneBytes) / 1e6, static_cast<double>(doneBytes) / 1e6 / seconds);
  if (isShown)
    show("");
  fmt::print(stderr, "{}\n", line);
}

void ProgressLine::begin(std::string_view next) {
  endPart();
  part = next;
  doneBytes = 0;
  start = shown = Clock::now();
  if (isShown)
    show("heddle: " + part);
}

void ProgressLine::advance(uint64_t done, uint64_t all) {
  constexpr auto pause = std::chrono::milliseconds(100);
  doneBytes = done;
  Clock::time_point now = Clock::now();
  if (!isShown || now - shown < pause)
    return;
  shown = now;
  double seconds = std::chrono::duration<double>(now - start).count();
  show(fmt::format("heddle: {}: {:.0f} of {:.0f} MB, {:.0f} MB/s", part, static_cast<double>(done) / 1e6, static_cast<double>(all) / 1e6,
                   static_cast<double>(done) / 1e6 / seconds));
}
