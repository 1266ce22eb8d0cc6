// What `heddle build --dry-run` says. Everything is gathered as JSON; the text for people is printed from it.
#include "tools/heddle/DryRun.h"
#include "compiler/frontend/ModelText.h"
#include "compiler/support/Checkpoint.h"
#include "compiler/support/File.h"
#include "compiler/support/Shape.h"
#include "tools/heddle/Signature.h"
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace heddle;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

Json describeText(const ModelSource &source) {
  Diagnostics said; // by the compilation already
  std::unique_ptr<frontend::ModelText> text = frontend::readModelText(source, said);
  if (!text)
    return nullptr;
  return {{"file", text->file}, {"model", text->syntax->model->names.front()}, {"because", text->reason}};
}

Json describeConfiguration(const ModelSource &source) {
  Json files = Json::array();
  for (const char *name : {"config.json", "generation_config.json"})
    if (std::string file = fs::path(configurationFolder(source)) / name; isThere(file))
      files.push_back(file);
  return {{"files", files}, {"set", source.settings}};
}

std::string describeTask(const TaskInfo &task) {
  std::string text;
  for (const std::string &entry : task.entries)
    text += (text.empty() ? "" : ", ") + entry;
  for (const auto &[name, value] : task.settings)
    text += fmt::format(", {}={}", name, value);
  return fmt::format("{}({})", task.kind, text);
}

Json describeTokenizer(const TokenizerInfo &tokenizer) {
  return {{"file", tokenizer.path}, {"kind", tokenizer.kind}, {"side", tokenizer.side}, {"bytes", tokenizer.bytes}};
}

/// The tensors that the model reads: of each file, and their elements and bytes by type.
Json describeWeights(const std::vector<TensorRead> &tensors, const Checkpoint *checkpoint) {
  std::map<std::string, int64_t> files, elements, bytes;
  int64_t parameters = 0;
  for (const TensorRead &tensor : tensors) {
    int64_t count = byteCount(tensor.shape, 1).value_or(0), size = byteCount(tensor.shape, tensor.elementBytes).value_or(0);
    ++files[checkpoint ? checkpoint->fileOf(tensor.name) : ""];
    elements[tensor.element] += count;
    bytes[tensor.element] += size;
    parameters += count;
  }
  Json result{{"files", Json::array()}, {"tensors", tensors.size()}, {"parameters", parameters}, {"types", Json::object()}};
  for (const auto &[file, count] : files) {
    std::error_code unreadable; // seed:N is no file
    uintmax_t size = fs::file_size(file, unreadable);
    result["files"].push_back({{"file", file}, {"tensors", count}, {"bytes", unreadable ? Json(nullptr) : Json(size)}});
  }
  for (const auto &[type, count] : elements)
    result["types"][type] = {{"parameters", count}, {"bytes", bytes[type]}};
  return result;
}

std::string grouped(int64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3; at -= 3)
    text.insert(at - 3, ",");
  return text;
}

/// `word` once, in front of the first line.
void addLines(std::string &text, std::string_view word, const std::vector<std::string> &lines) {
  for (const std::string &line : lines) {
    text += fmt::format("{:<15} {}\n", word, escapeForTerminal(line));
    word = "";
  }
}

std::string textFrom(const Json &plan) {
  std::string text;
  const Json &source = plan["text"], &configuration = plan["configuration"], &weights = plan["weights"];
  addLines(text, "text", {fmt::format("{}: {}", source["file"].get<std::string>(), source["because"].get<std::string>())});
  addLines(text, "model", {source["model"]});
  std::vector<std::string> settings;
  for (const Json &file : configuration["files"])
    settings.push_back(file);
  for (const Json &set : configuration["set"])
    settings.push_back("--set " + set.get<std::string>());
  addLines(text, "configuration", settings);
  addLines(text, "entries", plan["entries"]);
  addLines(text, "tasks", plan["tasks"]);
  std::vector<std::string> lines;
  for (const Json &one : plan["tokenizers"])
    lines.push_back(fmt::format("{}{} ({}): {}", one["side"] == "" ? "" : one["side"].get<std::string>() + ": ", one["file"].get<std::string>(),
                                one["kind"].get<std::string>(), one["bytes"] == 0 ? "not built yet" : grouped(one["bytes"]) + " bytes"));
  addLines(text, "tokenizers", lines);
  lines.clear();
  for (const Json &file : weights["files"])
    lines.push_back(fmt::format("{}: {} tensors{}", file["file"].get<std::string>(), grouped(file["tensors"]),
                                file["bytes"].is_null() ? "" : fmt::format(", the file has {} bytes", grouped(file["bytes"]))));
  for (const auto &[type, sizes] : weights["types"].items())
    lines.push_back(fmt::format("{}: {} parameters, {} bytes", type, grouped(sizes["parameters"]), grouped(sizes["bytes"])));
  addLines(text, "weights", lines);
  addLines(text, "packed", {grouped(plan["packed_bytes"]) + " bytes of weights and tokenizers"});
  std::string cpus;
  for (const Json &cpu : plan["cpus"])
    cpus += (cpus.empty() ? "" : ", ") + cpu.get<std::string>();
  addLines(text, "CPU variants", {cpus});
  addLines(text, "output", {plan["output"]});
  return text;
}

} // namespace

std::string heddle::describeBuild(const Compilation &compilation, const CompileOptions &options, const std::string &output, bool asJson) {
  const ModelInfo &info = compilation.description();
  Json plan{{"text", describeText(options.source)}, {"configuration", describeConfiguration(options.source)}};
  for (const char *list : {"entries", "tasks", "tokenizers"})
    plan[list] = Json::array();
  for (const EntryInfo &entry : info.entries)
    plan["entries"].push_back(signatureOf(entry));
  for (const TaskInfo &task : info.tasks)
    plan["tasks"].push_back(describeTask(task));
  for (const TokenizerInfo &tokenizer : info.tokenizers)
    plan["tokenizers"].push_back(describeTokenizer(tokenizer));
  plan["weights"] = describeWeights(compilation.tensorsRead(), compilation.weights());
  plan["packed_bytes"] = info.sectionBytes;
  plan["cpus"] = Json::array();
  for (const Target *target : options.targets)
    plan["cpus"].push_back(target->cpu.str());
  plan["output"] = output;
  return asJson ? plan.dump(2, ' ', false, Json::error_handler_t::replace) + "\n" : textFrom(plan);
}
