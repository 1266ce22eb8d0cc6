// Opens model.safetensors, or the files of model.safetensors.index.json:
//
//   {"metadata": {"total_size": 16}, "weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}
#include "compiler/support/WeightFiles.h"
#include "compiler/support/Json.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace heddle {

namespace fs = std::filesystem;

namespace {
constexpr uint64_t longestIndex = 100'000'000; // as long as a header
constexpr size_t mostFiles = 1000;             // the largest models have two hundred; each is an open file, of which a process has 1024

std::string singleIn(const std::string &folder) { return folder + "/model.safetensors"; }
std::string indexIn(const std::string &folder) { return singleIn(folder) + ".index.json"; }

/// Where a link may lead: to another file of the folder, or from a snapshot in a hub's cache to the blobs beside it, which is where its files are
/// kept (`MODEL/snapshots/REVISION/FILE` -> `MODEL/blobs/HASH`).
bool staysInside(const fs::path &file, const fs::path &folder) {
  auto isBelow = [&](const fs::path &above) { return std::mismatch(above.begin(), above.end(), file.begin(), file.end()).first == above.end(); };
  fs::path snapshots = folder.parent_path();
  return isBelow(folder) || (snapshots.filename() == "snapshots" && isBelow(snapshots.parent_path() / "blobs"));
}
} // namespace

/// Goes through an index: names of files, the files, what they hold.
class IndexReader {
public:
  IndexReader(const std::string &folder, const std::string &index, Diagnostics &diagnostics)
      : folder(folder), index(index), diagnostics(diagnostics) {}

  std::optional<WeightFiles> read(const Json &root) {
    map = root.find("weight_map");
    if (!root.isObject())
      fail(root, fmt::format("expected an object with 'weight_map', got {}", root.describe()));
    else if (!map)
      fail(root, "no 'weight_map'");
    else if (!map->isObject())
      fail(*map, fmt::format("'weight_map': expected an object, got {}", map->describe()));
    else if (map->members().empty())
      fail(*map, "'weight_map' names no tensor");
    if (failed)
      return std::nullopt;
    if (!collectNames() || !openFiles())
      return std::nullopt;
    WeightFiles weights(index, std::move(opened));
    return holdWhatTheySay(weights) ? std::optional(std::move(weights)) : std::nullopt;
  }

private:
  struct Named {
    const JsonMember *first; // of the map that names the file
    size_t count = 0, file = 0;
  };

  Diagnostic &fail(const Json &at, std::string message) {
    failed = true;
    return diagnostics.error(at.at(index), std::move(message));
  }

  /// One path inside the folder each.
  bool collectNames() {
    for (const JsonMember &member : map->members()) {
      const std::string *name = member.value.string();
      fs::path path(name ? *name : "");
      if (path.empty() || path.is_absolute() || std::ranges::find(path, "..") != path.end() || name->find('\0') != name->npos) {
        fail(member.value, fmt::format("tensor '{}': expected the name of a file inside the folder, got {}", member.key, member.value.describe()));
        continue;
      }
      Named &named = names.try_emplace(*name, Named{&member}).first->second;
      ++named.count;
      if (names.size() > mostFiles) {
        fail(member.value, fmt::format("more than {} files of weights", mostFiles));
        break;
      }
    }
    return !failed;
  }

  bool openFiles() {
    std::error_code code;
    fs::path inside = fs::canonical(folder, code);
    std::map<fs::path, size_t> known; // one file may have two names
    for (auto &[name, named] : names) {
      std::string path = folder + "/" + name;
      if (!isThere(path)) {
        fail(named.first->value, fmt::format("'{}' is missing", path))
            .note(fmt::format("{} tensor{} said to lie in it, the first is '{}'", named.count, named.count == 1 ? " is" : "s are", named.first->key));
        continue;
      }
      fs::path target = fs::canonical(path, code);
      if (!code && !staysInside(target, inside)) {
        fail(named.first->value, fmt::format("'{}' leads out of the folder, to '{}'", path, target.string()));
        continue;
      }
      auto [at, isNew] = known.try_emplace(code ? fs::path(path) : target, opened.size());
      named.file = at->second;
      if (!isNew)
        continue;
      if (auto file = Safetensors::open(path, diagnostics))
        opened.push_back(std::move(*file));
      else
        failed = true;
    }
    return !failed;
  }

  /// Every tensor of the map lies in its file and nowhere else.
  bool holdWhatTheySay(WeightFiles &weights) {
    std::map<std::string_view, const Safetensors *> elsewhere;
    std::vector<std::string> unnamed;
    for (const Safetensors &file : weights.opened)
      for (const SafetensorsTensor &tensor : file.tensors()) {
        const Json *name = map->find(tensor.name);
        if (!name)
          unnamed.push_back(tensor.name);
        else if (&weights.opened[names.at(*name->string()).file] == &file)
          weights.sorted.push_back({&file, &tensor});
        else
          elsewhere[tensor.name] = &file;
      }
    for (const JsonMember &member : map->members()) {
      const Safetensors &file = weights.opened[names.at(*member.value.string()).file];
      auto other = elsewhere.find(member.key);
      if (!file.find(member.key))
        reportMissing(member, file, other == elsewhere.end() ? nullptr : other->second);
      else if (other != elsewhere.end())
        fail(member.value, fmt::format("tensor '{}' lies in two files: '{}' and '{}'", member.key, file.path(), other->second->path()));
    }
    std::ranges::sort(weights.sorted, {}, [](const WeightFiles::Held &held) -> std::string_view { return held.tensor->name; });
    if (!unnamed.empty() && !failed)
      diagnostics.note({index, 0, 0}, fmt::format("tensors of its files that it does not name are not seen: {}, the first is '{}'", unnamed.size(),
                                                  *std::ranges::min_element(unnamed)));
    return !failed;
  }

  void reportMissing(const JsonMember &member, const Safetensors &file, const Safetensors *other) {
    constexpr unsigned shownErrors = 20; // looking for near names is dear, and nobody reads the rest
    std::string near;
    std::vector<std::string> candidates;
    if (!other && diagnostics.errorCount() < shownErrors) {
      for (const SafetensorsTensor &tensor : file.tensors())
        candidates.push_back(tensor.name);
      near = nearestName(member.key, candidates);
    }
    Diagnostic &error = fail(member.value, fmt::format("tensor '{}' is not in '{}'", member.key, file.path()));
    if (other)
      error.note(fmt::format("it is in '{}'", other->path()));
    else if (!near.empty())
      error.note(fmt::format("the file has '{}'", near));
  }

  const std::string &folder, &index;
  Diagnostics &diagnostics;
  const Json *map = nullptr;
  std::map<std::string, Named> names;
  std::vector<Safetensors> opened;
  bool failed = false;
};

bool WeightFiles::areIn(const std::string &folder) { return isThere(singleIn(folder)) || isThere(indexIn(folder)); }

std::optional<WeightFiles> WeightFiles::open(const std::string &folder, Diagnostics &diagnostics) {
  std::string single = singleIn(folder), index = indexIn(folder);
  if (isThere(single)) {
    if (isThere(index))
      diagnostics.note({single, 0, 0}, "read alone; 'model.safetensors.index.json' beside it is not looked at");
    auto file = Safetensors::open(single, diagnostics);
    if (!file)
      return std::nullopt;
    std::vector<Safetensors> files;
    files.push_back(std::move(*file));
    WeightFiles weights(single, std::move(files));
    for (const SafetensorsTensor &tensor : weights.opened.front().tensors())
      weights.sorted.push_back({&weights.opened.front(), &tensor});
    return weights;
  }
  if (!isThere(index)) {
    diagnostics.error({folder, 0, 0}, "no weights: there is no 'model.safetensors' and no 'model.safetensors.index.json'")
        .note("give --weights DIR, or --weights seed:N for made-up weights");
    return std::nullopt;
  }
  std::optional<std::string> text = readFile(index, longestIndex, diagnostics);
  std::optional<Json> json = text ? parseJson(*text, index, diagnostics) : std::nullopt;
  std::optional<WeightFiles> weights = json ? IndexReader(folder, index, diagnostics).read(*json) : std::nullopt;
  if (text && !weights)
    diagnostics.keepSource(index, std::move(*text));
  return weights;
}

} // namespace heddle
