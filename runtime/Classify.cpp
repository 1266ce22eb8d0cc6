// classify(forward): the best label of each text or picture, and its probability.
#include "runtime/BestId.h"
#include "runtime/Form.h"
#include "runtime/Image.h"
#include "runtime/JsonText.h"
#include "runtime/Npy.h"
#include "runtime/Task.h"
#include "runtime/TextRows.h"
#include <cmath>
#include <cstdio>
#include <cstring>

using namespace heddle::runtime;

namespace {

class Classification {
public:
  explicit Classification(const TaskRun &run) : run(run), entry(run.entry(0)) {}

  bool classifyAll() {
    if (takesTexts(entry, 2))
      return classifyTexts();
    return takesPictures() ? classifyPictures() : run.misfit();
  }

private:
  bool classifyTexts() {
    Tokenizer tokenizer;
    if (!openTokenizer(run.context, HEDDLE_SOURCE, tokenizer, run.failure))
      return false;
    return forEachText(run, tokenizer, [&](std::string_view text, const Call &call, int64_t row) { return print(text, call, row); });
  }

  /// f32[batch, channels, height, width] first; all else has a default.
  bool takesPictures() {
    if (entry.argument_count < 1 || entry.result_count < 1 || entry.arguments[0].rank != 4 || entry.arguments[0].element != HEDDLE_F32 ||
        entry.results[0].rank != 2 || entry.results[0].element != HEDDLE_F32)
      return false;
    for (int64_t a = 1; a < entry.argument_count; ++a)
      if (!entry.arguments[a].has_default)
        return false;
    const heddle_form *extents = entry.arguments[0].extents;
    form.channels = constantExtent(extents[1]);
    form.height = constantExtent(extents[2]);
    form.width = constantExtent(extents[3]);
    return (form.channels == 1 || form.channels == 3) && form.height > 0 && form.width > 0 && run.task.read_picture;
  }

  const heddle_numbers *numbers(const char *name) const {
    for (int64_t i = 0; i < run.task.number_count; ++i)
      if (std::strcmp(run.task.numbers[i].name, name) == 0)
        return run.task.numbers + i;
    return nullptr;
  }
  double number(const char *name, int64_t at, double otherwise) const {
    const heddle_numbers *found = numbers(name);
    return found && at < found->count ? found->values[at] : otherwise;
  }

  /// Inputs are names of files.
  bool classifyPictures() {
    for (int64_t channel = 0; channel < form.channels; ++channel) {
      mean[channel] = static_cast<float>(number("mean", channel, 0));
      std[channel] = static_cast<float>(number("std", channel, 1));
    }
    form.rescale = number("rescale", 0, 1);
    form.mean = mean;
    form.std = std;
    double filter = number("resample", 0, -1);
    form.resample = filter == 2 ? Resample::bilinear : filter == 3 ? Resample::bicubic : Resample::none;
    constexpr int64_t mostLines = 256;
    do {
      if (!run.lines.next(mostLines, run.failure))
        return false;
      for (int64_t line = 0; line < run.lines.size(); ++line)
        if (!classifyPicture(run.lines[line]))
          return false;
    } while (run.lines.size() > 0 && run.out.flush());
    return true;
  }

  bool classifyPicture(std::string_view name) {
    if (name.find('\0') != name.npos)
      return run.failure.contents("%s is no name of a file", Quoted(name).text());
    Array<char> path; // NUL-terminated
    for (char c : name)
      if (!path.push(c))
        return run.failure.outOfMemory();
    if (!path.push('\0'))
      return run.failure.outOfMemory();
    Call call(entry);
    int64_t shape[4] = {1, form.channels, form.height, form.width};
    bool isArray = name.ends_with(".npy");
    NpyReader array;
    if (isArray && !openArray(path.data(), array, shape))
      return false;
    if (!call.prepare(run.failure) || !call.giveShape(0, 4, shape, run.failure) || !call.inferDimensions(run.failure) ||
        !call.finishRows(run.failure) || !call.allocate(run.context, run.failure))
      return false;
    float *pixels = static_cast<float *>(call.argument(0));
    if (isArray ? !array.read(pixels, {}, run.failure) : !run.task.read_picture(path.data(), &form, pixels, &run.failure))
      return false;
    call.invoke(run.context);
    for (int64_t row = 0; row < shape[0]; ++row)
      if (!print(name, call, row))
        return false;
    return true;
  }

  /// Pixels as the entry takes them: one picture, or several.
  bool openArray(const char *path, NpyReader &array, int64_t (&shape)[4]) {
    if (!array.open(path, HEDDLE_F32, run.failure))
      return false;
    if (array.rank() == 4)
      shape[0] = array.extents()[0];
    int64_t first = array.rank() == 4 ? 0 : 1;
    bool fits = array.rank() == 4 || array.rank() == 3;
    for (int axis = 0; fits && axis < array.rank(); ++axis)
      fits = array.extents()[axis] == shape[first + axis];
    return fits ||
           run.failure.contents("%s: expected pixels f32[%lld, %lld, %lld], or a batch of such", Quoted(path).text(),
                                static_cast<long long>(form.channels), static_cast<long long>(form.height), static_cast<long long>(form.width));
  }

  /// Row `row` of the call's result.
  bool print(std::string_view input, const Call &call, int64_t row) {
    int64_t count = call.extents(entry.argument_count)[1], best;
    const float *scores = static_cast<const float *>(call.result(0)) + row * count; // [batch, labels]
    if ((best = bestId(scores, count)) < 0 || !std::isfinite(scores[best]))
      return run.failure.contents("the model gives no number as a score for %s: its weights or the input are broken", Quoted(input).text());
    double sum = 0;
    for (int64_t label = 0; label < count; ++label)
      sum += std::exp(static_cast<double>(scores[label]) - static_cast<double>(scores[best]));
    if (run.options.json)
      return printAsJson(input, scores, count, best, sum), true;
    run.out.escaped(nameOf(best));
    run.out.print("\t%.4f\n", 1 / sum);
    return true;
  }

  void printAsJson(std::string_view input, const float *scores, int64_t count, int64_t best, double sum) {
    run.out.write("{\"input\": ");
    writeJson(input, run.out);
    run.out.write(", \"label\": ");
    writeJson(nameOf(best), run.out);
    run.out.write(", \"probability\": ");
    writeNumber(static_cast<float>(1 / sum), true, run.out); // the last digits of a double would be those of the C library's exp()
    run.out.write(", \"scores\": [");
    for (int64_t label = 0; label < count; ++label) {
      run.out.write(label ? ", " : "");
      writeNumber(scores[label], true, run.out);
    }
    run.out.write("]}\n");
  }

  std::string_view nameOf(int64_t label) {
    if (label < run.task.label_count)
      return run.task.labels[label];
    int length = std::snprintf(unnamed, sizeof unnamed, "LABEL_%lld", static_cast<long long>(label)); // as the reference library does
    return {unnamed, static_cast<size_t>(length)};
  }

  const TaskRun &run;
  const heddle_entry &entry;
  char unnamed[32];
  PixelForm form = {};
  float mean[3], std[3];
};

} // namespace

bool heddle::runtime::classify(const TaskRun &run) { return Classification(run).classifyAll(); }
