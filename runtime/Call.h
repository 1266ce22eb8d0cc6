// One call of an entry: the dimensions that follow from the shapes given, the rows of its ragged dimensions, and every array it reads or writes.
// Made in this order: shapes, rows, arrays; then invoke() as often as one likes. Nothing is allocated by invoke().
#pragma once
#include "runtime/Array.h"
#include "runtime/Context.h"
#include "runtime/Failure.h"
#include "runtime/heddle_model.h"

namespace heddle::runtime {

/// The rows of one ragged dimension.
struct RaggedRows {
  Array<int64_t> lengths, starts; // [batch]
  Array<int64_t> offsets;         // [batch + 1]
};

class Call {
public:
  explicit Call(const heddle_entry &entry) : entry(entry) {}
  const heddle_entry &entry;

  /// Must come first: room for what follows.
  bool prepare(Failure &failure);

  /// The shape of argument `index` as given. `what` names it in messages ("argument 'tokens'").
  bool giveShape(int64_t index, int rank, const int64_t *extents, Failure &failure);
  /// After all shapes: every extent of every argument given must agree with the dimensions. Rows are made with full width and start 0.
  bool inferDimensions(Failure &failure);
  /// Instead of shapes: the value of every dimension that does not count tokens, which finishRows() does.
  bool setDimensions(const int64_t *values, Failure &failure);

  int64_t dimension(int64_t index) const { return dimensions[index]; }
  const int64_t *dimensionValues() const { return dimensions.data(); }
  RaggedRows &rows(int64_t dimension) { return ragged[dimension]; }
  const RaggedRows &rows(int64_t dimension) const { return ragged[dimension]; }
  int64_t batchOf(int64_t dimension) const {
    int64_t of = entry.dimensions[dimension].of;
    return of < 0 ? 1 : dimensions[of];
  }
  /// After lengths and starts were set: checks them, makes offsets and the dimensions that count tokens.
  bool finishRows(Failure &failure);

  /// Computes extents, then allocates arguments that are not `borrowed`, results and (in the context) the arena. Arguments not given are filled with
  /// their default.
  bool allocate(heddle_context &context, Failure &failure);
  /// Makes the arena large enough for the dimensions as they are now; allocate() does it too.
  bool reserveArena(heddle_context &context, Failure &failure) const;
  /// Uses memory that somebody else owns for an argument. Before allocate().
  void borrow(int64_t argument, void *data) { borrowed[argument] = data; }

  bool isGiven(int64_t argument) const { return given[argument]; }
  void *argument(int64_t index) const { return borrowed[index] ? borrowed[index] : arrays[index].data(); }
  void *result(int64_t index) const { return arrays[entry.argument_count + index].data(); }
  const int64_t *extents(int64_t value) const { return shapes.data() + value * stride; } // arguments, then results
  int64_t elements(int64_t value) const;
  const heddle_value &value(int64_t index) const {
    return index < entry.argument_count ? entry.arguments[index] : entry.results[index - entry.argument_count];
  }

  /// Ids of argument `index` inside their bound, beyond the rows not looked at.
  bool checkIds(int64_t index, Failure &failure) const;
  /// Nothing is run where no result has an element: a batch of no rows.
  void invoke(heddle_context &context);

private:
  bool isEmpty() const;
  bool solveDimensions(Failure &failure);
  bool makeRows(Failure &failure);
  bool checkExtents(Failure &failure) const;
  bool isKnown(const heddle_form &form) const;
  const char *nameOf(int64_t dimension) const;
  bool computeShapes(Failure &failure);
  void fillDefault(int64_t argument);
  void bindBuffers(heddle_context &context);
  int64_t valueCount() const { return entry.argument_count + entry.result_count; }

  int64_t stride = 1;        // of `shapes`: the largest rank
  Array<int64_t> shapes;     // [values, stride]
  Array<bool> given;         // [arguments]
  Array<int64_t> dimensions; // [entry.dimension_count]
  Array<bool> known;         // [entry.dimension_count]
  List<RaggedRows> ragged;   // [entry.dimension_count], used for ragged ones
  List<Pages> arrays;        // [values]
  Array<void *> borrowed;    // [arguments]
  Array<void *> buffers;     // what the entry's function gets
};

} // namespace heddle::runtime
