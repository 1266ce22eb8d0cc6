// See FirstDifference.h.
#include "compiler/pipeline/FirstDifference.h"
#include "compiler/pipeline/Departure.h"
#include <fmt/format.h>
#include <map>

using namespace mlir;
using namespace heddle;

namespace {

struct Made {
  Operation *op;
  Tensor value;
};
using Key = std::tuple<std::string, unsigned, unsigned, const void *>; // a place and a type

Key keyOf(Operation *op) {
  Place place = placeOf(op->getLoc());
  return {place.file, place.line, place.column, op->getResult(0).getType().getAsOpaquePointer()};
}

/// Calls `see` with what each op of an entry gives, masks excepted.
void observe(func::FuncOp entry, ArrayRef<Tensor> arguments, const Environment &environment, const Checkpoint *checkpoint,
             llvm::function_ref<void(Operation *, const Tensor &)> see) {
  Diagnostics quiet;
  (void)evaluateEntry(entry, arguments, environment, checkpoint, quiet, [&](Operation *op, ArrayRef<const Datum *>, Datum &result) {
    if (const auto *tensor = std::get_if<Tensor>(&result))
      see(op, *tensor);
  });
}
} // namespace

std::string heddle::findFirstDifference(func::FuncOp before, func::FuncOp after, ArrayRef<Tensor> arguments, const Environment &environment,
                                        const Checkpoint *checkpoint) {
  std::map<Key, std::vector<Made>> known;
  observe(before, arguments, environment, checkpoint, [&](Operation *op, const Tensor &value) { known[keyOf(op)].push_back({op, value}); });
  std::string text;
  observe(after, arguments, environment, checkpoint, [&](Operation *op, const Tensor &value) {
    auto same = known.find(keyOf(op));
    if (!text.empty() || same == known.end())
      return;
    bool exact = !isa<FloatType>(getElementTypeOrSelf(op->getResult(0)));
    Departure nearest{true, INFINITY, ""};
    Operation *counterpart = nullptr;
    for (const Made &candidate : same->second) {
      Departure departure = compareResults(candidate.value, value, graphBound, exact);
      if (!departure.departs)
        return;
      if (!counterpart || departure.error < nearest.error)
        nearest = departure, counterpart = candidate.op;
    }
    Place place = placeOf(op->getLoc());
    text = fmt::format("  {}:{}:{}: '{}' differs from the '{}' it stands for: error {:.3g}, {}\n", place.file, place.line, place.column,
                       op->getName().getStringRef().str(), counterpart->getName().getStringRef().str(), nearest.error, nearest.what);
  });
  return text;
}
