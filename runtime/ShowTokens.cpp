// --tokenize: what the tokenizer makes of each input.
#include "runtime/Context.h"
#include "runtime/InputLines.h"
#include "runtime/JsonText.h"
#include "runtime/Task.h"
#include "runtime/Tokenizers.h"
#include <cstdio>

using namespace heddle::runtime;

static void printAsJson(std::string_view text, const Tokenizer &tokenizer, const Array<int32_t> &ids, Output &out) {
  out.write("{\"text\": ");
  writeJson(text, out);
  out.write(", \"ids\": [");
  for (int64_t i = 0; i < ids.size(); ++i)
    out.print("%s%d", i ? ", " : "", ids[i]);
  out.write("], \"pieces\": [");
  for (int64_t i = 0; i < ids.size(); ++i) {
    out.write(i ? ", " : "");
    writeJson(tokenizer.symbolOf(ids[i]), out);
  }
  out.write("]}\n");
}

/// An id a line, and its piece; an empty line behind the text.
static void printAsText(const Tokenizer &tokenizer, const Array<int32_t> &ids, Output &out) {
  for (int32_t id : ids) {
    out.print("%6d  ", id);
    out.escaped(tokenizer.symbolOf(id));
    out.write("\n");
  }
  out.write("\n");
}

bool heddle::runtime::showTokens(heddle_context &context, const Options &options, Output &out, Failure &failure) {
  Tokenizer tokenizer;
  InputLines source;
  if (!openTokenizer(context, HEDDLE_SOURCE, tokenizer, failure) || !source.open(options, failure))
    return false;
  Lines &lines = source.get();
  Array<int32_t> ids;
  constexpr int64_t mostLines = 256;
  do {
    if (!lines.next(mostLines, failure))
      return false;
    for (int64_t line = 0; line < lines.size(); ++line) {
      char what[64];
      std::snprintf(what, sizeof what, "%s %lld", lines.noun(), static_cast<long long>(lines.number(line)));
      ids.clear();
      if (!tokenizer.encode(lines[line], what, ids, failure))
        return false;
      if (options.json)
        printAsJson(lines[line], tokenizer, ids, out);
      else
        printAsText(tokenizer, ids, out);
    }
  } while (lines.size() > 0 && out.flush());
  return true;
}
