// The rules of the whole text and of the items of a model.
#include "compiler/frontend/Parser.h"
#include <fmt/format.h>

namespace heddle::syntax {

std::unique_ptr<File> Parser::parseFile() {
  auto result = std::make_unique<File>();
  unsigned before = diagnostics.errorCount();
  if (!token().isName("heddle")) {
    failExpected("'heddle 1', the version of the language");
    return nullptr;
  }
  take();
  if (token().kind != TokenKind::Integer || token().integer != 1) {
    fail(token().at, fmt::format("expected version 1 of the language, got '{}'", token().text));
    return nullptr;
  }
  take();
  if (!token().is("fn")) {
    if (!parseModel(*result))
      return nullptr;
    if (token().kind != TokenKind::End && diagnostics.errorCount() == before)
      fail(token().at, fmt::format("expected the end of the text after the model, got '{}'", token().text));
  } else {
    while (token().kind != TokenKind::End) {
      mark(Role::Item);
      Function function;
      if (!parseFunction(function))
        return nullptr;
      result->functions.push_back(std::move(function));
    }
  }
  return diagnostics.errorCount() == before ? std::move(result) : nullptr;
}

std::string Parser::documentationBefore() const {
  size_t last = token().commentsBefore, first = last;
  while (first > 0 && (*comments)[first - 1].isDocumentation() && (*comments)[first - 1].startsLine &&
         (next == 0 || (*comments)[first - 1].at > (*tokens)[next - 1].at))
    --first;
  std::string text;
  for (; first != last; ++first) {
    std::string_view line = (*comments)[first].text.substr(2);
    if (line.starts_with(' '))
      line.remove_prefix(1);
    text += fmt::format("{}{}", text.empty() ? "" : "\n", line);
  }
  return text;
}

bool Parser::parseModel(File &into) {
  Model model;
  model.at = token().at;
  model.documentation = documentationBefore();
  if (!token().isName("model"))
    return failExpected("'model'");
  mark(Role::Item);
  take();
  do {
    model.namesAt.push_back(token().at);
    std::string name;
    if (token().kind == TokenKind::String ? !takeString(name) : !takeName("the name of the model", name))
      return false;
    if (name.empty())
      return fail(model.namesAt.back(), "the name of a model is not empty");
    model.names.push_back(std::move(name));
  } while (skip(","));
  if (!open("{", Role::Block))
    return false;
  while (!token().is("}")) {
    if (parseItem(model))
      continue;
    brackets.resize(1);
    skipToItem();
    if (token().kind == TokenKind::End)
      return false;
  }
  if (!close("}"))
    return false;
  into.model = std::move(model);
  return true;
}

/// Whether an item begins here. Its words are ordinary names elsewhere, so the next word decides as well.
bool Parser::startsItem() const {
  const Token &word = token(), &after = ahead(1);
  if (word.is("fn"))
    return after.isName();
  if (word.isName("config") || word.isName("let") || word.isName("entry") || word.isName("task") || word.isName("model"))
    return after.isName();
  if (word.isName("prefix"))
    return after.kind == TokenKind::String;
  if (word.isName("tokenizer"))
    return after.kind == TokenKind::String || after.isName();
  return word.isName("require") && !after.is("=") && !after.is(",") && !after.is(":") && !after.is("(") && !after.is("[");
}

void Parser::skipToItem() {
  take();
  while (token().kind != TokenKind::End && !(token().startsLine && startsItem()))
    take();
}

bool Parser::parseItem(Model &model) {
  mark(Role::Item);
  if (token().isName("prefix"))
    return parsePrefix(model);
  if (token().isName("config"))
    return parseConfig(model);
  if (token().isName("let"))
    return parseLet(model);
  if (token().isName("require"))
    return parseRequire(model);
  if (token().isName("entry"))
    return parseEntry(model);
  if (token().isName("tokenizer"))
    return parseTokenizer(model);
  if (token().isName("task"))
    return parseTask(model);
  if (token().is("fn")) {
    Function function;
    if (!parseFunction(function))
      return false;
    model.functions.push_back(std::move(function));
    return true;
  }
  return failExpected("an item (prefix, config, let, require, fn, entry, tokenizer or task) or '}'");
}

bool Parser::parsePrefix(Model &model) {
  Position at = token().at;
  take();
  if (!model.prefixes.empty())
    return fail(at, "a second prefix item; list all prefixes in the first");
  do {
    std::string prefix;
    if (!takeString(prefix))
      return false;
    model.prefixes.push_back(std::move(prefix));
  } while (skip(","));
  return true;
}

bool Parser::parseConfig(Model &model) {
  Config config;
  config.at = token().at;
  config.documentation = documentationBefore();
  take();
  do {
    ConfigKey key;
    key.at = token().at;
    do {
      std::string path;
      if (!parsePath(path))
        return false;
      key.paths.push_back(std::move(path));
    } while (skip("|"));
    config.keys.push_back(std::move(key));
  } while (skip(","));
  if (!expect(":"))
    return false;
  std::unique_ptr<ConfigType> type = parseConfigType();
  if (!type)
    return false;
  config.type = std::move(*type);
  if (skip("=") && !(config.fallback = parseExpr()))
    return false;
  model.configs.push_back(std::move(config));
  return true;
}

std::unique_ptr<ConfigType> Parser::parseConfigType() {
  Level level(*this);
  if (level.tooDeep())
    return nullptr;
  static constexpr std::pair<std::string_view, ConfigKind> kinds[] = {{"int", ConfigKind::Int},
                                                                      {"float", ConfigKind::Float},
                                                                      {"bool", ConfigKind::Bool},
                                                                      {"string", ConfigKind::String},
                                                                      {"object", ConfigKind::Object}};
  auto type = std::make_unique<ConfigType>();
  if (token().is("[")) {
    open("[");
    type->kind = ConfigKind::List;
    type->element = parseConfigType();
    return type->element && close("]") ? std::move(type) : nullptr;
  }
  for (auto [name, kind] : kinds) {
    if (!token().isName(name))
      continue;
    take();
    type->kind = kind;
    type->optional = kind != ConfigKind::Object && skip("?");
    return type;
  }
  failExpected("a configuration type (int, float, bool, string, [...] or object)");
  return nullptr;
}

bool Parser::parseLet(Model &model) {
  Let let;
  let.at = token().at;
  let.documentation = documentationBefore();
  take();
  let.nameAt = token().at;
  if (!takeName("a name", let.name) || !expect("=") || !(let.value = parseExpr()))
    return false;
  model.lets.push_back(std::move(let));
  return true;
}

bool Parser::parseRequire(Model &model) {
  Require require;
  require.at = token().at;
  take();
  if (!(require.condition = parseExpr()) || !expect(",") || !takeString(require.message))
    return false;
  model.requires_.push_back(std::move(require));
  return true;
}

bool Parser::parseFunction(Function &function) {
  function.at = token().at;
  function.documentation = documentationBefore();
  if (!expect("fn"))
    return false;
  function.nameAt = token().at;
  if (!takeName("the name of the function", function.name) || !parseParameters(function.parameters))
    return false;
  if (skip("->") && !(function.result = parseType()))
    return false;
  return parseBody(function);
}

bool Parser::parseParameters(std::vector<Parameter> &parameters) {
  if (!open("(", Role::Attached))
    return false;
  while (!token().is(")")) {
    Parameter parameter;
    parameter.at = token().at;
    if (!takeName("the name of a parameter", parameter.name))
      return false;
    if (skip(":") && !(parameter.type = parseType()))
      return false;
    if (skip("=") && !(parameter.fallback = parseExpr()))
      return false;
    parameters.push_back(std::move(parameter));
    if (!skip(","))
      break;
  }
  return close(")");
}

bool Parser::parseEntry(Model &model) {
  Entry entry;
  entry.function.at = token().at;
  entry.function.documentation = documentationBefore();
  take();
  entry.function.nameAt = token().at;
  if (!takeName("the name of the entry", entry.function.name) || !parseParameters(entry.function.parameters) || !expect("->") || !parseResults(entry))
    return false;
  if (token().isName("when")) {
    mark(Role::Clause);
    take();
    if (!(entry.when = parseExpr()))
      return false;
  }
  if (!parseBody(entry.function))
    return false;
  model.entries.push_back(std::move(entry));
  return true;
}

bool Parser::parseResults(Entry &entry) {
  auto parseOne = [&](NamedResult &result) {
    std::optional<TypeExpr> type = parseType();
    if (!type)
      return false;
    if (!type->isTensor())
      return fail(type->at, "the result of an entry is a tensor");
    result.type = std::move(*type);
    return true;
  };
  if (!token().is("(")) {
    NamedResult result{token().at, "", {}};
    if (!parseOne(result))
      return false;
    entry.results.push_back(std::move(result));
    return true;
  }
  entry.namedResults = true;
  open("(");
  do {
    NamedResult result{token().at, "", {}};
    if (!takeName("the name of a result", result.name) || !expect(":") || !parseOne(result))
      return false;
    entry.results.push_back(std::move(result));
  } while (skip(",") && !token().is(")"));
  return close(")");
}

bool Parser::parseTokenizer(Model &model) {
  Tokenizer tokenizer{token().at, "both", "json", ""};
  take();
  if ((token().isName("source") || token().isName("target"))) {
    tokenizer.side = token().text;
    take();
  }
  if (token().isName()) {
    tokenizer.kind = token().text;
    take();
    if (!open("(", Role::Attached) || !takeString(tokenizer.path) || !close(")"))
      return false;
  } else if (!takeString(tokenizer.path)) {
    return false;
  }
  model.tokenizers.push_back(std::move(tokenizer));
  return true;
}

bool Parser::parseTask(Model &model) {
  Task task;
  task.at = token().at;
  take();
  if (!takeName("the name of a task", task.name) || !open("(", Role::Attached) || !parseArguments(task.arguments) || !close(")"))
    return false;
  model.tasks.push_back(std::move(task));
  return true;
}

} // namespace heddle::syntax
