// generation_config.json: settings of tasks are looked for there first, the mathematics of a model never.
#include "compiler/frontend/Configuration.h"
#include "test/unit/support/TemporaryFolder.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::frontend;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {
struct GenerationConfig : testing::Test {
  Configuration load(std::vector<std::string> settings = {}) {
    std::optional<Configuration> loaded = Configuration::load(folder.path, settings, diagnostics);
    EXPECT_TRUE(loaded) << diagnostics.render();
    return std::move(loaded).value();
  }
  std::optional<std::vector<int64_t>> ends(std::vector<std::string> settings = {}) {
    return load(settings).findTokenIds("eos_token_id", diagnostics);
  }
  TemporaryFolder folder;
  Diagnostics diagnostics;
};
} // namespace

TEST_F(GenerationConfig, comesFirstForTasksAlone) {
  folder.put("config.json", R"({"eos_token_id": 1, "pad_token_id": 5, "max_length": 20})");
  folder.put("generation_config.json", R"({"eos_token_id": 2, "pad_token_id": null, "num_beams": 4})");
  Configuration configuration = load();
  EXPECT_EQ(*configuration.find("eos_token_id")->value->integer(), 1);
  EXPECT_FALSE(configuration.find("num_beams"));
  auto found = configuration.findForTasks("eos_token_id");
  EXPECT_EQ(*found->value->integer(), 2);
  EXPECT_EQ(found->place.file, folder / "generation_config.json");
  EXPECT_EQ(found->place.column, 18u);
  EXPECT_EQ(*configuration.findForTasks("pad_token_id")->value->integer(), 5) << "null counts as absent";
  EXPECT_EQ(*configuration.findForTasks("max_length")->value->integer(), 20);
  EXPECT_FALSE(configuration.findForTasks("bos_token_id"));
}

TEST_F(GenerationConfig, givesWayToWhatIsSetByHand) {
  folder.put("generation_config.json", R"({"eos_token_id": 2})");
  EXPECT_THAT(*ends({"eos_token_id=3"}), ElementsAre(3));
  EXPECT_THAT(*ends({"eos_token_id=[3, 4]"}), ElementsAre(3, 4));
  EXPECT_FALSE(ends({"eos_token_id=null"}));
  EXPECT_FALSE(diagnostics.hasErrors());
}

TEST_F(GenerationConfig, mayListIds) {
  folder.put("config.json", R"({"eos_token_id": 1})");
  EXPECT_THAT(*ends(), ElementsAre(1));
  folder.put("generation_config.json", R"({"eos_token_id": [128001, 128009, 128001]})");
  EXPECT_THAT(*ends(), ElementsAre(128001, 128009));
  folder.put("generation_config.json", R"({"eos_token_id": []})");
  EXPECT_TRUE(ends()->empty());
  EXPECT_FALSE(diagnostics.hasErrors());
}

TEST_F(GenerationConfig, refusesWhatIsNoId) {
  folder.put("generation_config.json", R"({"eos_token_id": [2, 2.5]})");
  EXPECT_FALSE(ends());
  EXPECT_THAT(diagnostics.render(),
              HasSubstr("generation_config.json:1:22: error: 'eos_token_id': expected the id of a token or a list of ids, got 2.5"));
  folder.put("generation_config.json", R"({"eos_token_id": "</s>"})");
  EXPECT_FALSE(ends());
  EXPECT_THAT(diagnostics.render(),
              HasSubstr("generation_config.json:1:18: error: 'eos_token_id': expected the id of a token or a list of ids, got \"</s>\""));
  EXPECT_FALSE(ends({"eos_token_id=true"}));
  EXPECT_THAT(diagnostics.render(), HasSubstr("--set eos_token_id=true: error: 'eos_token_id': expected the id of a token"));
}

TEST_F(GenerationConfig, isReadWhole) {
  folder.put("generation_config.json", "[]");
  EXPECT_FALSE(Configuration::load(folder.path, {}, diagnostics));
  EXPECT_THAT(diagnostics.render(), HasSubstr("generation_config.json:1:1: error: expected an object with configuration keys, got a list"));
}
