#include "runtime/Call.h"
#include "runtime/Form.h"
#include "runtime/Npy.h"
#include <climits>

using namespace heddle::runtime;

bool Call::prepare(Failure &failure) {
  int64_t raggedCount = 0;
  for (int64_t d = 0; d < entry.dimension_count; ++d)
    raggedCount += entry.dimensions[d].kind == HEDDLE_RAGGED;
  for (int64_t v = 0; v < valueCount(); ++v) {
    if (value(v).rank > maxRank)
      return failure.contents("%s has more than %d axes", Quoted(value(v).name).text(), maxRank);
    stride = value(v).rank > stride ? value(v).rank : stride;
  }
  bool ok = shapes.resize(valueCount() * stride) && given.resize(entry.argument_count) && dimensions.resize(entry.dimension_count) &&
            known.resize(entry.dimension_count) && ragged.make(entry.dimension_count) && arrays.make(valueCount()) &&
            borrowed.resize(entry.argument_count) && buffers.resize(valueCount() + 2 * raggedCount + 2);
  return ok || failure.outOfMemory();
}

bool Call::giveShape(int64_t index, int rank, const int64_t *extents, Failure &failure) {
  const heddle_value &argument = entry.arguments[index];
  if (rank != argument.rank)
    return failure.contents("argument %s: expected %lld axes, %s, got %d", Quoted(argument.name).text(), static_cast<long long>(argument.rank),
                            TypeText(entry, argument, true).text(), rank);
  for (int axis = 0; axis < rank; ++axis) {
    int64_t single = singleDimension(argument.extents[axis]);
    int64_t least = single >= 0 && entry.dimensions[single].kind == HEDDLE_RAGGED ? 1 : 0; // of nothing there is nothing; a row has a width
    if (extents[axis] < least)
      return failure.contents("argument %s: axis %d (from 0) has %lld elements, expected at least %lld", Quoted(argument.name).text(), axis,
                              static_cast<long long>(extents[axis]), static_cast<long long>(least));
    shapes[index * stride + axis] = extents[axis];
  }
  given[index] = true;
  return true;
}

bool Call::inferDimensions(Failure &failure) { return solveDimensions(failure) && checkExtents(failure) && makeRows(failure); }

bool Call::setDimensions(const int64_t *values, Failure &failure) {
  for (int64_t d = 0; d < entry.dimension_count; ++d)
    dimensions[d] = values[d];
  return makeRows(failure);
}

/// Full rows from position 0.
bool Call::makeRows(Failure &failure) {
  for (int64_t d = 0; d < entry.dimension_count; ++d) {
    if (entry.dimensions[d].kind != HEDDLE_RAGGED)
      continue;
    if (dimensions[d] < 1) // what follows from another extent than its own
      return failure.contents("the width of '%s' is %lld, expected at least 1", entry.dimensions[d].name, static_cast<long long>(dimensions[d]));
    int64_t batch = batchOf(d);
    RaggedRows &row = ragged[d];
    if (!row.lengths.resize(batch) || !row.starts.resize(batch) || !row.offsets.resize(batch + 1))
      return failure.outOfMemory();
    for (int64_t b = 0; b < batch; ++b)
      row.lengths[b] = dimensions[d], row.starts[b] = 0;
  }
  return true;
}

/// Every axis that leaves one dimension open gives its value; repeated, because one may wait for another.
bool Call::solveDimensions(Failure &failure) {
  for (bool progress = true; progress;) {
    progress = false;
    for (int64_t a = 0; a < entry.argument_count; ++a)
      for (int64_t axis = 0; given[a] && axis < entry.arguments[a].rank; ++axis) {
        int64_t solved = 0;
        int64_t d = solve(entry.arguments[a].extents[axis], shapes[a * stride + axis], dimensions.data(), known.data(), solved);
        if (d < 0)
          continue;
        dimensions[d] = solved;
        known[d] = progress = true;
      }
  }
  for (int64_t d = 0; d < entry.dimension_count; ++d)
    if (!known[d] && entry.dimensions[d].kind != HEDDLE_TOKENS)
      return checkExtents(failure) && failure.contents("the dimension %s of entry %s follows from no argument given",
                                                       Quoted(entry.dimensions[d].name).text(), Quoted(entry.name).text());
  return true;
}

bool Call::isKnown(const heddle_form &form) const {
  for (int64_t i = 0; i < form.count; ++i)
    for (int64_t d : form.terms[i].dimensions)
      if (d >= 0 && !known[d])
        return false;
  return true;
}

/// Compares what was given with what the dimensions say, as far as they are known.
bool Call::checkExtents(Failure &failure) const {
  for (int64_t a = 0; a < entry.argument_count; ++a)
    for (int64_t axis = 0; given[a] && axis < entry.arguments[a].rank; ++axis) {
      const heddle_value &argument = entry.arguments[a];
      int64_t have = shapes[a * stride + axis], want = 0;
      if (!isKnown(argument.extents[axis]))
        continue;
      if (!evaluate(argument.extents[axis], dimensions.data(), want))
        return failure.contents("argument %s: extents are too large", Quoted(argument.name).text());
      if (want == have)
        continue;
      int64_t single = singleDimension(argument.extents[axis]);
      if (single >= 0)
        return failure.contents("argument %s: axis %lld (from 0), %s, has %lld elements, but elsewhere it has %lld", Quoted(argument.name).text(),
                                static_cast<long long>(axis), entry.dimensions[single].name, static_cast<long long>(have),
                                static_cast<long long>(want));
      if (constantExtent(argument.extents[axis]) >= 0)
        return failure.contents("argument %s: axis %lld (from 0) has %lld elements, expected %lld (%s)", Quoted(argument.name).text(),
                                static_cast<long long>(axis), static_cast<long long>(have), static_cast<long long>(want),
                                TypeText(entry, argument, true).text());
      return failure.contents("argument %s: axis %lld (from 0) has %lld elements, which does not fit its type %s", Quoted(argument.name).text(),
                              static_cast<long long>(axis), static_cast<long long>(have), TypeText(entry, argument, true).text());
    }
  return true;
}

/// The first argument whose rows `dimension` is about, for messages.
const char *Call::nameOf(int64_t dimension) const {
  for (int64_t a = 0; a < entry.argument_count; ++a)
    if (entry.arguments[a].ragged == dimension)
      return entry.arguments[a].name;
  return entry.dimensions[dimension].name;
}

bool Call::finishRows(Failure &failure) {
  for (int64_t d = 0; d < entry.dimension_count; ++d) {
    const heddle_dimension &dimension = entry.dimensions[d];
    if (dimension.kind != HEDDLE_RAGGED)
      continue;
    RaggedRows &row = ragged[d];
    row.offsets[0] = 0;
    for (int64_t b = 0; b < batchOf(d); ++b) {
      int64_t length = row.lengths[b], start = row.starts[b];
      if (length < 0 || length > dimensions[d])
        return failure.contents("argument %s: row %lld (from 0) has length %lld, expected 0 to %lld", Quoted(nameOf(d)).text(),
                                static_cast<long long>(b), static_cast<long long>(length), static_cast<long long>(dimensions[d]));
      int64_t bound = dimension.bound > 0 ? dimension.bound : INT32_MAX; // positions are i32
      if (start < 0 || start + length > bound)
        return failure.contents("argument %s: row %lld (from 0) has positions %lld to %lld, expected 0 to %lld", Quoted(nameOf(d)).text(),
                                static_cast<long long>(b), static_cast<long long>(start), static_cast<long long>(start + length - (length > 0)),
                                static_cast<long long>(bound - 1));
      row.offsets[b + 1] = row.offsets[b] + length;
    }
  }
  for (int64_t d = 0; d < entry.dimension_count; ++d)
    if (entry.dimensions[d].kind == HEDDLE_TOKENS) {
      int64_t of = entry.dimensions[d].of;
      dimensions[d] = ragged[of].offsets[batchOf(of)];
    }
  return true;
}

int64_t Call::elements(int64_t index) const {
  int64_t product = 1;
  for (int64_t axis = 0; axis < value(index).rank; ++axis)
    product *= shapes[index * stride + axis];
  return product;
}

bool Call::computeShapes(Failure &failure) {
  for (int64_t v = 0; v < valueCount(); ++v) {
    int64_t product = elementBytes(value(v).element);
    for (int64_t axis = 0; axis < value(v).rank; ++axis) {
      int64_t &extent = shapes[v * stride + axis];
      if (!evaluate(value(v).extents[axis], dimensions.data(), extent) || extent < 0 || __builtin_mul_overflow(product, extent, &product))
        return failure.contents("%s would have more than 2^63 bytes", Quoted(value(v).name).text());
    }
  }
  return true;
}

bool Call::allocate(heddle_context &context, Failure &failure) {
  if (!computeShapes(failure))
    return false;
  for (int64_t v = 0; v < valueCount(); ++v) {
    if (v < entry.argument_count && borrowed[v])
      continue;
    int64_t bytes = elements(v) * elementBytes(value(v).element);
    if (!arrays[v].allocate(bytes))
      return failure.contents("out of memory: %s takes %lld bytes", Quoted(value(v).name).text(), static_cast<long long>(bytes));
    if (v < entry.argument_count && !given[v])
      fillDefault(v);
  }
  return reserveArena(context, failure);
}

bool Call::reserveArena(heddle_context &context, Failure &failure) const {
  int64_t bytes = 0;
  if (!evaluate(entry.arena, dimensions.data(), bytes) || bytes < 0)
    return failure.contents("entry %s would need more than 2^63 bytes", Quoted(entry.name).text());
  if (context.arena.size() < bytes && !context.arena.allocate(bytes))
    return failure.contents("out of memory: entry %s takes %lld bytes for these inputs", Quoted(entry.name).text(), static_cast<long long>(bytes));
  return true;
}

void Call::fillDefault(int64_t index) {
  const heddle_value &argument = entry.arguments[index];
  void *data = arrays[index].data();
  for (int64_t i = 0, count = elements(index); i < count; ++i) {
    if (argument.element == HEDDLE_F32)
      static_cast<float *>(data)[i] = static_cast<float>(argument.default_value);
    else if (argument.element == HEDDLE_I32)
      static_cast<int32_t *>(data)[i] = static_cast<int32_t>(argument.default_value);
    else
      static_cast<char *>(data)[i] = argument.default_value != 0;
  }
}

bool Call::checkIds(int64_t index, Failure &failure) const {
  const heddle_value &argument = entry.arguments[index];
  if (argument.element != HEDDLE_I32 || argument.id_bound <= 0)
    return true;
  RaggedAxes axes = raggedAxes(entry, argument);
  const int32_t *ids = static_cast<const int32_t *>(this->argument(index));
  for (int64_t i = 0, count = elements(index); i < count; ++i) {
    if (ids[i] >= 0 && ids[i] < argument.id_bound)
      continue;
    int64_t rest = i, row = 0, column = 0;
    for (int64_t axis = argument.rank - 1; axis >= 0; --axis) {
      int64_t extent = shapes[index * stride + axis];
      if (axis == (axes.batch >= 0 ? axes.batch : 0))
        row = rest % extent;
      else if (axis == (axes.position >= 0 ? axes.position : argument.rank - 1))
        column = rest % extent;
      rest /= extent;
    }
    if (axes.batch >= 0 && axes.position >= 0 && column >= ragged[argument.ragged].lengths[row])
      continue;
    return failure.contents("argument %s: id %d at row %lld, column %lld (from 0), expected 0 to %lld", Quoted(argument.name).text(), ids[i],
                            static_cast<long long>(row), static_cast<long long>(column), static_cast<long long>(argument.id_bound - 1));
  }
  return true;
}

void Call::bindBuffers(heddle_context &context) {
  int64_t next = 0;
  for (int64_t v = 0; v < valueCount(); ++v)
    buffers[next++] = v < entry.argument_count ? argument(v) : arrays[v].data();
  for (int64_t d = 0; d < entry.dimension_count; ++d)
    if (entry.dimensions[d].kind == HEDDLE_RAGGED) {
      buffers[next++] = ragged[d].offsets.data();
      buffers[next++] = ragged[d].starts.data();
    }
  buffers[next++] = const_cast<char *>(context.section.data());
  buffers[next++] = context.arena.data();
}

bool Call::isEmpty() const {
  for (int64_t v = entry.argument_count; v < valueCount(); ++v)
    if (elements(v) > 0)
      return false;
  return true;
}

void Call::invoke(heddle_context &context) {
  if (isEmpty())
    return; // a batch of no rows
  bindBuffers(context);
  context.variant->entries[&entry - context.model->entries](&context, buffers.data(), dimensions.data());
}
