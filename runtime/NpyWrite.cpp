#include "runtime/Npy.h"
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace heddle::runtime;

NpyWriter::~NpyWriter() {
  if (descriptor >= 0)
    close(descriptor);
  if (hasName)
    unlink(temporary.data());
}

/// Opens a new file in the folder of the target. Where the file system can, it has no name until commit(), so that not even SIGKILL leaves one. A
/// link is followed, so that it stays a link.
bool NpyWriter::create(const char *path, Failure &failure) {
  char resolved[PATH_MAX];
  struct stat status;
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
    return failure.contents("cannot write %s: it is %s, expected a file", Quoted(path).text(),
                            S_ISDIR(status.st_mode) ? "a folder" : "a device or pipe");
  const char *name = realpath(path, resolved) ? resolved : path;
  int64_t length = static_cast<int64_t>(std::strlen(name)) + 1;
  if (!target.resize(length) || !temporary.resize(length + 32))
    return failure.outOfMemory();
  std::memcpy(target.data(), name, static_cast<size_t>(length));
  std::memcpy(temporary.data(), name, static_cast<size_t>(length));
  char *slash = std::strrchr(temporary.data(), '/');
  if (slash)
    slash[slash == temporary.data()] = 0; // the folder; that of "/x" is "/"
  descriptor = open(slash ? temporary.data() : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor < 0 && !giveName([&] { return descriptor = open(temporary.data(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); }))
    return failure.system("cannot write", path);
  return true;
}

/// Calls `make`, which makes a file called `temporary` or returns a negative number, with names beside the target until one is free.
template <typename Make> bool NpyWriter::giveName(Make make) {
  for (int attempt = 0; attempt < 100 && !hasName; ++attempt) {
    std::snprintf(temporary.data(), static_cast<size_t>(temporary.size()), "%s.%d-%d.part", target.data(), static_cast<int>(getpid()), attempt);
    hasName = make() >= 0;
    if (!hasName && errno != EEXIST)
      break;
  }
  return hasName;
}

bool NpyWriter::writeAll(const void *bytes, int64_t length) {
  const char *next = static_cast<const char *>(bytes);
  while (length > 0) {
    ssize_t wrote = ::write(descriptor, next, static_cast<size_t>(length < (1 << 30) ? length : 1 << 30));
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote < 0)
      return false;
    next += wrote, length -= wrote;
  }
  return true;
}

bool NpyWriter::write(const char *path, int64_t element, int rank, const int64_t *extents, const void *values, Failure &failure) {
  char header[1024];
  const char *type = element == HEDDLE_F32 ? "<f4" : element == HEDDLE_I32 ? "<i4" : "|b1";
  size_t used = static_cast<size_t>(std::snprintf(header + 10, sizeof header - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (", type)) + 10;
  int64_t bytes = element == HEDDLE_BOOL ? 1 : 4;
  for (int axis = 0; axis < rank; ++axis) {
    const char *format = axis == 0 ? "%lld," : axis == 1 ? " %lld" : ", %lld";
    used += static_cast<size_t>(std::snprintf(header + used, sizeof header - used, format, static_cast<long long>(extents[axis])));
    bytes *= extents[axis];
  }
  used += static_cast<size_t>(std::snprintf(header + used, sizeof header - used, "), }"));
  while ((used + 1) % 64 != 0)
    header[used++] = ' ';
  header[used++] = '\n';
  std::memcpy(header, "\x93NUMPY\x01\x00", 8);
  header[8] = static_cast<char>((used - 10) & 0xff);
  header[9] = static_cast<char>((used - 10) >> 8);
  if (!create(path, failure))
    return false;
  bool ok = writeAll(header, static_cast<int64_t>(used)) && writeAll(values, bytes);
  return ok || failure.system("cannot write", path);
}

bool NpyWriter::commit(Failure &failure) {
  char self[64];
  std::snprintf(self, sizeof self, "/proc/self/fd/%d", descriptor);
  bool ok = hasName || giveName([&] { return linkat(AT_FDCWD, self, AT_FDCWD, temporary.data(), AT_SYMLINK_FOLLOW); });
  int reason = errno;
  if (close(descriptor) != 0 && ok) // a full disk may show only here
    ok = false, reason = errno;
  descriptor = -1;
  if (ok && rename(temporary.data(), target.data()) != 0)
    ok = false, reason = errno;
  errno = reason;
  if (!ok)
    return failure.system("cannot write", target.data());
  hasName = false;
  return true;
}
