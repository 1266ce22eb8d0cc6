#include "runtime/Output.h"
#include "test/unit/support/TemporaryFolder.h"
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

using namespace heddle::runtime;

namespace {

std::string escaped(std::string_view text) {
  heddle::TemporaryFolder folder;
  int file = open((folder / "out").c_str(), O_WRONLY | O_CREAT, 0600);
  Output out(file);
  Failure failure;
  out.escaped(text);
  EXPECT_TRUE(out.finish(failure));
  close(file);
  return folder.get("out");
}

TEST(Output, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(escaped("größe 我"), "größe 我");
  EXPECT_EQ(escaped("a\x1b[31m\n\t"), "a\\x1b[31m\\x0a\\x09");
  EXPECT_EQ(escaped("\u202e\u2028\u0085"), "\\u{202e}\\u{2028}\\u{85}");
  EXPECT_EQ(escaped("\xff\xc3"), "\\xff\\xc3");
}

TEST(Output, RemembersAFailedWrite) {
  int full = open("/dev/full", O_WRONLY);
  Output out(full);
  Failure failure;
  out.write(std::string(100'000, 'x'));
  EXPECT_FALSE(out.finish(failure));
  EXPECT_STREQ(failure.text, "cannot write standard output: No space left on device");
  EXPECT_EQ(failure.code, 1);
  close(full);
}

TEST(Output, IsQuietWhenTheReaderHasGone) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  std::signal(SIGPIPE, SIG_IGN);
  Output out(ends[1]);
  Failure failure;
  out.write("x");
  EXPECT_FALSE(out.finish(failure));
  EXPECT_EQ(failure.code, 1);
  EXPECT_STREQ(failure.text, "");
  close(ends[1]);
}

TEST(Failure, CutsLongNames) {
  std::string name(5000, 'x');
  EXPECT_EQ(std::string(Quoted(name).text()).size() < 330, true);
  EXPECT_TRUE(std::string(Quoted(name).text()).ends_with("...'"));
  EXPECT_STREQ(Quoted("").text(), "''");
}

} // namespace
