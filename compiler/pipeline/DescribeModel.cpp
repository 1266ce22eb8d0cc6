// What all CPU variants of a model share beside their code.
#include "compiler/pipeline/DescribeModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace heddle;

/// An upper bound of both forms for dimensions that are not negative: the larger coefficient of each product.
static void raise(Form &form, const Form &other) {
  for (const FormTerm &term : other) {
    auto same = llvm::find_if(form, [&](const FormTerm &mine) { return mine.dimensions == term.dimensions; });
    if (same == form.end())
      form.push_back(term);
    else
      same->coefficient = std::max(same->coefficient, term.coefficient);
  }
}

static bool sameNames(const ModelInfo &one, const ModelInfo &other) {
  auto same = [](const auto &left, const auto &right) {
    return llvm::equal(left, right, [](const auto &a, const auto &b) { return a.name == b.name; });
  };
  return same(one.entries, other.entries) && same(one.kernels, other.kernels) && same(one.weights, other.weights) &&
         one.sectionBytes == other.sectionBytes;
}

/// "folder/model.heddle:3:7" -> "model.heddle:3:7"
static std::string withoutFolder(const std::string &place) { return llvm::sys::path::filename(place).str(); }

std::optional<ModelInfo> heddle::describeModel(llvm::ArrayRef<mlir::ModuleOp> variants) {
  std::optional<ModelInfo> shared;
  for (mlir::ModuleOp variant : variants) {
    std::optional<ModelInfo> own = readModelInfo(variant);
    if (!own || (shared && !sameNames(*shared, *own)))
      return std::nullopt;
    if (!shared)
      shared = std::move(own);
    else
      for (auto [mine, other] : llvm::zip_equal(shared->entries, own->entries))
        raise(mine.arena, other.arena);
  }
  if (!shared)
    return std::nullopt;
  for (KernelInfo &kernel : shared->kernels)
    kernel.place = withoutFolder(kernel.place);
  for (EntryInfo &entry : shared->entries)
    for (CallInfo &call : entry.calls)
      call.place = withoutFolder(call.place);
  return shared;
}
