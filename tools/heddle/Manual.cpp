// heddle man: the manual page of the program, or of one of its commands, from what --help says.
#include "compiler/support/File.h"
#include "tools/heddle/CommandText.h"
#include "tools/heddle/Commands.h"
#include "tools/heddle/Guard.h"
#include <cctype>
#include <fmt/format.h>

using namespace heddle;

namespace {

constexpr const char *description = R"(Print the manual page of heddle or of a command.

Examples:
  heddle man build | man -l -
  heddle man -o share/man/man1           all pages, as an installation has them
)";

constexpr const char *exitStatus = R"(.SH EXIT STATUS
.TP
.B 0
all is well
.TP
.B 1
something is wrong with what was given: a text, a value, a file
.TP
.B 2
something is wrong with the command line
.TP
.B 70
an internal error; a reproducer is written
.TP
.RI 128+ n
ended by signal
.I n
)";

/// Text as it is, for troff.
std::string plain(const std::string &text) {
  std::string escaped = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
  if (escaped.starts_with(".") || escaped.starts_with("'"))
    escaped.insert(0, "\\&");
  return replaced(replaced(escaped, "\n.", "\n\\&."), "\n'", "\n\\&'");
}

std::string pageName(const std::string &command) { return command == "heddle" ? command : "heddle-" + command; }

std::string option(const OptionText &option) {
  std::vector<std::string> names;
  for (const std::string &name : option.names)
    names.push_back(
        fmt::format("\\fB{}\\fR{}", plain(name), option.value.empty() || option.positional ? "" : " \\fI" + plain(option.value) + "\\fR"));
  std::string text = fmt::format(".TP\n{}\n{}\n", joined(names, ", "), plain(option.help));
  return option.choices.empty() ? text : text + fmt::format("({})\n", plain(joined(option.choices, ", ")));
}

std::string synopsis(const CommandText &command, bool isProgram) {
  std::string text = isProgram ? ".B heddle\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]" : fmt::format(".B heddle {}\n[\\fIOPTIONS\\fR]", command.name);
  for (const OptionText &option : command.options)
    if (option.positional)
      text += fmt::format("{}\\fI{}\\fR{}{}", option.required ? " " : " [", option.names.front(), option.required ? "" : "]",
                          option.several ? " ..." : "");
  return text + "\n";
}

std::string page(const CommandText &command, const std::vector<CommandText> &commands) {
  bool isProgram = command.name == "heddle";
  std::string title = pageName(command.name), upper = title, summary = command.summary;
  for (char &c : upper)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (summary.ends_with('.'))
    summary.pop_back();
  std::string text = fmt::format(".TH {} 1 \"\" \"heddle {}\" \"Heddle\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n", plain(upper), HEDDLE_VERSION,
                                 plain(title), plain(summary)) +
                     synopsis(command, isProgram);
  text += fmt::format(".SH DESCRIPTION\n{}\n", plain(command.summary));
  for (const std::string &paragraph : command.paragraphs)
    text += fmt::format(".PP\n{}\n", plain(paragraph));
  text += isProgram ? ".SH COMMANDS\n" : "";
  std::vector<std::string> pages{isProgram ? "" : "heddle"};
  for (const CommandText &other : commands) {
    if (isProgram)
      text += fmt::format(".TP\n.B {}\n{}\n", plain(other.name), plain(other.summary));
    if (other.name != command.name)
      pages.push_back(pageName(other.name));
  }
  for (bool positional : {true, false}) {
    std::string options;
    for (const OptionText &one : command.options)
      if (one.positional == positional)
        options += option(one);
    text += options.empty() ? "" : (positional ? ".SH ARGUMENTS\n" : ".SH OPTIONS\n") + options;
  }
  if (!command.examples.empty())
    text += fmt::format(".SH EXAMPLES\n.nf\n{}\n.fi\n", plain(joined(command.examples, "\n")));
  text += exitStatus + std::string(".SH SEE ALSO\n");
  for (const std::string &other : pages)
    text += other.empty() ? "" : fmt::format(".BR {} (1){}\n", plain(other), &other == &pages.back() ? "" : ",");
  return text;
}

int writeAll(const CLI::App &app, const std::string &folder) {
  Diagnostics diagnostics;
  std::vector<CommandText> commands = describeCommands(app), all = commands;
  all.push_back(describe(app));
  for (const CommandText &command : all)
    if (!writeFile(fmt::format("{}/{}.1", folder, pageName(command.name)), page(command, commands), /*executable=*/false, diagnostics))
      break;
  return report(diagnostics.hasErrors() ? Outcome::Refused : Outcome::Good, diagnostics);
}

} // namespace

void heddle::addManual(CLI::App &app, Chosen &chosen) {
  auto name = std::make_shared<std::string>(), folder = std::make_shared<std::string>();
  CLI::App *command = app.add_subcommand("man", description);
  std::vector<std::string> names;
  for (const CommandText &other : describeCommands(app))
    names.push_back(other.name);
  CLI::Option *which = command->add_option("COMMAND", *name, "the command; default: the program")->type_name("")->check(CLI::IsMember(names));
  command->add_option("-o,--output", *folder, "write all pages into this folder")->type_name("DIR")->excludes(which);
  command->callback([name, folder, &app, &chosen] {
    chosen.work = [name, folder, &app] {
      if (!folder->empty())
        return writeAll(app, *folder);
      std::string text = page(describe(name->empty() ? app : *app.get_subcommand(*name)), describeCommands(app));
      return int(writeStandardOutput(text) ? exitGood : exitContents);
    };
  });
}
