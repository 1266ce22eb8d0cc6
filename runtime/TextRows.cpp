#include "runtime/TextRows.h"
#include <cstdio>
#include <cstring>

using namespace heddle::runtime;

/// Enough to keep products busy; the arena grows with it.
static constexpr int64_t batchIds = 4096;

bool heddle::runtime::takesTexts(const heddle_entry &entry, int64_t rank) {
  if (entry.argument_count < 1 || entry.result_count < 1)
    return false;
  for (int64_t a = 1; a < entry.argument_count; ++a)
    if (!entry.arguments[a].has_default)
      return false;
  const heddle_value &ids = entry.arguments[0], &result = entry.results[0];
  return ids.element == HEDDLE_I32 && ids.rank == 2 && ids.ragged >= 0 && result.element == HEDDLE_F32 && result.rank == rank;
}

bool TextRows::encode(const TaskRun &run, const Tokenizer &tokenizer, bool isWhole) {
  const heddle_entry &entry = run.entry(0);
  int64_t bound = entry.dimensions[entry.arguments[0].ragged].bound, padding = paddingId(*run.context.model);
  all.clear();
  offsets.clear();
  if (!offsets.push(0))
    return run.failure.outOfMemory();
  for (int64_t line = 0; line < run.lines.size(); ++line) {
    char what[64];
    std::snprintf(what, sizeof what, "%s %lld", run.lines.noun(), static_cast<long long>(run.lines.number(line)));
    if (!encodeRow(tokenizer, run.lines[line], what, padding, all, run.failure))
      return false;
    int64_t length = all.size() - offsets.back();
    if (length == 0)
      return run.failure.contents("%s is empty, expected a text of one token at least", what);
    if (bound > 0 && length > bound) {
      if (isWhole || bound <= tokenizer.closing())
        return run.failure.contents("%s has %lld tokens, expected at most %lld", what, static_cast<long long>(length), static_cast<long long>(bound));
      run.notes.print("heddle: note: %s has %lld tokens, cut to %lld\n", what, static_cast<long long>(length), static_cast<long long>(bound));
      int64_t closing = tokenizer.closing(), behind = all.size();
      for (int64_t i = 0; i < closing; ++i)
        all[offsets.back() + bound - closing + i] = all[behind - closing + i];
      while (all.size() > offsets.back() + bound)
        all.pop();
    }
    if (!offsets.push(all.size()))
      return run.failure.outOfMemory();
  }
  return true;
}

int64_t TextRows::batchEnd(int64_t first) const {
  int64_t end = first + 1;
  while (end < size() && offsets[end + 1] - offsets[first] <= batchIds)
    ++end;
  return end;
}

bool TextRows::invoke(Call &call, int64_t first, int64_t end, heddle_context &context, Failure &failure) const {
  int64_t width = 1;
  for (int64_t row = first; row < end; ++row)
    width = length(row) > width ? length(row) : width;
  int64_t shape[2] = {end - first, width};
  if (!call.prepare(failure) || !call.giveShape(0, 2, shape, failure) || !call.inferDimensions(failure))
    return false;
  for (int64_t row = first; row < end; ++row)
    call.rows(call.entry.arguments[0].ragged).lengths[row - first] = length(row);
  if (!call.finishRows(failure) || !call.allocate(context, failure))
    return false;
  for (int64_t row = first; row < end; ++row)
    std::memcpy(static_cast<int32_t *>(call.argument(0)) + (row - first) * width, ids(row), static_cast<size_t>(length(row)) * sizeof(int32_t));
  if (!call.checkIds(0, failure))
    return false;
  call.invoke(context);
  return true;
}
