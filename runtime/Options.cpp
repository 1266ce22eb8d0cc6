#include "runtime/Options.h"
#include "runtime/Tokenizers.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace heddle::runtime;

namespace {

/// "a, b, c" for messages, cut where it gets long.
template <typename T> class Names {
public:
  Names(const T *items, int64_t count) {
    size_t length = 0;
    for (int64_t i = 0; i < count && length < sizeof buffer; ++i)
      length += static_cast<size_t>(std::snprintf(buffer + length, sizeof buffer - length, "%s%s", i ? ", " : "", items[i].name));
  }
  const char *text() const { return buffer; }

private:
  char buffer[400] = "none";
};

class Parser {
public:
  Parser(const heddle_model_table &model, int argc, const char *const *argv, Options &options, Failure &failure)
      : model(model), argc(argc), argv(argv), options(options), failure(failure) {}

  bool parse() {
    if (argc > 1 && std::strcmp(argv[1], "run") == 0) {
      options.command = Command::Run;
      next = 2;
    }
    bool onlyInputs = false;
    for (; next < argc; ++next) {
      std::string_view word = argv[next];
      if (!onlyInputs && word == "--")
        onlyInputs = true;
      else if (!onlyInputs && word.size() > 1 && word[0] == '-') {
        if (!option(word))
          return false;
        if (options.command == Command::Help || options.command == Command::Info || options.command == Command::Version)
          return true;
      } else if (!positional(argv[next]))
        return false;
    }
    return options.command == Command::Run ? finishRun() : finishTask();
  }

private:
  bool option(std::string_view word) {
    if (word == "--help" || word == "-h")
      return options.command = Command::Help, true;
    bool isTask = options.command != Command::Run;
    if (word == "--info" && isTask)
      return options.command = Command::Info, true;
    if (word == "--version" && isTask)
      return options.command = Command::Version, true;
    if (word == "-t")
      return wholeNumber("-t", "a number of threads", 1024, options.threads);
    if (word == "--repeat" && options.command == Command::Run)
      return wholeNumber("--repeat", "a number of calls", 1'000'000, options.repeats);
    if (word.starts_with("--profile") && options.command == Command::Run)
      return profile(word);
    if (options.command == Command::Run) {
      struct {
        const char *name;
        Array<Assignment> &list;
      } lists[] = {
          {"--in", options.in}, {"--lengths", options.lengths}, {"--starts", options.starts}, {"--text", options.text}, {"--out", options.out}};
      for (auto &candidate : lists)
        if (word == candidate.name)
          return assignment(candidate.name, candidate.list);
      return failure.usage("unknown option %s; 'run' has --in, --lengths, --starts, --text, --out, --repeat, --profile, -t", Quoted(word).text());
    }
    return taskOption(word);
  }

  bool taskOption(std::string_view word) {
    if (word == "--selftest")
      return options.command = Command::SelfTest, true;
    if (word == "--tokenize")
      return options.command = Command::Tokenize, true;
    if (word == "--json")
      return options.json = true;
    if (word == "-f")
      return path("-f", options.inputFile);
    if (word == "--task")
      return chooseTask();
    if (word == "--compare")
      return options.compares = true;
    if (word == "--out")
      return path("--out", options.outputFile);
    if (word == "-n")
      return wholeNumber("-n", "a number of tokens", 1'000'000, options.count);
    return failure.usage("unknown option %s; see --help ('--' ends the options)", Quoted(word).text());
  }

  bool path(const char *name, const char *&value) {
    if (value)
      return failure.usage("option %s is given twice", name);
    if (++next >= argc || !*argv[next])
      return failure.usage("option %s: expected a file", name);
    value = argv[next];
    return true;
  }

  bool chooseTask() {
    if (options.task)
      return failure.usage("option --task is given twice");
    const char *kind = ++next < argc ? argv[next] : "";
    options.task = findTask(model, kind);
    if (options.task)
      return true;
    char names[256] = "";
    for (int64_t i = 0, used = 0; i < model.task_count && used < 200; ++i)
      used += std::snprintf(names + used, sizeof names - static_cast<size_t>(used), "%s%s", i ? ", " : "", model.tasks[i].kind);
    return failure.usage("option --task: expected a task of this executable (%s), got %s", names, Quoted(kind).text());
  }

  bool profile(std::string_view word) {
    if (options.profile != ProfileForm::None)
      return failure.usage("option --profile is given twice");
    if (word != "--profile" && word != "--profile=json")
      return failure.usage("expected --profile or --profile=json, got %s", Quoted(word).text());
    options.profile = word == "--profile" ? ProfileForm::Text : ProfileForm::Json;
    return true;
  }

  /// `value` is 0 until the option was seen.
  bool wholeNumber(const char *name, const char *what, int most, int &value) {
    if (value)
      return failure.usage("option %s is given twice", name);
    if (++next >= argc)
      return failure.usage("option %s: expected %s, 1 to %d", name, what, most);
    char *end = nullptr;
    errno = 0;
    long number = std::strtol(argv[next], &end, 10);
    bool digits = argv[next][0] >= '0' && argv[next][0] <= '9';
    if (!digits || *end || errno || number < 1 || number > most)
      return failure.usage("option %s: expected 1 to %d, got %s", name, most, Quoted(argv[next]).text());
    value = static_cast<int>(number);
    return true;
  }

  bool assignment(const char *name, Array<Assignment> &list) {
    if (++next >= argc)
      return failure.usage("option %s: expected NAME=VALUE", name);
    const char *equals = std::strchr(argv[next], '=');
    if (!equals || equals == argv[next])
      return failure.usage("option %s: expected NAME=VALUE, got %s", name, Quoted(argv[next]).text());
    Assignment made = {{argv[next], static_cast<size_t>(equals - argv[next])}, equals + 1};
    for (const Assignment &other : list)
      if (other.name == made.name)
        return failure.usage("option %s: %s is given twice", name, Quoted(made.name).text());
    return list.push(made) || failure.outOfMemory();
  }

  bool positional(const char *word) {
    if (options.command != Command::Run)
      return options.inputs.push(word) || failure.outOfMemory();
    if (options.entry)
      return failure.usage("unexpected argument %s after the entry", Quoted(word).text());
    for (int64_t i = 0; i < model.entry_count && !options.entry; ++i)
      if (std::strcmp(model.entries[i].name, word) == 0)
        options.entry = &model.entries[i];
    return options.entry || failure.usage("unknown entry %s; entries: %s", Quoted(word).text(), Names(model.entries, model.entry_count).text());
  }

  bool finishRun() {
    if (!options.entry)
      return failure.usage("run: expected an entry; entries: %s", Names(model.entries, model.entry_count).text());
    const heddle_entry &entry = *options.entry;
    struct {
      const char *name;
      const Array<Assignment> &list;
    } lists[] = {{"--in", options.in}, {"--text", options.text}, {"--lengths", options.lengths}, {"--starts", options.starts}};
    for (auto &given : lists)
      for (const Assignment &one : given.list)
        if (findValue(entry.arguments, entry.argument_count, one.name) < 0)
          return failure.usage("option %s: entry '%s' has no argument %s; arguments: %s", given.name, entry.name, Quoted(one.name).text(),
                               Names(entry.arguments, entry.argument_count).text());
    for (const Assignment &one : options.out) {
      if (findValue(entry.results, entry.result_count, one.name) < 0)
        return failure.usage("option --out: entry '%s' has no result %s; results: %s", entry.name, Quoted(one.name).text(),
                             Names(entry.results, entry.result_count).text());
      for (const Assignment *other = options.out.begin(); other != &one; ++other)
        if (std::strcmp(other->value, one.value) == 0)
          return failure.usage("option --out: two results go to %s", Quoted(one.value).text());
    }
    return everyArgumentOnce(entry);
  }

  bool everyArgumentOnce(const heddle_entry &entry) {
    for (int64_t a = 0; a < entry.argument_count; ++a) {
      std::string_view name = entry.arguments[a].name;
      int times = 0;
      for (const Assignment &one : options.in)
        times += one.name == name;
      for (const Assignment &one : options.text)
        times += one.name == name;
      if (times > 1)
        return failure.usage("argument '%s' is given twice, by --in and by --text", entry.arguments[a].name);
      if (times == 0 && !entry.arguments[a].has_default)
        return failure.usage("argument '%s' of entry '%s' is missing: --in %s=FILE.npy", entry.arguments[a].name, entry.name,
                             entry.arguments[a].name);
    }
    for (const Array<Assignment> *rows : {&options.lengths, &options.starts})
      for (const Assignment &one : *rows)
        if (entry.arguments[findValue(entry.arguments, entry.argument_count, one.name)].ragged < 0)
          return failure.usage("option %s: argument %s has no ragged dimension", rows == &options.lengths ? "--lengths" : "--starts",
                               Quoted(one.name).text());
    return true;
  }

  bool finishTask() {
    if (!options.inputs.empty() && options.inputFile)
      return failure.usage("unexpected argument %s: the inputs come from the file of -f", Quoted(options.inputs[0]).text());
    if (options.command == Command::SelfTest && !options.inputs.empty())
      return failure.usage("unexpected argument %s: --selftest takes none", Quoted(options.inputs[0]).text());
    if (options.command == Command::Tokenize || options.command == Command::SelfTest)
      return checkUse(nullptr);
    if (model.task_count > 0)
      return checkUse((options.task ? options.task : model.tasks)->kind);
    if (options.inputs.empty())
      return failure.usage("expected a command: run ENTRY, --info or --help");
    return failure.usage("unknown command %s; commands: run, --info, --help", Quoted(options.inputs[0]).text());
  }

  /// Options that one kind of task has; null: no task.
  bool checkUse(const char *kind) {
    struct {
      const char *option, *kind;
      bool isGiven;
    } uses[] = {{"--compare", "embed", options.compares}, {"--out", "embed", options.outputFile != nullptr}, {"-n", "generate", options.count != 0}};
    for (auto &use : uses)
      if (use.isGiven && (!kind || std::strcmp(kind, use.kind) != 0))
        return failure.usage("option %s belongs to the task %s, not to %s", use.option, use.kind,
                             kind                                   ? kind
                             : options.command == Command::SelfTest ? "--selftest"
                                                                    : "--tokenize");
    return true;
  }

  const heddle_model_table &model;
  int argc;
  const char *const *argv;
  Options &options;
  Failure &failure;
  int next = 1;
};

} // namespace

bool heddle::runtime::parseOptions(const heddle_model_table &model, int argc, const char *const *argv, Options &options, Failure &failure) {
  return Parser(model, argc, argv, options, failure).parse();
}

int64_t heddle::runtime::findValue(const heddle_value *values, int64_t count, std::string_view name) {
  for (int64_t i = 0; i < count; ++i)
    if (name == values[i].name)
      return i;
  return -1;
}
