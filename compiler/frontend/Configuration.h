// What a model is told from outside: config.json of its folder, and values set by hand (`--set KEY=VALUE`). Read before a text is expanded.
#pragma once
#include "compiler/frontend/Syntax.h"
#include "compiler/support/Json.h"
#include <map>
#include <optional>

namespace heddle::frontend {

class Configuration {
public:
  /// Reads `folder`/config.json if it is there, and the settings. None after an error.
  static std::optional<Configuration> load(const std::string &folder, const std::vector<std::string> &settings, Diagnostics &diagnostics);

  struct Found {
    const Json *value;
    Place place;
  };
  /// The value at a path like `rope_scaling.factor`; what was set by hand comes first. Null counts as absent.
  std::optional<Found> find(const std::string &path) const;

  /// Path of the file, empty if there is none.
  const std::string &file() const { return path; }
  /// Everything that was set by hand, as written before the `=`.
  std::vector<std::string> settingNames() const;

private:
  struct Setting {
    std::string name, text;
    Json value;
  };
  std::optional<Found> findSetting(const std::string &path) const;
  std::optional<Found> findInFile(const std::string &path) const;
  bool addSetting(const std::string &text, Diagnostics &diagnostics);

  std::string path;
  std::optional<Json> json;
  std::vector<Setting> settings;
};

/// `int?`, `[float]`: a configuration type as the text writes it.
std::string printType(const syntax::ConfigType &type);

} // namespace heddle::frontend
