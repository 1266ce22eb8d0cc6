#include "compiler/packing/TokenizerJson.h"
#include "compiler/support/Utf8.h"
#include "runtime/tokenizer_format.h"
#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <unordered_set>

using namespace heddle;

namespace {

// Beyond all that is in use; what is beyond these would let a short file ask for much time or memory.
constexpr size_t mostSteps = 64;       // each goes over the whole text
constexpr size_t mostAround = 1024;    // ids of a template
constexpr size_t longestSymbol = 1024; // bytes: looked for at every place of the text

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
    readNormalizer(root.find("normalizer"));
    readAddedTokens(root.find("added_tokens"));
    readPreTokenizer(root.find("pre_tokenizer"));
    readPostProcessor(root.find("post_processor"));
    readDecoder(root.find("decoder"));
    if (diagnostics.errorCount() > before)
      return std::nullopt;
    if (!reason.empty()) {
      diagnostics.note(reasonPlace, reason + " is not built yet; ids still work, text does not");
      return std::nullopt;
    }
    noteTruncation(root.find("truncation")); // padding is nothing that a ragged batch has
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
    } else if (kind == "WordPiece") {
      readWordPieces(model);
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

  void readWordPieces(const Json &model) {
    for (const auto &[symbol, id] : parts.symbols)
      if (symbol.size() > longestSymbol)
        notBuilt(*model.find("vocab"), fmt::format("word pieces of more than {} bytes", longestSymbol));
    parts.model = HEDDLE_MODEL_WORD_PIECES;
    parts.join = HEDDLE_JOIN_BLANK;
    const std::string *unknown = text(model, "unk_token"), *prefix = text(model, "continuing_subword_prefix");
    if (unknown && idOf.contains(*unknown))
      parts.unknown = idOf[*unknown];
    else if (unknown)
      diagnostics.error(model.find("unk_token")->at(file), fmt::format("unk_token '{}' has no id in the vocabulary", *unknown));
    else
      wrong(model, model.find("unk_token"), "expected a string 'unk_token'");
    parts.prefix = prefix ? *prefix : "##";
    const Json *most = model.find("max_input_chars_per_word");
    parts.most = 100;
    if (most && !most->isNull()) {
      if (!most->integer() || *most->integer() < 1 || *most->integer() > INT32_MAX)
        return wrong(*most, "'max_input_chars_per_word': expected a positive int");
      parts.most = static_cast<int32_t>(*most->integer());
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
      if (content->string()->empty())
        diagnostics.error(content->at(file), "an added token is empty");
      else if (known != idOf.end() && known->second != value)
        diagnostics.error(id->at(file), fmt::format("the added token '{}' has id {}, but it has {} already", known->first, value, known->second));
      else if (owner != owners.end() && *owner->second != *content->string())
        diagnostics.error(id->at(file),
                          fmt::format("the added token '{}' has id {}, but that is '{}' already", *content->string(), value, *owner->second));
      else if (!addedTexts.insert(*content->string()).second)
        diagnostics.error(content->at(file), fmt::format("the added token '{}' is in the list twice", *content->string()));
      else
        addToken(token, *content->string(), value);
      owners.insert({value, content->string()});
      idOf.insert({*content->string(), value});
    }
  }

  void addToken(const Json &token, std::string content, int32_t id) {
    struct {
      const char *key;
      int32_t flag;
    } flags[] = {{"special", HEDDLE_ADDED_SPECIAL},
                 {"single_word", HEDDLE_ADDED_WORD},
                 {"lstrip", HEDDLE_ADDED_LEFT},
                 {"rstrip", HEDDLE_ADDED_RIGHT},
                 {"normalized", HEDDLE_ADDED_NORMALIZED}};
    int32_t all = 0;
    for (auto [key, value] : flags)
      all |= flag(token, key, false) ? value : 0;
    if (all & HEDDLE_ADDED_NORMALIZED) // it is looked for as the normalizer leaves it
      for (char &c : content) {
        bool mayChange = static_cast<unsigned char>(c) >= 0x80 || c < 0x20 || c == 0x7f;
        if (mayChange && !parts.steps.empty())
          return notBuilt(token, "an added token that the normalizer may change");
        if (c >= 'A' && c <= 'Z' && lowers())
          c = static_cast<char>(c - 'A' + 'a');
      }
    if (content.size() > longestSymbol)
      return notBuilt(token, fmt::format("an added token of more than {} bytes", longestSymbol));
    if (!packedTexts.insert(content).second)
      return notBuilt(token, "two added tokens that are one in lower case");
    parts.added.push_back({content, id, all});
  }

  /// Whether a normalizer makes letters lower case; asked before splitters are read.
  bool lowers() const {
    return std::any_of(parts.steps.begin(), parts.steps.end(), [](const auto &step) { return step.first == HEDDLE_STEP_LOWERCASE; });
  }

  bool hasManySteps(const Json &next) {
    if (parts.steps.size() <= mostSteps)
      return false;
    notBuilt(next, fmt::format("more than {} normalizers and splits", mostSteps));
    return true;
  }

  void readNormalizer(const Json *normalizer) {
    if (!normalizer || normalizer->isNull() || hasManySteps(*normalizer))
      return;
    const std::string *type = typeOf(*normalizer);
    if (!type)
      return;
    if (*type == "NFC")
      parts.steps.push_back({HEDDLE_STEP_NFC, 0});
    else if (*type == "Lowercase")
      parts.steps.push_back({HEDDLE_STEP_LOWERCASE, 0});
    else if (*type == "NFD")
      parts.steps.push_back({HEDDLE_STEP_NFD, 0});
    else if (*type == "StripAccents")
      parts.steps.push_back({HEDDLE_STEP_STRIP, HEDDLE_STRIP_ALL});
    else if (*type == "BertNormalizer")
      readCleaning(*normalizer);
    else if (*type == "Sequence")
      readSequence(*normalizer, "normalizers", &Reader::readNormalizer);
    else
      notBuilt(*normalizer, fmt::format("a normalizer '{}'", *type));
  }

  void readCleaning(const Json &normalizer) {
    bool lowercase = flag(normalizer, "lowercase", true);
    if (flag(normalizer, "clean_text", true))
      parts.steps.push_back({HEDDLE_STEP_CLEAN, 0});
    if (flag(normalizer, "handle_chinese_chars", true))
      parts.steps.push_back({HEDDLE_STEP_IDEOGRAPHS, 0});
    if (flag(normalizer, "strip_accents", lowercase)) {
      parts.steps.push_back({HEDDLE_STEP_NFD, 0});
      parts.steps.push_back({HEDDLE_STEP_STRIP, HEDDLE_STRIP_NONSPACING});
    }
    if (lowercase)
      parts.steps.push_back({HEDDLE_STEP_LOWERCASE, 0});
  }

  void readPreTokenizer(const Json *splitter) {
    if (!splitter || splitter->isNull() || hasManySteps(*splitter))
      return;
    const std::string *type = typeOf(*splitter);
    if (!type)
      return;
    if (*type == "WhitespaceSplit")
      parts.steps.push_back({HEDDLE_STEP_WHITESPACE, 0});
    else if (*type == "BertPreTokenizer")
      parts.steps.insert(parts.steps.end(), {{HEDDLE_STEP_WHITESPACE, 0}, {HEDDLE_STEP_PUNCTUATION, 0}});
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
    else if (*type == "WordPiece")
      readWordPieceDecoder(*decoder);
    else
      notBuilt(*decoder, fmt::format("a decoder '{}'", *type));
  }

  void readWordPieceDecoder(const Json &decoder) {
    const std::string *prefix = text(decoder, "prefix");
    if (std::string wanted = prefix ? *prefix : "##"; wanted != parts.prefix)
      return notBuilt(decoder, fmt::format("a decoder whose prefix '{}' is not that of the model, '{}'", wanted, parts.prefix));
    parts.join = flag(decoder, "cleanup", true) ? HEDDLE_JOIN_CLEAN : HEDDLE_JOIN_PREFIX;
  }

  //--- what stands around every text

  void readPostProcessor(const Json *processor) {
    if (!processor || processor->isNull())
      return;
    const std::string *type = typeOf(*processor);
    if (!type)
      return;
    if (*type == "TemplateProcessing")
      readTemplate(*processor);
    else if (*type == "BertProcessing" || *type == "RobertaProcessing")
      surround(*processor, {namedToken(*processor, "cls"), -1, namedToken(*processor, "sep")});
    else if (*type == "Sequence")
      readSequence(*processor, "processors", &Reader::readPostProcessor);
    else if (*type != "ByteLevel") // which only moves offsets
      notBuilt(*processor, fmt::format("a post-processor '{}'", *type));
  }

  /// Puts ids around what has been put around the text so far.
  void surround(const Json &processor, std::vector<int32_t> ids) {
    auto text = std::ranges::find(ids, -1);
    if (ids.size() + parts.around.size() > mostAround)
      return notBuilt(processor, fmt::format("more than {} ids around a text", mostAround));
    if (!parts.around.empty())
      ids.insert(ids.erase(text), parts.around.begin(), parts.around.end());
    parts.around = std::move(ids);
  }

  /// ["[SEP]", 102]
  int32_t namedToken(const Json &processor, const char *key) {
    const Json *pair = processor.find(key);
    if (!pair || pair->elements().size() != 2 || !pair->elements()[0].string() || !pair->elements()[1].integer()) {
      wrong(processor, pair, fmt::format("'{}': expected a token and its id", key));
      return 0;
    }
    return checkedId(*pair->elements()[0].string(), pair->elements()[1]);
  }

  /// An id that a template gives to `token`, which must be the one that the token has.
  int32_t checkedId(const std::string &token, const Json &id) {
    if (!id.integer() || *id.integer() < 0 || *id.integer() > INT32_MAX) {
      wrong(id, fmt::format("the id of '{}': expected 0 to {}", token, INT32_MAX));
      return 0;
    }
    int32_t value = static_cast<int32_t>(*id.integer());
    auto known = idOf.find(token);
    if (known == idOf.end())
      diagnostics.error(id.at(file), fmt::format("'{}' is put around texts, but neither the vocabulary nor the added tokens have it", token));
    else if (known->second != value)
      diagnostics.error(id.at(file), fmt::format("'{}' is put around texts with id {}, but it has {}", token, value, known->second));
    return value;
  }

  void readTemplate(const Json &processor) {
    const Json *single = processor.find("single"), *tokens = processor.find("special_tokens");
    if (!single || !single->isArray())
      return wrong(processor, single, "expected a list 'single'");
    unsigned texts = 0;
    std::vector<int32_t> around;
    for (const Json &item : single->elements()) {
      const Json *special = item.find("SpecialToken"), *sequence = item.find("Sequence");
      const Json *part = special ? special : sequence, *name = part ? part->find("id") : nullptr, *type = part ? part->find("type_id") : nullptr;
      if (!name || !name->string())
        return wrong(item, "expected a 'SpecialToken' or a 'Sequence' with a string 'id'");
      if (type && type->integer() && *type->integer() != 0)
        notBuilt(*type, "token types in the template of a single text");
      if (!special) {
        around.push_back(-1);
        ++texts;
        continue;
      }
      const Json *entry = tokens ? tokens->find(*name->string()) : nullptr, *ids = entry ? entry->find("ids") : nullptr;
      if (!ids || !ids->isArray())
        return wrong(*name, fmt::format("expected a member '{}' of 'special_tokens' with a list 'ids'", *name->string()));
      const Json *pieces = entry->find("tokens");
      if (ids->elements().size() > mostAround - std::min(around.size(), mostAround))
        return notBuilt(*ids, fmt::format("more than {} ids around a text", mostAround));
      bool areNamed = pieces && pieces->elements().size() == ids->elements().size();
      for (size_t i = 0; i < ids->elements().size(); ++i) {
        const std::string *piece = areNamed ? pieces->elements()[i].string() : name->string();
        around.push_back(checkedId(piece ? *piece : *name->string(), ids->elements()[i]));
      }
    }
    if (texts != 1)
      diagnostics.error(single->at(file), fmt::format("the template 'single' has the text {} times, expected once", texts));
    else
      surround(processor, std::move(around));
  }

  void noteTruncation(const Json *truncation) {
    const Json *most = truncation ? truncation->find("max_length") : nullptr;
    if (most && most->integer())
      diagnostics.note(most->at(file), fmt::format("texts are not cut to {} ids, but to as many as the model takes", *most->integer()));
  }

  const std::string &file;
  Diagnostics &diagnostics;
  TokenizerParts parts;
  std::unordered_set<std::string> addedTexts, packedTexts;
  std::unordered_map<std::string, int32_t> idOf;
  std::unordered_map<int32_t, const std::string *> owners;
  std::string reason;
  Place reasonPlace;
};

} // namespace

std::optional<TokenizerParts> heddle::readTokenizerJson(const Json &root, const std::string &file, Diagnostics &diagnostics) {
  return Reader(file, diagnostics).read(root);
}
