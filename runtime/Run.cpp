#include "runtime/Run.h"
#include "runtime/Call.h"
#include "runtime/Form.h"
#include "runtime/Npy.h"
#include "runtime/Print.h"
#include "runtime/ProfileReport.h"
#include "runtime/Scalar.h"
#include "runtime/Stopwatch.h"
#include "runtime/Tokenizers.h"
#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace heddle::runtime;

namespace {

/// Where the values of one argument come from.
struct Source {
  NpyReader file;
  bool isFile = false, isScalar = false;
  Array<int32_t> ids; // of a text
  bool isText = false;
  ScalarValue scalar;
};

class Run {
public:
  Run(heddle_context &context, const Options &options, Failure &failure)
      : context(context), options(options), entry(*options.entry), call(*options.entry), failure(failure) {}

  /// Everything up to the call: after this nothing can fail but the output.
  bool load() {
    if (!call.prepare(failure))
      return false;
    if (!sources.make(entry.argument_count) || !lengthsFrom.resize(entry.dimension_count) || !startsFrom.resize(entry.dimension_count))
      return failure.outOfMemory();
    for (const Assignment &one : options.in)
      if (!openArgument(one))
        return false;
    for (const Assignment &one : options.text)
      if (!openText(one))
        return false;
    if (!giveShapes() || !call.inferDimensions(failure) || !readRows() || !call.finishRows(failure) || !call.allocate(context, failure))
      return false;
    for (int64_t a = 0; a < entry.argument_count; ++a)
      if (!readArgument(a) || !call.checkIds(a, failure))
        return false;
    return true;
  }

  bool write(Output &out) {
    List<NpyWriter> files;
    if (!files.make(options.out.size()))
      return failure.outOfMemory();
    for (int64_t i = 0; i < options.out.size(); ++i) {
      int64_t r = findValue(entry.results, entry.result_count, options.out[i].name);
      const heddle_value &value = entry.results[r];
      if (!files[i].write(options.out[i].value, value.element, static_cast<int>(value.rank), call.extents(entry.argument_count + r), call.result(r),
                          failure))
        return false;
    }
    for (NpyWriter &file : files)
      if (!file.commit(failure))
        return false;
    for (int64_t r = 0; r < entry.result_count && options.out.empty(); ++r)
      printResult(call, r, out);
    return true;
  }

  bool invoke(Output &notes) {
    bool profiled = options.profile != ProfileForm::None;
    if (options.repeats || !profiled)
      call.invoke(context); // brings weights and arena into memory; not timed
    int rounds = options.repeats ? options.repeats : profiled ? 1 : 0;
    Stopwatch watch;
    Profile profile(entry);
    if (!watch.make(rounds) || !profile.make())
      return failure.outOfMemory();
    context.profile = profiled ? &profile : nullptr;
    for (int i = 0; i < rounds; ++i) {
      watch.start();
      profile.begin();
      call.invoke(context);
      profile.end();
      watch.stop();
    }
    context.profile = nullptr;
    watch.finish();
    if (options.repeats)
      watch.print(notes);
    return !profiled || printProfile(profile, call, context, watch, options.profile, notes) || failure.outOfMemory();
  }

private:
  int64_t argumentIndex(const Assignment &one) const { return findValue(entry.arguments, entry.argument_count, one.name); }

  bool openArgument(const Assignment &one) {
    int64_t a = argumentIndex(one);
    const heddle_value &argument = entry.arguments[a];
    if (argument.rank == 0 && parseScalar(one.value, argument.element, sources[a].scalar))
      return sources[a].isScalar = true;
    if (argument.rank == 0 && !std::string_view(one.value).ends_with(".npy"))
      return failure.contents("argument '%s': expected %s or FILE.npy, got %s", argument.name,
                              argument.element == HEDDLE_BOOL  ? "true, false"
                              : argument.element == HEDDLE_I32 ? "a whole number"
                                                               : "a number",
                              Quoted(one.value).text());
    sources[a].isFile = true;
    return sources[a].file.open(one.value, argument.element, failure);
  }

  bool openText(const Assignment &one) {
    int64_t a = argumentIndex(one);
    const heddle_value &argument = entry.arguments[a];
    if (argument.element != HEDDLE_I32 || argument.rank != 2 || argument.ragged < 0)
      return failure.usage("option --text: argument '%s' is %s, text gives i32[batch, tokens...]", argument.name,
                           TypeText(entry, argument, true).text());
    Tokenizer tokenizer;
    if (!openTokenizer(context, sideOf(*context.model, argument.name), tokenizer, failure))
      return false;
    char what[128];
    std::snprintf(what, sizeof what, "text of %s", Quoted(one.name).text());
    sources[a].isText = true;
    return encodeRow(tokenizer, one.value, what, paddingId(*context.model), sources[a].ids, failure);
  }

  bool giveShapes() {
    for (int64_t a = 0; a < entry.argument_count; ++a) {
      const Source &source = sources[a];
      int64_t row[2] = {1, source.ids.size() > 0 ? source.ids.size() : 1};
      bool ok = source.isText     ? call.giveShape(a, 2, row, failure)
                : source.isFile   ? call.giveShape(a, source.file.rank(), source.file.extents(), failure)
                : source.isScalar ? call.giveShape(a, 0, row, failure)
                                  : true;
      if (!ok)
        return false;
    }
    return true;
  }

  /// Lengths and starts, which arguments that share a ragged dimension share.
  bool readRows() {
    for (const Assignment &one : options.text) {
      int64_t a = argumentIndex(one), length = sources[a].ids.size();
      if (!takeRows(one.name, entry.arguments[a].ragged, &length, 1, lengthsFrom, true))
        return false;
    }
    return readRowsFrom(options.lengths, lengthsFrom, true) && readRowsFrom(options.starts, startsFrom, false);
  }

  bool readRowsFrom(const Array<Assignment> &list, Array<std::string_view> &from, bool isLengths) {
    for (const Assignment &one : list) {
      int64_t dimension = entry.arguments[argumentIndex(one)].ragged, batch = call.batchOf(dimension);
      NpyReader file;
      if (!file.open(one.value, HEDDLE_I32, failure))
        return false;
      if (file.rank() != 1 || file.extents()[0] != batch)
        return failure.contents("%s: expected i32[%lld], one number a row of the batch, got %d axes and %lld elements", Quoted(one.value).text(),
                                static_cast<long long>(batch), file.rank(), static_cast<long long>(file.count()));
      Array<int32_t> narrow;
      Array<int64_t> values;
      if (!narrow.resize(batch) || !values.resize(batch))
        return failure.outOfMemory();
      if (!file.read(narrow.data(), {}, failure))
        return false;
      for (int64_t b = 0; b < batch; ++b)
        values[b] = narrow[b];
      if (!takeRows(one.name, dimension, values.data(), batch, from, isLengths))
        return false;
    }
    return true;
  }

  bool takeRows(std::string_view name, int64_t dimension, const int64_t *values, int64_t count, Array<std::string_view> &from, bool isLengths) {
    Array<int64_t> &rows = isLengths ? call.rows(dimension).lengths : call.rows(dimension).starts;
    if (from[dimension].data()) {
      for (int64_t b = 0; b < count; ++b)
        if (rows[b] != values[b])
          return failure.contents("the %s of %s and of %s differ at row %lld (from 0): %lld and %lld; both have the dimension '%s'",
                                  isLengths ? "lengths" : "starts", Quoted(from[dimension]).text(), Quoted(name).text(), static_cast<long long>(b),
                                  static_cast<long long>(rows[b]), static_cast<long long>(values[b]), entry.dimensions[dimension].name);
      return true;
    }
    from[dimension] = name;
    for (int64_t b = 0; b < count; ++b)
      rows[b] = values[b];
    return true;
  }

  bool readArgument(int64_t a) {
    Source &source = sources[a];
    const heddle_value &argument = entry.arguments[a];
    if (source.isText)
      std::copy_n(source.ids.data(), source.ids.size(), static_cast<int32_t *>(call.argument(a))); // a text of no ids has no data
    if (source.isScalar)
      std::memcpy(call.argument(a), &source.scalar, static_cast<size_t>(elementBytes(argument.element)));
    if (!source.isFile)
      return true;
    NpyReader::Visible visible;
    RaggedAxes axes = raggedAxes(entry, argument);
    if (axes.batch >= 0 && axes.position >= 0)
      visible = {call.rows(argument.ragged).lengths.data(), axes.batch, axes.position};
    return source.file.read(call.argument(a), visible, failure);
  }

  heddle_context &context;
  const Options &options;
  const heddle_entry &entry;
  Call call;
  Failure &failure;
  List<Source> sources;
  Array<std::string_view> lengthsFrom, startsFrom; // per dimension: the argument that gave them
};

} // namespace

bool heddle::runtime::run(heddle_context &context, const Options &options, Output &out, Output &notes, Failure &failure) {
  Run run(context, options, failure);
  if (!run.load() || !context.pool.start(options.threads ? options.threads : availableProcessors(), failure))
    return false;
  return run.invoke(notes) && run.write(out);
}
