// The grammar for editors (tools/editors) knows the words that the compiler knows, and no others.
#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/Parser.h"
#include "compiler/frontend/Prelude.h"
#include "compiler/support/File.h"
#include "compiler/support/Json.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>

using namespace heddle;

namespace {
using Words = std::set<std::string>;

class Editors : public testing::Test {
protected:
  Json read(const std::string &name) {
    std::string path = std::string(HEDDLE_SOURCE_DIR) + "/tools/editors/" + name;
    std::optional<std::string> text = readFile(path, 1 << 20, diagnostics);
    std::optional<Json> json = text ? parseJson(*text, path, diagnostics) : std::nullopt;
    EXPECT_TRUE(json) << diagnostics.render();
    return json ? std::move(*json) : Json();
  }

  /// The words in the round brackets of a rule's expressions: \b(?:one|two)\b
  Words words(const std::string &rule) {
    const Json *found = grammar.find("repository")->find(rule);
    Words result;
    auto collect = [&](const Json &pattern) {
      std::string match = *pattern.find("match")->string();
      std::smatch brackets;
      EXPECT_NO_THROW(std::regex{match}) << match;
      if (std::regex_search(match, brackets, std::regex(R"(\((?:\?:)?(\w+(?:\|\w+)*)\))")))
        for (std::sregex_iterator
                 word{match.cbegin() + brackets.position(1), match.cbegin() + brackets.position(1) + brackets.length(1), wordExpression},
             end;
             word != end; ++word)
          EXPECT_TRUE(result.insert(word->str()).second) << word->str();
    };
    if (found->find("match"))
      collect(*found);
    else
      for (const Json &pattern : found->find("patterns")->elements())
        collect(pattern);
    return result;
  }

  Diagnostics diagnostics;
  std::regex wordExpression{R"(\w+)"};
  Json grammar = read("heddle.tmLanguage.json");
};
} // namespace

TEST_F(Editors, reservedWords) { EXPECT_EQ(words("word"), Words(std::begin(syntax::reservedWords), std::end(syntax::reservedWords))); }

TEST_F(Editors, builtins) {
  std::vector<std::string> names = frontend::builtinNames();
  EXPECT_EQ(words("builtin"), Words(names.begin(), names.end()));
  for (const std::string &name : words("constant"))
    EXPECT_TRUE(frontend::builtinValue(name)) << name;
  EXPECT_EQ(words("constant").size(), 3u);
}

TEST_F(Editors, prelude) {
  std::unique_ptr<syntax::File> prelude = syntax::parseText(frontend::preludeText, "prelude.heddle", diagnostics);
  Words names;
  for (const syntax::Function &function : prelude->functions)
    names.insert(function.name);
  EXPECT_EQ(words("prelude"), names);
}

TEST_F(Editors, everyTypeIsOne) {
  Words types = words("type");
  EXPECT_EQ(types.size(), 9u);
  for (const std::string &type : types) {
    auto takes = [&](const std::string &items) {
      Diagnostics unheard;
      return syntax::parseText("heddle 1 model m { " + items + " }", "t.heddle", unheard) != nullptr;
    };
    EXPECT_TRUE(takes("config a: " + type) || takes("fn f(x: " + type + ") = x") || takes("fn f(x: " + type + "[n]) = x")) << type;
  }
}

TEST_F(Editors, theExtensionNamesItsFiles) {
  Json package = read("package.json");
  const Json *contributes = package.find("contributes");
  const Json &language = contributes->find("languages")->elements().front(), &colours = contributes->find("grammars")->elements().front();
  EXPECT_EQ(*colours.find("scopeName")->string(), *grammar.find("scopeName")->string());
  EXPECT_TRUE(read(*colours.find("path")->string()).isObject());
  EXPECT_TRUE(read(*language.find("configuration")->string()).isObject());
}
