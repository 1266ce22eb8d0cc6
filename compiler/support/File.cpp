// Reading and writing files. See File.h.
#include "compiler/support/File.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <mutex>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace heddle {

namespace {
const char *kindOf(mode_t mode) {
  switch (mode & S_IFMT) {
  case S_IFDIR:
    return "a folder";
  case S_IFIFO:
    return "a FIFO";
  case S_IFCHR:
  case S_IFBLK:
    return "a device";
  case S_IFSOCK:
    return "a socket";
  default:
    return "no regular file";
  }
}

template <class Call> auto retried(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR)
    result = call();
  return result;
}
} // namespace

std::optional<InputFile> InputFile::open(const std::string &path, Diagnostics &diagnostics) {
  auto fail = [&](std::string reason) {
    diagnostics.error({path, 0, 0}, std::move(reason));
    return std::nullopt;
  };
  if (path.find('\0') != std::string::npos)
    return fail("cannot open: the name holds a NUL");
  // Looked at before it is opened: opening a device may already do something. Looked at again afterwards: it may have been exchanged.
  struct stat status;
  if (::stat(path.c_str(), &status) != 0)
    return fail(fmt::format("cannot open: {}", std::strerror(errno)));
  if (!S_ISREG(status.st_mode))
    return fail(fmt::format("expected a file, got {}", kindOf(status.st_mode)));
  int descriptor = retried([&] { return ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC); });
  if (descriptor < 0)
    return fail(fmt::format("cannot open: {}", std::strerror(errno)));
  InputFile file(path, descriptor, 0);
  if (::fstat(descriptor, &status) != 0)
    return fail(fmt::format("cannot open: {}", std::strerror(errno)));
  if (!S_ISREG(status.st_mode))
    return fail(fmt::format("expected a file, got {}", kindOf(status.st_mode)));
  file.bytes = static_cast<uint64_t>(status.st_size);
  return file;
}

InputFile::InputFile(InputFile &&other) noexcept : name(std::move(other.name)), descriptor(std::exchange(other.descriptor, -1)), bytes(other.bytes) {}

InputFile &InputFile::operator=(InputFile &&other) noexcept {
  std::swap(name, other.name);
  std::swap(descriptor, other.descriptor);
  std::swap(bytes, other.bytes);
  return *this;
}

InputFile::~InputFile() {
  if (descriptor >= 0)
    ::close(descriptor);
}

bool InputFile::read(uint64_t offset, std::span<char> to, Diagnostics &diagnostics) const {
  while (!to.empty()) {
    ssize_t got = -1;
    if (offset > bytes || to.size() > bytes - offset)
      got = 0;
    else
      got = retried([&] { return ::pread(descriptor, to.data(), to.size(), static_cast<off_t>(offset)); });
    if (got <= 0) {
      diagnostics.error({name, 0, 0}, got < 0 ? fmt::format("cannot read: {}", std::strerror(errno))
                                              : fmt::format("cannot read: the file ends before byte {}", offset + to.size()));
      return false;
    }
    offset += static_cast<uint64_t>(got);
    to = to.subspan(static_cast<size_t>(got));
  }
  return true;
}

bool isThere(const std::string &path) {
  struct stat status;
  return ::lstat(path.c_str(), &status) == 0 || errno == EACCES; // what must not be looked at may be there
}

std::optional<std::string> readFile(const std::string &path, uint64_t limit, Diagnostics &diagnostics) {
  auto file = InputFile::open(path, diagnostics);
  if (!file)
    return std::nullopt;
  if (file->size() > limit) {
    diagnostics.error({path, 0, 0}, fmt::format("too large: {} bytes, at most {} are read", file->size(), limit));
    return std::nullopt;
  }
  std::string text(file->size(), '\0');
  if (!file->read(0, text, diagnostics))
    return std::nullopt;
  return text;
}

namespace {
std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash ? path.substr(0, slash) : "/";
}

/// Names of temporary files that exist. Threads that add and drop wait for each other; a handler of signals takes names out at any time.
std::array<std::atomic<char *>, 16> unfinished;
std::mutex changingUnfinished;

void addUnfinished(const std::string &path) {
  std::lock_guard lock(changingUnfinished);
  char *none = nullptr, *name = ::strdup(path.c_str());
  if (std::ranges::none_of(unfinished, [&](auto &place) { return none = nullptr, place.compare_exchange_strong(none, name); }))
    std::free(name); // so many at once: their names do not survive a failure, but do a signal
}

void dropUnfinished(const std::string &path) {
  std::lock_guard lock(changingUnfinished);
  for (auto &place : unfinished)
    if (char *name = place; name && path == name) {
      if (place.compare_exchange_strong(name, nullptr))
        std::free(name);
      return;
    }
}

/// A name beside the target that nobody guesses; the target's own name stays recognisable.
std::string besides(const std::string &target) {
  uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random)
    random = static_cast<uint64_t>(::getpid());
  std::string name = target.substr(target.rfind('/') + 1);
  return fmt::format("{}/.{}.{:016x}.part", folderOf(target), name.substr(0, 200), random);
}

std::string procName(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

/// A file without a name in `folder`, or -1 where the file system or a missing /proc does not allow one.
int openNameless(const std::string &folder, mode_t mode) {
  int descriptor = retried([&] { return ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode); });
  if (descriptor >= 0 && ::access(procName(descriptor).c_str(), F_OK) != 0) {
    ::close(descriptor);
    return -1;
  }
  return descriptor;
}

/// `path` with links followed, where it or at least its folder exists.
std::string followLinks(const std::string &path) {
  char resolved[PATH_MAX];
  if (::realpath(path.c_str(), resolved))
    return resolved;
  return path;
}
} // namespace

std::optional<OutputFile> OutputFile::create(const std::string &path, bool executable, Diagnostics &diagnostics) {
  auto fail = [&](std::string reason) {
    diagnostics.error({path, 0, 0}, std::move(reason));
    return std::nullopt;
  };
  if (path.empty() || path.back() == '/' || path.find('\0') != std::string::npos)
    return fail("cannot write: no file name");
  OutputFile file;
  file.shown = path;
  file.target = followLinks(path);
  struct stat status;
  if (::stat(file.target.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode))
      return fail(fmt::format("cannot write: expected a file or nothing there, got {}", kindOf(status.st_mode)));
  } else if (errno != ENOENT) {
    return fail(fmt::format("cannot write: {}", std::strerror(errno)));
  } else if (::lstat(file.target.c_str(), &status) == 0) {
    return fail("cannot write: a link that leads nowhere");
  }
  mode_t mode = executable ? 0777 : 0666; // the system takes the umask off
  file.descriptor = openNameless(folderOf(file.target), mode);
  for (int attempt = 0; file.descriptor < 0 && attempt < 8; ++attempt) {
    file.temporary = besides(file.target);
    addUnfinished(file.temporary); // before it exists: a signal may come in between
    file.descriptor = retried([&] { return ::open(file.temporary.c_str(), O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, mode); });
    if (file.descriptor < 0) {
      int reason = errno;
      dropUnfinished(file.temporary);
      file.temporary.clear();
      if (reason != EEXIST)
        return fail(fmt::format("cannot write: {}", std::strerror(reason)));
    }
  }
  if (file.descriptor < 0)
    return fail("cannot write: no free name for a temporary file");
  return file;
}

OutputFile::OutputFile(OutputFile &&other) noexcept
    : shown(std::move(other.shown)), target(std::move(other.target)), temporary(std::exchange(other.temporary, {})),
      descriptor(std::exchange(other.descriptor, -1)), failure(other.failure), bytes(other.bytes) {}

OutputFile &OutputFile::operator=(OutputFile &&other) noexcept {
  std::swap(shown, other.shown);
  std::swap(target, other.target);
  std::swap(temporary, other.temporary);
  std::swap(descriptor, other.descriptor);
  std::swap(failure, other.failure);
  std::swap(bytes, other.bytes);
  return *this;
}

OutputFile::~OutputFile() { close(); }

void OutputFile::close() {
  if (descriptor >= 0)
    ::close(std::exchange(descriptor, -1));
  if (!temporary.empty()) {
    ::unlink(temporary.c_str());
    dropUnfinished(temporary);
  }
  temporary.clear();
}

bool OutputFile::put(uint64_t offset, std::string_view from) {
  while (!from.empty() && !failure) {
    size_t piece = std::min<size_t>(from.size(), 1 << 30);
    ssize_t written = retried([&] { return ::pwrite(descriptor, from.data(), piece, static_cast<off_t>(offset)); });
    if (written <= 0) {
      failure = written < 0 ? errno : EIO;
      break;
    }
    offset += static_cast<uint64_t>(written);
    from.remove_prefix(static_cast<size_t>(written));
  }
  return !failure;
}

void OutputFile::keepRights() {
  struct stat status;
  if (::stat(target.c_str(), &status) != 0)
    return;
  bool ours = ::fchown(descriptor, status.st_uid, status.st_gid) == 0; // only root may give a file away
  if (::fchmod(descriptor, status.st_mode & (ours ? 07777 : 0777)) != 0)
    failure = failure ? failure : errno;
}

bool OutputFile::write(std::string_view from) {
  if (!put(bytes, from))
    return false;
  bytes += from.size();
  return true;
}

bool OutputFile::writeAt(uint64_t offset, std::string_view from) {
  if (offset > bytes || from.size() > bytes - offset)
    failure = failure ? failure : EINVAL;
  return put(offset, from);
}

bool OutputFile::align(uint64_t alignment) {
  static constexpr char zeros[4096] = {};
  for (uint64_t missing = (alignment - bytes % alignment) % alignment; missing && !failure;) {
    size_t piece = std::min<uint64_t>(missing, sizeof zeros);
    write({zeros, piece});
    missing -= piece;
  }
  return !failure;
}

/// Gives the file the target's name. One without a name takes it where it is free; it cannot be linked over another and gets a temporary name first.
bool OutputFile::replaceTarget() {
  auto link = [&](const std::string &name) {
    return ::linkat(AT_FDCWD, procName(descriptor).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (temporary.empty() && link(target))
    return true;
  for (int attempt = 0; temporary.empty(); ++attempt) {
    std::string name = besides(target);
    addUnfinished(name);
    if (link(name)) {
      temporary = name;
      break;
    }
    int reason = errno;
    dropUnfinished(name);
    errno = reason;
    if (reason != EEXIST || attempt == 8)
      return false;
  }
  if (::rename(temporary.c_str(), target.c_str()) != 0)
    return false;
  dropUnfinished(temporary);
  temporary.clear();
  return true;
}

void removeUnfinishedOutputs() {
  for (auto &place : unfinished)
    if (char *name = place.exchange(nullptr))
      ::unlink(name);
}

bool OutputFile::commit(Diagnostics &diagnostics) {
  auto check = [&](bool fine) {
    if (!fine && !failure)
      failure = errno;
    return !failure;
  };
  if (!failure && check(::fsync(descriptor) == 0) && check(replaceTarget()))
    check(::close(std::exchange(descriptor, -1)) == 0);
  if (failure)
    diagnostics.error({shown, 0, 0}, fmt::format("cannot write: {}", std::strerror(failure)));
  else if (int folder = ::open(folderOf(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); folder >= 0) {
    ::fsync(folder); // so that the name is on disk too; not every file system can, and the contents are safe either way
    ::close(folder);
  }
  close();
  return !failure;
}

bool writeFile(const std::string &path, std::string_view contents, bool executable, Diagnostics &diagnostics) {
  auto file = OutputFile::create(path, executable, diagnostics);
  if (!file)
    return false;
  file->write(contents);
  return file->commit(diagnostics);
}

} // namespace heddle
