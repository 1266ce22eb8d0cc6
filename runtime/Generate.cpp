// generate(forward): each input is a text to go on with. Greedy: the best next id, the lowest of equal ones, until an end or so many ids; every step
// runs the whole prefix again.
#include "runtime/BestId.h"
#include "runtime/JsonText.h"
#include "runtime/Task.h"
#include "runtime/TextRows.h"
#include <cstring>

using namespace heddle::runtime;

namespace {

class Generator {
public:
  explicit Generator(const TaskRun &run) : run(run), entry(run.entry(0)) {}

  bool generateAll() {
    if (!takesTexts(entry, 3))
      return run.misfit();
    if (!openTokenizer(run.context, HEDDLE_SOURCE, tokenizer, run.failure))
      return false;
    int64_t bound = entry.dimensions[entry.arguments[0].ragged].bound;
    do {
      TextRows rows;
      if (!run.lines.next(1, run.failure) || !rows.encode(run, tokenizer, true))
        return false;
      if (run.lines.size() > 0 && !(continueRow(rows, bound) && print(rows)))
        return false;
    } while (run.lines.size() > 0 && run.out.flush());
    return true;
  }

private:
  /// Grows `made` by what follows the one row of `rows`.
  bool continueRow(const TextRows &rows, int64_t bound) {
    constexpr int64_t otherwise = 128;
    int64_t prompt = rows.length(0), wanted = run.options.count ? run.options.count : settingOf(run.task, "new", otherwise);
    int64_t limit = settingOf(run.task, "limit", bound > 0 ? bound : INT64_MAX);
    limit = bound > 0 && bound < limit ? bound : limit;
    int64_t most = wanted < limit - prompt ? prompt + wanted : limit;
    if (most <= prompt)
      run.notes.print("heddle: note: %s %lld has %lld tokens, a text of at most %lld ends with it\n", run.lines.noun(),
                      static_cast<long long>(run.lines.number(0)), static_cast<long long>(prompt), static_cast<long long>(limit));
    made.clear();
    ended = false;
    for (int64_t i = 0; i < prompt; ++i)
      if (!made.push(rows.ids(0)[i]))
        return run.failure.outOfMemory();
    // Arrays for the longest text there may be would often be far more than is needed: they double.
    for (int64_t capacity = prompt + 15; !ended && made.size() < most; capacity = capacity > most / 2 ? most : capacity * 2)
      if (!growUpTo(capacity < most ? capacity : most))
        return false;
    return true;
  }

  /// Steps with arrays for up to `capacity` ids.
  bool growUpTo(int64_t capacity) {
    Call call(entry);
    int64_t shape[2] = {1, capacity};
    if (!call.prepare(run.failure) || !call.giveShape(0, 2, shape, run.failure) || !call.inferDimensions(run.failure) ||
        !call.finishRows(run.failure) || !call.allocate(run.context, run.failure))
      return false;
    while (!ended && made.size() < capacity) {
      call.rows(entry.arguments[0].ragged).lengths[0] = made.size();
      std::memcpy(call.argument(0), made.data(), static_cast<size_t>(made.size()) * sizeof(int32_t));
      if (!call.finishRows(run.failure) || !call.reserveArena(run.context, run.failure) || !call.checkIds(0, run.failure))
        return false;
      call.invoke(run.context);
      int64_t ids = call.extents(entry.argument_count)[2];
      int64_t best = bestId(static_cast<const float *>(call.result(0)) + (made.size() - 1) * ids, ids); // [1, capacity, ids]
      if (best < 0)
        return run.failure.contents("the model gives no number as a score after %lld ids: its weights or the input are broken",
                                    static_cast<long long>(made.size()));
      ended = isEnd(run.task, best);
      if (!ended && !made.push(static_cast<int32_t>(best)))
        return run.failure.outOfMemory();
    }
    return true;
  }

  bool print(const TextRows &rows) {
    int64_t prompt = rows.length(0);
    int64_t pad = settingOf(run.task, "pad", -1);
    auto isHidden = [&](int32_t id) { return id == pad; };
    if (!run.options.json) {
      tokenizer.write(made.data() + prompt, made.size() - prompt, isHidden, run.out);
      run.out.write("\n");
      return true;
    }
    run.out.write("{\"text\": ");
    writeJson(run.lines[0], run.out);
    run.out.write(", \"continuation\": ");
    if (!tokenizer.writeAsJson(made.data() + prompt, made.size() - prompt, isHidden, run.out))
      return run.failure.outOfMemory();
    run.out.print(", \"prompt_ids\": %lld, \"ids\": [", static_cast<long long>(prompt));
    for (int64_t i = prompt; i < made.size(); ++i)
      run.out.print("%s%d", i > prompt ? ", " : "", made[i]);
    run.out.print("], \"ended\": %s}\n", ended ? "true" : "false");
    return true;
  }

  const TaskRun &run;
  const heddle_entry &entry;
  Tokenizer tokenizer;
  Array<int32_t> made; // the prompt and what follows
  bool ended = false;
};

} // namespace

bool heddle::runtime::generate(const TaskRun &run) { return Generator(run).generateAll(); }
