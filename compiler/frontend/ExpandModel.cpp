// The model's own level: configuration keys, lets, requirements.
#include "compiler/frontend/Expander.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace heddle::frontend {

using namespace syntax;

static constexpr size_t maxListItems = 1 << 20;

bool Expander::evaluateModel() {
  const Model &model = names.model();
  unsigned before = trace.all().errorCount();
  std::vector<std::pair<Position, std::function<void()>>> items;
  for (const Config &config : model.configs)
    items.push_back({config.at, [&] {
                       for (const ConfigKey &key : config.keys)
                         evaluateKey(config, key);
                     }});
  for (const Let &let : model.lets)
    items.push_back({let.at, [&] { modelValues[let.name] = evaluate(*let.value); }});
  for (const Require &require : model.requires_)
    items.push_back({require.at, [&] {
                       std::optional<bool> holds = decide(*require.condition);
                       if (holds && !*holds)
                         trace.error(require.at, require.message + " (require)");
                     }});
  std::ranges::sort(items, {}, [](const auto &item) { return item.first; });
  for (auto &[_, evaluateItem] : items)
    evaluateItem();
  return trace.all().errorCount() == before;
}

/// What is set by hand must be something that the text or a task reads: a slip of the pen would otherwise change nothing, silently.
bool Expander::checkSettings() {
  std::vector<std::string> known{"decoder_start_token_id",  "bos_token_id",        "eos_token_id",       "pad_token_id", "max_length",
                                 "max_position_embeddings", "unk_token_id_source", "unk_token_id_target"};
  for (const Config &config : names.model().configs)
    for (const ConfigKey &key : config.keys)
      known.insert(known.end(), key.paths.begin(), key.paths.end());
  for (const std::string &name : configuration.settingNames()) {
    auto reads = [&](const std::string &path) { return path == name || path.starts_with(name + "."); };
    if (std::ranges::any_of(known, reads) || (name.find('.') != name.npos && std::ranges::find(known, name.substr(0, name.find('.'))) != known.end()))
      continue;
    Diagnostic &record = trace.all().misuse(fmt::format("--set {}: the text has no configuration key of this name", name));
    if (std::string near = nearestName(name, known); !near.empty())
      record.note(fmt::format("did you mean '{}'?", near));
  }
  return !trace.all().isMisuse();
}

/// The first of the key's paths that is present. Where a path begins with an object key, each place that object may stand at is tried.
std::optional<Configuration::Found> Expander::findKey(const ConfigKey &key) const {
  for (const std::string &path : key.paths) {
    if (std::optional<Configuration::Found> found = configuration.find(path))
      return found;
    for (const Config &config : names.model().configs) {
      if (config.type.kind != ConfigKind::Object)
        continue;
      for (const ConfigKey &object : config.keys)
        if (path.starts_with(object.name() + "."))
          for (const std::string &place : object.paths)
            if (std::optional<Configuration::Found> found = configuration.find(place + path.substr(object.name().size())))
              return found;
    }
  }
  return std::nullopt;
}

void Expander::evaluateKey(const Config &config, const ConfigKey &key) {
  if (config.type.kind == ConfigKind::Object) {
    modelValues[key.name()] = Object();
    return;
  }
  std::optional<Configuration::Found> found = findKey(key);
  Value value = found ? fromJson(*found->value, config.type, key.name(), found->place) : defaultOf(config, key);
  if (auto *integer = value.integer(); integer && config.type.kind == ConfigKind::Int) {
    extentNames.push_back({key.name(), static_cast<unsigned>(extentNames.size()), integer->staticValue(), false, false, 0, nullptr});
    value = Extent(extentNames.back());
  }
  modelValues[key.name()] = std::move(value);
}

Value Expander::defaultOf(const Config &config, const ConfigKey &key) {
  if (config.fallback) {
    keyBeingDefaulted = key.name();
    Value value = evaluate(*config.fallback);
    keyBeingDefaulted.clear();
    return asConfigured(std::move(value), config.type, key.name(), config.fallback->at);
  }
  if (config.type.optional)
    return None();
  std::string_view letter = config.type.kind == ConfigKind::Int ? "N" : "VALUE";
  std::string remedy = configuration.file().empty() ? fmt::format("there is no config.json; give --set {}={}", key.name(), letter)
                                                    : fmt::format("it is not in '{}'; give --set {}={}", configuration.file(), key.name(), letter);
  return trace.fail(key.at, fmt::format("configuration key '{}' has no value and no default", key.name()), {remedy});
}

/// A default must have the key's type.
Value Expander::asConfigured(Value value, const ConfigType &type, const std::string &name, Position at) {
  if (value.failed() || (value.isNone() && type.optional))
    return value;
  switch (type.kind) {
  case ConfigKind::Int:
    if (value.integer())
      return value;
    break;
  case ConfigKind::Float:
    if (value.isNumber())
      return *value.number();
    break;
  case ConfigKind::Bool:
    if (value.as<bool>())
      return value;
    break;
  case ConfigKind::String:
    if (value.as<std::string>())
      return value;
    break;
  default:
    if (auto *list = value.as<List>()) {
      std::vector<Value> items;
      for (const Value &item : **list)
        items.push_back(asConfigured(item, *type.element, name, at));
      return std::make_shared<const std::vector<Value>>(std::move(items));
    }
  }
  return trace.fail(at, fmt::format("'{}': expected {}, got {}", name, printType(type), value.describe()));
}

Value Expander::refuseJson(const Json &json, const ConfigType &type, const std::string &name, const Place &place) {
  trace.all().error(place, fmt::format("'{}': expected {}, got {}", name, printType(type), json.describe()));
  return Failed();
}

Value Expander::fromJson(const Json &json, const ConfigType &type, const std::string &name, const Place &place) {
  switch (type.kind) {
  case ConfigKind::Int:
    if (auto *value = json.integer(); value && *value != INT64_MIN)
      return Extent(*value);
    break;
  case ConfigKind::Float:
    if (std::optional<double> value = json.number())
      return *value;
    break;
  case ConfigKind::Bool:
    if (auto *value = json.boolean())
      return *value;
    break;
  case ConfigKind::String:
    if (auto *value = json.string())
      return *value;
    break;
  default: {
    std::optional<std::vector<const Json *>> items = listItems(json);
    if (!items || items->size() > maxListItems)
      break;
    std::vector<Value> values;
    for (const Json *item : *items)
      values.push_back(fromJson(*item, *type.element, name, {place.file, place.line ? item->line : 0, place.line ? item->column : 0}));
    return std::make_shared<const std::vector<Value>>(std::move(values));
  }
  }
  return refuseJson(json, type, name, place);
}

} // namespace heddle::frontend
