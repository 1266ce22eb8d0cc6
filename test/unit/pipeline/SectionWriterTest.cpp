// The section front to back: weights at their offsets, zeros between, tokenizers behind.
#include "compiler/pipeline/SectionWriter.h"
#include "dialect/Heddle.h"
#include "gmock/gmock.h"
#include <cstring>

using namespace heddle;
using testing::HasSubstr;

namespace {

struct Section : testing::Test {
  Section() { context.loadDialect<HeddleDialect>(); }

  static WeightInfo weight(std::string name, int64_t offset, int64_t count) {
    WeightInfo info;
    info.name = name;
    info.recipe = "#heddle.tensor<\"" + name + "\", tensor<" + std::to_string(count) + "xf32>>";
    info.offset = offset;
    info.bytes = count * 4;
    return info;
  }
  /// The bytes, or the error's text.
  std::string write() {
    Diagnostics diagnostics;
    auto checkpoint = Checkpoint::open("seed:1", diagnostics);
    std::string bytes;
    closeSection(info);
    SectionWriter writer(context, info, tokenizers, checks, checkpoint.get(), diagnostics);
    llvm::Error error = writer.write([&](llvm::StringRef piece) {
      bytes += piece;
      return llvm::Error::success();
    });
    return error ? llvm::toString(std::move(error)) : bytes;
  }
  static float at(const std::string &bytes, int64_t offset) {
    float value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
  }

  mlir::MLIRContext context;
  ModelInfo info;
  std::vector<std::string> tokenizers, checks;
};

TEST_F(Section, WeightsStandAtTheirOffsets) {
  info.weights = {weight("b", 128, 3), weight("a", 0, 16)}; // any order
  info.sectionBytes = 192;
  std::string bytes = write();
  ASSERT_EQ(bytes.size(), 200u) << bytes;
  EXPECT_EQ(at(bytes, 0), SeededTensor(1, "a", std::vector<int64_t>{16}).element(0));
  EXPECT_EQ(at(bytes, 128 + 8), SeededTensor(1, "b", std::vector<int64_t>{3}).element(2));
  EXPECT_EQ(bytes.substr(64, 64), std::string(64, '\0'));
  EXPECT_EQ(bytes.substr(140, 52), std::string(52, '\0'));
}

TEST_F(Section, TokenizersFollow) {
  info.weights = {weight("a", 0, 16)};
  TokenizerInfo absent, words;
  words.offset = 64;
  words.bytes = 5;
  info.tokenizers = {absent, words};
  info.sectionBytes = 69;
  tokenizers = {"", "words"};
  CheckInfo check;
  check.offset = 128;
  check.bytes = 6;
  info.checks = {check};
  info.sectionBytes = 134;
  checks = {"checks"};
  std::string bytes = write();
  EXPECT_EQ(bytes.substr(64, 5), "words");
  EXPECT_EQ(bytes.substr(128, 8), std::string("checks\0\0", 8));
}

/// Whatever the pieces, and not whatever the bytes.
TEST(Checksum, SumsBytesNotPieces) {
  std::string bytes;
  for (int i = 0; i < 200; ++i)
    bytes += static_cast<char>(i * 37);
  auto sum = [&](size_t size, size_t piece) {
    heddle_checksum sum = {};
    for (size_t at = 0; at < size; at += piece)
      heddle_checksum_add(&sum, bytes.data() + at, std::min(piece, size - at));
    return heddle_checksum_value(sum);
  };
  for (size_t size : {0, 1, 31, 32, 33, 64, 200})
    for (size_t piece : {1, 3, 8, 31, 32, 33, 100, 200})
      EXPECT_EQ(sum(size, piece), sum(size, 200)) << size << " " << piece;
  for (size_t size = 0; size < 200; ++size)
    EXPECT_NE(sum(size, 200), sum(size + 1, 200)) << "a byte more";
  uint64_t before = sum(200, 200);
  for (char &byte : bytes) {
    byte ^= 1;
    EXPECT_NE(sum(200, 200), before) << "a byte changed";
    byte ^= 1;
  }
}

TEST_F(Section, TheChecksumIsThatOfAllBefore) {
  info.weights = {weight("a", 0, 16)};
  info.sectionBytes = 64;
  std::string bytes = write();
  heddle_checksum sum = {};
  heddle_checksum_add(&sum, bytes.data(), bytes.size() - 8);
  uint64_t value = heddle_checksum_value(sum);
  EXPECT_EQ(bytes.substr(bytes.size() - 8), std::string(reinterpret_cast<char *>(&value), 8));
}

TEST_F(Section, OverlapsAndWrongSizesAreOurFault) {
  info.sectionBytes = 192;
  info.weights = {weight("a", 0, 32), weight("b", 64, 16)};
  EXPECT_THAT(write(), HasSubstr("internal error: two weights overlap in the section at 64"));
  info.weights = {weight("a", 0, 16)};
  info.weights[0].bytes = 60;
  EXPECT_THAT(write(), HasSubstr("internal error: the recipe of weight 'a' does not make the 60 bytes planned"));
}

} // namespace
