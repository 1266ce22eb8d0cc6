// heddle fmt: the one layout of model texts, as gofmt has it for Go.
#include "compiler/frontend/Format.h"
#include "compiler/frontend/Lexer.h"
#include "compiler/support/File.h"
#include "tools/heddle/Commands.h"
#include "tools/heddle/Guard.h"
#include <cerrno>
#include <cstring>
#include <fmt/format.h>

using namespace heddle;

namespace {

constexpr const char *description = R"(Format model texts: one layout for all.

Examples:
  heddle fmt model.heddle                rewrite the file, where that changes it
  heddle fmt - < model.heddle            from standard input to standard output
  heddle fmt --check examples/*/*.heddle name the files that would change; exit 1 if any would

Two blanks a level, one statement a line, 120 columns, at most one empty line. Your own line breaks stay
behind commas, brackets and the = of a body, and before operators, -> and else; lines that are too long get
more of them, but strings and comments are never broken. A line that goes on begins four blanks further right,
the body behind an = two. Braces that open and close on one line stay there if their statement is the only one.
A text with errors stays as it is.
)";

struct FormatArguments {
  std::vector<std::string> files;
  bool check = false;
};

/// All of standard input, or one byte more than a text may have.
std::optional<std::string> readStandardInput(Diagnostics &diagnostics) {
  std::string text(syntax::maxTextBytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), stdin));
  if (!std::ferror(stdin))
    return text;
  diagnostics.error({"standard input", 0, 0}, fmt::format("cannot read: {}", std::strerror(errno)));
  return std::nullopt;
}

bool replace(const std::string &path, const std::string &text, Diagnostics &diagnostics) {
  auto file = OutputFile::create(path, /*executable=*/false, diagnostics);
  if (!file)
    return false;
  file->keepRights();
  file->write(text);
  return file->commit(diagnostics);
}

int format(const FormatArguments &arguments) {
  Diagnostics diagnostics;
  std::string changed;
  for (const std::string &file : arguments.files) {
    bool isInput = file == "-";
    std::string name = isInput ? "standard input" : file;
    std::optional<std::string> text = isInput ? readStandardInput(diagnostics) : readFile(file, syntax::maxTextBytes, diagnostics);
    if (!text)
      continue;
    diagnostics.keepSource(name, *text);
    std::optional<std::string> formatted = syntax::formatText(*text, name, diagnostics);
    if (!formatted)
      continue;
    if (arguments.check)
      changed += *formatted != *text ? name + "\n" : "";
    else if (isInput ? !writeStandardOutput(*formatted) : *formatted != *text && !replace(file, *formatted, diagnostics))
      return report(Outcome::Refused, diagnostics);
  }
  if (!writeStandardOutput(changed))
    return exitContents;
  return report(diagnostics.hasErrors() || !changed.empty() ? Outcome::Refused : Outcome::Good, diagnostics);
}

} // namespace

void heddle::addFormat(CLI::App &app, Chosen &chosen) {
  auto arguments = std::make_shared<FormatArguments>();
  CLI::App *command = app.add_subcommand("fmt", description);
  command->add_option("FILE", arguments->files, "model texts; - is standard input, which goes to standard output")->required()->type_name("");
  command->add_flag("--check", arguments->check, "write nothing; print the names of files that would change, and exit 1 if there are any");
  command->callback([arguments, &chosen] { chosen.work = [arguments] { return format(*arguments); }; });
}
