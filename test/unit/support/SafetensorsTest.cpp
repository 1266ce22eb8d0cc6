#include "compiler/support/Safetensors.h"
#include "SafetensorsFile.h"
#include "TemporaryFolder.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace heddle;
using testing::HasSubstr;

namespace {
/// What is said about a file that must be refused; its path is taken out.
std::string refusal(std::string_view contents) {
  TemporaryFolder folder;
  Diagnostics diagnostics;
  EXPECT_FALSE(Safetensors::open(folder.put("w", contents), diagnostics).has_value()) << contents;
  std::string text = diagnostics.render();
  EXPECT_EQ(text.rfind(folder / "w", 0), 0u) << text;
  return text.substr((folder / "w").size());
}

std::string refusedHeader(std::string_view header, size_t dataBytes) { return refusal(safetensorsFile(header, std::string(dataBytes, 'd'))); }
} // namespace

TEST(Safetensors, readsTensorsByName) {
  TemporaryFolder folder;
  Diagnostics diagnostics;
  std::string header = R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2],"data_offsets":[16,24]},)"
                       R"("a":{"dtype":"BF16","shape":[2,4],"data_offsets":[0,16]},"e":{"dtype":"I64","shape":[0],"data_offsets":[24,24]},)"
                       R"("s":{"dtype":"F32","shape":[],"data_offsets":[24,28]}}    )";
  auto file = Safetensors::open(folder.put("w", safetensorsFile(header, std::string(16, 'x') + floatBytes({1.5, -2, 7}))), diagnostics);
  ASSERT_TRUE(file) << diagnostics.render();
  EXPECT_EQ(file->tensors().size(), 4u);
  EXPECT_EQ(file->tensors()[0].name, "a");
  EXPECT_EQ(file->find("a")->element, ElementType::BF16);
  EXPECT_EQ(file->find("c"), nullptr);
  const SafetensorsTensor *b = file->find("b");
  ASSERT_TRUE(b);
  EXPECT_EQ(b->shape, std::vector<int64_t>{2});
  float second = 0;
  EXPECT_TRUE(file->read(*b, 4, {reinterpret_cast<char *>(&second), 4}, diagnostics));
  EXPECT_EQ(second, -2);
}

TEST(Safetensors, refusesOffsetsThatDoNotAgreeWithTheShape) { // B098
  EXPECT_EQ(refusedHeader(R"({"w":{"dtype":"F32","shape":[1000,1000],"data_offsets":[0,4]}})", 4),
            ": error: tensor 'w': shape [1000, 1000] of F32 has 4000000 bytes, data_offsets [0, 4] has 4\n");
}

TEST(Safetensors, refusesProductsThatOverflow) { // B100
  EXPECT_THAT(refusedHeader(R"({"w":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0),
              HasSubstr("tensor 'w': shape [4294967296, 4294967296] of F32: the number of bytes passes 2^63"));
  EXPECT_THAT(refusedHeader(R"({"w":{"dtype":"F32","shape":[4194305,4194305,211106198978564],"data_offsets":[0,16]}})", 16),
              HasSubstr("passes 2^63"));
  EXPECT_THAT(refusedHeader(R"({"w":{"dtype":"F32","shape":[0,4294967296,4294967296],"data_offsets":[0,0]}})", 0), HasSubstr("passes 2^63"));
  EXPECT_THAT(refusedHeader(R"({"w":{"dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,0]}})", 0), HasSubstr("passes 2^63"));
}

TEST(Safetensors, refusesOffsetsThatAreNoPair) { // B101
  for (std::string offsets : {"[]", "[0]", "[0,4,8]", "[-4,0]", "[0.0,4.0]", "[\"0\",\"4\"]", "null", "4", "{\"0\":4}", "[0,9223372036854775808]"})
    EXPECT_THAT(refusedHeader(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":)" + offsets + "}}", 4),
                HasSubstr("tensor 'w': data_offsets: expected two whole numbers of at least 0"))
        << offsets;
}

TEST(Safetensors, refusesOffsetsInTheWrongOrderOrBeyondTheData) { // B103
  EXPECT_THAT(refusedHeader(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[8,4]}})", 8), HasSubstr("data_offsets [8, 4]: the end lies before"));
  EXPECT_THAT(refusedHeader(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 0), HasSubstr("the file has 0 bytes of data"));
  EXPECT_THAT(refusedHeader(R"({"w":{"dtype":"F32","shape":[3],"data_offsets":[9223372036854775795,9223372036854775807]}})", 4),
              HasSubstr("the file has 4 bytes of data"));
}

TEST(Safetensors, refusesHeaderLengthsThatLie) { // B103
  std::string header = R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", data = "1234";
  int64_t whole = static_cast<int64_t>(8 + header.size() + data.size());
  for (int64_t claimed : {whole, whole - 7, INT64_MAX, int64_t(100'000'001)})
    EXPECT_THAT(refusal(safetensorsFile(header, data, claimed)), HasSubstr("the header's length is said to be")) << claimed;
  for (int64_t claimed : {int64_t(0), int64_t(1), whole - 8, static_cast<int64_t>(header.size()) - 1})
    EXPECT_THAT(refusal(safetensorsFile(header, data, claimed)), HasSubstr("not valid")) << claimed;
  EXPECT_THAT(refusal(""), HasSubstr("0 bytes, a header needs 8"));
  EXPECT_THAT(refusal("1234567"), HasSubstr("7 bytes, a header needs 8"));
}

TEST(Safetensors, refusesALongHeaderWithoutReadingIt) {
  TemporaryFolder folder;
  Diagnostics diagnostics;
  std::string path = folder.put("w", safetensorsFile("", "", 200'000'000));
  ASSERT_EQ(::truncate(path.c_str(), 300'000'000), 0);
  EXPECT_FALSE(Safetensors::open(path, diagnostics).has_value());
  EXPECT_THAT(diagnostics.render(), HasSubstr("the header's length is 200000000 bytes, at most 100000000 are read"));
}

TEST(Safetensors, refusesHolesOverlapsAndTrailingBytes) {
  auto two = [](std::string a, std::string b) {
    return R"({"a":{"dtype":"F32","shape":[1],"data_offsets":)" + a + R"(},"b":{"dtype":"F32","shape":[1],"data_offsets":)" + b + "}}";
  };
  EXPECT_THAT(refusedHeader(two("[0,4]", "[8,12]"), 12), HasSubstr("tensor 'b': 4 bytes before it belong to no tensor"));
  EXPECT_THAT(refusedHeader(two("[4,8]", "[8,12]"), 12), HasSubstr("tensor 'a': 4 bytes before it belong to no tensor"));
  EXPECT_THAT(refusedHeader(two("[0,4]", "[2,6]"), 6), HasSubstr("tensor 'b': overlaps 'a' by 2 bytes"));
  EXPECT_THAT(refusedHeader(two("[0,4]", "[0,4]"), 4), HasSubstr("overlaps"));
  EXPECT_THAT(refusedHeader(two("[0,4]", "[4,8]"), 9), HasSubstr("1 bytes after the last tensor belong to none"));
  EXPECT_THAT(refusedHeader("{}", 3), HasSubstr("3 bytes after the last tensor belong to none"));
}

TEST(Safetensors, refusesNamesThatStandTwice) {
  std::string one = R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  EXPECT_THAT(refusedHeader("{\"w\":" + one + ",\"\\u0077\":" + one + "}", 4), HasSubstr("key 'w' stands twice"));
}

TEST(Safetensors, refusesEntriesThatAreNone) {
  auto entry = [](std::string text) { return refusedHeader("{\"w\":" + text + "}", 4); };
  EXPECT_THAT(entry("[]"), HasSubstr("tensor 'w': no 'dtype'"));
  EXPECT_THAT(entry(R"({"dtype":"F32","shape":[1]})"), HasSubstr("tensor 'w': no 'data_offsets'"));
  EXPECT_THAT(entry(R"({"dtype":"F33","shape":[1],"data_offsets":[0,4]})"), HasSubstr("unknown dtype \"F33\""));
  EXPECT_THAT(entry(R"({"dtype":32,"shape":[1],"data_offsets":[0,4]})"), HasSubstr("unknown dtype 32"));
  EXPECT_THAT(entry(R"({"dtype":"F32","shape":1,"data_offsets":[0,4]})"), HasSubstr("shape: expected a list, got 1"));
  for (std::string extent : {"-1", "1.0", "\"1\"", "null", "[1]"})
    EXPECT_THAT(entry(R"({"dtype":"F32","shape":[)" + extent + R"(],"data_offsets":[0,4]})"),
                HasSubstr("shape: expected whole numbers of at least 0"));
  EXPECT_THAT(refusedHeader("[]", 0), HasSubstr("header: expected an object, got a list"));
  EXPECT_THAT(refusedHeader(R"({"__metadata__":{"a":1}})", 0), HasSubstr("'__metadata__' is no object of strings"));
}

TEST(Safetensors, anyTruncationAndAnyFlippedHeaderByteIsRefusedOrHarmless) {
  std::string header = R"({"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})";
  std::string whole = safetensorsFile(header, floatBytes({1, 2, 3}));
  for (size_t size = 0; size < whole.size(); ++size)
    refusal(whole.substr(0, size));
  TemporaryFolder folder;
  for (size_t at = 0; at < 8 + header.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 1 << bit);
      Diagnostics diagnostics;
      auto file = Safetensors::open(folder.put("w", changed), diagnostics);
      ASSERT_EQ(file.has_value(), !diagnostics.hasErrors());
      for (const SafetensorsTensor &tensor : file ? file->tensors() : std::vector<SafetensorsTensor>())
        ASSERT_LE(tensor.begin + tensor.bytes, changed.size());
    }
}
