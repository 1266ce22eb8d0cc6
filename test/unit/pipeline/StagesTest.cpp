// The table of stages and what the words of --emit= are.
#include "compiler/pipeline/Stages.h"
#include "gmock/gmock.h"

using namespace heddle;
using testing::ElementsAre;

TEST(Stages, EmitWordsFollowTheData) {
  EXPECT_THAT(emitNames(), ElementsAre("heddle", "graph", "linalg", "loops", "memory", "llvm", "asm", "obj", "exe"));
}

TEST(Stages, PerTargetStagesComeLast) {
  bool seen = false;
  for (const Stage &stage : stages()) {
    EXPECT_TRUE(stage.perTarget || !seen) << stage.word.str();
    seen |= stage.perTarget;
  }
  EXPECT_TRUE(seen);
}
