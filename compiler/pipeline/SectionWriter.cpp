// The bytes of the section `.heddle_weights`, front to back.
#include "compiler/pipeline/SectionWriter.h"
#include "compiler/packing/Recipe.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

static constexpr int64_t checksumBytes = 8;

void heddle::closeSection(ModelInfo &info) { info.sectionBytes = alignTo(info.sectionBytes, checksumBytes) + checksumBytes; }

Error heddle::SectionWriter::put(StringRef bytes, WriteBytes to) {
  heddle_checksum_add(&sum, bytes.data(), bytes.size());
  position += bytes.size();
  return to(bytes);
}

Error heddle::SectionWriter::padTo(int64_t offset, WriteBytes to) {
  static constexpr char zeros[4096] = {};
  if (offset < position)
    return createStringError("internal error: two weights overlap in the section at " + Twine(offset));
  while (position < offset) {
    int64_t count = std::min<int64_t>(offset - position, sizeof zeros);
    if (Error error = put(StringRef(zeros, count), to))
      return error;
  }
  return Error::success();
}

Error heddle::SectionWriter::writeWeight(const WeightInfo &weight, WriteBytes to) {
  mlir::Attribute recipe = mlir::parseAttribute(weight.recipe, &context);
  if (!recipe)
    return createStringError("internal error: the recipe of weight '" + weight.name + "' cannot be read");
  std::optional<int64_t> bytes = recipeBytes(recipe, diagnostics);
  if (!bytes || *bytes != weight.bytes)
    return createStringError("internal error: the recipe of weight '" + weight.name + "' does not make the " + Twine(weight.bytes) +
                             " bytes planned");
  std::vector<char> buffer(weight.bytes);
  if (!runRecipe(recipe, checkpoint, buffer, diagnostics))
    return createStringError("weight '" + weight.name + "' cannot be made");
  return put(StringRef(buffer.data(), buffer.size()), to);
}

Error heddle::SectionWriter::write(WriteBytes to) {
  std::vector<const WeightInfo *> ordered;
  for (const WeightInfo &weight : info.weights)
    ordered.push_back(&weight);
  llvm::sort(ordered, [](const WeightInfo *left, const WeightInfo *right) { return left->offset < right->offset; });
  for (const WeightInfo *weight : ordered) {
    if (Error error = padTo(weight->offset, to))
      return error;
    if (Error error = writeWeight(*weight, to))
      return error;
  }
  auto putAll = [&](const auto &infos, const std::vector<std::string> &all) -> Error {
    for (auto [one, bytes] : zip_equal(infos, all)) {
      if (bytes.empty())
        continue;
      if (Error error = padTo(one.offset, to))
        return error;
      if (Error error = put(bytes, to))
        return error;
    }
    return Error::success();
  };
  if (Error error = putAll(info.tokenizers, tokenizers))
    return error;
  if (Error error = putAll(info.checks, checks))
    return error;
  if (Error error = padTo(info.sectionBytes - checksumBytes, to))
    return error;
  uint64_t value = heddle_checksum_value(sum);
  return put(StringRef(reinterpret_cast<const char *>(&value), sizeof value), to);
}
