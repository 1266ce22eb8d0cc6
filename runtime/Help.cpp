#include "runtime/Help.h"
#include "runtime/Form.h"
#include "runtime/Tokenizers.h"
#include <cstdio>
#include <cstring>

using namespace heddle::runtime;

namespace {

void printSignature(const heddle_entry &entry, Output &out) {
  out.print("  %s(", entry.name);
  for (int64_t a = 0; a < entry.argument_count; ++a) {
    const heddle_value &argument = entry.arguments[a];
    out.print("%s%s: ", a ? ", " : "", argument.name);
    out.write(TypeText(entry, argument, true).text());
    if (argument.has_default && argument.element == HEDDLE_BOOL)
      out.print(" = %s", argument.default_value != 0 ? "true" : "false");
    else if (argument.has_default)
      out.print(" = %g", argument.default_value);
  }
  out.write(") -> ");
  bool single = entry.result_count == 1 && std::strcmp(entry.results[0].name, "result") == 0;
  for (int64_t r = 0; r < entry.result_count; ++r) {
    if (!single)
      out.print("%s%s: ", r ? ", " : "(", entry.results[r].name);
    out.write(TypeText(entry, entry.results[r], false).text());
  }
  out.write(single ? "\n" : ")\n");
}

/// Documentation of several lines, indented.
void printDocumentation(std::string_view text, const char *indent, Output &out) {
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line(text.data(), end == text.npos ? text.size() : end);
    out.write(indent);
    out.escaped(line);
    out.write("\n");
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
}

/// One complete command for `entry`.
void printExample(const heddle_entry &entry, const char *program, const char *more, Output &out) {
  out.write("  ");
  out.escaped(program);
  out.print(" run %s", entry.name);
  for (int64_t a = 0; a < entry.argument_count; ++a)
    if (!entry.arguments[a].has_default)
      out.print(" --in %s=%s.npy", entry.arguments[a].name, entry.arguments[a].name);
  if (entry.argument_count > 0 && entry.arguments[0].ragged >= 0)
    out.print(" --lengths %s=lengths.npy", entry.arguments[0].name);
  if (entry.result_count > 0)
    out.print(" --out %s=%s.npy", entry.results[0].name, entry.results[0].name);
  out.print("%s\n", more);
}

} // namespace

/// The command lines of a task, and what it does with its inputs.
struct TaskHelp {
  const char *kind, *usage, *does;
};
static constexpr TaskHelp taskHelp[] = {
    {"translate", "[-t N] [-f FILE] [--json] [--] TEXT ...", "translates each TEXT, or each line of FILE or standard input; one line out for each"},
    {"generate", "[-n N] [-t N] [-f FILE] [--json] [--] TEXT ...", "goes on with each TEXT, or each line of FILE or standard input"},
    {"embed", "[--compare] [--out FILE.npy] [-t N] [-f FILE] [--json] [--] TEXT ...",
     "one vector for each TEXT, or each line of FILE or standard input"},
    {"classify", "[-t N] [-f FILE] [--json] [--] INPUT ...", "the label of each INPUT, or each line of FILE or standard input, and its probability"},
};

static void printTaskOptions(const heddle_model_table &model, Output &out) {
  if (model.task_count == 0)
    return;
  out.write("\noptions of tasks:\n"
            "  -f FILE                  inputs are the lines of FILE; without it and without inputs, those of standard input\n");
  bool pictures = false;
  for (int64_t t = 0; t < model.task_count; ++t)
    pictures |= model.tasks[t].read_picture != nullptr;
  if (pictures)
    out.write("                           inputs are names of files: PNG, PPM, PGM, or .npy with the pixels as the entry takes them\n");
  out.write("  --json                   an object a line for each input\n");
  if (findTask(model, "embed"))
    out.write("  --compare                the cosines of every two vectors, a line for each\n"
              "  --out FILE.npy           all vectors, f32[texts, width]\n");
  if (findTask(model, "generate"))
    out.write("  -n N                     tokens to make at most\n");
  out.write("  -t N                     threads, 1 to 1024 (default: one for each processor)\n"
            "  --                       what follows are inputs, no options\n");
}

void heddle::runtime::printHelp(const heddle_model_table &model, const char *program, Output &out) {
  const char *before = "usage: ";
  auto usage = [&](const char *words) {
    out.write(before);
    out.escaped(program);
    out.print(" %s\n", words);
    before = "       ";
  };
  for (int64_t t = 0; t < model.task_count; ++t)
    for (const TaskHelp &help : taskHelp)
      if (std::strcmp(help.kind, model.tasks[t].kind) == 0) {
        char words[256];
        std::snprintf(words, sizeof words, "%s%s%s%s", t > 0 ? "--task " : "", t > 0 ? help.kind : "", t > 0 ? " " : "", help.usage);
        usage(words);
        out.print("           %s\n", help.does);
      }
  usage("run ENTRY [-t N] --in NAME=FILE.npy ... [--lengths NAME=FILE.npy] [--starts NAME=FILE.npy]\n"
        "           [--text NAME=TEXT] [--out NAME=FILE.npy] [--repeat N] [--profile]");
  if (model.tokenizer_count > 0)
    usage("--tokenize [-f FILE] [--json] [--] TEXT ...");
  usage("--selftest | --info | --version | --help");
  out.write("\n");
  out.print("The model '%s', compiled by %s.\n", model.name, model.compiler);
  printDocumentation(model.documentation, "", out);
  out.write("\nentries:\n");
  for (int64_t e = 0; e < model.entry_count; ++e) {
    printSignature(model.entries[e], out);
    printDocumentation(model.entries[e].documentation, "      ", out);
  }
  printTaskOptions(model, out);
  out.write(
      "\n"
      "A dimension with dots is ragged: row b of the batch has lengths[b] elements of it, from position starts[b] on. Arguments that share a\n"
      "ragged dimension share both; what is not given is the full width, and 0. Rows of a result beyond the length are exactly 0.\n"
      "\n"
      "options of run:\n"
      "  --in NAME=FILE.npy       an argument; a scalar also by its value (--in NAME=false)\n"
      "  --lengths NAME=FILE.npy  the lengths of the rows of argument NAME, i32[batch]\n"
      "  --starts NAME=FILE.npy   the positions of their first elements, i32[batch]\n"
      "  --text NAME=TEXT         an argument of ids, from text (one row)\n"
      "  --out NAME=FILE.npy      where a result goes; without --out all results are printed, shortened\n"
      "  --repeat N               calls the entry N times more and prints how long they took, on standard error, as one line:\n"
      "                           'time: best 1.234567 ms, median 1.345678 ms of N'; the first call is not timed\n"
      "  --profile                prints the time of each kernel by its line of the model text, on standard error: the mean of the timed calls;\n"
      "                           GFLOP/s count products and attention, pairs that causal masks and windows hide left out. --profile=json: for\n"
      "                           programs\n"
      "  -t N                     threads, 1 to 1024 (default: one for each processor); the bits of a result do not depend on it\n"
      "\n"
      "HEDDLE_CPU=x86-64-v3 in the environment chooses the code for that CPU. Exit codes: 0 ok, 1 a file or a value, 2 usage.\n"
      "\nexamples:\n");
  for (int64_t t = 0; t < model.task_count && t < 1; ++t) {
    out.write("  ");
    out.escaped(program);
    out.write(model.tasks[t].read_picture ? " picture.png\n" : " < lines.txt\n");
  }
  for (int64_t e = 0; e < model.entry_count; ++e)
    printExample(model.entries[e], program, "", out);
  if (model.entry_count > 0)
    printExample(model.entries[0], program, " -t 1 --repeat 20 --profile", out);
}

void heddle::runtime::printInfo(const heddle_model_table &model, const heddle_variant *variant, const char *reason, Output &out) {
  int64_t bytes = 0, elements = 0;
  for (int64_t i = 0; i < model.weight_count; ++i) {
    bytes += model.weights[i].bytes;
    elements += model.weights[i].bytes / elementBytes(model.weights[i].element);
  }
  out.print("model: %s\ncompiler: %s\n", model.name, model.compiler);
  if (model.built[0]) {
    out.write("built with: ");
    out.escaped(model.built);
    out.write("\n");
  }
  out.print("parameters: %lld\n", static_cast<long long>(model.parameters));
  out.print("weights: %lld, %lld elements with padding, %lld bytes\n", static_cast<long long>(model.weight_count), static_cast<long long>(elements),
            static_cast<long long>(bytes));
  out.write("cpu variants:");
  for (int64_t i = 0; i < model.variant_count; ++i)
    out.print(" %s", model.variants[i].cpu);
  if (variant)
    out.print("\nchosen here: %s\n", variant->cpu);
  else
    out.print("\nchosen here: none, %s\n", reason);
  int64_t kernels = 0; // beside those that only checks call
  for (int64_t i = 0; i < model.kernel_count; ++i)
    kernels += std::strncmp(model.kernels[i].name, HEDDLE_CHECK_PREFIX, sizeof HEDDLE_CHECK_PREFIX - 1) != 0;
  out.print("kernels: %lld\n", static_cast<long long>(kernels));
  out.write("entries:\n");
  for (int64_t e = 0; e < model.entry_count; ++e)
    printSignature(model.entries[e], out);
  out.write("tokenizers:");
  for (int64_t i = 0; i < model.tokenizer_count; ++i) {
    const heddle_tokenizer &tokenizer = model.tokenizers[i];
    out.print(" %s%s",
              tokenizer.side == HEDDLE_SOURCE   ? "source"
              : tokenizer.side == HEDDLE_TARGET ? "target"
                                                : "text",
              tokenizer.bytes ? "" : " (of a kind that is not built yet)");
  }
  out.write(model.tokenizer_count ? "\n" : " none\n");
  for (int64_t i = 0; i < model.task_count; ++i) {
    const heddle_task &task = model.tasks[i];
    out.print("task: %s(", task.kind);
    for (int64_t e = 0; e < task.entry_count; ++e)
      out.print("%s%s", e ? ", " : "", model.entries[task.entries[e]].name);
    for (int64_t s = 0; s < task.setting_count; ++s)
      out.print(", %s=%lld", task.settings[s].name, static_cast<long long>(task.settings[s].value));
    out.write(")\n");
  }
}
