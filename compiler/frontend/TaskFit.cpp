#include "compiler/frontend/TaskFit.h"
#include "dialect/Heddle.h"
#include <fmt/format.h>

using namespace heddle;
using mlir::func::FuncOp;

static bool isRagged(FuncOp entry, unsigned argument) {
  DimsAttr dims = dimsOf(entry.getArgumentTypes()[argument]);
  auto dimensions = entry->getAttrOfType<mlir::ArrayAttr>(dimensionsAttr);
  return dims && dimensions && llvm::any_of(dimensions, [&](mlir::Attribute attribute) {
           auto dimension = mlir::cast<DimensionAttr>(attribute);
           return dimension.isRagged() && dims.find(dimension.getName().getValue());
         });
}

static mlir::RankedTensorType argument(FuncOp entry, unsigned index) {
  return index < entry.getNumArguments() ? mlir::dyn_cast<mlir::RankedTensorType>(entry.getArgumentTypes()[index]) : mlir::RankedTensorType();
}

static mlir::RankedTensorType firstResult(FuncOp entry) {
  return entry.getNumResults() ? mlir::dyn_cast<mlir::RankedTensorType>(entry.getResultTypes().front()) : mlir::RankedTensorType();
}

static bool takesIds(FuncOp entry) {
  mlir::RankedTensorType ids = argument(entry, 0);
  return ids && ids.getRank() == 2 && ids.getElementType().isInteger(32) && isRagged(entry, 0);
}

static bool gives(FuncOp entry, int64_t rank) {
  mlir::RankedTensorType result = firstResult(entry);
  return result && result.getRank() == rank && result.getElementType().isF32();
}

int64_t heddle::frontend::pictureChannels(FuncOp entry) {
  mlir::RankedTensorType pixels = argument(entry, 0);
  bool arePixels = pixels && pixels.getRank() == 4 && pixels.getElementType().isF32() &&
                   llvm::none_of(pixels.getShape().drop_front(), mlir::ShapedType::isDynamic);
  return arePixels ? pixels.getDimSize(1) : 0;
}

std::optional<int64_t> heddle::frontend::scoresOf(FuncOp entry) {
  mlir::RankedTensorType scores = firstResult(entry);
  if (!scores || scores.getRank() == 0 || mlir::ShapedType::isDynamic(scores.getShape().back()))
    return std::nullopt;
  return scores.getShape().back();
}

std::string heddle::frontend::misfit(llvm::StringRef task, llvm::ArrayRef<FuncOp> entries) {
  FuncOp first = entries.front(), last = entries.back();
  auto says = [](FuncOp entry, const std::string &what) { return fmt::format("entry '{}' must {}", entry.getName().str(), what); };
  bool seesPictures = task == "classify" && pictureChannels(first) > 0;
  for (FuncOp entry : entries)
    if (!seesPictures && !takesIds(entry))
      return says(entry, task == "classify" ? "take i32[batch, tokens...] or f32[batch, channels, height, width] first"
                                            : "take i32[batch, tokens...] first");
  bool translates = task == "translate", hasIds = translates || task == "generate";
  for (FuncOp entry : entries)
    if (!argument(entry, 0).isDynamicDim(0))
      return says(entry, fmt::format("take any number of rows, not {}", argument(entry, 0).getDimSize(0)));
  if (translates) {
    mlir::RankedTensorType memory = firstResult(first), taken = argument(last, 1);
    if (!memory || !taken || taken.getRank() != memory.getRank() || taken.getElementType() != memory.getElementType() || !isRagged(last, 1))
      return says(last, fmt::format("take second what '{}' gives", first.getName().str()));
  }
  if (hasIds && !gives(last, 3))
    return says(last, "give a score for every id: f32[batch, tokens..., ids]");
  if (!hasIds && !gives(last, 2))
    return says(last, task == "embed" ? "give one vector a text: f32[batch, n]" : "give a score for every label: f32[batch, labels]");
  for (FuncOp entry : entries)
    for (unsigned i = translates && entry == last ? 2 : 1; i < entry.getNumArguments(); ++i)
      if (!entry.getArgAttr(i, defaultAttr))
        return fmt::format("entry '{}' takes more than the task has; give its other arguments a default", entry.getName().str());
  return "";
}
