// translate(encode, decode): inputs are the rows of ragged batches; for each batch encode runs once, decode with growing prefixes. Greedy: the best
// next id, the lowest of equal ones, until `end` or `limit` ids. Rows that have ended take length 0, so that only open rows cost anything. A row's
// result does not depend on its batch, so batches are as long as memory allows: a long input takes no more of it than a short one.
#include "runtime/BestId.h"
#include "runtime/Call.h"
#include "runtime/Form.h"
#include "runtime/JsonText.h"
#include "runtime/Task.h"
#include "runtime/Tokenizers.h"
#include <cstdio>
#include <cstring>

using namespace heddle::runtime;

namespace {

class Translator {
public:
  explicit Translator(const TaskRun &run)
      : run(run), context(run.context), task(run.task), failure(run.failure), encode(context.model->entries[task.entries[0]]) {}

  /// The lines that are at hand.
  bool translate() {
    Tokenizer target;
    if (!checkTask() || !openTokenizer(context, HEDDLE_TARGET, target, failure) || !tokenize(run.lines))
      return false;
    if (rows > 0 && !(runEncoder() && runDecoder()))
      return false;
    for (int64_t line = 0, row = 0; line < run.lines.size(); ++line) {
      bool hasRow = row < rows && lineOf[row] == line;
      if (!print(target, run.lines[line], hasRow ? row++ : -1))
        return false;
    }
    return true;
  }

private:
  /// A line for one of the input: what row `row` has become, nothing for -1.
  bool print(const Tokenizer &target, std::string_view text, int64_t row) {
    int64_t start = settingOf(task, "start", -1), pad = settingOf(task, "pad", -1);
    auto isHidden = [&](int32_t id) { return id == start || id == pad || isEnd(task, id); };
    const int32_t *ids = row < 0 ? nullptr : targets[row].data();
    int64_t count = row < 0 ? 0 : targets[row].size();
    if (!run.options.json) {
      target.write(ids, count, isHidden, run.out);
      run.out.write("\n");
      return true;
    }
    run.out.write("{\"text\": ");
    writeJson(text, run.out);
    run.out.write(", \"translation\": ");
    if (!target.writeAsJson(ids, count, isHidden, run.out))
      return failure.outOfMemory();
    bool hasEnded = row < 0 || isEnd(task, ids[count - 1]);
    run.out.write(", \"ids\": [");
    for (int64_t i = 1; i < count - hasEnded; ++i) // the first is the start
      run.out.print("%s%d", i > 1 ? ", " : "", ids[i]);
    run.out.print("], \"ended\": %s}\n", hasEnded ? "true" : "false");
    return true;
  }

  const heddle_entry &decoder() const { return context.model->entries[task.entries[1]]; }

  static bool isText(const heddle_value &value) { return value.element == HEDDLE_I32 && value.rank == 2 && value.ragged >= 0; }
  static bool othersDefault(const heddle_entry &entry, int64_t given) {
    for (int64_t a = given; a < entry.argument_count; ++a)
      if (!entry.arguments[a].has_default)
        return false;
    return entry.argument_count >= given && entry.result_count > 0;
  }

  /// What the compiler has checked already; here so that no wrong table leads outside of an array.
  bool checkTask() {
    const heddle_entry &first = encode.entry, &second = decoder();
    bool fits = othersDefault(first, 1) && othersDefault(second, 2) && isText(first.arguments[0]) && isText(second.arguments[0]) &&
                second.arguments[1].ragged >= 0 && second.arguments[1].rank == first.results[0].rank &&
                second.arguments[1].element == first.results[0].element && second.results[0].rank == 3 && second.results[0].element == HEDDLE_F32;
    if (!fits)
      return failure.contents("task translate: the entries '%s' and '%s' do not fit it", first.name, second.name);
    int64_t bound = second.dimensions[second.arguments[0].ragged].bound;
    limit = settingOf(task, "limit", bound > 0 ? bound : 0);
    limit = bound > 0 && limit > bound ? bound : limit;
    if (settingOf(task, "start", -1) < 0 || limit < 1)
      return failure.contents("task translate: the settings 'start' and 'limit' are missing");
    return true;
  }

  /// Ids of every line; lines without any have no row and translate to nothing.
  bool tokenize(const Lines &lines) {
    Tokenizer tokenizer;
    if (!openTokenizer(context, HEDDLE_SOURCE, tokenizer, failure))
      return false;
    if (!offsets.push(0))
      return failure.outOfMemory();
    const heddle_entry &entry = encode.entry;
    int64_t bound = entry.dimensions[entry.arguments[0].ragged].bound, pad = settingOf(task, "pad", -1);
    for (int64_t line = 0; line < lines.size(); ++line) {
      char what[64];
      std::snprintf(what, sizeof what, "%s %lld", lines.noun(), static_cast<long long>(lines.number(line)));
      if (!encodeRow(tokenizer, lines[line], what, pad, sources, failure))
        return false;
      int64_t length = sources.size() - offsets.back();
      if (bound > 0 && length > bound)
        return failure.contents("%s has %lld tokens, expected at most %lld", what, static_cast<long long>(length), static_cast<long long>(bound));
      width = length > width ? length : width;
      if (length > 0 && !(offsets.push(sources.size()) && lineOf.push(line)))
        return failure.outOfMemory();
    }
    rows = lineOf.size();
    return true;
  }

  bool runEncoder() {
    int64_t shape[2] = {rows, width};
    if (!encode.prepare(failure) || !encode.giveShape(0, 2, shape, failure) || !encode.inferDimensions(failure))
      return false;
    Array<int64_t> &lengths = encode.rows(encode.entry.arguments[0].ragged).lengths;
    for (int64_t row = 0; row < rows; ++row)
      lengths[row] = offsets[row + 1] - offsets[row];
    if (!encode.finishRows(failure) || !encode.allocate(context, failure))
      return false;
    int32_t *ids = static_cast<int32_t *>(encode.argument(0));
    for (int64_t row = 0; row < rows; ++row)
      std::memcpy(ids + row * width, sources.data() + offsets[row], static_cast<size_t>(lengths[row]) * sizeof(int32_t));
    if (!encode.checkIds(0, failure))
      return false;
    encode.invoke(context);
    return true;
  }

  bool runDecoder() {
    if (!targets.make(rows) || !ended.resize(rows))
      return failure.outOfMemory();
    for (Array<int32_t> &row : targets)
      if (!row.push(static_cast<int32_t>(settingOf(task, "start", 0))))
        return failure.outOfMemory();
    open = rows;
    // Arrays for the longest prefix there may be would often be far more than is needed: they double.
    for (int64_t capacity = limit < 16 ? limit : 16; open > 0; capacity = capacity > limit / 2 ? limit : capacity * 2)
      if (!decodeUpTo(capacity))
        return false;
    return true;
  }

  /// Steps with arrays for prefixes of up to `capacity` ids.
  bool decodeUpTo(int64_t capacity) {
    Call decode(decoder());
    int64_t shape[2] = {rows, capacity}, of = decode.entry.arguments[0].ragged;
    const int64_t *memory = encode.extents(encode.entry.argument_count);
    if (!decode.prepare(failure) || !decode.giveShape(0, 2, shape, failure) ||
        !decode.giveShape(1, static_cast<int>(encode.entry.results[0].rank), memory, failure) || !decode.inferDimensions(failure))
      return false;
    Array<int64_t> &sourceLengths = decode.rows(decode.entry.arguments[1].ragged).lengths;
    for (int64_t row = 0; row < rows; ++row)
      sourceLengths[row] = offsets[row + 1] - offsets[row];
    decode.borrow(1, encode.result(0));
    if (!decode.finishRows(failure) || !decode.allocate(context, failure))
      return false;
    while (open > 0 && step < capacity) {
      for (int64_t row = 0; row < rows; ++row)
        decode.rows(of).lengths[row] = ended[row] ? 0 : targets[row].size();
      for (int64_t row = 0; row < rows; ++row)
        std::memcpy(static_cast<int32_t *>(decode.argument(0)) + row * capacity, targets[row].data(),
                    static_cast<size_t>(ended[row] ? 0 : targets[row].size()) * sizeof(int32_t));
      if (!decode.finishRows(failure) || !decode.reserveArena(context, failure) || !decode.checkIds(0, failure))
        return false;
      decode.invoke(context);
      if (!takeBest(decode, capacity))
        return false;
      ++step;
    }
    return true;
  }

  /// Appends the best next id to every open row.
  bool takeBest(Call &decode, int64_t capacity) {
    int64_t vocabulary = decode.extents(decode.entry.argument_count)[2];
    const float *logits = static_cast<const float *>(decode.result(0)); // [rows, capacity, vocabulary]
    for (int64_t row = 0; row < rows; ++row) {
      if (ended[row])
        continue;
      const float *scores = logits + (row * capacity + targets[row].size() - 1) * vocabulary;
      int64_t best = bestId(scores, vocabulary);
      if (best < 0)
        return failure.contents("the model gives no number as a score for %s %lld: its weights or the input are broken", run.lines.noun(),
                                static_cast<long long>(run.lines.number(lineOf[row])));
      if (!targets[row].push(static_cast<int32_t>(best)))
        return failure.outOfMemory();
      if (isEnd(task, best) || targets[row].size() > limit) { // the start counts as none
        ended[row] = true;
        --open;
      }
    }
    return true;
  }

  const TaskRun &run;
  heddle_context &context;
  const heddle_task &task;
  Failure &failure;
  Call encode;
  int64_t limit = 0;
  Array<int32_t> sources; // all rows, one after the other
  Array<int64_t> offsets; // [rows + 1] into `sources`
  Array<int64_t> lineOf;  // [rows]
  int64_t rows = 0, width = 1;
  List<Array<int32_t>> targets; // [rows]
  Array<bool> ended;            // [rows]
  int64_t open = 0, step = 0;   // open rows; ids made so far
};

/// How many rows a batch may have: enough to keep the products busy, few enough for the largest arrays, the scores of all ids at all places.
int64_t rowsOfBatch(const heddle_context &context, const heddle_task &task) {
  constexpr int64_t mostRows = 256, mostBytes = 64 << 20;
  const heddle_entry &decode = context.model->entries[task.entries[1]];
  if (decode.result_count < 1 || decode.results[0].rank != 3)
    return 1; // checkTask() says what is wrong
  int64_t ids = constantExtent(decode.results[0].extents[2]), places = settingOf(task, "limit", mostRows), bytes = 0;
  if (ids < 1 || places < 1 || __builtin_mul_overflow(ids * 4, places, &bytes))
    return 1;
  int64_t rows = mostBytes / bytes;
  return rows < 1 ? 1 : rows < mostRows ? rows : mostRows;
}

} // namespace

bool heddle::runtime::translate(const TaskRun &run) {
  const int64_t most = rowsOfBatch(run.context, run.task);
  do {
    if (!run.lines.next(most, run.failure) || !Translator(run).translate())
      return false;
  } while (run.lines.size() > 0 && run.out.flush());
  return true;
}
