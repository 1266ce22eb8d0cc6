// See Evaluate.h.
#include "compiler/reference/Evaluate.h"
#include "compiler/reference/Arguments.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>
#include <fmt/format.h>

using namespace mlir;

namespace heddle {

func::FuncOp findEntry(ModuleOp module, const std::string &name, Diagnostics &diagnostics) {
  std::vector<std::string> names;
  func::FuncOp only;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr(entryAttr))
      continue;
    names.push_back(function.getName().str());
    only = function;
    if (names.back() == name)
      return function;
  }
  if (name.empty() && names.size() == 1)
    return only;
  std::string near = nearestName(name, names);
  diagnostics.error({}, name.empty() ? "expected the name of an entry" : fmt::format("unknown entry '{}'", name))
      .note(near.empty() ? fmt::format("the entries are: {}", llvm::join(names, ", ")) : fmt::format("did you mean '{}'?", near));
  return {};
}

std::vector<std::string> resultNames(func::FuncOp entry) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    auto name = entry.getResultAttrOfType<StringAttr>(i, nameAttr);
    names.push_back(name ? name.str() : "result");
  }
  return names;
}

namespace {
/// Every output names a result, none twice.
bool checkOutputs(const EvaluateRequest &request, const std::vector<std::string> &names, Diagnostics &diagnostics) {
  auto misused = [&](std::string message) -> Diagnostic & { return diagnostics.error({}, std::move(message)); };
  if (request.outputs.empty())
    return misused("no result is asked for: give --out NAME=FILE.npy").note(fmt::format("the results are: {}", llvm::join(names, ", "))), false;
  for (const auto &[name, file] : request.outputs) {
    if (!llvm::is_contained(names, name))
      return misused(fmt::format("entry '{}' has no result '{}'", request.entry, name))
                 .note(fmt::format("the results are: {}", llvm::join(names, ", "))),
             false;
    if (llvm::count_if(request.outputs, [&, name = name](const auto &other) { return other.first == name; }) > 1)
      return misused(fmt::format("result '{}' is asked for twice", name)), false;
  }
  return true;
}

template <class T> std::vector<char> rounded(const Tensor &tensor) {
  std::vector<char> bytes(tensor.data.size() * sizeof(T));
  for (size_t i = 0; i < tensor.data.size(); ++i) {
    T value = static_cast<T>(tensor.data[i]);
    std::memcpy(&bytes[i * sizeof(T)], &value, sizeof(T));
  }
  return bytes;
}

NpyArray arrayOf(const Tensor &tensor, Type element) {
  std::vector<int64_t> shape(tensor.shape.begin(), tensor.shape.end());
  if (element.isInteger(1))
    return {ElementType::Bool, shape, rounded<bool>(tensor)};
  if (element.isInteger())
    return {ElementType::I32, shape, rounded<int32_t>(tensor)};
  return {ElementType::F32, shape, rounded<float>(tensor)};
}
} // namespace

EvaluateStatus evaluateFiles(ModuleOp module, const EvaluateRequest &request, const Checkpoint *checkpoint, Diagnostics &diagnostics) {
  func::FuncOp entry = findEntry(module, request.entry, diagnostics);
  if (!entry)
    return EvaluateStatus::Misused;
  std::vector<std::string> names = resultNames(entry);
  if (!checkOutputs(request, names, diagnostics))
    return EvaluateStatus::Misused;
  EntryArguments arguments(entry, diagnostics);
  if (EvaluateStatus status = arguments.read(request); status != EvaluateStatus::Done)
    return status;
  auto results = evaluateEntry(entry, arguments.tensors(), arguments.environment(), checkpoint, diagnostics);
  if (!results)
    return EvaluateStatus::Refused;
  for (const auto &[name, file] : request.outputs) {
    size_t i = static_cast<size_t>(llvm::find(names, name) - names.begin());
    if (!writeNpy(file, arrayOf((*results)[i], getElementTypeOrSelf(entry.getResultTypes()[i])), diagnostics))
      return EvaluateStatus::Refused;
  }
  return EvaluateStatus::Done;
}

} // namespace heddle
