#include "compiler/frontend/Parser.h"
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

using namespace heddle;
using namespace heddle::syntax;
using testing::HasSubstr;
using testing::Not;

namespace {
std::unique_ptr<File> parse(std::string_view text) {
  Diagnostics diagnostics;
  auto file = parseText(text, "t.heddle", diagnostics);
  EXPECT_TRUE(file) << diagnostics.render();
  return file;
}

std::string refusal(std::string_view text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(parseText(text, "t.heddle", diagnostics)) << text;
  return diagnostics.render();
}

std::string model(std::string_view items) { return "heddle 1\nmodel m {\n" + std::string(items) + "\n}\n"; }

/// An expression with every operator in brackets: shows how it was read.
std::string shown(const Expr &e) {
  if (auto *n = std::get_if<IntLiteral>(&e.node))
    return std::to_string(n->value);
  if (auto *n = std::get_if<Path>(&e.node))
    return n->name;
  if (auto *n = std::get_if<Binary>(&e.node))
    return "(" + shown(*n->left) + " " + std::string(spelling(n->op)) + " " + shown(*n->right) + ")";
  if (auto *n = std::get_if<Negate>(&e.node))
    return "(-" + shown(*n->operand) + ")";
  if (auto *n = std::get_if<syntax::Not>(&e.node))
    return "(not " + shown(*n->operand) + ")";
  if (auto *n = std::get_if<Index>(&e.node))
    return shown(*n->base) + "[" + shown(*n->index) + "]";
  if (auto *n = std::get_if<Cut>(&e.node))
    return shown(*n->base) + "[" + n->axis + "=" + (n->first ? shown(*n->first) : "last") + (n->end ? ".." + shown(*n->end) : "") + "]";
  if (auto *n = std::get_if<Fused>(&e.node))
    return "fused(" + shown(*n->operand) + ")";
  if (auto *n = std::get_if<Call>(&e.node)) {
    std::string text = n->name + "(";
    for (const Argument &argument : n->arguments)
      text += (argument.name.empty() ? "" : argument.name + "=") + shown(*argument.value) + ";";
    return text + ")";
  }
  return "?";
}

std::string read(std::string expression) {
  auto file = parse(model("let x = " + expression));
  return file ? shown(*file->model->lets[0].value) : "";
}
} // namespace

TEST(Parser, everyTextParses) {
  unsigned texts = 0;
  std::filesystem::path root(HEDDLE_SOURCE_DIR);
  for (auto folder : {root / "test/frontend/texts", root / "examples", root / "compiler/frontend"})
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".heddle")
        continue;
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      Diagnostics diagnostics;
      EXPECT_TRUE(parseText(text.str(), entry.path().filename(), diagnostics)) << diagnostics.render();
      ++texts;
    }
  EXPECT_GE(texts, 17u);
}

TEST(Parser, binding) {
  EXPECT_EQ(read("a + b * c ^ d ^ 2"), "(a + (b * (c ^ (d ^ 2))))");
  EXPECT_EQ(read("-a ^ 2"), "(-(a ^ 2))");
  EXPECT_EQ(read("2 ^ -a"), "(2 ^ (-a))");
  EXPECT_EQ(read("a - b - c"), "((a - b) - c)");
  EXPECT_EQ(read("x @ y / z"), "((x @ y) / z)");
  EXPECT_EQ(read("not a == b and c or d"), "(((not (a == b)) and c) or d)");
  EXPECT_EQ(read("x[i][s = 0][s = last][d = 1..n + 1]"), "x[i][s=0][s=last][d=1..(n + 1)]");
  EXPECT_EQ(read("@fused a + b"), "fused((a + b))");
  EXPECT_EQ(read("f(a, over=b, )"), "f(a;over=b;)");
  EXPECT_EQ(read("a.b.c + last"), "(a.b.c + last)");
  EXPECT_EQ(read("prefix(mask)"), "prefix(mask;)"); // words of items are ordinary names elsewhere
}

TEST(Parser, items) {
  auto file = parse(
      model("  prefix \"a.\", \"\"\n  ## width\n  config n | old.n, m: int? = 3\n  config l: [string]\n"
            "  require n > 1, \"too small\"\n"
            "  ## Doubles.\n  ## Twice.\n  fn f(x: f32[.., n], k: int = 2) -> f32[.., n] { a, _ = g(x)\n return a }\n"
            "  entry e(x: i32[batch, s... <= n], y: i32[batch, s...] = 0) -> (p: f32[batch, s...], q: bool[batch,]) when n == 3 { p = 1 q = 2 }\n"
            "  tokenizer source words(\"w.json\")\n  tokenizer \"tokenizer.json\"\n  task generate(e, start=1)"));
  ASSERT_TRUE(file);
  const Model &m = *file->model;
  EXPECT_EQ(m.prefixes, (std::vector<std::string>{"a.", ""}));
  EXPECT_EQ(m.configs[0].keys[0].paths, (std::vector<std::string>{"n", "old.n"}));
  EXPECT_EQ(m.configs[0].documentation, "width");
  EXPECT_TRUE(m.configs[0].type.optional);
  EXPECT_EQ(m.functions[0].documentation, "Doubles.\nTwice.");
  EXPECT_TRUE(m.functions[0].parameters[0].type->axes[0].leading);
  EXPECT_TRUE(m.entries[0].function.parameters[0].type->axes[1].ragged);
  EXPECT_TRUE(m.entries[0].function.parameters[0].type->axes[1].bound);
  EXPECT_TRUE(m.entries[0].namedResults && m.entries[0].when);
  EXPECT_EQ(m.tokenizers[0].kind, "words");
  EXPECT_EQ(m.tokenizers[1].side, "both");
  EXPECT_EQ(m.tasks[0].arguments[1].name, "start");
}

TEST(Parser, messages) {
  EXPECT_THAT(refusal(model("  fn f(x) = g(x}")), HasSubstr("t.heddle:3:16: error: expected ')', got '}'"));
  EXPECT_THAT(refusal(model("  fn f(x) { y = }")), HasSubstr("expected an expression, got '}'"));
  EXPECT_THAT(refusal(model("  fn f(x) { x + 1 }")), HasSubstr("expected a statement"));
  EXPECT_THAT(refusal(model("  let for = 1")), HasSubstr("expected a name, got the reserved word 'for'"));
  EXPECT_THAT(refusal(model("  fn f(for) = 1")), HasSubstr("expected the name of a parameter, got the reserved word 'for'"));
  EXPECT_THAT(refusal(model("  config n: real")), HasSubstr("expected a configuration type (int, float, bool, string, [...] or object), got 'real'"));
  EXPECT_THAT(refusal("heddle 2\nmodel m {}"), HasSubstr("1:8: error: expected version 1 of the language, got '2'"));
  EXPECT_THAT(refusal("model m {}"), HasSubstr("expected 'heddle 1', the version of the language, got 'model'"));
  EXPECT_THAT(refusal(model("  let a = x < y < z")), HasSubstr("got '<'"));
  EXPECT_THAT(refusal(model("  let a = rearrange(x, [a, ..] -> [a])")), HasSubstr("'..' stands first or not at all"));
}

TEST(Parser, bracketsThatAreNeverClosedAreReportedWhereTheyOpen) {
  std::string message = refusal(model("  fn f(x) {\n    y = h(x\n  fn g(x) = 1"));
  EXPECT_THAT(message, HasSubstr("t.heddle:4:10: error: '(' is never closed: 'fn' begins in line 5"));
  EXPECT_THAT(refusal("heddle 1\nmodel m {\n  let a = 1\n"), HasSubstr("t.heddle:2:9: error: '{' is never closed: the text ends"));
}

TEST(Parser, goesOnAfterAnError) {
  std::string message = refusal(model("  fn f(x) = (x]\n  config n: int\n  fn g(x) = [x)\n  let b = 1"));
  EXPECT_THAT(message, HasSubstr("3:15: error: expected ')', got ']'"));
  EXPECT_THAT(message, HasSubstr("5:15: error: expected ']', got ')'"));
}

TEST(Parser, deepTextsAreRefused) {
  std::string open(100000, '('), nots;
  EXPECT_THAT(refusal(model("let a = " + open)), HasSubstr("more than 200 levels of nesting"));
  EXPECT_TRUE(parse(model("let a = " + std::string(199, '(') + "1" + std::string(199, ')'))));
  EXPECT_THAT(refusal(model("let a = " + std::string(100000, '-') + "1")), HasSubstr("more than 200 levels of nesting"));
  std::string sum = "1", power = "1", ifs;
  for (int i = 0; i < 50000; ++i) {
    sum += "+1";
    power += "^1";
    ifs += "if a {} else ";
  }
  EXPECT_THAT(refusal(model("let a = " + sum)), HasSubstr("more than 500 operators in a row"));
  EXPECT_THAT(refusal(model("let a = " + power)), HasSubstr("more than 200 levels of nesting"));
  EXPECT_THAT(refusal(model("fn f() { " + ifs)), HasSubstr("more than 200 levels of nesting"));
}
