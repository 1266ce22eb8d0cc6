// Tasks and tokenizers as attributes of the module.
#include "test/unit/frontend/Import.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle::test;
using testing::HasSubstr;
using testing::Not;

namespace {
std::string text(const std::string &items) {
  return "heddle 1\nmodel x {\n  entry encode(s: i32[batch, s...]) -> f32[batch, s..., 4] = weight(\"s\", [9, 4])[s]\n"
         "  entry decode(t: i32[batch, t...], m: f32[batch, s..., 4]) -> f32[batch, t..., 9] = weight(\"t\", [9, 9])[t]\n" +
         items + "\n}\n";
}
} // namespace

TEST(Tasks, settingsComeFromTheConfiguration) {
  std::string ir = accepted({text("  task translate(encode, decode)"),
                             R"({"decoder_start_token_id": 4, "eos_token_id": 5, "pad_token_id": null, "max_position_embeddings": 16})",
                             {}});
  EXPECT_THAT(
      ir,
      HasSubstr("heddle.tasks = [{entries = [\"encode\", \"decode\"], kind = \"translate\", settings = {end = array<i64: 5>, limit = array<i64: 16>, "
                "start = array<i64: 4>}}]"));
}

TEST(Tasks, settingsOfTheItemComeFirst) {
  EXPECT_THAT(
      accepted(
          {text("  config eos: int = 7\n  task translate(encode, decode, end=eos, limit=2 * 3)"), R"({"eos_token_id": 5, "max_length": 9})", {}}),
      HasSubstr("settings = {end = array<i64: 7>, limit = array<i64: 6>}"));
  EXPECT_THAT(refusal({text("  task translate(encode, decode, ends=1)"), "", {}}), HasSubstr("task 'translate' has no setting 'ends'"));
}

TEST(Tasks, refusals) {
  EXPECT_THAT(refusal({text("  task translate(encode)"), "", {}}), HasSubstr("task 'translate' takes 2 entries, got 1"));
  EXPECT_THAT(refusal({text("  task translate(encode, dekode)"), "", {}}), HasSubstr("there is no entry 'dekode'"));
  EXPECT_THAT(refusal({text("  task tranlate(encode, decode)"), "", {}}), HasSubstr("did you mean 'translate'?"));
  EXPECT_THAT(refusal({text("  task translate(encode, decode)"), R"({"eos_token_id": ["1"]})", {}}),
              HasSubstr("'eos_token_id': expected the id of a token or a list of ids, got \"1\""));
  EXPECT_THAT(refusal({text("  task translate(encode, decode)"), R"({"decoder_start_token_id": [1, 2]})", {}}),
              HasSubstr("setting 'start' of task 'translate': expected one number, got 2"));
  EXPECT_THAT(refusal({text("  task translate(encode, decode)"), R"({"max_length": 0})", {}}),
              HasSubstr("setting 'limit' of task 'translate': expected at least 1, got 0"));
}

TEST(Tasks, entriesFitTheirTask) {
  auto said = [](const std::string &entries) { return refusal({text("  entry f" + entries), "", {}}); };
  EXPECT_THAT(said("(x: f32[batch, 4]) -> f32[batch, 4] = x\n  task translate(f, decode)"),
              HasSubstr("task 'translate': entry 'f' must take i32[batch, tokens...] first"));
  EXPECT_THAT(said("(x: i32[batch, 4]) -> i32[batch, 4] = x\n  task translate(f, decode)"),
              HasSubstr("entry 'f' must take i32[batch, tokens...] first"));
  EXPECT_THAT(said("(s: i32[batch, s...]) -> i32[batch, s...] = s\n  task translate(f, decode)"),
              HasSubstr("entry 'decode' must take second what 'f' gives"));
  EXPECT_THAT(said("(t: i32[batch, t...], m: f32[batch, s..., 4]) -> i32[batch, t...] = t\n  task translate(encode, f)"),
              HasSubstr("entry 'f' must give a score for every id: f32[batch, tokens..., ids]"));
  EXPECT_THAT(said("(s: i32[batch, s...], x: f32[]) -> f32[batch, s..., 4] = weight(\"s\", [9, 4])[s]\n  task translate(f, decode)"),
              HasSubstr("entry 'f' takes more than the task has; give its other arguments a default"));
  EXPECT_THAT(said("(s: i32[batch, s...]) -> f32[batch, s..., 4] = weight(\"s\", [9, 4])[s]\n  task translate(f, f)"),
              HasSubstr("entry 'f' must take second what 'f' gives"));
}

TEST(Tasks, idsHaveScores) {
  EXPECT_THAT(refusal({text("  task translate(encode, decode, start=1, end=9)"), "", {}}),
              HasSubstr("setting 'end' of task 'translate': expected 0 to 8, the ids that have a score, got 9"));
  Imported imported = import({text("  task translate(encode, decode, start=8)"), "", {}});
  EXPECT_TRUE(imported.module);
  EXPECT_THAT(imported.messages, HasSubstr("note: task 'translate' has no 'end' (eos_token_id): every text is translated to the limit"));
  EXPECT_THAT(imported.messages, Not(HasSubstr("'start'")));
}

TEST(Tasks, ofOneEntry) {
  auto with = [](const std::string &entry, const std::string &task, const std::string &config = "") {
    return accepted({text("  entry f" + entry + "\n  task " + task + "(f)"), config, {}});
  };
  std::string vector = "(s: i32[batch, s...]) -> f32[batch, 4] = mean(encode(s), over=s)";
  EXPECT_THAT(with(vector, "embed", R"({"pad_token_id": 3})"), HasSubstr("kind = \"embed\", settings = {pad = array<i64: 3>}"));
  EXPECT_THAT(with(vector, "classify", R"({"id2label": {"0": "no", "1": "yes", "2": "so", "3": "la"}})"),
              HasSubstr("kind = \"classify\", labels = [\"no\", \"yes\", \"so\", \"la\"]"));
  EXPECT_THAT(with("(s: i32[batch, s...]) -> f32[batch, s..., 4] = encode(s)", "generate", R"({"eos_token_id": [1, 3]})"),
              HasSubstr("kind = \"generate\", settings = {end = array<i64: 1, 3>}"));
  std::string pixels = "(p: f32[batch, 1, 2, 2]) -> f32[batch, 4] = rearrange(p, [b, c, h, w] -> [b, c * h * w])";
  EXPECT_THAT(with(pixels, "classify", R"({"image_mean": [0.5], "image_std": 0.25})"),
              HasSubstr("numbers = {mean = array<f64: 5.000000e-01>, resample = array<f64: -1.000000e+00>, "
                        "rescale = array<f64: 0.0039215686274509803>, std = array<f64: 2.500000e-01>}"));
}

TEST(Tasks, ofOneEntryRefused) {
  auto said = [](const std::string &entry, const std::string &task, const std::string &config = "") {
    return refusal({text("  entry f" + entry + "\n  task " + task + "(f)"), config, {}});
  };
  std::string vector = "(s: i32[batch, s...]) -> f32[batch, 4] = mean(encode(s), over=s)";
  EXPECT_THAT(said("(s: i32[batch, s...]) -> f32[batch, s..., 4] = encode(s)", "embed"),
              HasSubstr("entry 'f' must give one vector a text: f32[batch, n]"));
  EXPECT_THAT(said(vector, "generate"), HasSubstr("entry 'f' must give a score for every id"));
  EXPECT_THAT(said(vector, "classify", R"({"id2label": ["no", "yes"]})"),
              HasSubstr("'id2label' has 2 labels, entry 'f' of task 'classify' gives 4 scores"));
  EXPECT_THAT(said(vector, "classify", R"({"id2label": {"1": "no"}})"), HasSubstr("'id2label': expected a list of strings"));
  EXPECT_THAT(said(vector, "classify", R"({"id2label": ["a", "b", "c\u0000", "d"]})"), HasSubstr("'id2label': expected labels without NUL"));
  EXPECT_THAT(said("(p: f32[2, 1, 2, 2]) -> f32[2, 4] = rearrange(p, [b, c, h, w] -> [b, c * h * w])", "classify"),
              HasSubstr("entry 'f' must take any number of rows, not 2"));
  std::string pixels = "(p: f32[batch, 1, 2, 2]) -> f32[batch, 4] = rearrange(p, [b, c, h, w] -> [b, c * h * w])";
  EXPECT_THAT(said(pixels, "classify", R"({"image_mean": [0.5, 0.5]})"), HasSubstr("'image_mean': expected 1 number, one a channel, got a list"));
  EXPECT_THAT(said(pixels, "classify", R"({"image_std": 0})"), HasSubstr("'image_std': expected 1 positive number, one a channel, got 0"));
}

TEST(Tasks, picturesOfOtherChannelsAreANote) {
  Imported imported =
      import({text("  entry f(p: f32[batch, 2, 2, 1]) -> f32[batch, 4] = rearrange(p, [b, c, h, w] -> [b, c * h * w])\n  task classify(f)"), "", {}});
  EXPECT_TRUE(imported.module);
  EXPECT_THAT(imported.messages, HasSubstr("6:3: note: task 'classify': a picture has 1 or 3 channels, entry 'f' takes 2"));
  EXPECT_THAT(imported.ir, HasSubstr("heddle.tasks = []"));
}

TEST(Tasks, thoseNotBuiltYetAreANote) {
  Imported imported = import({text("  task transcribe(encode, decode)"), "", {}});
  EXPECT_TRUE(imported.module);
  EXPECT_THAT(imported.messages, HasSubstr("5:3: note: task 'transcribe' is not built yet; the executable has its entries only"));
  EXPECT_THAT(imported.ir, HasSubstr("heddle.tasks = []"));
}

TEST(Tasks, tokenizersThatAreMissingAreANote) {
  Imported imported = import({text("  tokenizer source words(\"no.json\")\n  tokenizer target pieces(\"x.spm\")"), "", {}});
  EXPECT_TRUE(imported.module);
  EXPECT_THAT(imported.messages, HasSubstr("no.json: note: the tokenizer's file is missing; ids still work"));
  EXPECT_THAT(imported.messages, HasSubstr("6:3: note: tokenizers of kind 'pieces' are not built yet; ids still work"));
  EXPECT_THAT(imported.ir, HasSubstr("heddle.tokenizers = []"));
}
