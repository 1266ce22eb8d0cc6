#include "compiler/support/Diagnostics.h"
#include "compiler/support/Utf8.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle;
using testing::HasSubstr;
using testing::Not;

TEST(Diagnostics, printsPlaceLineCaretAndNotes) {
  Diagnostics diagnostics;
  diagnostics.addSource("x.heddle", "heddle 1\nlet a = b\n");
  diagnostics.error({"x.heddle", 2, 9}, "unknown name 'b'").note("did you mean 'a'?").note({"x.heddle", 1, 1}, "version 1");
  EXPECT_EQ(diagnostics.render(), "x.heddle:2:9: error: unknown name 'b'\n"
                                  "  let a = b\n"
                                  "          ^\n"
                                  "x.heddle:2:9: note: did you mean 'a'?\n"
                                  "x.heddle:1:1: note: version 1\n"
                                  "  heddle 1\n"
                                  "  ^\n");
}

TEST(Diagnostics, placesWithoutLineOrFile) {
  Diagnostics diagnostics;
  diagnostics.error({"w.safetensors", 0, 0}, "too short");
  diagnostics.error({}, "no model given");
  EXPECT_EQ(diagnostics.render(), "w.safetensors: error: too short\nerror: no model given\n");
}

TEST(Diagnostics, aNoteIsNoError) {
  Diagnostics diagnostics;
  diagnostics.note({"w", 0, 0}, "2 tensors are not used");
  EXPECT_FALSE(diagnostics.hasErrors());
  EXPECT_EQ(diagnostics.render(), "w: note: 2 tensors are not used\n");
}

TEST(Diagnostics, theSameErrorIsKeptOnce) {
  Diagnostics diagnostics;
  diagnostics.error({"x", 1, 1}, "a").note("one");
  diagnostics.error({"x", 1, 1}, "a").note("two");
  diagnostics.error({"x", 1, 2}, "a");
  EXPECT_EQ(diagnostics.errorCount(), 2u);
  EXPECT_EQ(diagnostics.records()[0].notes.size(), 1u);
}

TEST(Diagnostics, twentyErrorsThenHowManyMore) {
  Diagnostics diagnostics;
  for (unsigned i = 1; i <= 5000; ++i)
    diagnostics.error({"x", i, 1}, "bad");
  std::string text = diagnostics.render();
  EXPECT_THAT(text, HasSubstr("x:20:1: error: bad\nerror: and 4980 more errors\n"));
  EXPECT_THAT(text, Not(HasSubstr("x:21:1")));
}

TEST(Diagnostics, nothingRawReachesTheTerminal) {
  Diagnostics diagnostics;
  std::string source = "let a = \033[2J\"\xFF\xE2\x80\xAE\"";
  diagnostics.addSource("a\nb", source);
  diagnostics.error({"a\nb", 1, 9}, "got '\033]0;x\007'");
  EXPECT_EQ(diagnostics.render(), "a\\nb:1:9: error: got '\\u{1b}]0;x\\u{7}'\n"
                                  "  let a = \\u{1b}[2J\"\\xff\\u{202e}\"\n"
                                  "          ^\n");
}

TEST(Diagnostics, atMost64KiB) {
  Diagnostics diagnostics;
  for (unsigned i = 1; i <= 60; ++i) {
    Diagnostic &error = diagnostics.error({"x", i, 1}, std::string(1 << 20, 'm'));
    for (unsigned n = 0; n < 100; ++n)
      error.note({"y", n, 1}, std::string(3000, 'n'));
  }
  std::string text = diagnostics.render();
  EXPECT_LE(text.size(), 65536u);
  EXPECT_THAT(text, testing::EndsWith("the rest of the messages is left out (64 KiB)\nerror: and 58 more errors\n"));
}

TEST(Diagnostics, caretBelowWideCharactersAndInLongLines) {
  Diagnostics diagnostics;
  std::string line = "我是 b", longLine = std::string(300, 'a') + "!" + std::string(300, 'z');
  diagnostics.addSource("w", line);
  diagnostics.addSource("l", longLine);
  diagnostics.error({"w", 1, 4}, "here");
  diagnostics.error({"l", 1, 301}, "there");
  std::string text = diagnostics.render();
  EXPECT_THAT(text, HasSubstr("  我是 b\n       ^\n"));
  EXPECT_THAT(text, HasSubstr("  ..." + std::string(80, 'a') + "!" + std::string(59, 'z') + "...\n  " + std::string(83, ' ') + "^\n"));
}

TEST(NearestName, suggestsWhatIsNear) {
  EXPECT_EQ(nearestName("h.0.attn.c_atn.weight", {"wte.weight", "h.0.attn.c_attn.weight", "h.0.attn.c_attn.bias"}), "h.0.attn.c_attn.weight");
  EXPECT_EQ(nearestName("n_haed", {"n_embd", "n_head"}), "n_head");
  EXPECT_EQ(nearestName("rope_theta", {"hidden_size", "vocab_size"}), "");
  EXPECT_EQ(nearestName("", {"a"}), "");
  EXPECT_EQ(nearestName("a", {}), "");
}

TEST(Utf8, refusesWhatIsNotWellFormed) {
  EXPECT_EQ(findBrokenUtf8("zwölf 我 \xF0\x9F\x98\x80"), std::string_view::npos);
  for (std::string_view bad : {"\x80", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE6\x88"})
    EXPECT_EQ(findBrokenUtf8(bad), 0u) << escapeForTerminal(bad);
}
