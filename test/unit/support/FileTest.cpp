#include "compiler/support/File.h"
#include "TemporaryFolder.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace heddle;
using testing::HasSubstr;

namespace {
std::string refusedReading(const std::string &path, uint64_t limit = 1 << 20) {
  Diagnostics diagnostics;
  EXPECT_FALSE(readFile(path, limit, diagnostics).has_value());
  return diagnostics.render();
}

mode_t rightsOf(const std::string &path) {
  struct stat status{};
  ::stat(path.c_str(), &status);
  return status.st_mode & 07777;
}

/// Writes beyond this size fail with EFBIG, as a full disk fails with ENOSPC.
class FileSizeLimit {
public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old);
    rlimit limit{bytes, old.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &old); }

private:
  rlimit old{};
};
} // namespace

TEST(ReadFile, readsWholeFiles) {
  TemporaryFolder folder;
  Diagnostics diagnostics;
  EXPECT_EQ(readFile(folder.put("a", std::string("x\0y", 3)), 3, diagnostics), std::string("x\0y", 3));
  EXPECT_EQ(readFile(folder.put("empty", ""), 0, diagnostics), "");
}

TEST(ReadFile, refusesWhatIsNoFileWithoutWaiting) {
  TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  ASSERT_EQ(::symlink("loop", (folder / "loop").c_str()), 0);
  EXPECT_THAT(refusedReading(folder / "fifo"), HasSubstr("fifo: error: expected a file, got a FIFO\n"));
  EXPECT_THAT(refusedReading(folder.path), HasSubstr("error: expected a file, got a folder\n"));
  EXPECT_THAT(refusedReading("/dev/zero"), HasSubstr("/dev/zero: error: expected a file, got a device\n"));
  EXPECT_THAT(refusedReading(folder / "loop"), HasSubstr("cannot open: Too many levels of symbolic links"));
  EXPECT_THAT(refusedReading(folder / "none"), HasSubstr("none: error: cannot open: No such file or directory\n"));
  EXPECT_THAT(refusedReading(std::string("a\0b", 3)), HasSubstr("holds a NUL"));
}

TEST(ReadFile, refusesTooLarge) {
  TemporaryFolder folder;
  std::string path = folder.put("big", "");
  ASSERT_EQ(::truncate(path.c_str(), int64_t(1) << 40), 0); // a terabyte of holes: nothing may be allocated for it
  EXPECT_THAT(refusedReading(path, 1000), HasSubstr("too large: 1099511627776 bytes, at most 1000 are read"));
}

TEST(InputFile, readsPiecesAndNoticesTheEnd) {
  TemporaryFolder folder;
  Diagnostics diagnostics;
  auto file = InputFile::open(folder.put("a", "0123456789"), diagnostics);
  ASSERT_TRUE(file);
  char piece[4];
  EXPECT_TRUE(file->read(6, piece, diagnostics));
  EXPECT_EQ(std::string(piece, 4), "6789");
  EXPECT_FALSE(file->read(7, piece, diagnostics));
  EXPECT_FALSE(file->read(UINT64_MAX, piece, diagnostics));
  ASSERT_EQ(::truncate(file->path().c_str(), 5), 0); // shrinks while it is open
  EXPECT_FALSE(file->read(4, piece, diagnostics));
  EXPECT_THAT(diagnostics.render(), HasSubstr("cannot read: the file ends before byte"));
}

TEST(OutputFile, appearsWholeOnCommit) {
  TemporaryFolder folder;
  Diagnostics diagnostics;
  folder.put("a", "old");
  {
    auto file = OutputFile::create(folder / "a", false, diagnostics);
    ASSERT_TRUE(file);
    file->write("head");
    file->align(8);
    file->write("tail");
    file->writeAt(0, "H");
    EXPECT_EQ(file->size(), 12u);
    EXPECT_EQ(folder.get("a"), "old");
    EXPECT_TRUE(file->commit(diagnostics));
  }
  EXPECT_EQ(folder.get("a"), std::string("Head\0\0\0\0tail", 12));
  EXPECT_EQ(folder.count(), 1u);
  EXPECT_FALSE(diagnostics.hasErrors());
}

TEST(OutputFile, withoutCommitNothingHappened) {
  TemporaryFolder folder;
  Diagnostics diagnostics;
  folder.put("a", "old");
  OutputFile::create(folder / "a", false, diagnostics)->write("new");
  OutputFile::create(folder / "b", false, diagnostics)->write("new");
  EXPECT_EQ(folder.get("a"), "old");
  EXPECT_EQ(folder.count(), 1u);
}

TEST(OutputFile, rightsComeFromTheUmask) {
  TemporaryFolder folder;
  Diagnostics diagnostics;
  mode_t old = ::umask(027);
  EXPECT_TRUE(writeFile(folder / "data", "x", false, diagnostics));
  EXPECT_TRUE(writeFile(folder / "program", "x", true, diagnostics));
  ::umask(old);
  EXPECT_EQ(rightsOf(folder / "data"), 0640u);
  EXPECT_EQ(rightsOf(folder / "program"), 0750u);
}

TEST(OutputFile, aFullDiskLeavesTheOldFile) {
  TemporaryFolder folder;
  Diagnostics diagnostics;
  folder.put("a", "old");
  std::string large(100'000, 'x');
  {
    FileSizeLimit limit(50'000);
    EXPECT_FALSE(writeFile(folder / "a", large, false, diagnostics));
  }
  EXPECT_THAT(diagnostics.render(), HasSubstr("a: error: cannot write: File too large\n"));
  EXPECT_EQ(folder.get("a"), "old");
  EXPECT_EQ(folder.count(), 1u);
}

TEST(OutputFile, refusesTargetsThatAreNoFiles) {
  TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  ASSERT_EQ(::symlink("nowhere", (folder / "dangling").c_str()), 0);
  for (std::string path :
       {std::string("/dev/null"), folder.path, folder / "fifo", folder / "dangling", folder / "no/such", std::string(), folder / "x/"}) {
    Diagnostics diagnostics;
    EXPECT_FALSE(OutputFile::create(path, false, diagnostics).has_value());
    EXPECT_THAT(diagnostics.render(), HasSubstr("error: cannot write: ")) << path;
  }
}

TEST(OutputFile, followsALink) {
  TemporaryFolder folder;
  Diagnostics diagnostics;
  folder.put("real", "old");
  ASSERT_EQ(::symlink("real", (folder / "link").c_str()), 0);
  EXPECT_TRUE(writeFile(folder / "link", "new", false, diagnostics));
  EXPECT_EQ(folder.get("real"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
}
