// Reading of the files and of --set, and look-up by path.
#include "compiler/frontend/Configuration.h"
#include "compiler/support/File.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace heddle::frontend {

std::optional<std::vector<const Json *>> listItems(const Json &json) {
  std::vector<const Json *> items;
  for (const Json &item : json.elements())
    items.push_back(&item);
  if (json.isArray())
    return items;
  for (size_t i = 0; i < json.members().size(); ++i) {
    items.push_back(json.find(std::to_string(i)));
    if (!items.back())
      return std::nullopt;
  }
  return json.isObject() ? std::optional(items) : std::nullopt;
}

static constexpr uint64_t maxConfigurationBytes = 16 << 20;

/// False after an error; a file that is not there is none.
bool Configuration::File::load(const std::string &file, Diagnostics &diagnostics) {
  if (!isThere(file))
    return true;
  std::optional<std::string> text = readFile(file, maxConfigurationBytes, diagnostics);
  if (text)
    diagnostics.keepSource(file, *text);
  if (!text || !(json = parseJson(*text, file, diagnostics)))
    return false;
  path = file;
  if (!json->isObject())
    diagnostics.error(json->at(file), fmt::format("expected an object with configuration keys, got {}", json->describe()));
  return json->isObject();
}

std::optional<Configuration> Configuration::load(const std::string &folder, const std::vector<std::string> &settings, Diagnostics &diagnostics) {
  Configuration result;
  std::filesystem::path place(folder.empty() ? "." : folder);
  if (!result.model.load((place / "config.json").string(), diagnostics) ||
      !result.generation.load((place / "generation_config.json").string(), diagnostics) ||
      !result.pictures.load((place / "preprocessor_config.json").string(), diagnostics))
    return std::nullopt;
  for (const std::string &setting : settings)
    if (!result.addSetting(setting, diagnostics))
      return std::nullopt;
  return result;
}

/// The value is JSON if it reads as JSON, else a string, so that quotes are needed around neither `gelu` nor `12`.
bool Configuration::addSetting(const std::string &text, Diagnostics &diagnostics) {
  size_t equals = text.find('=');
  if (equals == text.npos || equals == 0) {
    diagnostics.misuse(fmt::format("--set '{}': expected KEY=VALUE", text));
    return false;
  }
  std::string name = text.substr(0, equals);
  if (std::ranges::find(settings, name, &Setting::name) != settings.end()) {
    diagnostics.misuse(fmt::format("--set {} is given twice", name));
    return false;
  }
  std::string shown = "--set " + text, value = text.substr(equals + 1);
  Diagnostics quiet;
  std::optional<Json> json = parseJson(value, shown, quiet);
  if (!json) {
    std::string quoted = "\"";
    for (char c : value)
      quoted += c == '"' || c == '\\' ? std::string{'\\', c} : static_cast<unsigned char>(c) < 0x20 ? fmt::format("\\u{:04x}", c) : std::string{c};
    json = parseJson(quoted + "\"", shown, diagnostics);
  }
  if (!json)
    return false;
  settings.push_back({std::move(name), text, std::move(*json)});
  return true;
}

/// Follows `rest`, names joined by dots, into objects. A key that holds a dot itself is no path.
static const Json *follow(const Json *from, std::string_view rest) {
  while (from && !rest.empty()) {
    size_t dot = rest.find('.');
    from = from->find(rest.substr(0, dot));
    rest = dot == rest.npos ? "" : rest.substr(dot + 1);
  }
  return from;
}

std::optional<Configuration::Found> Configuration::findSetting(const std::string &path) const {
  for (auto setting = settings.rbegin(); setting != settings.rend(); ++setting) {
    std::string_view rest(path);
    if (!rest.starts_with(setting->name))
      continue;
    rest.remove_prefix(setting->name.size());
    if (!rest.empty() && rest[0] != '.')
      continue;
    if (const Json *found = follow(&setting->value, rest.empty() ? rest : rest.substr(1)))
      return Found{found, {"--set " + setting->text, 0, 0}};
  }
  return std::nullopt;
}

std::optional<Configuration::Found> Configuration::File::find(const std::string &key) const {
  const Json *found = json ? follow(&*json, key) : nullptr;
  return found && !found->isNull() ? std::optional(Found{found, found->at(path)}) : std::nullopt;
}

std::optional<Configuration::Found> Configuration::find(const std::string &path) const {
  std::optional<Found> found = findSetting(path);
  if (!found)
    return model.find(path);
  return found->value->isNull() ? std::nullopt : found; // set to null: absent, whatever the file says
}

std::optional<Configuration::Found> Configuration::findForTasks(const std::string &path) const {
  std::optional<Found> found = findSetting(path) ? std::nullopt : generation.find(path);
  return found ? found : find(path);
}

std::optional<Configuration::Found> Configuration::findForPictures(const std::string &path) const {
  std::optional<Found> found = findSetting(path) ? std::nullopt : pictures.find(path);
  return found ? found : find(path);
}

std::optional<std::vector<int64_t>> Configuration::findTokenIds(const std::string &path, Diagnostics &diagnostics) const {
  std::optional<Found> found = findForTasks(path);
  if (!found)
    return std::nullopt;
  std::vector<int64_t> ids;
  std::set<int64_t> seen;
  auto take = [&](const Json &value) {
    if (!value.integer())
      diagnostics.error({found->place.file, found->place.line ? value.line : 0, found->place.line ? value.column : 0},
                        fmt::format("'{}': expected the id of a token or a list of ids, got {}", path, value.describe()));
    else if (seen.insert(*value.integer()).second)
      ids.push_back(*value.integer());
    return value.integer() != nullptr;
  };
  const Json &value = *found->value;
  bool isGood = value.isArray() ? std::ranges::all_of(value.elements(), take) : take(value);
  return isGood ? std::optional(std::move(ids)) : std::nullopt;
}

std::vector<std::string> Configuration::settingNames() const {
  std::vector<std::string> names;
  for (const Setting &setting : settings)
    names.push_back(setting.name);
  return names;
}

std::string printType(const syntax::ConfigType &type) {
  static constexpr std::string_view names[] = {"int", "float", "bool", "string"};
  if (type.kind == syntax::ConfigKind::List)
    return "[" + printType(*type.element) + "]";
  if (type.kind == syntax::ConfigKind::Object)
    return "object";
  return std::string(names[static_cast<size_t>(type.kind)]);
}

} // namespace heddle::frontend
