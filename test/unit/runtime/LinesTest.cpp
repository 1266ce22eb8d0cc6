#include "runtime/Lines.h"
#include "test/unit/support/TemporaryFolder.h"
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

using namespace heddle::runtime;

namespace {

std::vector<std::string> linesOf(const std::string &text, int64_t most = 1000) {
  heddle::TemporaryFolder folder;
  int file = open(folder.put("in", text).c_str(), O_RDONLY);
  Lines lines(file, "in");
  Failure failure;
  std::vector<std::string> result;
  do {
    EXPECT_TRUE(lines.next(most, failure)) << failure.text;
    EXPECT_LE(lines.size(), most);
    for (int64_t i = 0; i < lines.size(); ++i) {
      result.emplace_back(lines[i]);
      EXPECT_EQ(lines.number(i), static_cast<int64_t>(result.size()));
    }
  } while (lines.size() > 0);
  close(file);
  return result;
}

TEST(Lines, EndAtLineFeeds) {
  using testing::ElementsAre;
  EXPECT_THAT(linesOf("a\nb\n"), ElementsAre("a", "b"));
  EXPECT_THAT(linesOf("a\nb"), ElementsAre("a", "b"));
  EXPECT_THAT(linesOf(""), ElementsAre());
  EXPECT_THAT(linesOf("\n\na"), ElementsAre("", "", "a"));
  EXPECT_THAT(linesOf("a\r\nb\r\n"), ElementsAre("a", "b"));
  EXPECT_EQ(linesOf(std::string(1'000'000, 'x')).at(0).size(), 1'000'000U);
}

TEST(Lines, ComeInBatches) {
  std::string text;
  std::vector<std::string> expected;
  for (int i = 0; i < 30'000; ++i) {
    expected.push_back(std::to_string(i) + std::string(static_cast<size_t>(i % 37), '.'));
    text += expected.back() + "\n";
  }
  EXPECT_EQ(linesOf(text, 7), expected);
  EXPECT_EQ(linesOf(text, 1), expected);
  text.pop_back();
  EXPECT_EQ(linesOf(text, 256), expected);
}

TEST(Lines, AreThereBeforeTheInputEnds) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Lines lines(ends[0], "in");
  Failure failure;
  ASSERT_EQ(write(ends[1], "a\nb\nc", 5), 5);
  ASSERT_TRUE(lines.next(100, failure));
  EXPECT_EQ(lines.size(), 2);
  ASSERT_EQ(write(ends[1], "d\n", 2), 2);
  ASSERT_TRUE(lines.next(100, failure));
  ASSERT_EQ(lines.size(), 1);
  EXPECT_EQ(lines[0], "cd");
  EXPECT_EQ(lines.number(0), 3);
  close(ends[1]);
  ASSERT_TRUE(lines.next(100, failure));
  EXPECT_EQ(lines.size(), 0);
  close(ends[0]);
}

TEST(Lines, OfTheCommandLineComeInBatchesToo) {
  Array<const char *> words;
  Failure failure;
  for (const char *word : {"a", "b", "c"})
    ASSERT_TRUE(words.push(word));
  Lines lines(words);
  ASSERT_TRUE(lines.next(2, failure));
  ASSERT_EQ(lines.size(), 2);
  EXPECT_EQ(lines[1], "b");
  ASSERT_TRUE(lines.next(2, failure));
  ASSERT_EQ(lines.size(), 1);
  EXPECT_EQ(lines.number(0), 3);
  ASSERT_TRUE(lines.next(2, failure));
  EXPECT_EQ(lines.size(), 0);
}

TEST(Lines, SaysWhyItCannotRead) {
  Lines lines(-1, "in");
  Failure failure;
  EXPECT_FALSE(lines.next(1, failure));
  EXPECT_STREQ(failure.text, "cannot read: 'in': Bad file descriptor");
}

} // namespace
