// Files without a disk, for what reads files by name: a fuzzer makes each once and fills it again for every input.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace heddle::fuzz {

/// Stops where no fuzzing is possible, or where a promise is broken: libFuzzer keeps the input.
inline void require(bool holds) {
  if (!holds)
    std::abort();
}

class MemoryFile {
public:
  MemoryFile() : descriptor(::memfd_create("input", MFD_CLOEXEC)) { require(descriptor >= 0); }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  ~MemoryFile() { ::close(descriptor); }

  void set(std::string_view contents) {
    require(::ftruncate(descriptor, 0) == 0 && ::lseek(descriptor, 0, SEEK_SET) == 0);
    require(::pwrite(descriptor, contents.data(), contents.size(), 0) == static_cast<ssize_t>(contents.size()));
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor); }

  const int descriptor;
};

/// A folder in the system's temporary one, which the runner of the fuzzers chooses and clears. A process that crashes leaves its folder there.
class Folder {
public:
  Folder() : path((std::filesystem::temp_directory_path() / "heddle-fuzz-XXXXXX").string()) { require(::mkdtemp(path.data())); }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  ~Folder() { std::filesystem::remove_all(path); }

  /// `name` in this folder leads to `target`.
  void link(const std::string &name, const std::string &target) const { std::filesystem::create_symlink(target, std::filesystem::path(path) / name); }

  std::string path;
};

/// Takes what stands before the next NUL off the input: texts that hold none are followed by what else a fuzzer needs.
inline std::string_view takePart(std::string_view &input) {
  size_t end = input.find('\0');
  std::string_view part = input.substr(0, end);
  input.remove_prefix(end == input.npos ? input.size() : end + 1);
  return part;
}

} // namespace heddle::fuzz
