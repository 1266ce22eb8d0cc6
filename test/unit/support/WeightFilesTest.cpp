#include "compiler/support/WeightFiles.h"
#include "SafetensorsFile.h"
#include "TemporaryFolder.h"
#include "compiler/support/Checkpoint.h"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle;
using testing::AllOf;
using testing::HasSubstr;

namespace {
/// A file of one vector of two floats for each name: its place in `names`, and 1 / 2.
std::string fileOf(const std::vector<std::string> &names) {
  std::string header, data;
  for (size_t i = 0; i < names.size(); ++i) {
    header += fmt::format(R"({}"{}":{{"dtype":"F32","shape":[2],"data_offsets":[{},{}]}})", i ? "," : "", names[i], 8 * i, 8 * i + 8);
    data += floatBytes({float(i), 0.5});
  }
  return safetensorsFile("{" + header + "}", data);
}

struct Shards : testing::Test {
  Shards() {
    folder.put("one", fileOf({"a", "c"}));
    folder.put("two", fileOf({"b"}));
  }
  void index(std::string_view map) { folder.put("model.safetensors.index.json", fmt::format("{{\n\"weight_map\": {}}}", map)); }
  /// What is said when the folder is opened, with the folder's name taken out.
  std::string said() {
    Diagnostics diagnostics;
    checkpoint = Checkpoint::open(folder.path, diagnostics);
    EXPECT_EQ(checkpoint == nullptr, diagnostics.hasErrors());
    std::string text = diagnostics.render();
    for (size_t at; (at = text.find(folder.path + "/")) != text.npos;)
      text.erase(at, folder.path.size() + 1);
    return text;
  }
  std::unique_ptr<Checkpoint> checkpoint;
  TemporaryFolder folder;
};
constexpr const char *threeTensors = R"({"b": "two", "a": "one", "c": "one"})";
} // namespace

TEST_F(Shards, areReadAsOne) {
  index(threeTensors);
  EXPECT_EQ(said(), "");
  ASSERT_TRUE(checkpoint);
  EXPECT_EQ(checkpoint->names(), (std::vector<std::string>{"a", "b", "c"}));
  Diagnostics diagnostics;
  std::vector<float> values(2);
  EXPECT_TRUE(checkpoint->read("c", std::vector<int64_t>{2}, 0, values, diagnostics));
  EXPECT_EQ(values, (std::vector<float>{1, 0.5}));
  EXPECT_TRUE(checkpoint->read("b", std::vector<int64_t>{2}, 1, std::span(values).first(1), diagnostics));
  EXPECT_EQ(values[0], 0.5);
}

TEST_F(Shards, messagesAboutATensorNameItsFile) {
  index(threeTensors);
  said();
  ASSERT_TRUE(checkpoint);
  EXPECT_EQ(checkpoint->source(), folder / "model.safetensors.index.json");
  EXPECT_EQ(checkpoint->fileOf("b"), folder / "two");
  EXPECT_EQ(checkpoint->fileOf("d"), checkpoint->source());
  Diagnostics diagnostics;
  EXPECT_FALSE(checkpoint->read("b", std::vector<int64_t>{3}, 0, {}, diagnostics));
  EXPECT_FALSE(checkpoint->read("d", std::vector<int64_t>{3}, 0, {}, diagnostics));
  EXPECT_THAT(diagnostics.render(), AllOf(HasSubstr("/two: error: tensor 'b': expected [3], got [2]\n"),
                                          HasSubstr("/model.safetensors.index.json: error: tensor 'd' is missing\n")));
}

TEST_F(Shards, mayLieInFoldersAndHaveTwoNames) {
  std::filesystem::create_directory(folder / "more");
  folder.put("more/three", fileOf({"d"}));
  index(R"({"b": "two", "a": "one", "c": "more/.././one", "d": "more/three"})");
  EXPECT_THAT(said(), HasSubstr("index.json:2:45: error: tensor 'c': expected the name of a file inside the folder, got \"more/.././one\"\n"));
  index(R"({"b": "two", "a": "one", "c": "./one", "d": "more/three"})");
  EXPECT_EQ(said(), "");
}

TEST_F(Shards, thatAreMissingAreNamedOnceEach) { // B104
  index(R"({"a": "one", "x": "three", "y": "three", "z": "four"})");
  std::string text = said();
  EXPECT_THAT(text,
              AllOf(HasSubstr("index.json:2:33: error: 'three' is missing\n"), HasSubstr("note: 2 tensors are said to lie in it, the first is 'x'\n"),
                    HasSubstr("index.json:2:61: error: 'four' is missing\n"), HasSubstr("note: 1 tensor is said to lie in it, the first is 'z'\n")));
}

TEST_F(Shards, holdWhatTheIndexSays) {
  index(R"({"b": "one", "a": "one", "cc": "two"})");
  EXPECT_THAT(said(), AllOf(HasSubstr("index.json:2:21: error: tensor 'b' is not in 'one'\n"), HasSubstr("note: it is in 'two'\n"),
                            HasSubstr("index.json:2:46: error: tensor 'cc' is not in 'two'\n")));
  folder.put("two", fileOf({"b", "c"}));
  index(threeTensors);
  EXPECT_THAT(said(), HasSubstr("index.json:2:45: error: tensor 'c' lies in two files: 'one' and 'two'\n"));
}

TEST_F(Shards, showOnlyWhatTheIndexNames) {
  index(R"({"c": "one", "b": "two"})");
  EXPECT_EQ(said(), "model.safetensors.index.json: note: tensors of its files that it does not name are not seen: 1, the first is 'a'\n");
  ASSERT_TRUE(checkpoint);
  EXPECT_EQ(checkpoint->names(), (std::vector<std::string>{"b", "c"}));
}

TEST_F(Shards, stayInTheFolder) {
  TemporaryFolder elsewhere;
  std::filesystem::create_symlink(elsewhere.put("two", fileOf({"b"})), folder / "link");
  index(R"({"b": "link"})");
  EXPECT_THAT(said(),
              HasSubstr("index.json:2:21: error: 'link' leads out of the folder, to '" + std::filesystem::canonical(elsewhere / "two").string()));
  std::filesystem::remove(folder / "link");
  std::filesystem::create_symlink("two", folder / "link");
  EXPECT_EQ(said(), "");
}

TEST_F(Shards, ofASnapshotLieAmongTheBlobs) { // how a hub's client keeps what it has fetched
  std::filesystem::create_directories(folder / "blobs");
  std::filesystem::create_directories(folder / "snapshots/1");
  folder.put("blobs/2b", fileOf({"b"}));
  std::filesystem::create_symlink("../../blobs/2b", folder / "snapshots/1/two");
  std::filesystem::create_symlink("../../one", folder / "snapshots/1/one");
  folder.put("snapshots/1/model.safetensors.index.json", R"({"weight_map": {"b": "two"}})");
  Diagnostics diagnostics;
  EXPECT_TRUE(Checkpoint::open(folder / "snapshots/1", diagnostics)) << diagnostics.render();
  folder.put("snapshots/1/model.safetensors.index.json", R"({"weight_map": {"a": "one"}})");
  EXPECT_FALSE(Checkpoint::open(folder / "snapshots/1", diagnostics));
  EXPECT_THAT(diagnostics.render(), HasSubstr("/one' leads out of the folder, to '"));
}
