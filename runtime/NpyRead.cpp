#include "runtime/Npy.h"
#include <climits>
#include <cstring>

using namespace heddle::runtime;

namespace {

constexpr int64_t maxHeader = 1 << 16;

const char *expectedTypes(int64_t element) {
  return element == HEDDLE_F32 ? "f32 ('<f4')" : element == HEDDLE_I32 ? "i32 ('<i4' or '<i8')" : "bool ('|b1')";
}

const char *remedy(int64_t element) {
  return element == HEDDLE_F32 ? "astype(numpy.float32)" : element == HEDDLE_I32 ? "astype(numpy.int32)" : "astype(bool)";
}

/// Bytes of one value in the file, 0: not a type for `element`.
int64_t sizeOfType(const char *type, int64_t element) {
  if (element == HEDDLE_F32)
    return std::strcmp(type, "<f4") == 0 ? 4 : 0;
  if (element == HEDDLE_I32)
    return std::strcmp(type, "<i4") == 0 ? 4 : std::strcmp(type, "<i8") == 0 ? 8 : 0;
  return std::strcmp(type, "|b1") == 0 ? 1 : 0;
}

} // namespace

bool NpyReader::open(const char *path, int64_t wanted, Failure &failure) {
  element = wanted;
  return file.open(path, failure) && readHeader(failure);
}

bool NpyReader::readHeader(Failure &failure) {
  unsigned char start[12] = {};
  int64_t prefix = file.size() < 10 ? file.size() : 10;
  if (!file.read(start, prefix, failure))
    return false;
  if (prefix < 10 || std::memcmp(start, "\x93NUMPY", 6) != 0)
    return failure.contents("%s is no .npy file", Quoted(file.name()).text());
  if (start[6] < 1 || start[6] > 3 || start[7] != 0)
    return failure.contents("%s is a .npy file of version %d.%d, expected 1.0, 2.0 or 3.0", Quoted(file.name()).text(), start[6], start[7]);
  int64_t length = start[8] | start[9] << 8;
  if (start[6] > 1) {
    prefix = 12;
    if (file.size() < prefix)
      return failure.contents("%s is cut short", Quoted(file.name()).text());
    if (!file.read(start + 10, 2, failure))
      return false;
    length |= int64_t{start[10]} << 16 | int64_t{start[11]} << 24;
  }
  if (length > file.size() - prefix || length >= maxHeader)
    return failure.contents("%s has a header of %lld bytes, expected at most %lld", Quoted(file.name()).text(), static_cast<long long>(length),
                            static_cast<long long>(file.size() - prefix < maxHeader ? file.size() - prefix : maxHeader - 1));
  Array<char> text;
  if (!text.resize(length))
    return failure.outOfMemory();
  if (!file.read(text.data(), length, failure))
    return false;
  NpyHeader header;
  if (const char *wrong = parseNpyHeader(text.data(), length, header))
    return failure.contents("%s %s", Quoted(file.name()).text(), wrong);
  sizeInFile = sizeOfType(header.type, element);
  if (sizeInFile == 0)
    return failure.contents("%s: expected %s, got %s; in NumPy: %s", Quoted(file.name()).text(), expectedTypes(element), Quoted(header.type).text(),
                            remedy(element));
  fortran = header.fortran;
  axes = header.rank;
  values = 1;
  bool overflow = false, empty = false;
  for (int axis = 0; axis < axes; ++axis) {
    shape[axis] = header.shape[axis];
    empty |= shape[axis] == 0;
    overflow |= __builtin_mul_overflow(values, shape[axis] > 0 ? shape[axis] : 1, &values); // whoever multiplies some of them stays inside 64 bits
  }
  if (empty)
    values = 0;
  int64_t wanted = 0;
  overflow |= __builtin_mul_overflow(values, sizeInFile, &wanted);
  int64_t have = file.size() - prefix - length;
  if (overflow || wanted != have)
    return failure.contents("%s: its header asks for %s%lld bytes of values, the file has %lld", Quoted(file.name()).text(),
                            overflow ? "more than " : "", static_cast<long long>(overflow ? INT64_MAX : wanted), static_cast<long long>(have));
  return true;
}

bool NpyReader::read(void *to, const Visible &visible, Failure &failure) {
  bool plain = (!fortran || axes < 2) && element != HEDDLE_BOOL && sizeInFile == 4;
  return plain ? file.read(to, values * 4, failure) : readChunks(to, visible, failure);
}

/// Values that are converted, checked or reordered on their way go through a small buffer.
bool NpyReader::readChunks(void *to, const Visible &visible, Failure &failure) {
  int64_t strides[maxRank], indices[maxRank] = {}, stride = 1, target = 0;
  for (int axis = axes - 1; axis >= 0; --axis)
    strides[axis] = stride, stride *= shape[axis];
  alignas(8) char buffer[1 << 15];
  const int64_t perChunk = static_cast<int64_t>(sizeof buffer) / sizeInFile;
  for (int64_t done = 0; done < values; done += perChunk) {
    int64_t part = values - done < perChunk ? values - done : perChunk;
    if (!file.read(buffer, part * sizeInFile, failure))
      return false;
    for (int64_t i = 0; i < part; ++i) {
      if (!store(to, fortran ? target : done + i, buffer + i * sizeInFile, visible, failure))
        return false;
      for (int axis = 0; fortran && axis < axes; ++axis) { // the first axis runs fastest in the file
        target += strides[axis];
        if (++indices[axis] < shape[axis])
          break;
        target -= strides[axis] * shape[axis];
        indices[axis] = 0;
      }
    }
  }
  return true;
}

/// `index` counts row-major.
bool NpyReader::store(void *to, int64_t index, const char *value, const Visible &visible, Failure &failure) {
  if (element == HEDDLE_BOOL) {
    if (*value != 0 && *value != 1)
      return failure.contents("%s: the byte %d is no bool, expected 0 or 1", Quoted(file.name()).text(), static_cast<unsigned char>(*value));
    static_cast<char *>(to)[index] = *value;
    return true;
  }
  if (sizeInFile == 4) {
    std::memcpy(static_cast<char *>(to) + index * 4, value, 4);
    return true;
  }
  int64_t wide;
  std::memcpy(&wide, value, 8);
  int32_t narrow = static_cast<int32_t>(wide);
  if (narrow != wide) {
    int64_t rest = index, row = 0, column = 0;
    for (int axis = axes - 1; axis >= 0; rest /= shape[axis--]) {
      if (axis == visible.batch)
        row = rest % shape[axis];
      else if (axis == visible.position)
        column = rest % shape[axis];
    }
    if (!visible.lengths)
      return failure.contents("%s: %lld at index %lld (row-major, from 0) does not fit 32 bits", Quoted(file.name()).text(),
                              static_cast<long long>(wide), static_cast<long long>(index));
    if (column < visible.lengths[row])
      return failure.contents("%s: %lld at row %lld, column %lld (from 0) does not fit 32 bits", Quoted(file.name()).text(),
                              static_cast<long long>(wide), static_cast<long long>(row), static_cast<long long>(column));
    narrow = 0;
  }
  std::memcpy(static_cast<char *>(to) + index * 4, &narrow, 4);
  return true;
}
