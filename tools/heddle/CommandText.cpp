// Reads the command line's own tables.
#include "tools/heddle/CommandText.h"
#include <sstream>

using namespace heddle;

std::string heddle::joined(const std::vector<std::string> &words, const std::string &between) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : between) + word;
  return text;
}

std::string heddle::replaced(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// CLI11 has what an option takes and what is allowed for it in one text: KIND:{a,b}, or INT in [1 - 9].
static void describeValue(const CLI::Option &option, OptionText &text) {
  std::string type = option.get_type_name();
  size_t open = type.find('{'), close = type.rfind('}');
  if (open != std::string::npos && close != std::string::npos) {
    std::istringstream names(type.substr(open + 1, close - open - 1));
    for (std::string name; std::getline(names, name, ',');)
      text.choices.push_back(name);
  }
  size_t allowed = std::min(type.find(":{"), type.find(":INT in ["));
  text.value = type.empty() || type == "TEXT" ? "VALUE" : type.substr(0, allowed);
}

static OptionText describe(const CLI::Option &option) {
  OptionText text;
  text.positional = option.get_positional();
  text.required = option.get_required();
  text.several = option.get_expected_max() > 1;
  text.help = option.get_description();
  for (const std::string &name : option.get_snames())
    text.names.push_back("-" + name);
  for (const std::string &name : option.get_lnames())
    text.names.push_back("--" + name);
  if (text.positional)
    text.names = {option.get_name(/*positional=*/true)};
  if (option.get_expected_max() > 0)
    describeValue(option, text);
  return text;
}

CommandText heddle::describe(const CLI::App &command) {
  CommandText text;
  text.name = command.get_name();
  std::istringstream lines(command.get_description());
  std::getline(lines, text.summary);
  bool inExamples = false, begins = true;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      inExamples = false, begins = true;
    } else if (line == "Examples:") {
      inExamples = true;
    } else if (inExamples) {
      text.examples.push_back(line.substr(std::min<size_t>(2, line.find_first_not_of(' '))));
    } else {
      if (begins)
        text.paragraphs.emplace_back();
      text.paragraphs.back() += (begins ? "" : "\n") + line;
      begins = false;
    }
  }
  for (const CLI::Option *option : command.get_options())
    if (!option->get_group().empty())
      text.options.push_back(::describe(*option));
  return text;
}

std::vector<CommandText> heddle::describeCommands(const CLI::App &app) {
  std::vector<CommandText> commands;
  for (const CLI::App *command : app.get_subcommands([](const CLI::App *command) { return !command->get_group().empty(); }))
    commands.push_back(describe(*command));
  return commands;
}
