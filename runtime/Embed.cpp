// embed(sentence): one vector a text. Texts are the rows of ragged batches; a row does not depend on its batch.
#include "runtime/Form.h"
#include "runtime/JsonText.h"
#include "runtime/Npy.h"
#include "runtime/Task.h"
#include "runtime/TextRows.h"
#include <cmath>

using namespace heddle::runtime;

namespace {

class Embedding {
public:
  explicit Embedding(const TaskRun &run) : run(run), entry(run.entry(0)) {}

  bool embedAll() {
    if (!takesTexts(entry, 2))
      return run.misfit();
    if (!openTokenizer(run.context, HEDDLE_SOURCE, tokenizer, run.failure))
      return false;
    if (int64_t constant = constantExtent(entry.results[0].extents[1]); constant > 0)
      width = constant; // also of no texts
    bool isDone = forEachText(run, tokenizer, [&](std::string_view text, const Call &call, int64_t row) {
      width = call.extents(entry.argument_count)[1];
      return take(text, static_cast<const float *>(call.result(0)) + row * width); // [rows, width]
    });
    if (!isDone)
      return false;
    if (run.options.compares && !compare())
      return false;
    return !run.options.outputFile || writeFile();
  }

private:
  bool isPrinted() const { return !run.options.compares && !run.options.outputFile; }

  bool take(std::string_view text, const float *vector) {
    ++count;
    if (isPrinted())
      return print(text, vector), true;
    for (int64_t i = 0; i < width; ++i)
      if (!all.push(vector[i]))
        return run.failure.outOfMemory();
    return true;
  }

  void print(std::string_view text, const float *vector) {
    bool json = run.options.json;
    if (json) {
      run.out.write("{\"text\": ");
      writeJson(text, run.out);
      run.out.write(", \"embedding\": [");
    }
    for (int64_t i = 0; i < width; ++i) {
      run.out.write(i == 0 ? "" : json ? ", " : " ");
      writeNumber(vector[i], json, run.out);
    }
    run.out.write(json ? "]}\n" : "\n");
  }

  double product(int64_t a, int64_t b) const {
    double sum = 0;
    for (int64_t i = 0; i < width; ++i)
      sum += static_cast<double>(all[a * width + i]) * static_cast<double>(all[b * width + i]);
    return sum;
  }

  /// The cosine of every two vectors, a line a text.
  bool compare() {
    bool json = run.options.json;
    Array<double> squares;
    for (int64_t a = 0; a < count; ++a)
      if (!squares.push(product(a, a)))
        return run.failure.outOfMemory();
    for (int64_t a = 0; a < count && run.out.flush(); ++a) {
      run.out.write(json ? "[" : "");
      for (int64_t b = 0; b < count; ++b) {
        double cosine = product(a, b) / std::sqrt(squares[a] * squares[b]);
        run.out.write(b == 0 ? "" : json ? ", " : " ");
        if (json)
          writeNumber(cosine, true, run.out);
        else
          run.out.print("%9.6f", cosine);
      }
      run.out.write(json ? "]\n" : "\n");
    }
    return true;
  }

  bool writeFile() {
    int64_t shape[2] = {count, width};
    NpyWriter file;
    return file.write(run.options.outputFile, HEDDLE_F32, 2, shape, all.data(), run.failure) && file.commit(run.failure);
  }

  const TaskRun &run;
  const heddle_entry &entry;
  Tokenizer tokenizer;
  Array<float> all; // [count, width], where they are kept
  int64_t count = 0, width = 0;
};

} // namespace

bool heddle::runtime::embed(const TaskRun &run) { return Embedding(run).embedAll(); }
