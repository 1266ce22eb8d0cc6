// compiler/frontend/grammar.md against the parser: its rules and the parser agree about every example on the page, and about every text of the
// project.
#include "compiler/frontend/Parser.h"
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>

using namespace heddle;
using namespace heddle::syntax;
using testing::HasSubstr;

namespace {
namespace fs = std::filesystem;

std::string readFile(const fs::path &path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// What a rule of EBNF says, as a tree.
struct Rule {
  enum Kind { Word, Name, Sequence, Choice, Repeat, Optional } kind;
  std::string text; // of a Word, or the rule a Name means
  std::vector<Rule> parts{};
};

/// Reads `name = choice ;` after `name = choice ;`. The page is ours: what does not fit is a failure of the test.
class RuleReader {
public:
  explicit RuleReader(const std::string &text) {
    for (size_t at = 0; at < text.size();) {
      size_t from = at;
      if (text.compare(at, 2, "(*") == 0)
        at = text.find("*)", at) + 2;
      else if (std::isspace(static_cast<unsigned char>(text[at])))
        ++at;
      else if (text[at] == '"')
        words.push_back(text.substr(from, (at = text.find('"', at + 1) + 1) - from));
      else if (std::isalnum(static_cast<unsigned char>(text[at]))) {
        while (std::isalnum(static_cast<unsigned char>(text[at])))
          ++at;
        words.push_back(text.substr(from, at - from));
      } else
        words.push_back(text.substr(at++, 1));
    }
  }
  std::map<std::string, Rule> rules() {
    std::map<std::string, Rule> result;
    while (next < words.size()) {
      std::string name = take();
      EXPECT_EQ(take(), "=") << name;
      EXPECT_TRUE(result.emplace(name, choice()).second) << name << " twice";
      EXPECT_EQ(take(), ";") << name;
    }
    return result;
  }

private:
  std::string take() { return next < words.size() ? words[next++] : ""; }
  Rule choice() {
    Rule result{Rule::Choice, "", {sequence()}};
    while (next < words.size() && words[next] == "|" && ++next)
      result.parts.push_back(sequence());
    return result;
  }
  Rule sequence() {
    Rule result{Rule::Sequence, "", {}};
    while (next < words.size() && !std::set<std::string>{"|", ";", ")", "]", "}"}.contains(words[next]))
      result.parts.push_back(part());
    return result;
  }
  Rule part() {
    std::string word = take();
    if (word[0] == '"')
      return {Rule::Word, word.substr(1, word.size() - 2)};
    if (word != "(" && word != "[" && word != "{")
      return {Rule::Name, word};
    Rule inner = choice();
    EXPECT_EQ(take(), word == "(" ? ")" : word == "[" ? "]" : "}");
    return word == "(" ? inner : Rule{word == "[" ? Rule::Optional : Rule::Repeat, "", {inner}};
  }
  std::vector<std::string> words;
  size_t next = 0;
};

/// Whether the rules of the page derive a row of words: all places where a rule can end, from each place once.
class Recogniser {
public:
  explicit Recogniser(const std::map<std::string, Rule> &rules) : rules(rules) {}

  bool derives(const std::string &rule, const std::vector<Token> &words) {
    tokens = &words;
    known.clear();
    return ends(rule, 0).contains(words.size() - 1) && holes(words); // the last one is End
  }

private:
  using Places = std::set<size_t>;

  const Places &ends(const std::string &name, size_t from) {
    auto [entry, isNew] = known.try_emplace({name, from});
    if (!isNew)
      return entry->second;
    Places found;
    const Token &token = (*tokens)[from];
    static const std::map<std::string, TokenKind> kinds = {
        {"INT", TokenKind::Integer}, {"FLOAT", TokenKind::Float}, {"STRING", TokenKind::String}, {"IDENT", TokenKind::Name}};
    if (auto kind = kinds.find(name); kind != kinds.end())
      found = token.kind == kind->second ? Places{from + 1} : Places{};
    else if (auto rule = rules.find(name); rule != rules.end())
      found = ends(rule->second, from);
    else
      ADD_FAILURE() << "no rule " << name;
    return known[{name, from}] = found;
  }

  Places ends(const Rule &rule, size_t from) {
    if (rule.kind == Rule::Word)
      return (*tokens)[from].kind != TokenKind::End && (*tokens)[from].text == rule.text ? Places{from + 1} : Places{};
    if (rule.kind == Rule::Name)
      return ends(rule.text, from);
    Places result = rule.kind == Rule::Choice ? Places{} : Places{from};
    if (rule.kind == Rule::Sequence)
      for (const Rule &part : rule.parts)
        result = after(result, part);
    if (rule.kind == Rule::Choice)
      for (const Rule &part : rule.parts)
        result.merge(ends(part, from));
    if (rule.kind == Rule::Optional)
      result.merge(ends(rule.parts[0], from));
    if (rule.kind == Rule::Repeat)
      for (Places fresh = result; !fresh.empty();) {
        Places more = after(fresh, rule.parts[0]);
        fresh.clear();
        for (size_t place : more)
          if (result.insert(place).second)
            fresh.insert(place);
      }
    return result;
  }
  Places after(const Places &places, const Rule &part) {
    Places result;
    for (size_t place : places)
      result.merge(ends(part, place));
    return result;
  }

  /// A hole of a string is an expression.
  bool holes(const std::vector<Token> &words) {
    for (const Token &word : words)
      for (const StringPart &part : word.parts)
        if (!part.hole.empty() && !Recogniser(rules).derives("expr", part.hole))
          return false;
    return true;
  }

  const std::map<std::string, Rule> &rules;
  const std::vector<Token> *tokens = nullptr;
  std::map<std::pair<std::string, size_t>, Places> known;
};

struct Example {
  std::string kind, text, refused; // refused: empty, or what the parser says
};

struct Page {
  std::map<std::string, Rule> rules;
  std::vector<Example> examples;
};

/// Lines of a block -> its examples: one a block (text), one between empty lines (items, statements), one a line.
void addExamples(const std::string &kind, std::istringstream lines, std::vector<Example> &examples) {
  bool perLine = kind == "expressions" || kind == "types";
  Example example{kind, "", ""};
  auto finish = [&] {
    if (!example.text.empty())
      examples.push_back(example);
    example = {kind, "", ""};
  };
  for (std::string line; std::getline(lines, line);) {
    if (size_t at = line.find("# refused: "); at != line.npos) {
      example.refused = line.substr(at + 11);
      line.resize(at);
    }
    if (!line.empty())
      example.text += line + "\n";
    if (perLine || (line.empty() && kind != "text" && example.refused.empty()))
      finish();
    else if (!example.refused.empty())
      finish();
  }
  finish();
}

Page readPage() {
  Page page;
  std::string rules, block, kind;
  std::istringstream lines(readFile(fs::path(HEDDLE_SOURCE_DIR) / "compiler/frontend/grammar.md"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("```")) {
      block += line + "\n";
      continue;
    }
    if (kind == "ebnf")
      rules += block;
    else if (kind.starts_with("heddle "))
      addExamples(kind.substr(7), std::istringstream(block), page.examples);
    else
      EXPECT_EQ(kind, "") << "a block of another kind";
    kind = kind.empty() ? line.substr(3) : "";
    EXPECT_TRUE(line == "```" || !kind.empty());
    block.clear();
  }
  page.rules = RuleReader(rules).rules();
  return page;
}

/// The whole text around an example.
std::string wrapped(const Example &example) {
  auto model = [](const std::string &items) { return "heddle 1\nmodel m {\n" + items + "\n}\n"; };
  if (example.kind == "items")
    return model(example.text);
  if (example.kind == "statements")
    return model("fn f(x) {\n" + example.text + "\n}");
  if (example.kind == "expressions")
    return model("let x = " + example.text);
  if (example.kind == "types")
    return model("fn f(x: " + example.text + " = 1) = x");
  EXPECT_EQ(example.kind, "text");
  return example.text;
}

bool derived(Recogniser &recogniser, const std::string &text) {
  Diagnostics diagnostics;
  Words words;
  return readWords(text, "t.heddle", words, diagnostics) && recogniser.derives("file", words.tokens);
}
} // namespace

TEST(Grammar, everyExampleIsWhatThePageSays) {
  Page page = readPage();
  Recogniser recogniser(page.rules);
  unsigned refused = 0;
  for (const Example &example : page.examples) {
    std::string text = wrapped(example);
    SCOPED_TRACE(text);
    Diagnostics diagnostics;
    bool parsed = parseText(text, "t.heddle", diagnostics) != nullptr;
    EXPECT_EQ(parsed, example.refused.empty()) << diagnostics.render();
    EXPECT_THAT(diagnostics.render(), HasSubstr(example.refused));
    if (parsed)
      EXPECT_TRUE(derived(recogniser, text));
    refused += !parsed;
  }
  EXPECT_GE(page.examples.size() - refused, 45u);
  EXPECT_GE(refused, 25u);
}

/// What a rule cannot say: the version, one prefix item, where '..' stands, that an entry has tensors as results, that
/// `rearrange` is no function.
TEST(Grammar, theRulesRefuseWhatTheParserRefuses) {
  Page page = readPage();
  Recogniser recogniser(page.rules);
  const std::set<std::string> beyondRules = {"expected version 1 of the language, got '2'", "a second prefix item; list all prefixes in the first",
                                             "'..' stands first or not at all", "the result of an entry is a tensor", "expected '->', got ')'"};
  for (const Example &example : page.examples)
    if (!example.refused.empty())
      EXPECT_EQ(derived(recogniser, wrapped(example)), beyondRules.contains(example.refused)) << example.text;
}

TEST(Grammar, theRulesDeriveEveryText) {
  Page page = readPage();
  Recogniser recogniser(page.rules);
  unsigned texts = 0;
  fs::path root(HEDDLE_SOURCE_DIR);
  for (auto folder : {root / "test/frontend/texts", root / "examples", root / "compiler/frontend"})
    for (const auto &entry : fs::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".heddle" && ++texts)
        EXPECT_TRUE(derived(recogniser, readFile(entry.path()))) << entry.path();
  EXPECT_GE(texts, 17u);
}
