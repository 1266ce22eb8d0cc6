#include "runtime/File.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace heddle::runtime;

InputFile::~InputFile() {
  if (descriptor >= 0)
    close(descriptor);
}

bool InputFile::open(const char *name, Failure &failure) {
  path = name;
  descriptor = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); // a FIFO is refused without waiting for a writer
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status) != 0)
    return failure.system("cannot open", path);
  if (!S_ISREG(status.st_mode))
    return failure.contents("cannot read %s: it is %s, expected a file", Quoted(path).text(),
                            S_ISDIR(status.st_mode) ? "a folder" : "a device or pipe");
  bytes = status.st_size;
  return true;
}

bool InputFile::read(void *to, int64_t length, Failure &failure) {
  char *next = static_cast<char *>(to);
  while (length > 0) {
    ssize_t got = ::read(descriptor, next, static_cast<size_t>(length < (1 << 30) ? length : 1 << 30));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return failure.system("cannot read", path);
    if (got == 0)
      return failure.contents("%s is cut short", Quoted(path).text());
    next += got, length -= got;
  }
  return true;
}
