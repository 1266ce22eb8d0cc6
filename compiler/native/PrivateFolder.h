// A folder that only this process uses and that is gone afterwards. lld reads and writes files by name; LinkExecutable gives it this place.
#pragma once
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace heddle {

class PrivateFolder {
public:
  static llvm::Expected<PrivateFolder> create();
  PrivateFolder(PrivateFolder &&other) : path(std::move(other.path)) { other.path.clear(); }
  PrivateFolder &operator=(PrivateFolder &&) = delete;
  ~PrivateFolder();

  std::string file(llvm::StringRef name) const;
  llvm::Error write(llvm::StringRef name, llvm::StringRef bytes) const;
  llvm::Expected<std::string> read(llvm::StringRef name) const;

private:
  explicit PrivateFolder(llvm::SmallString<128> path) : path(std::move(path)) {}
  llvm::SmallString<128> path;
};

} // namespace heddle
