// Arrays in files: NumPy's .npy, read strictly (versions 1 to 3, little-endian, C or Fortran order, no byte more than the header says).
#pragma once
#include "runtime/Array.h"
#include "runtime/Failure.h"
#include "runtime/File.h"
#include "runtime/heddle_model.h"
#include <cstdint>

namespace heddle::runtime {

constexpr int maxRank = 16;

/// An opened file whose header has been read and found to agree with the file's size.
class NpyReader {
public:
  /// Opens `path` for values of `element` (int64 serves i32). The place of the path in memory must outlive the reader.
  bool open(const char *path, int64_t element, Failure &failure);
  int rank() const { return axes; }
  const int64_t *extents() const { return shape; }
  int64_t count() const { return values; }

  /// Which elements count: those of row b (index on axis `batch`) at positions below lengths[b] (index on axis `position`). Without lengths: all.
  struct Visible {
    const int64_t *lengths = nullptr;
    int64_t batch = -1, position = -1;
  };
  /// Reads all values, row-major, into `to` (count() elements). Values that do not fit are refused, those that do not count become 0.
  bool read(void *to, const Visible &visible, Failure &failure);

private:
  bool readHeader(Failure &failure);
  bool readChunks(void *to, const Visible &visible, Failure &failure);
  bool store(void *to, int64_t index, const char *value, const Visible &visible, Failure &failure);
  InputFile file;
  int64_t element = 0, values = 0, sizeInFile = 4;
  bool fortran = false;
  int axes = 0;
  int64_t shape[maxRank] = {};
};

/// The dictionary of a header, parsed.
struct NpyHeader {
  char type[8] = ""; // "<f4"
  bool fortran = false;
  int rank = 0;
  int64_t shape[maxRank] = {};
};
/// Null, or what is wrong.
const char *parseNpyHeader(const char *text, int64_t length, NpyHeader &header);

/// A file written beside its target and renamed over it by commit(): the target is the old file or the whole new one.
class NpyWriter {
public:
  NpyWriter() = default;
  NpyWriter(const NpyWriter &) = delete;
  NpyWriter &operator=(const NpyWriter &) = delete;
  ~NpyWriter();
  bool write(const char *path, int64_t element, int rank, const int64_t *extents, const void *values, Failure &failure);
  bool commit(Failure &failure);

private:
  bool create(const char *path, Failure &failure);
  template <typename Make> bool giveName(Make make);
  bool writeAll(const void *bytes, int64_t length);
  Array<char> target, temporary; // NUL-terminated
  int descriptor = -1;
  bool hasName = false; // the file is called `temporary`
};

} // namespace heddle::runtime
