#include "compiler/frontend/Lexer.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::syntax;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {
Words read(std::string_view text) {
  Diagnostics diagnostics;
  Words words;
  EXPECT_TRUE(readWords(text, "t.heddle", words, diagnostics)) << diagnostics.render();
  return words;
}

std::vector<std::string> spellings(std::string_view text) {
  std::vector<std::string> result;
  for (const Token &token : read(text).tokens)
    result.emplace_back(token.text);
  result.pop_back();
  return result;
}

std::string refusal(std::string_view text) {
  Diagnostics diagnostics;
  Words words;
  EXPECT_FALSE(readWords(text, "t.heddle", words, diagnostics));
  return diagnostics.render();
}
} // namespace

TEST(Lexer, longestMatch) {
  EXPECT_THAT(spellings("0..n"), ElementsAre("0", "..", "n"));
  EXPECT_THAT(spellings("sequence...<=n"), ElementsAre("sequence", "...", "<=", "n"));
  EXPECT_THAT(spellings("1.5e-3 x->y=>z"), ElementsAre("1.5e-3", "x", "->", "y", "=>", "z"));
  EXPECT_THAT(spellings("@fused a@fused_b"), ElementsAre("@fused", "a", "@", "fused_b"));
}

TEST(Lexer, numbers) {
  Words words = read("1_000 2.5e1 1e-5");
  EXPECT_EQ(words.tokens[0].integer, 1000);
  EXPECT_EQ(words.tokens[1].real, 25.0);
  EXPECT_EQ(words.tokens[2].real, 1e-5);
  EXPECT_THAT(refusal("99999999999999999999"), HasSubstr("t.heddle:1:1: error: the number 99999999999999999999 does not fit into 64 bits"));
  EXPECT_THAT(refusal("1e999"), HasSubstr("does not fit"));
  EXPECT_THAT(refusal("12abc"), HasSubstr("a letter right behind the number 12"));
}

TEST(Lexer, stringsCarryTheirHolesAsWords) {
  Words words = read(R"("h.{i + 1}.{{w}}\u{fc}\n")");
  const std::vector<StringPart> &parts = words.tokens[0].parts;
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].text, "h.");
  ASSERT_EQ(parts[1].hole.size(), 4u); // i + 1 and the end
  EXPECT_EQ(parts[1].hole[2].integer, 1);
  EXPECT_EQ(parts[2].text, ".{w}ü\n");
  EXPECT_EQ(read(R"("{match a { 1 => "x{b}" }}")").tokens[0].parts.size(), 1u); // strings and braces inside a hole
}

TEST(Lexer, commentsAreKept) {
  Words words = read("a # one\n## two\nb");
  ASSERT_EQ(words.comments.size(), 2u);
  EXPECT_FALSE(words.comments[0].startsLine);
  EXPECT_TRUE(words.comments[1].isDocumentation());
  EXPECT_EQ(words.tokens[1].commentsBefore, 2u);
}

TEST(Lexer, columnsAreCharacters) {
  Words words = read("\"zwölf\" x\n  y");
  EXPECT_EQ(words.tokens[1].at, (Position{1, 9}));
  EXPECT_EQ(words.tokens[2].at, (Position{2, 3}));
}

TEST(Lexer, refusals) {
  EXPECT_THAT(refusal("a\n \xff"), HasSubstr("t.heddle:2:2: error: the text is not UTF-8: byte 0xff"));
  EXPECT_THAT(refusal(std::string("a\0b", 3)), HasSubstr("1:2: error: the text holds a zero byte"));
  EXPECT_THAT(refusal(std::string(maxTextBytes + 1, ' ')), HasSubstr("the text has 1048577 bytes, expected at most 1048576"));
  EXPECT_THAT(refusal("\"abc\nd\""), HasSubstr("1:1: error: the string has no end on its line"));
  EXPECT_THAT(refusal("\"a}\""), HasSubstr("a single '}' in a string"));
  EXPECT_THAT(refusal("\"{a\""), HasSubstr("the string has no end on its line"));
  EXPECT_THAT(refusal("\"{}\""), HasSubstr("an empty hole"));
  EXPECT_THAT(refusal("\"\\q\""), HasSubstr("unknown escape"));
  EXPECT_THAT(refusal("\"\\u{d800}\""), HasSubstr("expected \\u{hex}"));
  EXPECT_THAT(refusal("a $ b"), HasSubstr("1:3: error: unknown character '$'"));
  std::string deep;
  for (int i = 0; i < 300; ++i)
    deep += "\"{";
  EXPECT_THAT(refusal(deep), HasSubstr("more than 200 levels of nesting"));
  EXPECT_THAT(refusal("\"" + std::string(70000, 'a') + "\""), HasSubstr("the string has more than 65536 bytes"));
}
