// The layout of model texts: what a line begins with, comments at every place, and for every text of the project that nothing but layout changes.
#include "compiler/frontend/Format.h"
#include "compiler/frontend/Parser.h"
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

using namespace heddle;
using namespace heddle::syntax;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {
std::string format(std::string_view text) {
  Diagnostics diagnostics;
  std::optional<std::string> result = formatText(text, "t.heddle", diagnostics);
  EXPECT_TRUE(result) << diagnostics.render();
  return result.value_or("");
}

/// What the items of a model become, given and read without the model around them.
std::string items(const std::string &text) {
  std::string head = "heddle 1\nmodel m {\n", result = format(head + text + "\n}\n");
  EXPECT_EQ(format(result), result);
  EXPECT_TRUE(result.starts_with(head) && result.ends_with("\n}\n")) << result;
  return result.substr(head.size(), result.size() - head.size() - 3);
}

std::string statements(const std::string &text) {
  std::string head = "  fn f(x) {\n", result = items(head + text + "\n  }");
  EXPECT_TRUE(result.starts_with(head) && result.ends_with("\n  }")) << result;
  return result.substr(head.size(), result.size() - head.size() - 4);
}

std::string readFile(const fs::path &path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<fs::path> allTexts() {
  std::vector<fs::path> texts;
  for (const char *folder : {"compiler/frontend", "examples", "test"})
    for (const auto &entry : fs::recursive_directory_iterator(fs::path(HEDDLE_SOURCE_DIR) / folder))
      if (entry.path().extension() == ".heddle")
        texts.push_back(entry.path());
  EXPECT_GE(texts.size(), 35u);
  return texts;
}

/// The words of a text with `between` between any two of them, its own comments left out.
std::string respaced(const std::string &text, std::string_view between) {
  Diagnostics diagnostics;
  Words words;
  EXPECT_TRUE(readWords(text, "t.heddle", words, diagnostics));
  std::string result;
  for (const Token &token : words.tokens)
    result += std::string(token.text) + std::string(between);
  return result;
}
} // namespace

TEST(Format, blanks) {
  EXPECT_EQ(statements("y=f ( x,over = s )[ s=0 ]^- 2"), "    y = f(x, over=s)[s = 0] ^ -2");
  EXPECT_EQ(statements("y:f32[.. ,n*d,]=rearrange(x,[..,s]->[s ,1])"), "    y: f32[.., n * d,] = rearrange(x, [.., s] -> [s, 1])");
  EXPECT_EQ(statements("for i in 0 .. n-1{y=- - x}"), "    for i in 0..n - 1 { y = --x }");
  EXPECT_EQ(statements("y=if not a{b}else{-c}@ fused(d)"), "    y = if not a { b } else { -c } @ fused(d)") << "an operator and a name";
  EXPECT_EQ(items("entry e(x:i32[b,s...<=9]=0)->f32[ ] when(a or b)=@fused x"),
            "  entry e(x: i32[b, s... <= 9] = 0) -> f32[] when (a or b) = @fused x");
  EXPECT_EQ(items("config a|b . c,d:[int]=[]config e:int ?=1_0"), "  config a | b.c, d: [int] = []\n  config e: int? = 1_0");
  EXPECT_EQ(items("require - 1<0,\"a  {{ b\""), "  require -1 < 0, \"a  {{ b\"");
}

TEST(Format, oneStatementALine) {
  EXPECT_EQ(statements("a = x b = a"), "    a = x\n    b = a");
  EXPECT_EQ(statements("if p { a = x }"), "    if p { a = x }");
  EXPECT_EQ(statements("if p { a = x b = a }"), "    if p {\n      a = x\n      b = a\n    }");
  EXPECT_EQ(statements("if p { a = x } else {\na = b }"), "    if p {\n      a = x\n    } else {\n      a = b\n    }") << "both sides alike";
  EXPECT_EQ(statements("for i in 0..2 {\n}"), "    for i in 0..2 { }");
}

TEST(Format, breaksOfTheAuthorStayWhereALineMayBeBroken) {
  EXPECT_EQ(statements("y =\nf(x,\n  a +\nb\n)"), "    y =\n      f(x,\n        a\n        + b\n    )") << "an operator begins its line";
  EXPECT_EQ(statements("y\n= f\n(x)"), "    y = f(x)") << "no other break is kept";
  EXPECT_EQ(statements("y = match a {\n1 => b, 2 => c,\n}"), "    y = match a {\n      1 => b,\n      2 => c,\n    }");
  EXPECT_EQ(statements("y = if a { b }\nelse { c }"), "    y = if a { b }\n        else { c }");
  EXPECT_EQ(items("\n\n\nlet a = 1\n\n\n\nlet b = 2\n\n"), "  let a = 1\n\n  let b = 2") << "one empty line between, none at the ends";
}

TEST(Format, linesThatAreTooLong) {
  std::string wide(54, 'w');
  EXPECT_EQ(statements("y = " + wide + " * a + " + wide + " * b"), "    y = " + wide + " * a\n        + " + wide + " * b") << "the weakest operator";
  EXPECT_EQ(items("let y = f(" + wide + ", " + wide + ")"), "  let y =\n    f(" + wide + ", " + wide + ")") << "a body that fits is not broken";
  EXPECT_EQ(statements("y = f(" + wide + ", " + wide + ", g(a, b))"), "    y = f(" + wide + ",\n        " + wide + ", g(a, b))") << "the outer comma";
  EXPECT_EQ(statements("if " + wide + " { y = " + wide + " }"), "    if " + wide + " {\n      y = " + wide + "\n    }");
  EXPECT_EQ(statements("y = \"" + wide + wide + wide + "\""), "    y = \"" + wide + wide + wide + "\"") << "what cannot be broken";
  EXPECT_EQ(statements("y = a + b # " + wide + wide), "    y = a + b # " + wide + wide) << "a comment breaks no code";
}

TEST(Format, comments) {
  EXPECT_EQ(format("# a\n\n\n# b\nheddle 1 # c\n\n# d\nmodel m { # e\n\n# f\n\n# g\n} # h\n\n\n\n# i  \n\n"),
            "# a\n\n# b\nheddle 1 # c\n\n# d\nmodel m { # e\n  # f\n\n  # g\n} # h\n\n# i\n");
  EXPECT_EQ(items("## doc\nlet a = 1 # behind\n# above\n\nlet b = 2"), "  ## doc\n  let a = 1 # behind\n  # above\n\n  let b = 2");
  EXPECT_EQ(statements("a = x # 1\n\n# 2\n# 3\n"), "    a = x # 1\n\n    # 2\n    # 3") << "at the end of a block";
  EXPECT_EQ(statements("y = f(a, # 1\n# 2\nb # 3\n)"), "    y = f(a, # 1\n        # 2\n        b # 3\n    )");
  EXPECT_EQ(statements("y = a + # 1\nb"), "    y = a + # 1\n        b") << "behind an operator, which stays";
  EXPECT_EQ(statements("y = # 1\nb"), "    y = # 1\n      b");
  EXPECT_EQ(statements("if a { b = c # 1\n}\n# 2\nelse { d = e }"), "    if a {\n      b = c # 1\n    }\n    # 2\n    else {\n      d = e\n    }");
  EXPECT_EQ(statements("y = match a {\n# 1\n2 => b,\n# 3\n}"), "    y = match a {\n      # 1\n      2 => b,\n      # 3\n    }");
}

/// The formatter itself asserts that words and comments are the same.
TEST(Format, everyTextInEveryLayoutEndsInOne) {
  for (const fs::path &path : allTexts())
    for (std::string_view between : {" ", "\n", "\r\n\t", " # c\n", "\n## d\n\n\n"}) {
      std::string once = format(respaced(readFile(path), between));
      EXPECT_EQ(format(once), once) << path;
    }
}

TEST(Format, textsOfOneLineBecomeLinesThatFit) {
  for (const fs::path &path : allTexts()) {
    std::istringstream lines(format(respaced(readFile(path), " ")));
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(line.size(), maxColumns) << path << "\n" << line;
  }
}

TEST(Format, documentationStaysWithItsItem) {
  Diagnostics diagnostics;
  for (const fs::path &path : allTexts()) {
    std::string text = readFile(path);
    std::unique_ptr<File> before = parseText(text, "a", diagnostics), after = parseText(format(text), "b", diagnostics);
    ASSERT_TRUE(before && after) << diagnostics.render();
    for (size_t at = 0; before->model && at < before->model->entries.size(); ++at)
      EXPECT_EQ(before->model->entries[at].function.documentation, after->model->entries[at].function.documentation) << path;
  }
}

TEST(Format, aTextWithErrorsHasNoLayout) {
  Diagnostics diagnostics;
  EXPECT_FALSE(formatText("heddle 1 model m { let a = }", "t.heddle", diagnostics));
  EXPECT_THAT(diagnostics.render(), HasSubstr("t.heddle:1:28: error: expected an expression, got '}'"));
}

/// Nested nearly as deep and as long as the parser takes it; and longer than that once it is laid out.
TEST(Format, hostileTexts) {
  std::string deep = "x";
  for (int i = 0; i < 60; ++i)
    deep = "if x { (" + deep + ") } else { [x][0] }";
  std::string text = "heddle 1 model m { let a = " + deep + " let b = [";
  while (text.size() < maxTextBytes * 3 / 4)
    text += "f(x) - 1, ";
  EXPECT_EQ(format(text + "] }"), format(format(text + "] }")));
  while (text.size() < maxTextBytes - 10)
    text += "f(x) - 1, ";
  Diagnostics diagnostics;
  EXPECT_FALSE(formatText(text + "] }", "t.heddle", diagnostics));
  EXPECT_THAT(diagnostics.render(), HasSubstr("in this layout the text has 1"));
}
