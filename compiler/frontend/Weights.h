// The weights of a model: names looked up in the checkpoint's header, one symbol for each that an entry reads.
#pragma once
#include "compiler/frontend/Trace.h"
#include "compiler/support/Checkpoint.h"
#include "dialect/Heddle.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <set>

namespace heddle::frontend {

class Weights {
public:
  /// `checkpoint` is null where there is none, only names are checked then; seeded ones have every tensor.
  /// `entries` are the names of the model's entries, which no weight's symbol may take.
  Weights(mlir::ModuleOp module, const Checkpoint *checkpoint, std::vector<std::string> prefixes, std::set<std::string> entries, Trace &trace);

  /// The tensor under the first of `names` that the checkpoint has, in these extents. For a missing one the notes say what a loop counted and which
  /// key of the configuration asked for it.
  Value find(Position at, const std::vector<std::string> &names, const Axes &axes, bool fixed, const std::string &loopNote,
             const std::string &choiceNote);
  bool has(const std::string &name) const;

  /// The symbol of a weight for heddle.use; makes its op on the first call.
  mlir::FlatSymbolRefAttr use(const std::string &name);
  mlir::FlatSymbolRefAttr useConstant(mlir::Attribute recipe, mlir::RankedTensorType type, mlir::Location location);
  /// A table [buckets, heads] as [heads, distance]: column i is that of bucket buckets[i].
  mlir::FlatSymbolRefAttr useByDistance(const std::string &name, const std::vector<int64_t> &buckets, mlir::RankedTensorType type);

  /// One note for the tensors that no entry asked for.
  void noteUnused(Diagnostics &diagnostics) const;

private:
  struct Known {
    Axes axes;
    Position at;
    mlir::Location location;
    bool fixed;
    mlir::FlatSymbolRefAttr symbol; // null until used
  };
  /// The full name under the first prefix that the checkpoint has, or empty.
  std::string fullName(const std::string &name) const;
  bool hasFile() const { return checkpoint && !checkpoint->isSeeded(); }
  void reportMissing(Position at, const std::vector<std::string> &names, const std::string &loopNote, const std::string &choiceNote);
  bool checkExtents(Position at, const std::string &name, const Axes &axes);
  std::string rangeNote(const std::string &name) const;
  /// How a weight is made from the file: in f32, without unit axes.
  mlir::Attribute recipe(const std::string &name);
  mlir::FlatSymbolRefAttr insert(std::string symbol, mlir::RankedTensorType type, mlir::Attribute recipe, mlir::Location location);

  mlir::ModuleOp module;
  const Checkpoint *checkpoint;
  std::vector<std::string> prefixes;
  std::set<std::string> taken; // symbols
  Trace &trace;
  std::map<std::string, Known> known;
  std::map<const void *, mlir::FlatSymbolRefAttr> constants, distances; // by recipe
  mlir::Operation *last = nullptr;                                      // weights stand first in the module, in order of use
};

} // namespace heddle::frontend
