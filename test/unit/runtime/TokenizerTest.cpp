// Both ends of a tokenizer: what the compiler packs, the runtime reads. Files that are wrong are refused with their place, kinds not built yet are a
// note.
#include "compiler/packing/Tokenizer.h"
#include "compiler/support/File.h"
#include "compiler/support/Json.h"
#include "runtime/Tokenizers.h"
#include "test/unit/support/TemporaryFolder.h"
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace heddle::runtime;
using heddle::Diagnostics;
using heddle::packTokenizer;
using heddle::TokenizerSource;
using Kind = heddle::TokenizerSource::Kind;

namespace {

using Ids = std::vector<int32_t>;

/// A file packed and opened.
class Packed {
public:
  Packed(const TokenizerSource &source) {
    Diagnostics diagnostics;
    std::optional<std::vector<char>> packed = packTokenizer(source, diagnostics);
    EXPECT_TRUE(packed) << diagnostics.render();
    Failure failure;
    if (packed)
      bytes.assign((packed->size() + 7) / 8, 0), std::memcpy(bytes.data(), packed->data(), packed->size());
    EXPECT_TRUE(packed && tokenizer.open(reinterpret_cast<const char *>(bytes.data()), static_cast<int64_t>(packed->size()), failure))
        << failure.text;
  }
  Ids encode(std::string_view text) {
    Array<int32_t> ids;
    failure = {};
    tokenizer.encode(text, "line 1", ids, failure);
    return {ids.begin(), ids.end()};
  }
  std::string refusal(std::string_view text) {
    encode(text);
    return failure.text;
  }
  std::string decode(const Ids &ids, int32_t hidden = -1) {
    heddle::TemporaryFolder folder;
    int file = open((folder / "out").c_str(), O_WRONLY | O_CREAT, 0600);
    Output out(file);
    tokenizer.write(ids.data(), static_cast<int64_t>(ids.size()), [&](int32_t id) { return id == hidden; }, out);
    EXPECT_TRUE(out.finish(failure));
    close(file);
    return folder.get("out");
  }
  Tokenizer tokenizer;
  Failure failure;
  std::vector<int64_t> bytes; // aligned
};

class TokenizerTest : public testing::Test {
protected:
  TokenizerSource file(const std::string &contents, Kind kind = Kind::Json, std::optional<int64_t> unknown = {}) {
    return {kind, folder.put("tokenizer.json", contents), unknown};
  }
  /// All that is said about a file that gives no bytes, without the folder.
  std::string said(const TokenizerSource &source, bool isError) {
    Diagnostics diagnostics;
    EXPECT_FALSE(packTokenizer(source, diagnostics));
    EXPECT_EQ(diagnostics.hasErrors(), isError) << diagnostics.render();
    std::string all;
    for (const heddle::Diagnostic &record : diagnostics.records())
      all += (all.empty() ? "" : "; ") + std::to_string(record.place.line) + ": " + record.message;
    return all;
  }
  std::string refusal(const std::string &contents, Kind kind = Kind::Json, std::optional<int64_t> unknown = {}) {
    return said(file(contents, kind, unknown), true);
  }
  std::string note(const std::string &contents) { return said(file(contents), false); }
  heddle::TemporaryFolder folder;
};

std::string json(const std::string &model, const std::string &more = "") { return "{" + more + "\"model\": " + model + "}"; }
std::string characters(const std::string &vocabulary, const std::string &more = "") {
  return R"({"type": "BPE", "vocab": )" + vocabulary + R"(, "merges": [])" + more + "}";
}

TEST_F(TokenizerTest, ListsOfWords) {
  Packed packed(file(R"(["P", "one", "zwölf", "two"])", Kind::Words));
  EXPECT_EQ(packed.encode("  two one\u00a0\tzwölf\n"), (Ids{3, 1, 2}));
  EXPECT_EQ(packed.encode(""), Ids{});
  EXPECT_EQ(packed.refusal("one three"), "line 1, column 5: 'three' has no id in the vocabulary");
  EXPECT_EQ(packed.decode({3, 0, 2}, 0), "two zwölf");
  EXPECT_EQ(packed.decode({3, 99, -1, 1}), "two one") << "ids without a symbol";
  EXPECT_EQ(packed.decode({}), "");
}

TEST_F(TokenizerTest, ListsOfCharacters) {
  Packed packed(file(R"(["<s>", "a", "b", " ", "我"])", Kind::Characters));
  EXPECT_EQ(packed.encode("ab 我"), (Ids{1, 2, 3, 4}));
  EXPECT_EQ(packed.refusal("ab他"), "line 1, column 3: '他' has no id in the vocabulary");
  EXPECT_EQ(packed.decode({1, 2, 4}), "ab我");
}

TEST_F(TokenizerTest, UnknownSymbolsOfLists) {
  Packed packed(file(R"(["U", "a"])", Kind::Characters, 0));
  EXPECT_EQ(packed.encode("axxa"), (Ids{1, 0, 0, 1}));
  EXPECT_EQ(refusal(R"(["U", "a"])", Kind::Characters, 2), "0: the id of the unknown symbol is 2, expected 0 to 1: the list has 2 symbols");
  EXPECT_EQ(refusal(R"(["U", "a"])", Kind::Characters, -1), "0: the id of the unknown symbol is -1, expected 0 to 1: the list has 2 symbols");
}

TEST_F(TokenizerTest, NormalizesAndSplits) {
  Packed packed(file(json(R"({"type": "WordLevel", "vocab": {"ä": 0, "b": 7, "-": 9}, "unk_token": "U"})",
                          R"("normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Lowercase"}]},
                             "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
                               {"type": "Split", "pattern": {"Regex": "."}, "behavior": "Isolated", "invert": false}]},)")));
  EXPECT_EQ(packed.encode("A\u0308 b-Ä"), (Ids{0, 7, 9, 0}));
  EXPECT_EQ(packed.refusal("A\u0308 Q"), "line 1, column 4: 'q' has no id in the vocabulary") << "columns are those of the text as given";
  EXPECT_EQ(packed.decode({0, 7}), "äb") << "symbols are characters";
}

TEST_F(TokenizerTest, SplitsAtOneCharacter) {
  auto with = [&](const char *behavior) {
    return file(json(R"({"type": "WordLevel", "vocab": {"a": 0, "b": 1, ",": 2}, "unk_token": "U"})",
                     std::string(R"("pre_tokenizer": {"type": "Split", "pattern": {"String": ","}, "behavior": ")") + behavior + R"("},)"));
  };
  EXPECT_EQ(Packed(with("Isolated")).encode("a,,b"), (Ids{0, 2, 2, 1}));
  EXPECT_EQ(Packed(with("Removed")).encode(",a,,b,"), (Ids{0, 1}));
  EXPECT_EQ(Packed(with("Removed")).decode({0, 1}), "a b");
}

TEST_F(TokenizerTest, CharactersOfBpeWithoutMerges) {
  Packed each(file(json(characters(R"({"U": 0, "a": 1})", R"(, "unk_token": "U")"))));
  EXPECT_EQ(each.encode("axx a"), (Ids{1, 0, 0, 0, 1})) << "no pre-tokenizer: blanks are characters";
  Packed fused(file(json(characters(R"({"U": 0, "a": 1})", R"(, "unk_token": "U", "fuse_unk": true)"))));
  EXPECT_EQ(fused.encode("axx axy"), (Ids{1, 0, 1, 0}));
  EXPECT_EQ(fused.decode({1, 1}), "aa");
}

TEST_F(TokenizerTest, RefusesWrongFiles) {
  EXPECT_EQ(refusal("[1]"), "1: expected an object, got a list");
  EXPECT_EQ(refusal("{}"), "1: expected an object 'model', got none");
  EXPECT_EQ(refusal(R"({"model": {"type": 3}})"), "1: expected a string 'type', got 3");
  EXPECT_EQ(refusal(json(R"({"type": "WordLevel"})")), "1: expected an object 'vocab', got none");
  EXPECT_EQ(refusal(json(characters(R"({"a": 1.5})"))), "1: the id of 'a': expected 0 to 2147483647, got 1.5");
  EXPECT_EQ(refusal(json(characters(R"({"a": 2147483648})"))), "1: the id of 'a': expected 0 to 2147483647, got 2147483648");
  EXPECT_EQ(refusal(json(characters(R"({"a": -1})"))), "1: the id of 'a': expected 0 to 2147483647, got -1");
  EXPECT_EQ(refusal(json(characters("{\"a\": 1,\n\"b\": 1}"))), "2: 'a' and 'b' have the same id 1");
  EXPECT_EQ(refusal(json(characters(R"({"a": 1})", R"(, "unk_token": "U")"))), "1: unk_token 'U' has no id in the vocabulary");
  EXPECT_EQ(refusal(json(characters(R"({"a": 1})", R"(, "byte_fallback": 1)"))), "1: 'byte_fallback': expected true or false, got 1");
  EXPECT_EQ(refusal(json(characters(R"({"a": 1})"), R"("normalizer": "NFC",)")), "1: expected an object or null, got \"NFC\"");
  EXPECT_EQ(refusal(json(characters(R"({"a": 1})"), R"("normalizer": {"type": "Sequence"},)")), "1: expected a list 'normalizers', got none");
  EXPECT_EQ(refusal(json(characters(R"({"a": 1})"), R"("pre_tokenizer": {"type": "Split", "behavior": "Removed", "pattern": {}},)")),
            "1: expected 'String' or 'Regex', got an object");
  EXPECT_EQ(refusal(json(characters(R"({"a": 1})"), R"("added_tokens": [{"id": 2, "content": "a"}],)")),
            "1: the added token 'a' has id 2, but it has 1 already");
  EXPECT_EQ(refusal(json(characters(R"({"a": 1})"), R"("added_tokens": [{"id": 1, "content": "b"}],)")),
            "1: the added token 'b' has id 1, but that is 'a' already");
  EXPECT_EQ(refusal(R"({"a": 1})", Kind::Words), "1: expected a list of strings, got an object");
  EXPECT_EQ(refusal("[\"a\",\n 3,\n\"a\"]", Kind::Words), "2: expected a string, got 3; 3: \"a\" is in the list twice");
}

TEST_F(TokenizerTest, NotesWhatIsNotBuiltYet) {
  auto built = [](const std::string &what) { return "1: a tokenizer with " + what + " is not built yet; ids still work, text does not"; };
  std::string model = characters(R"({"a": 1})");
  EXPECT_EQ(note(json(R"({"type": "Unigram", "vocab": [["a", -1.0]]})")), built("a model of type 'Unigram'"));
  EXPECT_EQ(note(json(R"({"vocab": {"a": 1}, "merges": []})")), built("a model without type"));
  EXPECT_EQ(note(json(R"({"type": "BPE", "vocab": {"a": 1, "aa": 2}, "merges": ["a a"]})")), built("merges"));
  EXPECT_EQ(note(json(characters(R"({"a": 1})", R"(, "byte_fallback": true)"))), built("'byte_fallback'"));
  EXPECT_EQ(note(json(model, R"("normalizer": {"type": "NFKC"},)")), built("a normalizer 'NFKC'"));
  EXPECT_EQ(note(json(model, R"("pre_tokenizer": {"type": "ByteLevel"},)")), built("a pre-tokenizer 'ByteLevel'"));
  EXPECT_EQ(note(json(model, R"("pre_tokenizer": {"type": "Split", "pattern": {"Regex": "\\d"}, "behavior": "Isolated"},)")),
            built("a split pattern of more than one character"));
  EXPECT_EQ(note(json(model, R"("decoder": {"type": "ByteLevel"},)")), built("a decoder 'ByteLevel'"));
  EXPECT_EQ(note(json(model, R"("post_processor": {"type": "Other"},)")), built("a post-processor 'Other'"));
  EXPECT_EQ(note(json(model, R"("normalizer": {"type": "NFC"}, "added_tokens": [{"id": 2, "content": "é", "normalized": true}],)")),
            built("an added token that the normalizer may change"));
  EXPECT_EQ(note(json(model, R"("added_tokens": [{"id": 1, "content": "a"}], "post_processor": {"type": "TemplateProcessing",
                 "special_tokens": {}, "single": [{"Sequence": {"id": "A", "type_id": 1}}]},)"))
                .substr(3),
            built("token types in the template of a single text").substr(3));
  EXPECT_EQ(said({Kind::Json, folder / "missing.json", {}}, false), "0: the tokenizer is missing; ids still work, text does not");
}

std::string wordPieces(const std::string &more, const std::string &ofModel = "") {
  return json(
      R"({"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "un": 3, "##aff": 4, "##able": 5, "unaff": 6,
                  "aff": 7, ",": 8, "中": 9, "##a": 10, "e": 11, "##": 12})" +
          ofModel + "}",
      more);
}
const std::string bert = R"("normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null,
                                           "lowercase": true}, "pre_tokenizer": {"type": "BertPreTokenizer"},)";

TEST_F(TokenizerTest, WordPiecesTakeTheLongestFirst) {
  Packed packed(file(wordPieces(bert)));
  EXPECT_EQ(packed.encode("unaffable"), (Ids{6, 5})) << "not un ##aff ##able";
  EXPECT_EQ(packed.encode("unaffx un"), (Ids{0, 3})) << "a word is unknown as a whole";
  EXPECT_EQ(packed.encode("UN\u00e9, aff中aff"), (Ids{0, 8, 7, 9, 7})) << "lower case, no accents, punctuation and ideographs apart";
  EXPECT_EQ(packed.encode("E\u0301"), (Ids{11}));
  EXPECT_EQ(packed.encode("u\u0001n\ufffd\u200b\tun"), (Ids{3, 3})) << "controls vanish";
  EXPECT_EQ(packed.encode(std::string(100, 'a')), (Ids{0}));
  EXPECT_EQ(Packed(file(wordPieces(bert, R"(, "max_input_chars_per_word": 2)"))).encode("un aff"), (Ids{3, 0}));
}

TEST_F(TokenizerTest, DecodersJoinWordPieces) {
  Packed plain(file(wordPieces(R"("decoder": {"type": "WordPiece", "prefix": "##", "cleanup": false},)")));
  EXPECT_EQ(plain.decode({3, 4, 7, 8, 5}), "unaff aff ,able");
  EXPECT_EQ(Packed(file(wordPieces(R"("decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},)"))).decode({3, 4, 8, 7}), "unaff, aff");
}

TEST_F(TokenizerTest, WhatStandsAroundEveryText) {
  std::string around = R"("added_tokens": [{"id": 1, "content": "[CLS]", "special": true}, {"id": 2, "content": "[SEP]", "special": true}],
    "post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
      {"SpecialToken": {"id": "[SEP]", "type_id": 0}}], "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [1], "tokens": ["[CLS]"]},
      "[SEP]": {"id": "[SEP]", "ids": [2], "tokens": ["[SEP]"]}}},)";
  Packed packed(file(wordPieces(bert + around)));
  EXPECT_EQ(packed.encode("un"), (Ids{1, 3, 2}));
  EXPECT_EQ(packed.encode(""), (Ids{1, 2}));
  EXPECT_EQ(packed.tokenizer.closing(), 1);
  EXPECT_EQ(packed.encode("un[SEP]aff"), (Ids{1, 3, 2, 7, 2})) << "added tokens cut the text, and are not normalized"; // B089
  EXPECT_EQ(packed.decode({1, 3, 2}), "un") << "special ones are not shown";
  auto named = [&](std::string from, std::string to) {
    return refusal(wordPieces(bert + around.replace(around.find(from), from.size(), to))).substr(3);
  };
  EXPECT_EQ(named(R"("ids": [1])", R"("ids": [2])"), "'[CLS]' is put around texts with id 2, but it has 1");
  around = R"("post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 1], "sep": ["[SEP]", 2]},)";
  EXPECT_EQ(Packed(file(wordPieces(bert + around))).encode("un"), (Ids{1, 3, 2}));
  EXPECT_EQ(named(R"(["[SEP]", 2])", R"(["[sep]", 2])"), "'[sep]' is put around texts, but neither the vocabulary nor the added tokens have it");
}

/// What a template puts behind a text, what has no id, and what ends texts are no padding, though their ids are that of padding.
TEST_F(TokenizerTest, PaddingIsCut) {
  auto encoded = [&](const TokenizerSource &source, int32_t padding) {
    Packed packed(source);
    Array<int32_t> ids;
    EXPECT_TRUE(encodeRow(packed.tokenizer, "un , ,", "line 1", padding, ids, packed.failure)) << packed.failure.text;
    return Ids(ids.begin(), ids.end());
  };
  EXPECT_EQ(encoded(file(R"([",", "un"])", Kind::Words), 0), (Ids{1}));
  EXPECT_EQ(encoded(file(R"([",", "un"])", Kind::Words), -1), (Ids{1, 0, 0}));
  EXPECT_EQ(encoded(file(R"(["P", "un"])", Kind::Words, 0), 0), (Ids{1, 0, 0}));
  EXPECT_EQ(encoded(file(wordPieces(bert + R"("post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 1], "sep": [",", 8]},)")), 8),
            (Ids{1, 3, 8, 8, 8}));

  heddle_setting settings[] = {{"end", 5}, {"pad", 5}};
  heddle_task task = {};
  task.setting_count = 2, task.settings = settings;
  heddle_model_table table = {};
  table.task_count = 1, table.tasks = &task;
  EXPECT_EQ(paddingId(table), -1);
  settings[1].value = 4;
  EXPECT_EQ(paddingId(table), 4);
}

TEST_F(TokenizerTest, TemplatesNest) {
  std::string inner = R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": ","}}, {"Sequence": {"id": "A"}}],
                          "special_tokens": {",": {"id": ",", "ids": [8], "tokens": [","]}}})",
              outer = R"({"type": "BertProcessing", "cls": ["[CLS]", 1], "sep": ["[SEP]", 2]})";
  auto sequence = [](const std::string &list) { return R"("post_processor": {"type": "Sequence", "processors": [)" + list + "]},"; };
  Packed packed(file(wordPieces(sequence(inner + ", " + outer + ", " + inner))));
  EXPECT_EQ(packed.encode("un"), (Ids{8, 1, 8, 3, 2})) << "each goes around what is there already";
  EXPECT_EQ(packed.tokenizer.closing(), 1);
}

/// A file of a few kilobytes could ask for gigabytes, or for hours at a text.
TEST_F(TokenizerTest, NothingGrowsOutOfProportion) {
  auto many = [](const std::string &item, int count) {
    std::string list = item;
    for (int i = 1; i < count; ++i)
      list += ", " + item;
    return "[" + list + "]";
  };
  auto built = [](const std::string &what) { return "1: a tokenizer with " + what + " is not built yet; ids still work, text does not"; };
  std::string model = characters(R"({"a": 1})"), longer(1025, 'a');
  std::string fan = R"("post_processor": {"type": "TemplateProcessing", "single": )" + many(R"({"SpecialToken": {"id": "x"}})", 3000) +
                    R"(, "special_tokens": {"x": {"id": "x", "ids": )" + many("1", 1000) + R"(, "tokens": )" + many("\"a\"", 1000) + "}}},";
  EXPECT_EQ(note(json(model, fan)), built("more than 1024 ids around a text"));
  std::string bert = R"({"type": "BertProcessing", "cls": ["a", 1], "sep": ["a", 1]})";
  EXPECT_EQ(note(json(model, R"("post_processor": {"type": "Sequence", "processors": )" + many(bert, 1000) + "},")),
            built("more than 1024 ids around a text"));
  EXPECT_EQ(note(json(model, R"("normalizer": {"type": "Sequence", "normalizers": )" + many(R"({"type": "NFD"})", 66) + "},")),
            built("more than 64 normalizers and splits"));
  EXPECT_EQ(note(json(model, R"("added_tokens": [{"id": 2, "content": ")" + longer + R"("}],)")), built("an added token of more than 1024 bytes"));
  EXPECT_EQ(note(json(R"({"type": "WordPiece", "unk_token": "U", "vocab": {"U": 0, ")" + longer + R"(": 1}})")),
            built("word pieces of more than 1024 bytes"));
}

TEST_F(TokenizerTest, AddedTokensThatBecomeOne) {
  auto tokens = [](const char *list) {
    return json(characters(R"({"a": 1})"), R"("normalizer": {"type": "Lowercase"}, "added_tokens": [)" + std::string(list) + "],");
  };
  std::string one = "1: a tokenizer with two added tokens that are one in lower case is not built yet; ids still work, text does not";
  EXPECT_EQ(note(tokens(R"({"id": 7, "content": "X", "normalized": true}, {"id": 8, "content": "x"})")), one);
  EXPECT_EQ(note(tokens(R"({"id": 7, "content": "x", "normalized": true}, {"id": 8, "content": "X", "normalized": true})")), one);
  EXPECT_EQ(Packed(file(tokens(R"({"id": 7, "content": "X"}, {"id": 8, "content": "x"})"))).encode("Xxa"), (Ids{7, 8, 1}));
}

TEST_F(TokenizerTest, AddedTokens) {
  auto with = [&](const std::string &flags) {
    return file(json(R"({"type": "WordLevel", "vocab": {"a": 0, "b": 1, "U": 2}, "unk_token": "U"})",
                     R"("normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "WhitespaceSplit"},
                        "added_tokens": [{"id": 7, "content": "<X>")" +
                         flags + R"(}, {"id": 8, "content": "<X>Y"}],)"));
  };
  EXPECT_EQ(Packed(with("")).encode("A<X>b <x>"), (Ids{0, 7, 1, 2})) << "as it is given, not as it is normalized";
  EXPECT_EQ(Packed(with("")).encode("<X>Y<X>"), (Ids{8, 7})) << "the longest";
  EXPECT_EQ(Packed(with(R"(, "normalized": true)")).encode("a<x>B"), (Ids{0, 7, 1}));
  EXPECT_EQ(Packed(with(R"(, "single_word": true)")).encode("a<X>b <X>"), (Ids{2, 7}));
  EXPECT_EQ(Packed(with(R"(, "lstrip": true, "rstrip": true)")).encode("a \t<X> \nb"), (Ids{0, 7, 1}));
  EXPECT_EQ(refusal(json(R"({"type": "WordLevel", "vocab": {"a": 0}})", R"("added_tokens": [{"id": 7, "content": ""}],)")),
            "1: an added token is empty");
}

TEST_F(TokenizerTest, DamagedBytesAreRefused) {
  Packed packed(file(R"(["a", "b"])", Kind::Words));
  int64_t size = reinterpret_cast<heddle_tokenizer_header *>(packed.bytes.data())->bytes;
  for (int64_t cut = 0; cut < size; ++cut) {
    Tokenizer tokenizer;
    Failure failure;
    EXPECT_FALSE(tokenizer.open(reinterpret_cast<const char *>(packed.bytes.data()), cut, failure));
  }
  // Any single byte may be anything: either it is refused, or the tokenizer works without leaving its bytes.
  std::vector<int64_t> copy = packed.bytes;
  char *bytes = reinterpret_cast<char *>(copy.data());
  for (int64_t at = 0; at < size; ++at)
    for (int value : {0x00, 0x01, 0x7f, 0xff}) {
      char before = bytes[at];
      bytes[at] = static_cast<char>(value);
      Tokenizer tokenizer;
      Failure failure;
      Array<int32_t> ids;
      if (tokenizer.open(bytes, size, failure)) {
        tokenizer.encode("a b ab", "line 1", ids, failure);
        for (int32_t id : {-1, 0, 1, 2})
          EXPECT_LE(tokenizer.symbolOf(id).size(), static_cast<size_t>(size));
      }
      bytes[at] = before;
    }
}

class TrainedTokenizer : public testing::Test {
protected:
  void SetUp() override {
    if (!std::filesystem::exists(HEDDLE_MODELS))
      GTEST_SKIP() << "no trained models at " HEDDLE_MODELS;
  }
  std::string file(const char *name) { return std::string(HEDDLE_MODELS) + "/" + name; }
};

TEST_F(TrainedTokenizer, OfGermanNumbers) {
  Packed source({Kind::Json, file("german-numbers/tokenizer.json"), {}}), list({Kind::Characters, file("german-numbers/source_vocab.json"), 1});
  EXPECT_EQ(source.encode("null"), (Ids{12, 17, 11, 11}));
  EXPECT_EQ(source.encode("Zwo\u0308lf"), (Ids{20, 19, 22, 11, 7}));
  EXPECT_EQ(source.encode("a b"), (Ids{2, 1, 3})) << "a blank is an unknown character";
  EXPECT_EQ(list.encode("null"), source.encode("null"));
  Packed target({Kind::Words, file("german-numbers/target_vocab.json"), {}});
  EXPECT_EQ(target.decode({10, 31, 23, 6, 2}, 2), "seven hundred twenty three");
}

/// Every string of the reference library's vectors gets its ids.
TEST_F(TrainedTokenizer, OfBert) {
  Packed packed({Kind::Json, file("tokenizers/bert-base-uncased/tokenizer.json"), {}});
  Diagnostics diagnostics;
  std::optional<std::string> text = heddle::readFile(file("tokenizers/vectors.json"), 1 << 24, diagnostics);
  std::optional<heddle::Json> vectors = text ? heddle::parseJson(*text, "vectors.json", diagnostics) : std::nullopt;
  ASSERT_TRUE(vectors) << diagnostics.render();
  const auto &strings = vectors->find("strings")->elements();
  const auto &expected = vectors->find("tokenizers")->find("bert-base-uncased")->find("ids")->elements();
  ASSERT_EQ(strings.size(), 300u);
  for (size_t i = 0; i < strings.size(); ++i) {
    Ids ids;
    for (const heddle::Json &id : expected[i].elements())
      ids.push_back(static_cast<int32_t>(*id.integer()));
    EXPECT_EQ(packed.encode(*strings[i].string()), ids) << *strings[i].string();
  }
}

TEST_F(TrainedTokenizer, OfTheToyTranslator) {
  Packed source({Kind::Json, file("toy-translator/tokenizer.json"), {}});
  EXPECT_EQ(source.encode("我 喜 欢 你 P"), (Ids{1, 2, 3, 4, 0}));
  EXPECT_EQ(source.encode("我喜欢你"), (Ids{1, 2, 3, 4}));
  EXPECT_EQ(source.refusal("我 他"), "line 1, column 3: '他' has no id in the vocabulary");
}

} // namespace
