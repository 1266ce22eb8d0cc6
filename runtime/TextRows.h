// The texts of a task as rows of ids, a batch of an entry at a time.
#pragma once
#include "runtime/Call.h"
#include "runtime/Task.h"
#include "runtime/Tokenizers.h"

namespace heddle::runtime {

class TextRows {
public:
  /// The ids of each line. One without ids is refused; one of more than the entry takes is cut, and `run.notes` told, but for those that stand behind
  /// every text; where `isWhole` it is refused.
  bool encode(const TaskRun &run, const Tokenizer &tokenizer, bool isWhole);

  int64_t size() const { return offsets.size() - 1; }
  int64_t length(int64_t row) const { return offsets[row + 1] - offsets[row]; }
  const int32_t *ids(int64_t row) const { return all.data() + offsets[row]; }
  /// Where a batch that begins with row `first` ends: it has one row at least and about so many ids at most.
  int64_t batchEnd(int64_t first) const;

  /// Calls an entry, whose first argument takes ids, with rows [first, end).
  bool invoke(Call &call, int64_t first, int64_t end, heddle_context &context, Failure &failure) const;

private:
  Array<int32_t> all;
  Array<int64_t> offsets; // [rows + 1] into `all`
};

/// take(line, call, row) for each line of the task, in order: row `row` of the call's result is that line's. False where something failed.
template <typename Take> bool forEachText(const TaskRun &run, const Tokenizer &tokenizer, Take take) {
  constexpr int64_t mostLines = 256;
  do {
    TextRows rows;
    if (!run.lines.next(mostLines, run.failure) || !rows.encode(run, tokenizer, false))
      return false;
    for (int64_t first = 0, end; first < rows.size(); first = end) {
      end = rows.batchEnd(first);
      Call call(run.entry(0));
      if (!rows.invoke(call, first, end, run.context, run.failure))
        return false;
      for (int64_t row = first; row < end; ++row)
        if (!take(run.lines[row], call, row - first))
          return false;
    }
  } while (run.lines.size() > 0 && run.out.flush());
  return true;
}

/// Whether the entry takes ids first, i32[batch, tokens...], and all else has a default; and a result of `rank` axes of f32. What the compiler has
/// checked already; here so that no wrong table leads outside of an array.
bool takesTexts(const heddle_entry &entry, int64_t rank);

} // namespace heddle::runtime
