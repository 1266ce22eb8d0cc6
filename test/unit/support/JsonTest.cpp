#include "compiler/support/Json.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle;
using testing::HasSubstr;
using testing::StartsWith;

namespace {
std::optional<Json> parse(std::string_view text) {
  Diagnostics diagnostics;
  auto json = parseJson(text, "c.json", diagnostics);
  EXPECT_EQ(json.has_value(), !diagnostics.hasErrors()) << diagnostics.render();
  return json;
}

/// The one error of a text that must be refused.
std::string refusal(std::string_view text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(parseJson(text, "c.json", diagnostics).has_value());
  EXPECT_EQ(diagnostics.errorCount(), 1u);
  return diagnostics.render();
}

std::string nested(size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }
} // namespace

TEST(Json, valuesAndTheirPlaces) {
  auto json = parse("{\n  \"zwölf\" : [1, -2, 2.0, true, null, \"a\\n\\u00fc\"],\n  \"o\": {\"i\": 9223372036854775807}\n}\n");
  ASSERT_TRUE(json && json->isObject());
  EXPECT_EQ(json->line, 1u);
  const JsonMember &first = json->members()[0];
  EXPECT_EQ(std::make_pair(first.line, first.column), std::make_pair(2u, 3u));
  const auto &list = first.value.elements();
  ASSERT_EQ(list.size(), 6u);
  EXPECT_EQ(std::make_pair(list[0].line, list[0].column), std::make_pair(2u, 14u)); // columns are characters, not bytes
  EXPECT_EQ(*list[0].integer(), 1);
  EXPECT_EQ(*list[1].integer(), -2);
  EXPECT_EQ(list[2].integer(), nullptr); // 2.0 is no int
  EXPECT_EQ(list[2].number(), 2.0);
  EXPECT_TRUE(*list[3].boolean());
  EXPECT_TRUE(list[4].isNull());
  EXPECT_EQ(*list[5].string(), "a\nü");
  const Json *inner = json->find("o");
  ASSERT_TRUE(inner);
  EXPECT_EQ(*inner->find("i")->integer(), INT64_MAX);
  EXPECT_EQ(inner->find("j"), nullptr);
  EXPECT_EQ(inner->find("i")->line, 3u);
  EXPECT_EQ(inner->find("i")->column, 14u);
}

TEST(Json, describesForMessages) {
  auto json = parse(R"(["twelve", 12, 2.0, 1e300, true, null, [], {}])");
  std::vector<std::string> texts;
  for (const Json &value : json->elements())
    texts.push_back(value.describe());
  EXPECT_THAT(texts, testing::ElementsAre("\"twelve\"", "12", "2.0", "1e+300", "true", "null", "a list", "an object"));
}

TEST(Json, findsAmongManyKeys) {
  std::string text = "{";
  for (int i = 0; i < 50000; ++i)
    text += "\"" + std::to_string(i * 7919 % 50000) + "\":" + std::to_string(i) + ",";
  text.back() = '}';
  auto json = parse(text);
  EXPECT_EQ(*json->find("7919")->integer(), 1);
  EXPECT_EQ(json->members()[3].key, "23757");
}

TEST(Json, refusesKeysThatStandTwice) {
  EXPECT_EQ(refusal("{\"a\": 1,\n \"b\": 2,\n \"a\": 3}"), "c.json:3:2: error: key 'a' stands twice\nc.json:1:2: note: it stands here first\n");
  EXPECT_THAT(refusal(R"({"a": 1, "\u0061": 3})"), StartsWith("c.json:1:10: error: key 'a' stands twice"));
  EXPECT_THAT(refusal(R"([{"x": {"a": 1, "a": 1}}])"), HasSubstr("key 'a' stands twice"));
}

TEST(Json, refusesWordsAndNumbersThatAreNone) {
  for (std::string_view text : {"NaN", "[Infinity]", "-Infinity", "[1, nan]", "1e999", "-1e999", "01", "+1", ".5", "1.", "0x10", "tru", "'a'"})
    EXPECT_THAT(refusal(text), HasSubstr("error: not valid JSON: ")) << text;
  EXPECT_THAT(refusal("{\"a\":\n  NaN}"), StartsWith("c.json:2:3: error: not valid JSON: invalid literal"));
}

TEST(Json, refusesBrokenText) {
  EXPECT_THAT(refusal("\xEF\xBB\xBF{}"), HasSubstr("byte order mark"));
  EXPECT_THAT(refusal("\"\xC3\""), StartsWith("c.json:1:2: error: not valid UTF-8"));
  EXPECT_THAT(refusal(std::string_view("{}\0x", 4)), StartsWith("c.json:1:3: error: not valid JSON: a NUL byte"));
  for (std::string_view text : {R"("\ud80")", "\"\n\"", "\"\x01\"", "\"\\q\"", "\"open"})
    EXPECT_THAT(refusal(text), HasSubstr("not valid JSON: invalid string")) << text;
}

TEST(Json, loneSurrogatesMatterWhereTheyAreUsed) {
  auto json = parse(R"(["\ud800", "\udc00x", "\ud800\u0041", "\ud83d\ude00", "\\ud800", "\ud800\ud800\udc00", "plain"])");
  ASSERT_TRUE(json);
  const auto &list = json->elements();
  for (size_t i : {0, 1, 2, 5}) {
    EXPECT_EQ(list[i].string(), nullptr) << i;
    EXPECT_EQ(list[i].kind(), Json::Kind::String) << i;
    EXPECT_THAT(list[i].describe(), HasSubstr("with a lone surrogate")) << i;
  }
  EXPECT_EQ(*list[3].string(), "\xF0\x9F\x98\x80");
  EXPECT_EQ(*list[4].string(), "\\ud800");
  EXPECT_EQ(*list[6].string(), "plain");
  EXPECT_EQ(refusal(R"({"a": "\ud800", "\udfff": 1})"), "c.json:1:17: error: a key with a lone surrogate\n");
}

TEST(Json, refusesTruncatedAndTrailing) {
  std::string whole = R"({"a": [1, {"b": "c"}], "d": 1.5})";
  ASSERT_TRUE(parse(whole));
  for (size_t size = 0; size < whole.size(); ++size)
    refusal(whole.substr(0, size));
  for (std::string_view text : {"{} {}", "[1,]", "[1 2]", "{\"a\" 1}", "{\"a\":1,}", "{1:2}", "]", ",", "// c\n1"})
    EXPECT_THAT(refusal(text), HasSubstr("not valid JSON")) << text;
}

TEST(Json, depthIsBounded) {
  EXPECT_TRUE(parse(nested(64)));
  EXPECT_EQ(refusal(nested(65)), "c.json:1:65: error: nested deeper than 64 levels\n");
  refusal(std::string(1'000'000, '['));
  std::string objects;
  for (int i = 0; i < 100'000; ++i)
    objects += "{\"a\":";
  EXPECT_THAT(refusal(objects), HasSubstr("nested deeper than 64 levels"));
}
