// Unicode: composition cluster by cluster equals composition of the whole, characters keep their columns, and hostile text costs linear time.
#include "runtime/Normalize.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <utf8proc.h>
#include <vector>

using namespace heddle::runtime;

namespace {

std::string utf8(const std::vector<int32_t> &points) {
  std::string text;
  for (int32_t point : points) {
    utf8proc_uint8_t bytes[4];
    text.append(reinterpret_cast<char *>(bytes), static_cast<size_t>(utf8proc_encode_char(point, bytes)));
  }
  return text;
}

void decode(const std::string &text, Array<Character> &characters) {
  Failure failure;
  ASSERT_TRUE(decodeText(text, "text", characters, failure)) << failure.text;
}

std::string composed(const std::string &text) {
  Array<Character> characters;
  Failure failure;
  decode(text, characters);
  EXPECT_TRUE(normalizeNfc(characters, failure));
  std::vector<int32_t> points;
  for (const Character &one : characters)
    points.push_back(one.value);
  return utf8(points);
}

std::string composedByLibrary(const std::string &text) {
  utf8proc_uint8_t *result = nullptr;
  utf8proc_ssize_t length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t *>(text.data()), static_cast<utf8proc_ssize_t>(text.size()), &result,
                                         static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  std::string made(reinterpret_cast<char *>(result), static_cast<size_t>(length));
  std::free(result);
  return made;
}

TEST(Nfc, Composes) {
  EXPECT_EQ(composed("zwo\u0308lf"), "zwölf");
  EXPECT_EQ(composed("\u1112\u1161\u11ab"), "\ud55c") << "Hangul of three letters";
  EXPECT_EQ(composed("\u212b"), "\u00c5") << "the sign of angstrom is a letter";
  EXPECT_EQ(composed("q\u0307\u0323"), "q\u0323\u0307") << "marks in canonical order";
  EXPECT_EQ(composed("\u0300a"), "\u0300a");
  EXPECT_EQ(composed(""), "");
}

TEST(Nfc, OfClustersIsThatOfTheWhole) {
  const std::vector<int32_t> pool = {'a',   'e',     'K',     ' ',     '\n',    '\r',    0xc5,   0x300,  0x301,  0x308,  0x31b,  0x323,
                                     0x327, 0x345,   0x212b,  0x1100,  0x1161,  0x11a8,  0xac00, 0xac01, 0x9c7,  0x9be,  0x9d7,  0xbc6,
                                     0xbbe, 0xdd9,   0xdcf,   0xdca,   0x1025,  0x102e,  0x200d, 0xfe0f, 0x3099, 0x304b, 0x1b05, 0x1b35,
                                     0x600, 0x1f1e6, 0x1d15e, 0x110bb, 0x110b9, 0x110ba, 0xf71,  0xf72,  0xf73,  0xf40,  0xfb5,  0x2adc,
                                     0x958, 0x93c,   0x915,   0x5d9,   0x5b4,   0x344,   0x340,  0x1f80};
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<int32_t> points(1 + random() % 8);
    for (int32_t &point : points)
      point = pool[random() % pool.size()];
    std::string text = utf8(points);
    ASSERT_EQ(composed(text), composedByLibrary(text)) << testing::PrintToString(points);
  }
}

TEST(Nfc, KeepsColumns) {
  Array<Character> characters;
  Failure failure;
  decode("xo\u0308yq\u0323z", characters);
  ASSERT_TRUE(normalizeNfc(characters, failure));
  std::vector<int32_t> columns;
  for (const Character &one : characters)
    columns.push_back(one.column);
  EXPECT_EQ(columns, (std::vector<int32_t>{1, 2, 4, 5, 6, 7}));
}

TEST(Nfc, IsLinearInPiledUpMarks) {
  std::string text = "a";
  for (int i = 0; i < 200'000; ++i)
    text += i % 2 ? "\u0301" : "\u0323"; // classes 230 and 220: the worst order there is
  std::string result = composed(text);   // a minute, if sorting were quadratic
  EXPECT_EQ(result.size(), text.size()) << "three bytes for a and the first dot below";
  EXPECT_TRUE(result.starts_with("\u1ea1\u0323"));
  EXPECT_TRUE(result.ends_with("\u0301\u0301"));
}

TEST(Lowercase, TakesEachCharacterByItself) {
  Array<Character> characters;
  Failure failure;
  decode("\u00c4B\u0130\u03a3z", characters);
  ASSERT_TRUE(lowercase(characters, failure));
  std::vector<int32_t> points, columns;
  for (const Character &one : characters)
    points.push_back(one.value), columns.push_back(one.column);
  EXPECT_EQ(points, (std::vector<int32_t>{0xe4, 'b', 'i', 0x307, 0x3c3, 'z'}));
  EXPECT_EQ(columns, (std::vector<int32_t>{1, 2, 3, 3, 4, 5}));
}

TEST(Decode, RefusesBrokenUtf8WithItsColumn) {
  Array<Character> characters;
  Failure failure;
  for (const char *text : {"äö\xff", "äö\xc3", "äö\xed\xa0\x80", "äö\xc0\x80", "äö\xf4\x90\x80\x80"}) {
    EXPECT_FALSE(decodeText(text, "line 7", characters, failure));
    EXPECT_TRUE(std::string(failure.text).starts_with("line 7, column 3: the byte 0x")) << failure.text;
  }
}

TEST(Whitespace, IsUnicodes) {
  for (int32_t c : {0x09, 0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x200a, 0x2028, 0x202f, 0x205f, 0x3000})
    EXPECT_TRUE(isWhitespace(c)) << c;
  for (int32_t c : {0x08, 0x1c, 0x61, 0x180e, 0x200b, 0xfeff})
    EXPECT_FALSE(isWhitespace(c)) << c;
}

} // namespace
