// Tasks and tokenizers: what an executable does beside its entries. Checked here, carried as attributes of the module.
#include "compiler/frontend/Expander.h"
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
constexpr KnownTask knownTasks[] = {{"translate", 2, true}, {"generate", 1, false}, {"transcribe", 2, false},
                                    {"embed", 1, false},    {"classify", 1, false}, {"train", 1, false}};

/// A setting, and the configuration keys of the same meaning, the first that is present counts.
struct KnownSetting {
  std::string_view name;
  std::array<const char *, 2> keys;
};
constexpr KnownSetting knownSettings[] = {{"start", {"decoder_start_token_id", nullptr}},
                                          {"end", {"eos_token_id", nullptr}},
                                          {"pad", {"pad_token_id", nullptr}},
                                          {"limit", {"max_length", "max_position_embeddings"}}};

mlir::NamedAttribute named(mlir::Builder &builder, llvm::StringRef name, mlir::Attribute value) { return builder.getNamedAttr(name, value); }

} // namespace

/// An int of config.json, where it is there and an int.
std::optional<int64_t> Expander::configuredInt(const std::string &key) const {
  std::optional<Configuration::Found> found = configuration.find(key);
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

static bool isRagged(mlir::func::FuncOp entry, unsigned argument) {
  DimsAttr dims = dimsOf(entry.getArgumentTypes()[argument]);
  auto dimensions = entry->getAttrOfType<mlir::ArrayAttr>(dimensionsAttr);
  return dims && dimensions && llvm::any_of(dimensions, [&](mlir::Attribute attribute) {
           auto dimension = mlir::cast<DimensionAttr>(attribute);
           return dimension.isRagged() && dims.find(dimension.getName().getValue());
         });
}

static mlir::RankedTensorType firstResult(mlir::func::FuncOp entry) {
  return entry.getNumResults() ? mlir::dyn_cast<mlir::RankedTensorType>(entry.getResultTypes().front()) : mlir::RankedTensorType();
}

/// What keeps two entries from being a translation, empty where they are one: the first takes ids and gives a memory, the second takes ids and that
/// memory and gives every id a score. What else they take may be left out.
static std::string misfit(mlir::func::FuncOp encode, mlir::func::FuncOp decode) {
  auto othersDefault = [](mlir::func::FuncOp entry, unsigned from) {
    return llvm::all_of(llvm::seq(from, entry.getNumArguments()), [&](unsigned i) { return entry.getArgAttr(i, defaultAttr) != nullptr; });
  };
  for (mlir::func::FuncOp entry : {encode, decode}) {
    auto ids = entry.getNumArguments() ? mlir::dyn_cast<mlir::RankedTensorType>(entry.getArgumentTypes()[0]) : mlir::RankedTensorType();
    if (!ids || ids.getRank() != 2 || !ids.getElementType().isInteger(32) || !isRagged(entry, 0))
      return fmt::format("entry '{}' must take i32[batch, tokens...] first", entry.getName().str());
  }
  mlir::RankedTensorType memory = firstResult(encode), scores = firstResult(decode);
  auto taken = decode.getNumArguments() > 1 ? mlir::dyn_cast<mlir::RankedTensorType>(decode.getArgumentTypes()[1]) : mlir::RankedTensorType();
  if (!memory || !taken || taken.getRank() != memory.getRank() || taken.getElementType() != memory.getElementType() || !isRagged(decode, 1))
    return fmt::format("entry '{}' must take second what '{}' gives", decode.getName().str(), encode.getName().str());
  if (!scores || scores.getRank() != 3 || !scores.getElementType().isF32())
    return fmt::format("entry '{}' must give a score for every id: f32[batch, tokens..., ids]", decode.getName().str());
  if (!othersDefault(encode, 1) || !othersDefault(decode, 2))
    return fmt::format("entry '{}' takes more than a translation has; give its other arguments a default",
                       (othersDefault(encode, 1) ? decode : encode).getName().str());
  return "";
}

/// A first or last id that the decoder does not know is a contradiction; without one the executable can still run its entries.
void Expander::checkTranslation(const Task &task, const std::map<std::string, int64_t> &settings, mlir::func::FuncOp encode,
                                mlir::func::FuncOp decode) {
  if (std::string reason = misfit(encode, decode); !reason.empty())
    return trace.error(task.at, fmt::format("task '{}': {}", task.name, reason));
  mlir::RankedTensorType scores = firstResult(decode);
  std::optional<int64_t> ids = scores.isDynamicDim(2) ? std::nullopt : std::optional(scores.getDimSize(2));
  struct Use {
    const char *setting, *key, *without;
  };
  for (const Use &use :
       {Use{"start", "decoder_start_token_id", "no text is translated"}, Use{"end", "eos_token_id", "every text is translated to the limit"}}) {
    auto found = settings.find(use.setting);
    if (found == settings.end())
      trace.all().note(trace.place(task.at), fmt::format("task '{}' has no '{}' ({}): {}", task.name, use.setting, use.key, use.without));
    else if (ids && found->second >= *ids)
      trace.error(task.at, fmt::format("setting '{}' of task '{}': expected 0 to {}, the ids that have a score, got {}", use.setting, task.name,
                                       *ids - 1, found->second));
  }
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
  std::map<std::string, int64_t> settings;
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
  for (const KnownSetting &setting : knownSettings)
    for (const char *key : setting.keys)
      if (key && !settings.contains(std::string(setting.name)))
        if (std::optional<int64_t> value = configuredInt(key))
          settings[std::string(setting.name)] = *value;
  llvm::SmallVector<mlir::NamedAttribute> stated;
  for (const auto &[name, value] : settings) {
    int64_t least = name == "limit" ? 1 : name == "pad" ? INT64_MIN : 0; // config.json files say -1 for no padding
    if (value < least)
      trace.error(task.at, fmt::format("setting '{}' of task '{}': expected at least {}, got {}", name, task.name, least, value));
    stated.push_back(named(builder, name, builder.getI64IntegerAttr(value)));
  }
  auto entryOf = [&](mlir::Attribute name) { return module.lookupSymbol<mlir::func::FuncOp>(mlir::cast<mlir::StringAttr>(name).getValue()); };
  checkTranslation(task, settings, entryOf(entries[0]), entryOf(entries[1]));
  return builder.getDictionaryAttr({named(builder, "kind", builder.getStringAttr(task.name)),
                                    named(builder, "entries", builder.getArrayAttr(entries)),
                                    named(builder, "settings", builder.getDictionaryAttr(stated))});
}

void Expander::readSetting(const Task &task, const Argument &argument, std::map<std::string, int64_t> &settings) {
  static constexpr std::string_view later[] = {"ban", "rate", "beta1", "beta2", "epsilon"};
  if (std::ranges::find(later, argument.name) != std::end(later)) {
    trace.all().note(trace.place(argument.at), fmt::format("setting '{}' of task '{}' is not built yet", argument.name, task.name));
    return;
  }
  if (std::ranges::find(knownSettings, argument.name, &KnownSetting::name) == std::end(knownSettings)) {
    trace.error(argument.at, fmt::format("task '{}' has no setting '{}'; there are start, end, pad, limit, ban", task.name, argument.name));
    return;
  }
  if (std::optional<Extent> value = evaluateInt(*argument.value, fmt::format("setting '{}'", argument.name)))
    settings[argument.name] = value->staticValue();
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
