#include "runtime/Lines.h"
#include "test/unit/support/TemporaryFolder.h"
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

using namespace heddle::runtime;

namespace {

std::vector<std::string> linesOf(const std::string &text) {
  heddle::TemporaryFolder folder;
  int file = open(folder.put("in", text).c_str(), O_RDONLY);
  Lines lines;
  Failure failure;
  EXPECT_TRUE(lines.read(file, failure)) << failure.text;
  close(file);
  std::vector<std::string> result;
  for (int64_t i = 0; i < lines.size(); ++i)
    result.emplace_back(lines[i]);
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

TEST(Lines, SaysWhyItCannotRead) {
  Lines lines;
  Failure failure;
  EXPECT_FALSE(lines.read(-1, failure));
  EXPECT_STREQ(failure.text, "cannot read standard input: Bad file descriptor");
}

} // namespace
