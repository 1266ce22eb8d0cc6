#include "compiler/support/Checkpoint.h"
#include "SafetensorsFile.h"
#include "TemporaryFolder.h"
#include "compiler/support/ShortFloat.h"
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle;
using testing::HasSubstr;

namespace {
const std::string twoTensors = safetensorsFile(R"({"half":{"dtype":"F16","shape":[2],"data_offsets":[12,16]},)"
                                               R"("i":{"dtype":"I16","shape":[1],"data_offsets":[16,18]},)"
                                               R"("w":{"dtype":"F32","shape":[3,1],"data_offsets":[0,12]}})",
                                               floatBytes({1, 2, 3}) + "hhhhii");

struct Opened {
  explicit Opened(const std::string &source) : checkpoint(Checkpoint::open(source, diagnostics)) {}
  std::string read(std::string_view name, std::vector<int64_t> shape, int64_t first, size_t count) {
    values.assign(count, 0);
    Diagnostics own;
    return checkpoint->read(name, shape, first, values, own) ? "" : own.render();
  }
  Diagnostics diagnostics;
  std::unique_ptr<Checkpoint> checkpoint;
  std::vector<float> values;
};
} // namespace

TEST(Checkpoint, readsPiecesOfAFile) {
  TemporaryFolder folder;
  folder.put("model.safetensors", twoTensors);
  Opened opened(folder.path);
  ASSERT_TRUE(opened.checkpoint) << opened.diagnostics.render();
  EXPECT_FALSE(opened.checkpoint->isSeeded());
  EXPECT_EQ(opened.checkpoint->names(), (std::vector<std::string>{"half", "i", "w"}));
  EXPECT_EQ(opened.checkpoint->find("w")->shape, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(opened.checkpoint->find("v"), nullptr);
  EXPECT_EQ(opened.read("w", {3, 1}, 1, 2), "");
  EXPECT_EQ(opened.values, (std::vector<float>{2, 3}));
}

TEST(Checkpoint, notesNaN) {
  TemporaryFolder folder;
  folder.put("model.safetensors", safetensorsFile(R"({"w":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})", floatBytes({1, NAN, 3})));
  Diagnostics diagnostics;
  auto checkpoint = Checkpoint::open(folder.path, diagnostics);
  ASSERT_TRUE(checkpoint) << diagnostics.render();
  std::vector<float> values(2);
  EXPECT_TRUE(checkpoint->read("w", std::vector<int64_t>{3}, 1, values, diagnostics));
  EXPECT_TRUE(checkpoint->read("w", std::vector<int64_t>{3}, 0, values, diagnostics));
  EXPECT_FALSE(diagnostics.hasErrors());
  EXPECT_EQ(diagnostics.render(), folder.path + "/model.safetensors: note: tensor 'w' holds NaN\n") << "once a tensor";
}

TEST(Checkpoint, refusesWhatTheFileHasNot) {
  TemporaryFolder folder;
  folder.put("model.safetensors", twoTensors);
  Opened opened(folder.path);
  ASSERT_TRUE(opened.checkpoint);
  EXPECT_THAT(opened.read("v", {3, 1}, 0, 3), HasSubstr("error: tensor 'v' is missing\n"));
  EXPECT_THAT(opened.read("w", {1, 3}, 0, 3), HasSubstr("error: tensor 'w': expected [1, 3], got [3, 1]\n"));
  EXPECT_THAT(opened.read("w", {3, 1}, 2, 2), HasSubstr("error: tensor 'w': 3 elements, 2 from element 2 on were asked for\n"));
  EXPECT_THAT(opened.read("w", {3, 1}, INT64_MAX, 1), HasSubstr("were asked for"));
  EXPECT_THAT(opened.read("half", {2}, 1, 2), HasSubstr("error: tensor 'half': 2 elements, 2 from element 1 on were asked for\n"));
  EXPECT_THAT(opened.read("i", {1}, 0, 1), HasSubstr("error: tensor 'i' is I16: weights other than F32, F16 and BF16 are not built yet\n"));
  Diagnostics own;
  EXPECT_TRUE(opened.checkpoint->holds("half", std::vector<int64_t>{2}, ElementType::F16, own));
  EXPECT_FALSE(opened.checkpoint->holds("half", std::vector<int64_t>{2}, ElementType::F32, own));
  EXPECT_THAT(own.render(), HasSubstr("error: tensor 'half': expected elements of F32, got F16\n"));
}

namespace {
std::string shortBytes(const std::vector<uint16_t> &values) { return {reinterpret_cast<const char *>(values.data()), values.size() * 2}; }
} // namespace

TEST(Checkpoint, widensFloatsOf16Bits) { // one, -2, the largest, the smallest normal, the smallest subnormal, the largest subnormal, infinities, NaN
  TemporaryFolder folder;
  folder.put("model.safetensors",
             safetensorsFile(R"({"b":{"dtype":"BF16","shape":[9],"data_offsets":[18,36]},"h":{"dtype":"F16","shape":[9],"data_offsets":[0,18]}})",
                             shortBytes({0x3C00, 0xC000, 0x7BFF, 0x0400, 0x0001, 0x03FF, 0x7C00, 0xFC00, 0x7E01}) +
                                 shortBytes({0x3F80, 0xC000, 0x7F7F, 0x0080, 0x0001, 0x007F, 0x7F80, 0xFF80, 0x7FC1})));
  Opened opened(folder.path);
  ASSERT_TRUE(opened.checkpoint) << opened.diagnostics.render();
  EXPECT_EQ(opened.read("h", {9}, 0, 9), "");
  EXPECT_TRUE(std::isnan(opened.values.back()));
  opened.values.pop_back();
  EXPECT_EQ(opened.values, (std::vector<float>{1, -2, 65504, 0x1p-14f, 0x1p-24f, 0x3FFp-24f, INFINITY, -INFINITY}));
  EXPECT_EQ(opened.read("b", {9}, 0, 9), "");
  EXPECT_TRUE(std::isnan(opened.values.back()));
  opened.values.pop_back();
  EXPECT_EQ(opened.values, (std::vector<float>{1, -2, 0x1.FEp127f, 0x1p-126f, 0x1p-133f, 0x7Fp-133f, INFINITY, -INFINITY}));
  EXPECT_EQ(opened.read("h", {9}, 3, 2), ""); // a piece
  EXPECT_EQ(opened.values, (std::vector<float>{0x1p-14f, 0x1p-24f}));
}

TEST(ShortFloats, everyOneComesBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    auto stored = static_cast<uint16_t>(bits);
    if (!std::isnan(floatOfHalf(stored)))
      ASSERT_EQ(halfOf(floatOfHalf(stored)), stored);
    if (!std::isnan(floatOfBfloat(stored)))
      ASSERT_EQ(bfloatOf(floatOfBfloat(stored)), stored);
  }
  EXPECT_TRUE(std::isnan(floatOfHalf(halfOf(NAN))) && std::isnan(floatOfBfloat(bfloatOf(NAN))));
}

TEST(ShortFloats, roundOnceToNearestTiesToEven) {
  EXPECT_EQ(halfOf(1 + 0x1p-11), 0x3C00); // a tie: to even
  EXPECT_EQ(halfOf(1 + 0x3p-11), 0x3C02);
  EXPECT_EQ(halfOf(1 + 0x1p-11 + 0x1p-40), 0x3C01); // through f32 this would be a tie
  EXPECT_EQ(halfOf(65519.99), 0x7BFF);
  EXPECT_EQ(halfOf(65520), 0x7C00);
  EXPECT_EQ(halfOf(-1e300), 0xFC00);
  EXPECT_EQ(halfOf(0x1p-25), 0x0000);
  EXPECT_EQ(halfOf(0x1.8p-25), 0x0001);
  EXPECT_EQ(halfOf(0x1.FFFp-15), 0x0400); // the largest subnormal carries into the normal numbers
  EXPECT_EQ(halfOf(-0.0), 0x8000);
  EXPECT_EQ(bfloatOf(1 + 0x1p-8), 0x3F80);
  EXPECT_EQ(bfloatOf(1 + 0x3p-8), 0x3F82);
  EXPECT_EQ(bfloatOf(0x1.FFp127), 0x7F80);
}

TEST(Checkpoint, saysWhatIsMissingInAFolder) {
  TemporaryFolder folder;
  Opened empty(folder.path);
  EXPECT_FALSE(empty.checkpoint);
  EXPECT_EQ(empty.diagnostics.render(), folder.path + ": error: no weights: there is no 'model.safetensors' and no 'model.safetensors.index.json'\n" + folder.path +
                                            ": note: give --weights DIR, or --weights seed:N for made-up weights\n");
  folder.put("model.safetensors.index.json", "{}");
  Opened sharded(folder.path);
  EXPECT_THAT(sharded.diagnostics.render(), HasSubstr("model.safetensors.index.json:1:1: error: no 'weight_map'\n"));
  folder.put("model.safetensors", twoTensors);
  Opened both(folder.path);
  EXPECT_TRUE(both.checkpoint);
  EXPECT_THAT(both.diagnostics.render(), HasSubstr("note: read alone; 'model.safetensors.index.json' beside it is not looked at\n"));
}

TEST(SeededWeights, everyElementIsAFunctionOfNameShapeAndIndex) {
  Opened one("seed:1"), again("seed:1"), two("seed:2");
  ASSERT_TRUE(one.checkpoint && again.checkpoint && two.checkpoint);
  EXPECT_TRUE(one.checkpoint->isSeeded());
  one.read("a.weight", {4, 8}, 0, 32);
  again.read("a.weight", {4, 8}, 10, 5);
  EXPECT_TRUE(std::equal(again.values.begin(), again.values.end(), one.values.begin() + 10));
  two.read("a.weight", {4, 8}, 0, 32);
  EXPECT_NE(one.values, two.values);
  again.read("b.weight", {4, 8}, 0, 32);
  EXPECT_NE(one.values, again.values);
}

TEST(SeededWeights, keepTheirValuesForever) { // computed by a second implementation of the rule; stored results hang on them
  Opened seeded("seed:1");
  ASSERT_TRUE(seeded.checkpoint);
  seeded.read("a.weight", {2, 4}, 0, 3);
  EXPECT_THAT(seeded.values, testing::ElementsAre(-0.421280757f, -0.0271427439f, 0.534833628f));
}

TEST(SeededWeights, scaleFollowsTheShape) {
  Opened seeded("seed:7");
  ASSERT_TRUE(seeded.checkpoint);
  auto moments = [&](std::string_view name, std::vector<int64_t> shape) {
    seeded.read(name, shape, 0, 100'000);
    double sum = 0, squares = 0;
    for (float v : seeded.values)
      sum += v, squares += double(v) * v;
    double mean = sum / 1e5;
    return std::pair(mean, std::sqrt(squares / 1e5 - mean * mean));
  };
  auto [matrixMean, matrixDeviation] = moments("m.weight", {1000, 100});
  EXPECT_NEAR(matrixMean, 0, 0.002);
  EXPECT_NEAR(matrixDeviation, 0.1, 0.002);
  auto [gainMean, gainDeviation] = moments("norm.weight", {100'000});
  EXPECT_NEAR(gainMean, 1, 0.002);
  EXPECT_NEAR(gainDeviation, 0.1, 0.002);
  auto [biasMean, biasDeviation] = moments("norm.bias", {100'000});
  EXPECT_NEAR(biasMean, 0, 0.002);
  EXPECT_NEAR(biasDeviation, 0.1, 0.002);
}

TEST(SeededWeights, refusesWhatIsNoSeed) {
  for (std::string source : {"seed:", "seed:-1", "seed:1x", "seed: 1", "seed:18446744073709551616"}) {
    Opened opened(source);
    EXPECT_FALSE(opened.checkpoint);
    EXPECT_EQ(opened.diagnostics.render(), "error: expected 'seed:' and a whole number below 2^64, got '" + source + "'\n");
  }
}
