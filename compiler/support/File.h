// Files: whole texts with a limit, pieces of large files, and outputs that appear whole or not at all. Every failure is a message that names the
// file.
#pragma once
#include "compiler/support/Diagnostics.h"
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heddle {

/// A regular file open for reading. Folders, FIFOs, devices and sockets are refused without waiting for them. Pieces are copied out on demand instead
/// of mapped: a file that shrinks meanwhile then gives a message and no signal.
class InputFile {
public:
  static std::optional<InputFile> open(const std::string &path, Diagnostics &diagnostics);
  InputFile(InputFile &&) noexcept;
  InputFile &operator=(InputFile &&) noexcept;
  ~InputFile();

  const std::string &path() const { return name; }
  uint64_t size() const { return bytes; }
  /// Fills `to` from `offset` on; an error if the file has not that much.
  bool read(uint64_t offset, std::span<char> to, Diagnostics &diagnostics) const;

private:
  InputFile(std::string name, int descriptor, uint64_t bytes) : name(std::move(name)), descriptor(descriptor), bytes(bytes) {}
  std::string name;
  int descriptor = -1;
  uint64_t bytes = 0;
};

/// Whether anything stands at `path`, be it a link that leads nowhere or to itself: who asks for it must then be told why it cannot be read.
bool isThere(const std::string &path);

/// The whole of a file that may not be longer than `limit` bytes.
std::optional<std::string> readFile(const std::string &path, uint64_t limit, Diagnostics &diagnostics);

/// A file written beside its target and put in its place by commit(). Without commit, and after any failure, the target stays what it was and nothing
/// is left behind. Where the file system can, the file has no name until then, so that not even SIGKILL leaves one.
class OutputFile {
public:
  /// Rights come from the umask: 0666, or 0777 for `executable`. A target that is a folder, device or FIFO is refused. A link is followed.
  static std::optional<OutputFile> create(const std::string &path, bool executable, Diagnostics &diagnostics);
  OutputFile(OutputFile &&) noexcept;
  OutputFile &operator=(OutputFile &&) noexcept;
  ~OutputFile();

  /// Gives the file the rights and the owner of the one that it will replace, where there is one.
  void keepRights();
  /// Appends. The first failure (disk full) is kept, later calls do nothing, commit() reports it.
  bool write(std::string_view bytes);
  /// Overwrites bytes that are there already: for headers whose contents are known last.
  bool writeAt(uint64_t offset, std::string_view bytes);
  uint64_t size() const { return bytes; }
  /// Appends zeros up to a multiple of `alignment`.
  bool align(uint64_t alignment);
  /// Everything on disk, then renamed over the target.
  bool commit(Diagnostics &diagnostics);

private:
  OutputFile() = default;
  bool put(uint64_t offset, std::string_view bytes);
  bool replaceTarget();
  void close();

  std::string shown;     // the path as the user wrote it, for messages
  std::string target;    // links followed
  std::string temporary; // empty while the file has no name
  int descriptor = -1;
  int failure = 0; // errno of the first failure
  uint64_t bytes = 0;
};

/// Removes what outputs under way have beside their targets. For handlers of signals that end the process: it calls nothing that they may not call.
void removeUnfinishedOutputs();

/// Writes one text as the whole of `path`.
bool writeFile(const std::string &path, std::string_view contents, bool executable, Diagnostics &diagnostics);

} // namespace heddle
