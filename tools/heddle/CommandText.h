// What the command line says about itself, taken from CLI11: the one source of --help, of the manual pages and of what shells complete.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace heddle {

struct OptionText {
  std::vector<std::string> names; // with their dashes; of a positional one its name alone
  bool positional = false, required = false, several = false;
  std::string value; // what it takes; empty for a flag
  std::vector<std::string> choices;
  std::string help;
};

struct CommandText {
  std::string name, summary; // summary: a sentence
  std::vector<std::string> examples;
  std::vector<std::string> paragraphs; // of the description, without summary and examples
  std::vector<OptionText> options;
};

/// A command, or the whole program. Hidden options are left out.
CommandText describe(const CLI::App &command);
/// Every command that --help shows, in its order.
std::vector<CommandText> describeCommands(const CLI::App &app);

std::string joined(const std::vector<std::string> &words, const std::string &between);
/// `text` with one string for another everywhere.
std::string replaced(std::string text, const std::string &from, const std::string &to);

} // namespace heddle
