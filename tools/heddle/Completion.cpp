// heddle completion: a script that tells a shell the commands, their options and what these take.
#include "tools/heddle/CommandText.h"
#include "tools/heddle/Commands.h"
#include "tools/heddle/Guard.h"
#include <fmt/format.h>
#include <map>

using namespace heddle;

namespace {

constexpr const char *description = R"(Print a script that completes commands, options and their values in a shell.

Examples:
  source <(heddle completion bash)                       in ~/.bashrc
  heddle completion zsh > ~/.zfunc/_heddle               a folder of $fpath
  heddle completion fish > ~/.config/fish/completions/heddle.fish

An installation has all three where the shells look for them.
)";

std::vector<std::string> optionNames(const CommandText &command) {
  std::vector<std::string> names;
  for (const OptionText &option : command.options)
    if (!option.positional)
      names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

/// What may stand at a command's place of arguments, where that is a closed list.
std::string argumentChoices(const CommandText &command) {
  for (const OptionText &option : command.options)
    if (option.positional && !option.choices.empty())
      return joined(option.choices, " ");
  return "";
}

/// A word behind an option that takes what no list has, and every other word that is no option, is completed as a file.
std::string completeBash(const CommandText &program, const std::vector<CommandText> &commands) {
  std::string names, cases;
  for (const CommandText &command : commands) {
    names += command.name + " ";
    std::map<std::string, std::vector<std::string>> patterns; // by the choices that they have
    for (const OptionText &option : command.options)
      if (!option.positional && !option.value.empty())
        for (const std::string &name : option.names)
          patterns[joined(option.choices, " ")].push_back(command.name + ":" + name);
    for (const auto &[choices, places] : patterns)
      cases += fmt::format("    {}) words=\"{}\" ;;\n", joined(places, " | "), choices);
    cases += fmt::format("    {}:*) [[ $word == -* ]] && words=\"{}\" || words=\"{}\" ;;\n", command.name, joined(optionNames(command), " "),
                         argumentChoices(command));
  }
  return fmt::format(R"(# bash completion of heddle, from: heddle completion bash
_heddle() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} words=
  if [[ $word == "=" ]]; then
    word= # bash takes --option=value apart
  elif [[ $before == "=" ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  if ((COMP_CWORD == 1)); then
    words="{}{}"
  else
    case ${{COMP_WORDS[1]}}:$before in
{}    esac
  fi
  COMPREPLY=()
  [[ -z $words ]] || COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _heddle heddle
)",
                     names, joined(optionNames(program), " "), cases);
}

std::string quoteZsh(std::string text) {
  for (const char *special : {"\\", "[", "]", ":"})
    text = replaced(std::move(text), special, std::string("\\") + special);
  return replaced(std::move(text), "'", "'\\''");
}

/// What zsh does with a value: a closed list, or files.
std::string zshValue(const OptionText &option) {
  std::string what = option.choices.empty() ? "_files" : "(" + joined(option.choices, " ") + ")";
  return fmt::format(":{}:{}", quoteZsh(option.positional ? option.names.front() : option.value), what);
}

std::string completeZsh(const std::vector<CommandText> &commands) {
  std::string names, cases;
  for (const CommandText &command : commands) {
    names += fmt::format("    '{}:{}'\n", command.name, quoteZsh(command.summary));
    std::string arguments;
    for (const OptionText &option : command.options) {
      if (option.positional)
        arguments += fmt::format(" \\\n      '{}{}'", option.several ? "*" : "", zshValue(option));
      else
        for (const std::string &name : option.names)
          arguments += fmt::format(" \\\n      '*{}{}[{}]{}'", name,
                                   option.value.empty()     ? ""
                                   : name.starts_with("--") ? "="
                                                            : "+",
                                   quoteZsh(option.help), option.value.empty() ? "" : zshValue(option));
    }
    cases += fmt::format("  {})\n    _arguments{}\n    ;;\n", command.name, arguments);
  }
  return fmt::format(R"(#compdef heddle
# zsh completion of heddle, from: heddle completion zsh
_heddle() {{
  local -a commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
{}  esac
}}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _heddle "$@"
else
  compdef _heddle heddle
fi
)",
                     names, cases);
}

std::string quoteFish(const std::string &text) { return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'"; }

std::string completeFish(const std::vector<CommandText> &commands) {
  std::string text = "# fish completion of heddle, from: heddle completion fish\n";
  for (const CommandText &command : commands) {
    text += fmt::format("complete -c heddle -n __fish_use_subcommand -f -a {} -d {}\n", command.name, quoteFish(command.summary));
    std::string begin = fmt::format("complete -c heddle -n '__fish_seen_subcommand_from {}'", command.name);
    for (const OptionText &option : command.options) {
      if (option.positional && option.choices.empty())
        continue; // files
      text += begin;
      for (const std::string &name : option.names)
        text += option.positional ? "" : name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.choices.empty())
        text += fmt::format(" {} -a {}", option.positional ? "-f" : "-x", quoteFish(joined(option.choices, " ")));
      else if (!option.value.empty())
        text += " -r";
      text += fmt::format(" -d {}\n", quoteFish(option.help));
    }
  }
  return text;
}

} // namespace

void heddle::addCompletion(CLI::App &app, Chosen &chosen) {
  auto shell = std::make_shared<std::string>();
  CLI::App *command = app.add_subcommand("completion", description);
  command->add_option("SHELL", *shell, "the shell")->required()->type_name("")->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([shell, &app, &chosen] {
    chosen.work = [shell, &app] {
      std::vector<CommandText> commands = describeCommands(app);
      std::string script = *shell == "bash"  ? completeBash(describe(app), commands)
                           : *shell == "zsh" ? completeZsh(commands)
                                             : completeFish(commands);
      return writeStandardOutput(script) ? exitGood : exitContents;
    };
  });
}
