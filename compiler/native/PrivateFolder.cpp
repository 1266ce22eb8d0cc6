// A folder that only this process uses and that is gone afterwards.
#include "compiler/native/PrivateFolder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

Expected<heddle::PrivateFolder> heddle::PrivateFolder::create() {
  SmallString<128> path;
  if (std::error_code code = sys::fs::createUniqueDirectory("heddle", path)) // mode 0700
    return createStringError("cannot make a temporary folder: '" + Twine(path) + "': " + code.message());
  return PrivateFolder(std::move(path));
}

heddle::PrivateFolder::~PrivateFolder() {
  if (!path.empty())
    sys::fs::remove_directories(path);
}

std::string heddle::PrivateFolder::file(StringRef name) const {
  SmallString<128> full(path);
  sys::path::append(full, name);
  return std::string(full);
}

Error heddle::PrivateFolder::write(StringRef name, StringRef bytes) const {
  std::error_code code;
  raw_fd_ostream stream(file(name), code);
  if (!code) {
    stream << bytes;
    stream.close();
    code = stream.error();
    stream.clear_error();
  }
  return code ? createStringError("cannot write a temporary file: '" + file(name) + "': " + code.message()) : Error::success();
}

Expected<std::string> heddle::PrivateFolder::read(StringRef name) const {
  auto buffer = MemoryBuffer::getFile(file(name), /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot read a temporary file: '" + file(name) + "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}
