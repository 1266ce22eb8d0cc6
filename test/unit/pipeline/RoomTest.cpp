// What cannot be written is refused before anything is allocated.
#include "compiler/pipeline/Room.h"
#include "gmock/gmock.h"

using namespace heddle;
using testing::HasSubstr;

TEST(Room, RefusesAWeightBeyondMemory) {
  ModelInfo info;
  WeightInfo weight;
  weight.name = "h.0.mlp";
  weight.bytes = int64_t(1) << 60;
  info.weights = {weight};
  Diagnostics diagnostics;
  EXPECT_FALSE(hasRoom(info, "/tmp/out", diagnostics));
  EXPECT_THAT(diagnostics.render(), HasSubstr("weight 'h.0.mlp' has 1152921504606846976 bytes"));
}

TEST(Room, RefusesASectionBeyondTheDisk) {
  ModelInfo info;
  info.sectionBytes = int64_t(1) << 60;
  Diagnostics diagnostics;
  EXPECT_FALSE(hasRoom(info, "/tmp/out", diagnostics));
  EXPECT_THAT(diagnostics.render(), HasSubstr("/tmp/out: error: no room: the weights take 1152921504606846976 bytes"));
}

TEST(Room, AcceptsWhatFits) {
  ModelInfo info;
  info.sectionBytes = 4096;
  Diagnostics diagnostics;
  EXPECT_TRUE(hasRoom(info, "out", diagnostics)); // a name in the current folder
  EXPECT_FALSE(diagnostics.hasErrors());
}
