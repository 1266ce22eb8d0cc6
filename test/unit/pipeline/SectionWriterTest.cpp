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
    SectionWriter writer(context, info, tokenizers, checkpoint.get(), diagnostics);
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
  std::vector<std::string> tokenizers;
};

TEST_F(Section, WeightsStandAtTheirOffsets) {
  info.weights = {weight("b", 128, 3), weight("a", 0, 16)}; // any order
  info.sectionBytes = 192;
  std::string bytes = write();
  ASSERT_EQ(bytes.size(), 192u) << bytes;
  EXPECT_EQ(at(bytes, 0), SeededTensor(1, "a", std::vector<int64_t>{16}).element(0));
  EXPECT_EQ(at(bytes, 128 + 8), SeededTensor(1, "b", std::vector<int64_t>{3}).element(2));
  EXPECT_EQ(bytes.substr(64, 64), std::string(64, '\0'));
  EXPECT_EQ(bytes.substr(140), std::string(52, '\0'));
}

TEST_F(Section, TokenizersFollow) {
  info.weights = {weight("a", 0, 16)};
  TokenizerInfo absent, words;
  words.offset = 64;
  words.bytes = 5;
  info.tokenizers = {absent, words};
  info.sectionBytes = 69;
  tokenizers = {"", "words"};
  EXPECT_EQ(write().substr(64), "words");
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
