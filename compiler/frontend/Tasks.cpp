// Tasks and tokenizers: what an executable does beside its entries. Checked here, carried as attributes of the module.
#include "compiler/frontend/Expander.h"
#include "compiler/frontend/TaskFit.h"
#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>

namespace heddle::frontend {

using namespace syntax;

namespace {

struct KnownTask {
  std::string_view name;
  size_t entries;
  bool built;
};
constexpr KnownTask knownTasks[] = {{"translate", 2, true}, {"generate", 1, true}, {"transcribe", 2, false},
                                    {"embed", 1, true},     {"classify", 1, true}, {"train", 1, false}};

/// A setting, and the configuration keys of the same meaning, the first that is present counts.
struct KnownSetting {
  std::string_view name;
  bool isId;
  std::array<const char *, 2> keys;
};
constexpr KnownSetting knownSettings[] = {{"start", true, {"decoder_start_token_id", nullptr}},
                                          {"end", true, {"eos_token_id", nullptr}},
                                          {"pad", true, {"pad_token_id", nullptr}},
                                          {"limit", false, {"max_length", "max_position_embeddings"}},
                                          {"new", false, {"max_new_tokens", nullptr}}};

mlir::NamedAttribute named(mlir::Builder &builder, llvm::StringRef name, mlir::Attribute value) { return builder.getNamedAttr(name, value); }

} // namespace

/// A whole number at a key of the configuration; none where it is not there.
std::optional<int64_t> Expander::configuredInt(const std::string &key) const {
  std::optional<Configuration::Found> found = configuration.findForTasks(key);
  if (!found)
    return std::nullopt;
  if (auto *value = found->value->integer())
    return *value;
  trace.all().error(found->place, fmt::format("'{}': expected int, got {}", key, found->value->describe()));
  return std::nullopt;
}

void Expander::describeTasks(mlir::ModuleOp module) {
  mlir::Builder builder(module.getContext());
  llvm::SmallVector<mlir::Attribute> tasks, tokenizers;
  for (const Task &task : names.model().tasks)
    if (mlir::Attribute attribute = describeTask(task, module))
      tasks.push_back(attribute);
  for (const Tokenizer &tokenizer : names.model().tokenizers)
    if (mlir::Attribute attribute = describeTokenizer(tokenizer, builder))
      tokenizers.push_back(attribute);
  module->setAttr(tasksAttr, builder.getArrayAttr(tasks));
  module->setAttr(tokenizersAttr, builder.getArrayAttr(tokenizers));
}

/// A first or last id that has no score is a contradiction; without one the executable can still run its entries.
void Expander::checkIds(const Task &task, const TaskSettings &settings, mlir::func::FuncOp scoring) {
  std::optional<int64_t> ids = scoresOf(scoring);
  struct Use {
    const char *setting, *key, *without;
  };
  Use start{"start", "decoder_start_token_id", "no text is translated"};
  Use end{"end", "eos_token_id", task.name == "translate" ? "every text is translated to the limit" : "every text grows to the limit"};
  for (const Use &use : task.name == "translate" ? std::vector{start, end} : std::vector{end}) {
    auto found = settings.find(use.setting);
    if (found == settings.end())
      trace.all().note(trace.place(task.at), fmt::format("task '{}' has no '{}' ({}): {}", task.name, use.setting, use.key, use.without));
    else
      for (int64_t id : found->second)
        if (ids && id >= *ids)
          trace.error(task.at, fmt::format("setting '{}' of task '{}': expected 0 to {}, the ids that have a score, got {}", use.setting, task.name,
                                           *ids - 1, id));
  }
}

/// The names of the labels: id2label, which must be as many as there are scores; else none.
std::vector<std::string> Expander::labelsOf(const Task &task, mlir::func::FuncOp entry) {
  std::optional<Configuration::Found> found = configuration.find("id2label");
  if (!found)
    return {};
  std::vector<std::string> labels;
  std::optional<std::vector<const Json *>> items = listItems(*found->value);
  for (const Json *item : items.value_or(std::vector<const Json *>{}))
    if (const std::string *label = item->string())
      labels.push_back(*label);
  if (!items || labels.size() != items->size()) {
    trace.all().error(found->place, fmt::format("'id2label': expected a list of strings, or an object with the keys \"0\", \"1\" ..., got {}",
                                                found->value->describe()));
    return {};
  }
  if (std::ranges::any_of(labels, [](const std::string &label) { return label.find('\0') != label.npos; })) // which ends a string of the table
    trace.all().error(found->place, "'id2label': expected labels without NUL characters");
  if (std::optional<int64_t> scores = scoresOf(entry); scores && *scores != static_cast<int64_t>(labels.size()))
    trace.all().error(found->place, fmt::format("'id2label' has {} labels, entry '{}' of task '{}' gives {} scores", labels.size(),
                                                entry.getName().str(), task.name, *scores));
  return labels;
}

/// How pictures get the size that the entry takes: preprocessor_config.json's number of the filter; -1: not at all, then those of another size are
/// refused.
double Expander::pictureFilter(mlir::ArrayRef<int64_t> shape) const {
  std::optional<Configuration::Found> resizes = configuration.findForPictures("do_resize"), filter = configuration.findForPictures("resample");
  if (!filter || (resizes && resizes->value->boolean() && !*resizes->value->boolean()))
    return -1;
  auto extent = [&](const char *key) -> std::optional<int64_t> {
    std::optional<Configuration::Found> found = configuration.findForPictures(key);
    return found && found->value->integer() ? std::optional(*found->value->integer()) : std::nullopt;
  };
  std::optional<int64_t> side = extent("size"), height = side ? side : extent("size.height"), width = side ? side : extent("size.width");
  const int64_t *number = filter->value->integer();
  constexpr int64_t bilinear = 2, bicubic = 3;
  if (number && (*number == bilinear || *number == bicubic) && height == shape[2] && width == shape[3])
    return static_cast<double>(*number);
  trace.all().note(filter->place, "this way to resize pictures is not built yet; pictures of another size than the model takes are refused");
  return -1;
}

/// How the bytes of a picture become what the entry takes: (byte * rescale - mean) / std, a number a channel.
mlir::DictionaryAttr Expander::pictureNumbers(mlir::func::FuncOp entry) {
  mlir::Builder builder(entry.getContext());
  auto shape = mlir::cast<mlir::RankedTensorType>(entry.getArgumentTypes()[0]).getShape();
  size_t channels = shape[1];
  auto numbers = [&](const char *key, const char *unless, double otherwise, size_t count) {
    std::optional<Configuration::Found> without = unless ? configuration.findForPictures(unless) : std::nullopt;
    std::optional<Configuration::Found> found = configuration.findForPictures(key);
    if (!found || (without && without->value->boolean() && !*without->value->boolean()))
      return builder.getDenseF64ArrayAttr(std::vector(count, otherwise));
    std::vector<double> values;
    if (std::optional<double> one = found->value->number())
      values.assign(count, *one);
    for (const Json &element : found->value->elements())
      if (std::optional<double> value = element.number())
        values.push_back(*value);
    bool isStd = std::string_view(key) == "image_std";
    if (values.size() != count || (isStd && std::ranges::any_of(values, [](double value) { return !(value > 0); })))
      trace.all().error(found->place, fmt::format("'{}': expected {} {}number{}, one a channel, got {}", key, count, isStd ? "positive " : "",
                                                  count == 1 ? "" : "s", found->value->describe()));
    return builder.getDenseF64ArrayAttr(values);
  };
  bool rescales = true;
  if (std::optional<Configuration::Found> found = configuration.findForPictures("do_rescale"); found && found->value->boolean())
    rescales = *found->value->boolean();
  return builder.getDictionaryAttr({named(builder, "mean", numbers("image_mean", "do_normalize", 0, channels)),
                                    named(builder, "resample", builder.getDenseF64ArrayAttr(pictureFilter(shape))),
                                    named(builder, "rescale", numbers("rescale_factor", "do_rescale", rescales ? 1.0 / 255 : 1, 1)),
                                    named(builder, "std", numbers("image_std", "do_normalize", 1, channels))});
}

/// Null where the task is left out (an entry is) or refused.
mlir::Attribute Expander::describeTask(const Task &task, mlir::ModuleOp module) {
  mlir::Builder builder(module.getContext());
  auto known = std::ranges::find(knownTasks, task.name, &KnownTask::name);
  if (known == std::end(knownTasks)) {
    std::vector<std::string> candidates;
    for (const KnownTask &candidate : knownTasks)
      candidates.emplace_back(candidate.name);
    std::string near = nearestName(task.name, candidates);
    trace.error(task.at, fmt::format("unknown task '{}'", task.name),
                near.empty() ? std::vector<std::string>{} : std::vector{fmt::format("did you mean '{}'?", near)});
    return {};
  }
  llvm::SmallVector<mlir::Attribute> entries;
  TaskSettings settings;
  bool complete = true;
  for (const Argument &argument : task.arguments) {
    if (!argument.name.empty()) {
      readSetting(task, argument, settings);
      continue;
    }
    auto *path = std::get_if<Path>(&argument.value->node);
    if (!path || !names.entry(path->name)) {
      trace.error(argument.at, fmt::format("a task takes the names of entries; there is no entry {}", path ? "'" + path->name + "'" : "here"));
      return {};
    }
    complete = complete && expanded.contains(path->name); // `when` left it out, or it has errors of its own
    entries.push_back(builder.getStringAttr(path->name));
  }
  if (entries.size() != known->entries) {
    trace.error(task.at,
                fmt::format("task '{}' takes {} entr{}, got {}", task.name, known->entries, known->entries == 1 ? "y" : "ies", entries.size()));
    return {};
  }
  if (!known->built) {
    trace.all().note(trace.place(task.at), fmt::format("task '{}' is not built yet; the executable has its entries only", task.name));
    return {};
  }
  if (!complete)
    return {};
  llvm::SmallVector<mlir::func::FuncOp> functions = llvm::map_to_vector(
      entries, [&](mlir::Attribute name) { return module.lookupSymbol<mlir::func::FuncOp>(mlir::cast<mlir::StringAttr>(name).getValue()); });
  if (std::string reason = misfit(task.name, functions); !reason.empty()) {
    trace.error(task.at, fmt::format("task '{}': {}", task.name, reason));
    return {};
  }
  if (int64_t channels = task.name == "classify" ? pictureChannels(functions[0]) : 0; channels != 0 && channels != 1 && channels != 3) {
    trace.all().note(trace.place(task.at),
                     fmt::format("task '{}': a picture has 1 or 3 channels, entry '{}' takes {}; the executable has its entries only", task.name,
                                 functions[0].getName().str(), channels));
    return {};
  }
  llvm::SmallVector<mlir::NamedAttribute> fields{named(builder, "entries", builder.getArrayAttr(entries)),
                                                 named(builder, "kind", builder.getStringAttr(task.name))};
  bool choosesIds = task.name == "translate" || task.name == "generate";
  for (const KnownSetting &setting : knownSettings)
    for (const char *key : setting.keys)
      if (key && (choosesIds || setting.name == "pad") && !settings.contains(std::string(setting.name))) {
        if (!setting.isId) {
          if (std::optional<int64_t> value = configuredInt(key))
            settings[std::string(setting.name)] = {*value};
        } else if (std::optional<std::vector<int64_t>> ids = configuration.findTokenIds(key, trace.all()); ids && !ids->empty()) {
          settings[std::string(setting.name)] = *ids;
        }
      }
  if (choosesIds)
    checkIds(task, settings, functions.back());
  if (task.name == "classify") {
    std::vector<std::string> labels = labelsOf(task, functions[0]);
    fields.push_back(named(builder, "labels", builder.getStrArrayAttr(std::vector<llvm::StringRef>(labels.begin(), labels.end()))));
    if (pictureChannels(functions[0]) > 0)
      fields.push_back(named(builder, "numbers", pictureNumbers(functions[0])));
  }
  fields.push_back(named(builder, "settings", settingsAttribute(task, settings, builder)));
  return builder.getDictionaryAttr(fields);
}

mlir::DictionaryAttr Expander::settingsAttribute(const Task &task, const TaskSettings &settings, mlir::Builder &builder) {
  llvm::SmallVector<mlir::NamedAttribute> stated;
  for (const auto &[name, values] : settings) {
    int64_t least = name == "limit" || name == "new" ? 1 : name == "pad" ? INT64_MIN : 0; // config.json files say -1 for no padding
    for (int64_t value : values)
      if (value < least)
        trace.error(task.at, fmt::format("setting '{}' of task '{}': expected at least {}, got {}", name, task.name, least, value));
    if (values.size() > 1 && name != "end")
      trace.error(task.at, fmt::format("setting '{}' of task '{}': expected one number, got {}", name, task.name, values.size()));
    stated.push_back(named(builder, name, builder.getDenseI64ArrayAttr(values)));
  }
  return builder.getDictionaryAttr(stated);
}

void Expander::readSetting(const Task &task, const Argument &argument, TaskSettings &settings) {
  static constexpr std::string_view later[] = {"ban", "rate", "beta1", "beta2", "epsilon"};
  if (std::ranges::find(later, argument.name) != std::end(later)) {
    trace.all().note(trace.place(argument.at), fmt::format("setting '{}' of task '{}' is not built yet", argument.name, task.name));
    return;
  }
  if (std::ranges::find(knownSettings, argument.name, &KnownSetting::name) == std::end(knownSettings)) {
    trace.error(argument.at, fmt::format("task '{}' has no setting '{}'; there are start, end, pad, limit, new, ban", task.name, argument.name));
    return;
  }
  if (std::optional<Extent> value = evaluateInt(*argument.value, fmt::format("setting '{}'", argument.name)))
    settings[argument.name] = {value->staticValue()};
}

/// Null for a kind that is not built yet, which is a note: ids still work.
mlir::Attribute Expander::describeTokenizer(const Tokenizer &tokenizer, mlir::Builder &builder) {
  if (tokenizer.kind != "json" && tokenizer.kind != "words" && tokenizer.kind != "characters") {
    trace.all().note(trace.place(tokenizer.at), fmt::format("tokenizers of kind '{}' are not built yet; ids still work", tokenizer.kind));
    return {};
  }
  if (std::filesystem::path path(tokenizer.path); path.is_absolute() || std::ranges::find(path, "..") != path.end()) {
    trace.error(tokenizer.at, fmt::format("tokenizer '{}': expected the name of a file in the model's folder", tokenizer.path));
    return {};
  }
  llvm::SmallVector<mlir::NamedAttribute> fields{named(builder, "side", builder.getStringAttr(tokenizer.side)),
                                                 named(builder, "kind", builder.getStringAttr(tokenizer.kind)),
                                                 named(builder, "path", builder.getStringAttr(tokenizer.path))};
  if (tokenizer.kind != "json")
    if (std::optional<int64_t> unknown = configuredInt(tokenizer.side == "target" ? "unk_token_id_target" : "unk_token_id_source"))
      fields.push_back(named(builder, "unknown", builder.getI64IntegerAttr(*unknown)));
  return builder.getDictionaryAttr(fields);
}

} // namespace heddle::frontend
