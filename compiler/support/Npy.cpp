// See Npy.h. The header is a Python dictionary of three entries; a small strict reader takes exactly the forms that NumPy writes.
#include "compiler/support/Npy.h"
#include "compiler/support/File.h"
#include "compiler/support/Shape.h"
#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>

namespace heddle {

namespace {
constexpr std::string_view magic = "\x93NUMPY";
constexpr uint64_t longestHeader = (1 << 16) - 1;
constexpr size_t mostAxes = 16;

struct TypeName {
  std::string_view text;
  ElementType element;
};
constexpr TypeName types[] = {
    {"<f4", ElementType::F32}, {"<f8", ElementType::F64}, {"<i4", ElementType::I32}, {"<i8", ElementType::I64}, {"|b1", ElementType::Bool}};

struct Header {
  std::string type;
  bool fortran = false;
  std::vector<int64_t> shape;
};

/// `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }` and blanks. Every function returns false where the text is another.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : rest(text) {}

  bool parse(Header &header) {
    bool seen[3] = {};
    if (!take("{"))
      return false;
    while (!take("}")) {
      std::string key;
      if (!string(key) || !take(":"))
        return false;
      int which = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : 3;
      if (which == 3 || seen[which])
        return false;
      seen[which] = true;
      if (!(which == 0 ? string(header.type) : which == 1 ? boolean(header.fortran) : tuple(header.shape)))
        return false;
      if (!take(",")) {
        if (!take("}"))
          return false;
        break;
      }
    }
    blanks();
    return rest.empty() && seen[0] && seen[1] && seen[2];
  }

private:
  void blanks() { rest.remove_prefix(std::min(rest.find_first_not_of(" \n\t\r"), rest.size())); }

  bool take(std::string_view token) {
    blanks();
    if (!rest.starts_with(token))
      return false;
    rest.remove_prefix(token.size());
    return true;
  }

  bool string(std::string &to) {
    blanks();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return false;
    size_t end = rest.find(rest[0], 1);
    if (end == std::string_view::npos)
      return false;
    to = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return to.find('\\') == std::string::npos;
  }

  bool boolean(bool &to) {
    to = take("True");
    return to || take("False");
  }

  bool tuple(std::vector<int64_t> &to) {
    if (!take("("))
      return false;
    while (!take(")")) {
      uint64_t extent = 0; // so that no sign is taken
      blanks();
      auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), extent);
      if (error != std::errc() || extent > INT64_MAX)
        return false;
      rest.remove_prefix(static_cast<size_t>(stop - rest.data()));
      to.push_back(static_cast<int64_t>(extent));
      if (!take(","))
        return to.size() > 1 && take(")"); // (3) is a number, (3,) a tuple
    }
    return true;
  }

  std::string_view rest;
};

/// Column-major elements into row-major order.
void fromFortran(NpyArray &array) {
  size_t bytes = bytesOf(array.element), rank = array.shape.size();
  std::vector<char> from = array.data;
  std::vector<int64_t> index(rank, 0), stride(rank, 1); // index counts in row-major order; stride is that of the file
  for (size_t axis = 1; axis < rank; ++axis)
    stride[axis] = stride[axis - 1] * array.shape[axis - 1];
  int64_t at = 0;
  for (size_t to = 0; to < array.data.size(); to += bytes) {
    std::memcpy(&array.data[to], &from[static_cast<size_t>(at) * bytes], bytes);
    for (size_t axis = rank; axis-- > 0;) {
      at += stride[axis];
      if (++index[axis] < array.shape[axis])
        break;
      at -= stride[axis] * array.shape[axis];
      index[axis] = 0;
    }
  }
}
} // namespace

std::optional<NpyArray> readNpy(const std::string &path, Diagnostics &diagnostics) {
  auto file = InputFile::open(path, diagnostics);
  if (!file)
    return std::nullopt;
  auto fail = [&](std::string message) {
    diagnostics.error({path, 0, 0}, std::move(message));
    return std::nullopt;
  };
  char start[12] = {};
  uint64_t available = std::min<uint64_t>(file->size(), sizeof start);
  if (!file->read(0, {start, available}, diagnostics))
    return std::nullopt;
  if (available < 10 || std::string_view(start, 6) != magic)
    return fail("no .npy file");
  unsigned version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3 || start[7] != 0)
    return fail(fmt::format(".npy version {}.{} is none of 1.0, 2.0, 3.0", version, static_cast<unsigned char>(start[7])));
  uint64_t headerAt = version == 1 ? 10 : 12, headerBytes = 0;
  for (uint64_t i = headerAt; i-- > 8;)
    headerBytes = headerBytes << 8 | static_cast<unsigned char>(start[i]);
  if (headerAt > file->size() || headerBytes > file->size() - headerAt || headerBytes > longestHeader)
    return fail(
        fmt::format("the header is said to have {} bytes, the file has {}, and at most {} are read", headerBytes, file->size(), longestHeader));
  std::string text(headerBytes, '\0');
  if (!file->read(headerAt, text, diagnostics))
    return std::nullopt;
  Header header;
  if (!HeaderParser(text).parse(header))
    return fail("the header is not one that NumPy writes");
  auto type = std::find_if(std::begin(types), std::end(types), [&](const TypeName &name) { return name.text == header.type; });
  if (type == std::end(types))
    return fail(fmt::format("elements of type '{}': expected one of <f4, <f8, <i4, <i8, |b1", header.type));
  if (header.shape.size() > mostAxes)
    return fail(fmt::format("{} axes, at most {} are read", header.shape.size(), mostAxes));
  NpyArray array{type->element, std::move(header.shape), {}};
  auto bytes = byteCount(array.shape, bytesOf(array.element));
  uint64_t dataBytes = file->size() - headerAt - headerBytes;
  if (!bytes || static_cast<uint64_t>(*bytes) != dataBytes)
    return fail(fmt::format("shape {} of '{}' does not agree with {} bytes of data", shapeText(array.shape), header.type, dataBytes));
  array.data.resize(dataBytes);
  if (!file->read(headerAt + headerBytes, array.data, diagnostics))
    return std::nullopt;
  if (array.element == ElementType::Bool && std::any_of(array.data.begin(), array.data.end(), [](char c) { return c != 0 && c != 1; }))
    return fail("a bool that is neither 0 nor 1");
  if (header.fortran)
    fromFortran(array);
  return array;
}

bool writeNpy(const std::string &path, const NpyArray &array, Diagnostics &diagnostics) {
  std::string shape;
  for (int64_t extent : array.shape)
    shape += fmt::format("{}, ", extent);
  if (array.shape.size() > 1)
    shape.resize(shape.size() - 2);
  else if (array.shape.size() == 1)
    shape.resize(shape.size() - 1); // (3,)
  auto type = std::find_if(std::begin(types), std::end(types), [&](const TypeName &name) { return name.element == array.element; });
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type->text, shape);
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10, ' '); // data begin at a multiple of 64
  header.back() = '\n';
  auto file = OutputFile::create(path, false, diagnostics);
  if (!file)
    return false;
  char length[2] = {static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  file->write(magic);
  file->write({"\x01\x00", 2});
  file->write({length, 2});
  file->write(header);
  file->write({array.data.data(), array.data.size()});
  return file->commit(diagnostics);
}

} // namespace heddle
