// What the fusions of a compilation said: what was made, what was nearly made and why not, each at its place in the model text.
#pragma once
#include "compiler/support/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include <string>
#include <vector>

namespace heddle {

struct FusionNote {
  Place place;
  std::string fusion; // "attention"
  bool made;
  std::string reason, remedy; // where it was not made; the remedy may be empty
  int times = 1;              // as often at this place: layers are one loop of the text
};

/// Collects what is said in this context from now on, into `notes`, equal ones once. `notes` outlives the context.
void collectFusionNotes(mlir::MLIRContext &context, std::vector<FusionNote> &notes);

/// Sorted by place, a line each (and one for a remedy), then how many were made and not.
std::string printFusionNotes(std::vector<FusionNote> notes);
/// {"fusions": [{"file", "line", "column", "fusion", "made", "times", "reason", "remedy"}]}
std::string printFusionNotesAsJson(std::vector<FusionNote> notes);
/// The notes that only one of two texts has, whatever their places: lines that begin with - (only in `before`) or + (only in `after`).
std::string printFusionDifference(const std::vector<FusionNote> &before, const std::vector<FusionNote> &after);

} // namespace heddle
