// What a model is told from outside: config.json of its folder, beside it generation_config.json and preprocessor_config.json for tasks, and values
// set by hand (`--set KEY=VALUE`). Read before a text is expanded.
#pragma once
#include "compiler/frontend/Syntax.h"
#include "compiler/support/Json.h"
#include <map>
#include <optional>

namespace heddle::frontend {

class Configuration {
public:
  /// Reads what `folder` has of the three files, and the settings. None after an error.
  static std::optional<Configuration> load(const std::string &folder, const std::vector<std::string> &settings, Diagnostics &diagnostics);

  struct Found {
    const Json *value;
    Place place;
  };
  /// The value at a path like `rope_scaling.factor`; what was set by hand comes first. Null counts as absent.
  std::optional<Found> find(const std::string &path) const;

  /// The same for a setting of a task: generation_config.json comes before config.json. A task never changes what the mathematics of a model reads.
  std::optional<Found> findForTasks(const std::string &path) const;
  /// Such a value that is the id of a token or a list of ids (a chat model has several ends); ids stand once. None where it is absent, or is
  /// something else, which is an error.
  std::optional<std::vector<int64_t>> findTokenIds(const std::string &path, Diagnostics &diagnostics) const;

  /// The same for how pictures become pixels: preprocessor_config.json comes first.
  std::optional<Found> findForPictures(const std::string &path) const;

  /// Path of config.json, empty if there is none.
  const std::string &file() const { return model.path; }
  /// Everything that was set by hand, as written before the `=`.
  std::vector<std::string> settingNames() const;

private:
  struct Setting {
    std::string name, text;
    Json value;
  };
  struct File {
    std::string path; // empty: there is none
    std::optional<Json> json;
    bool load(const std::string &path, Diagnostics &diagnostics);
    std::optional<Found> find(const std::string &path) const;
  };
  std::optional<Found> findSetting(const std::string &path) const;
  bool addSetting(const std::string &text, Diagnostics &diagnostics);

  File model, generation, pictures;
  std::vector<Setting> settings;
};

/// The elements of a list, or of an object whose keys are "0", "1" ... (`id2label`); none where it is neither.
std::optional<std::vector<const Json *>> listItems(const Json &json);

/// `int?`, `[float]`: a configuration type as the text writes it.
std::string printType(const syntax::ConfigType &type);

} // namespace heddle::frontend
