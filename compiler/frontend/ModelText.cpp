// The choice of a text: a file, a folder's own, or the built-in one of its model_type.
#include "compiler/frontend/ModelText.h"
#include "compiler/frontend/Lexer.h"
#include "compiler/frontend/Parser.h"
#include "compiler/support/File.h"
#include "compiler/support/Json.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace heddle::frontend {

namespace fs = std::filesystem;

static bool isFolder(const fs::path &path) {
  std::error_code unreadable;
  return fs::is_directory(path, unreadable);
}

std::string modelFolder(const std::string &path) {
  if (isFolder(path))
    return path;
  fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

/// The `model_type` of a folder's config.json; empty after an error.
static std::string readModelType(const std::string &folder, Diagnostics &diagnostics) {
  std::string file = (fs::path(folder) / "config.json").string();
  if (!isThere(file)) {
    diagnostics.error({folder, 0, 0}, "the folder has neither model.heddle nor config.json").note("give a .heddle text, or the folder of a model");
    return "";
  }
  constexpr uint64_t maxBytes = 16 << 20;
  std::optional<std::string> text = readFile(file, maxBytes, diagnostics);
  std::optional<Json> json = text ? parseJson(*text, file, diagnostics) : std::nullopt;
  if (!json)
    return "";
  const Json *type = json->find("model_type");
  if (!type || !type->string() || type->string()->empty()) {
    diagnostics
        .error(type ? type->at(file) : Place{file, 0, 0}, type ? fmt::format("'model_type': expected string, got {}", type->describe())
                                                               : "there is no 'model_type', which names the built-in text")
        .note("write it, or put a text model.heddle into the folder");
    return "";
  }
  return *type->string();
}

struct NamedText {
  std::string file, name;
};

/// Every name of every built-in text. The texts are ours: one that does not parse is reported like any other text.
static std::vector<NamedText> listBuiltins(const std::string &folder, Diagnostics &diagnostics) {
  std::vector<std::string> files;
  std::error_code unreadable;
  for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, unreadable), end; it != end && !unreadable;
       it.increment(unreadable))
    if (it->path().extension() == ".heddle")
      files.push_back(it->path().string());
  std::ranges::sort(files);
  std::vector<NamedText> names;
  for (const std::string &file : files) {
    std::optional<std::string> text = readFile(file, syntax::maxTextBytes, diagnostics);
    std::unique_ptr<syntax::File> parsed = text ? syntax::parseText(*text, file, diagnostics) : nullptr;
    if (!parsed || !parsed->model)
      continue;
    for (const std::string &name : parsed->model->names) {
      auto same = std::ranges::find(names, name, &NamedText::name);
      if (same != names.end())
        diagnostics.error({file, 0, 0}, fmt::format("model '{}' is a built-in text already: '{}'", name, same->file));
      else
        names.push_back({file, name});
    }
  }
  return names;
}

/// The file of the text; empty after an error.
static std::string chooseFile(const ModelSource &source, std::string &reason, Diagnostics &diagnostics) {
  reason = "it was given";
  if (!isFolder(source.path))
    return source.path;
  reason = "it stands in the folder";
  std::string own = (fs::path(source.path) / "model.heddle").string();
  if (isThere(own))
    return own;
  std::string type = readModelType(source.path, diagnostics);
  if (type.empty())
    return "";
  reason = fmt::format("the built-in text for model_type '{}' of config.json", type);
  std::vector<NamedText> builtins = source.builtinTexts.empty() ? std::vector<NamedText>{} : listBuiltins(source.builtinTexts, diagnostics);
  if (auto found = std::ranges::find(builtins, type, &NamedText::name); found != builtins.end())
    return found->file;
  std::vector<std::string> names;
  std::string known;
  for (const NamedText &text : builtins) {
    names.push_back(text.name);
    known += fmt::format("{}'{}'", known.empty() ? "" : ", ", text.name);
  }
  Diagnostic &record = diagnostics.error({(fs::path(source.path) / "config.json").string(), 0, 0},
                                         fmt::format("no built-in text has model_type '{}'{}", type, known.empty() ? "" : "; there are " + known));
  std::string near = nearestName(type, names);
  record.note(near.empty() ? "write one: model.heddle in the folder" : fmt::format("did you mean '{}'?", near));
  return "";
}

std::unique_ptr<ModelText> readModelText(const ModelSource &source, Diagnostics &diagnostics) {
  auto result = std::make_unique<ModelText>();
  result->file = chooseFile(source, result->reason, diagnostics);
  result->folder = modelFolder(source.path);
  if (result->file.empty() || diagnostics.hasErrors())
    return nullptr;
  std::optional<std::string> text = readFile(result->file, syntax::maxTextBytes, diagnostics);
  if (!text)
    return nullptr;
  result->text = std::move(*text);
  diagnostics.keepSource(result->file, result->text);
  result->syntax = syntax::parseText(result->text, result->file, diagnostics);
  if (!result->syntax)
    return nullptr;
  if (!result->syntax->model) {
    diagnostics.error({result->file, 0, 0}, "the text has functions but no model");
    return nullptr;
  }
  return result;
}

} // namespace heddle::frontend
