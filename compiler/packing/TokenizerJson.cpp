#include "compiler/packing/TokenizerJson.h"
#include "compiler/support/Utf8.h"
#include "runtime/tokenizer_format.h"
#include <fmt/format.h>
#include <unordered_map>

using namespace heddle;

namespace {

class Reader {
public:
  Reader(const std::string &file, Diagnostics &diagnostics) : file(file), diagnostics(diagnostics) {}

  std::optional<TokenizerParts> read(const Json &root) {
    if (!root.isObject()) {
      wrong(root, "expected an object");
      return std::nullopt;
    }
    unsigned before = diagnostics.errorCount();
    const Json *model = root.find("model");
    if (!model || !model->isObject())
      wrong(root, model, "expected an object 'model'");
    else
      readModel(*model);
    readAddedTokens(root.find("added_tokens"));
    readNormalizer(root.find("normalizer"));
    readPreTokenizer(root.find("pre_tokenizer"));
    readDecoder(root.find("decoder"));
    for (const char *key : {"truncation", "padding", "post_processor"})
      if (const Json *value = root.find(key); value && !value->isNull())
        notBuilt(*value, fmt::format("'{}'", key));
    if (diagnostics.errorCount() > before)
      return std::nullopt;
    if (!reason.empty()) {
      diagnostics.note(reasonPlace, reason + " is not built yet; ids still work, text does not");
      return std::nullopt;
    }
    return std::move(parts);
  }

private:
  void wrong(const Json &value, std::string_view expected) {
    diagnostics.error(value.at(file), fmt::format("{}, got {}", expected, value.describe()));
  }
  /// The same for a member that may be missing from `object`.
  void wrong(const Json &object, const Json *member, std::string_view expected) {
    if (member)
      wrong(*member, expected);
    else
      diagnostics.error(object.at(file), fmt::format("{}, got none", expected));
  }
  /// The first thing that keeps the tokenizer from being built.
  void notBuilt(const Json &place, std::string what) {
    if (reason.empty()) {
      reason = "a tokenizer with " + std::move(what);
      reasonPlace = place.at(file);
    }
  }

  /// The member "type" of an object that must be one, or null after an error.
  const std::string *typeOf(const Json &value) {
    const Json *type = value.find("type");
    if (!value.isObject())
      wrong(value, "expected an object or null");
    else if (!type || !type->string())
      wrong(value, type, "expected a string 'type'");
    return type ? type->string() : nullptr;
  }

  /// A bool member; `otherwise` where it is absent or null.
  bool flag(const Json &object, const char *key, bool otherwise) {
    const Json *value = object.find(key);
    if (!value || value->isNull())
      return otherwise;
    if (!value->boolean())
      wrong(*value, fmt::format("'{}': expected true or false", key));
    return value->boolean() ? *value->boolean() : otherwise;
  }

  /// A string member, null where it is absent or null.
  const std::string *text(const Json &object, const char *key) {
    const Json *value = object.find(key);
    if (value && !value->isNull() && !value->string())
      wrong(*value, fmt::format("'{}': expected a string", key));
    return value ? value->string() : nullptr;
  }

  void readModel(const Json &model) {
    const Json *type = model.find("type");
    if (type && !type->string())
      wrong(*type, "expected a string 'type'");
    std::string kind = type && type->string() ? *type->string() : "";
    const Json *vocabulary = model.find("vocab");
    if (vocabulary && vocabulary->isObject())
      readVocabulary(*vocabulary);
    else if (kind == "WordLevel" || kind == "BPE" || kind == "WordPiece")
      wrong(model, vocabulary, "expected an object 'vocab'");
    if (kind == "WordLevel") {
      parts.model = HEDDLE_MODEL_WORDS;
      parts.join = HEDDLE_JOIN_BLANK;
      // This format always names an unknown symbol, with or without a place in the vocabulary: without one, unknown words are refused.
      if (const std::string *unknown = text(model, "unk_token"); unknown && idOf.contains(*unknown))
        parts.unknown = idOf[*unknown];
    } else if (kind == "BPE") {
      readCharacters(model);
    } else {
      notBuilt(model, kind.empty() ? "a model without type" : fmt::format("a model of type '{}'", kind));
    }
  }

  /// BPE whose list of merges is empty: every character is a symbol.
  void readCharacters(const Json &model) {
    parts.model = HEDDLE_MODEL_CHARACTERS;
    parts.join = HEDDLE_JOIN_NONE;
    parts.mergeUnknown = flag(model, "fuse_unk", false);
    if (const std::string *unknown = text(model, "unk_token")) {
      if (idOf.contains(*unknown))
        parts.unknown = idOf[*unknown];
      else
        diagnostics.error(model.find("unk_token")->at(file), fmt::format("unk_token '{}' has no id in the vocabulary", *unknown));
    }
    const Json *merges = model.find("merges");
    if (merges && !merges->isArray())
      wrong(*merges, "'merges': expected a list");
    else if (merges && !merges->elements().empty())
      notBuilt(*merges, "merges");
    for (const char *key : {"byte_fallback", "ignore_merges"})
      if (flag(model, key, false))
        notBuilt(*model.find(key), fmt::format("'{}'", key));
    for (const char *key : {"continuing_subword_prefix", "end_of_word_suffix"})
      if (const std::string *affix = text(model, key); affix && !affix->empty())
        notBuilt(*model.find(key), fmt::format("'{}'", key));
    if (const Json *dropout = model.find("dropout"); dropout && !dropout->isNull()) {
      if (!dropout->number())
        wrong(*dropout, "'dropout': expected a number");
      else if (*dropout->number() != 0)
        notBuilt(*dropout, "'dropout'");
    }
  }

  void readVocabulary(const Json &vocabulary) {
    std::unordered_map<int32_t, const std::string *> symbolOf;
    for (const JsonMember &member : vocabulary.members()) {
      const int64_t *id = member.value.integer();
      if (!id || *id < 0 || *id > INT32_MAX) {
        diagnostics.error(member.value.at(file),
                          fmt::format("the id of '{}': expected 0 to {}, got {}", member.key, INT32_MAX, member.value.describe()));
      } else if (auto [old, isNew] = symbolOf.insert({static_cast<int32_t>(*id), &member.key}); !isNew) {
        diagnostics.error(member.at(file), fmt::format("'{}' and '{}' have the same id {}", *old->second, member.key, *id));
      } else {
        parts.symbols.push_back({member.key, static_cast<int32_t>(*id)});
        idOf[member.key] = static_cast<int32_t>(*id);
      }
      if (diagnostics.errorCount() >= 20)
        return;
    }
    owners = std::move(symbolOf);
  }

  void readAddedTokens(const Json *tokens) {
    if (!tokens || tokens->isNull())
      return;
    if (!tokens->isArray())
      return wrong(*tokens, "'added_tokens': expected a list");
    for (const Json &token : tokens->elements()) {
      const Json *content = token.find("content"), *id = token.find("id");
      if (!content || !content->string() || !id || !id->integer() || *id->integer() < 0 || *id->integer() > INT32_MAX) {
        wrong(token, "expected an added token with a string 'content' and an int 'id'");
        continue;
      }
      int32_t value = static_cast<int32_t>(*id->integer());
      auto known = idOf.find(*content->string());
      auto owner = owners.find(value);
      if (known != idOf.end() && known->second != value)
        diagnostics.error(id->at(file), fmt::format("the added token '{}' has id {}, but it has {} already", known->first, value, known->second));
      else if (owner != owners.end() && *owner->second != *content->string())
        diagnostics.error(id->at(file),
                          fmt::format("the added token '{}' has id {}, but that is '{}' already", *content->string(), value, *owner->second));
      owners.insert({value, content->string()});
      idOf.insert({*content->string(), value});
    }
    if (!tokens->elements().empty())
      notBuilt(*tokens, "added tokens");
  }

  void readNormalizer(const Json *normalizer) {
    if (!normalizer || normalizer->isNull())
      return;
    const std::string *type = typeOf(*normalizer);
    if (!type)
      return;
    if (*type == "NFC")
      parts.steps.push_back({HEDDLE_STEP_NFC, 0});
    else if (*type == "Lowercase")
      parts.steps.push_back({HEDDLE_STEP_LOWERCASE, 0});
    else if (*type == "Sequence")
      readSequence(*normalizer, "normalizers", &Reader::readNormalizer);
    else
      notBuilt(*normalizer, fmt::format("a normalizer '{}'", *type));
  }

  void readPreTokenizer(const Json *splitter) {
    if (!splitter || splitter->isNull())
      return;
    const std::string *type = typeOf(*splitter);
    if (!type)
      return;
    if (*type == "WhitespaceSplit")
      parts.steps.push_back({HEDDLE_STEP_WHITESPACE, 0});
    else if (*type == "Split")
      readSplit(*splitter);
    else if (*type == "Sequence")
      readSequence(*splitter, "pretokenizers", &Reader::readPreTokenizer);
    else
      notBuilt(*splitter, fmt::format("a pre-tokenizer '{}'", *type));
  }

  void readSequence(const Json &sequence, const char *key, void (Reader::*readOne)(const Json *)) {
    const Json *list = sequence.find(key);
    if (!list || !list->isArray())
      return wrong(sequence, list, fmt::format("expected a list '{}'", key));
    for (const Json &element : list->elements())
      (this->*readOne)(&element);
  }

  void readSplit(const Json &split) {
    const Json *pattern = split.find("pattern");
    const std::string *behavior = text(split, "behavior");
    if (!pattern || !pattern->isObject())
      return wrong(split, pattern, "expected an object 'pattern'");
    if (!behavior)
      return wrong(split, nullptr, "expected a string 'behavior'");
    const std::string *literal = text(*pattern, "String"), *expression = text(*pattern, "Regex");
    if (!literal && !expression)
      return wrong(*pattern, "expected 'String' or 'Regex'");
    int32_t kind = *behavior == "Isolated" ? HEDDLE_STEP_ISOLATE : *behavior == "Removed" ? HEDDLE_STEP_REMOVE : 0;
    if (kind == 0)
      return notBuilt(split, fmt::format("the split behavior '{}'", *behavior));
    if (flag(split, "invert", false))
      return notBuilt(split, "an inverted split");
    if (expression && *expression == ".") {
      parts.steps.push_back({kind, HEDDLE_STEP_ANY});
      if (kind == HEDDLE_STEP_ISOLATE)
        parts.join = HEDDLE_JOIN_NONE; // its symbols are characters
      return;
    }
    CodePoint first = literal && !literal->empty() ? decodeUtf8(*literal) : CodePoint{0, 0, false};
    if (!literal || first.bytes != literal->size() || !first.valid)
      return notBuilt(*pattern, "a split pattern of more than one character");
    parts.steps.push_back({kind, static_cast<int32_t>(first.value)});
  }

  void readDecoder(const Json *decoder) {
    if (!decoder || decoder->isNull())
      return;
    const std::string *type = typeOf(*decoder);
    if (!type)
      return;
    if (*type == "Fuse")
      parts.join = HEDDLE_JOIN_NONE;
    else
      notBuilt(*decoder, fmt::format("a decoder '{}'", *type));
  }

  const std::string &file;
  Diagnostics &diagnostics;
  TokenizerParts parts;
  std::unordered_map<std::string, int32_t> idOf;
  std::unordered_map<int32_t, const std::string *> owners;
  std::string reason;
  Place reasonPlace;
};

} // namespace

std::optional<TokenizerParts> heddle::readTokenizerJson(const Json &root, const std::string &file, Diagnostics &diagnostics) {
  return Reader(file, diagnostics).read(root);
}
