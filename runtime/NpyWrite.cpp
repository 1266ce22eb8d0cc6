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
  if (!temporary.empty())
    unlink(temporary.data());
}

/// Opens a new file beside the target; on success `temporary` holds its name, else the result is -1. A link is followed, so that it stays a link.
int NpyWriter::create(const char *path, Failure &failure) {
  char resolved[PATH_MAX];
  struct stat status;
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
    return failure.contents("cannot write %s: it is %s, expected a file", Quoted(path).text(),
                            S_ISDIR(status.st_mode) ? "a folder" : "a device or pipe"),
           -1;
  const char *name = realpath(path, resolved) ? resolved : path;
  int64_t length = static_cast<int64_t>(std::strlen(name)) + 1;
  if (!target.resize(length) || !temporary.resize(length + 32))
    return temporary.clear(), failure.outOfMemory(), -1;
  std::memcpy(target.data(), name, static_cast<size_t>(length));
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::snprintf(temporary.data(), static_cast<size_t>(temporary.size()), "%s.%d-%d.part", name, static_cast<int>(getpid()), attempt);
    int descriptor = open(temporary.data(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0)
      return descriptor;
    if (errno != EEXIST)
      break;
  }
  failure.system("cannot write", path);
  temporary.clear(); // not ours
  return -1;
}

bool NpyWriter::writeAll(int descriptor, const void *bytes, int64_t length) {
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
  int descriptor = create(path, failure);
  if (descriptor < 0)
    return false;
  bool ok = writeAll(descriptor, header, static_cast<int64_t>(used)) && writeAll(descriptor, values, bytes);
  int reason = errno;
  if (close(descriptor) != 0 && ok) // a full disk may show only here
    ok = false, reason = errno;
  errno = reason;
  return ok || failure.system("cannot write", path);
}

bool NpyWriter::commit(Failure &failure) {
  if (rename(temporary.data(), target.data()) != 0)
    return failure.system("cannot write", target.data());
  temporary.clear();
  return true;
}
