// Reading is strict: what the header says must be all of the file, and every refusal says why. Writing gives what NumPy writes.
#include "runtime/Npy.h"
#include "test/unit/support/TemporaryFolder.h"
#include <sys/stat.h>

using namespace heddle::runtime;

namespace {

template <typename T> std::string bytesOf(std::initializer_list<T> values) {
  std::string bytes;
  for (T value : values)
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
  return bytes;
}

std::string npy(std::string header, const std::string &values, int version = 1) {
  std::string file("\x93NUMPY", 6);
  file += static_cast<char>(version);
  file += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    file += static_cast<char>(header.size() >> (8 * i));
  return file + header + values;
}
std::string header(std::string type, std::string shape, const char *fortran = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

class NpyTest : public testing::Test {
protected:
  template <typename T> std::vector<T> read(const std::string &contents, int64_t element, NpyReader::Visible visible = {}) {
    path = folder.put("x.npy", contents);
    NpyReader reader;
    std::vector<T> values;
    if (!reader.open(path.c_str(), element, failure))
      return values;
    values.resize(static_cast<size_t>(reader.count()));
    shape.assign(reader.extents(), reader.extents() + reader.rank());
    if (!reader.read(values.data(), visible, failure))
      values.clear();
    return values;
  }
  /// The message without the path in front.
  std::string refusal(const std::string &contents, int64_t element = HEDDLE_F32) {
    failure = {};
    read<int64_t>(contents, element);
    std::string text = failure.text, name = "'" + path + "'";
    EXPECT_EQ(failure.code, 1) << "not refused";
    EXPECT_NE(text.find(name), text.npos) << text;
    return text.substr(text.find(name) + name.size());
  }
  heddle::TemporaryFolder folder;
  Failure failure;
  std::string path;
  std::vector<int64_t> shape;
};

using Floats = std::vector<float>;
using Ints = std::vector<int32_t>;

TEST_F(NpyTest, ReadsAllVersionsAndOrders) {
  for (int version : {1, 2, 3}) {
    EXPECT_EQ(read<float>(npy(header("<f4", "(2, 3)"), bytesOf<float>({1, 2, 3, 4, 5, 6}), version), HEDDLE_F32), (Floats{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(shape, (std::vector<int64_t>{2, 3}));
  }
  EXPECT_EQ(read<float>(npy(header("<f4", "(2, 3)", "True"), bytesOf<float>({1, 4, 2, 5, 3, 6})), HEDDLE_F32), (Floats{1, 2, 3, 4, 5, 6}));
  // [2, 3, 2]: element [i, j, k] is at i + 2 j + 6 k of the file.
  EXPECT_EQ(read<float>(npy(header("<f4", "(2, 3, 2)", "True"), bytesOf<float>({0, 100, 10, 110, 20, 120, 1, 101, 11, 111, 21, 121})), HEDDLE_F32),
            (Floats{0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121}));
  EXPECT_EQ(read<float>(npy(header("<f4", "()"), bytesOf<float>({7})), HEDDLE_F32), (Floats{7}));
  EXPECT_EQ(read<char>(npy(header("|b1", "(3,)"), std::string("\1\0\1", 3)), HEDDLE_BOOL), (std::vector<char>{1, 0, 1}));
  EXPECT_EQ(read<float>(npy("{\"shape\":(1,),\"fortran_order\":True,\"descr\":\"<f4\"}", bytesOf<float>({7})), HEDDLE_F32), (Floats{7}));
  EXPECT_STREQ(failure.text, "");
}

TEST_F(NpyTest, TakesWideIdsThatFit) {
  EXPECT_EQ(read<int32_t>(npy(header("<i8", "(2, 2)"), bytesOf<int64_t>({1, -1, INT32_MAX, INT32_MIN})), HEDDLE_I32),
            (Ints{1, -1, INT32_MAX, INT32_MIN}));
  std::string wide = npy(header("<i8", "(2, 2)"), bytesOf<int64_t>({1, 2, 3, int64_t{1} << 32}));
  EXPECT_EQ(refusal(wide, HEDDLE_I32), ": 4294967296 at index 3 (row-major, from 0) does not fit 32 bits");
  int64_t all[] = {2, 2}, cut[] = {2, 1};
  EXPECT_TRUE(read<int32_t>(wide, HEDDLE_I32, {all, 0, 1}).empty());
  EXPECT_NE(std::string(failure.text).find("4294967296 at row 1, column 1 (from 0)"), std::string::npos) << failure.text;
  EXPECT_EQ(read<int32_t>(wide, HEDDLE_I32, {cut, 0, 1}), (Ints{1, 2, 3, 0})) << "beyond a row's length nothing is looked at";
}

TEST_F(NpyTest, RefusesWhatIsNotTheArgumentsType) {
  EXPECT_EQ(refusal(npy(header("<f8", "(1,)"), bytesOf<double>({1}))), ": expected f32 ('<f4'), got '<f8'; in NumPy: astype(numpy.float32)");
  EXPECT_EQ(refusal(npy(header(">i4", "(1,)"), bytesOf<int32_t>({1})), HEDDLE_I32),
            ": expected i32 ('<i4' or '<i8'), got '>i4'; in NumPy: astype(numpy.int32)");
  EXPECT_EQ(refusal(npy(header("|O", "(1,)"), "12345678")), ": expected f32 ('<f4'), got '|O'; in NumPy: astype(numpy.float32)");
  EXPECT_EQ(refusal(npy(header("|b1", "(1,)"), "\2"), HEDDLE_BOOL), ": the byte 2 is no bool, expected 0 or 1");
  EXPECT_EQ(refusal(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234")), " holds records, expected plain numbers");
}

TEST_F(NpyTest, RefusesSizesThatDiffer) {
  std::string good = npy(header("<f4", "(2, 3)"), bytesOf<float>({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(refusal(good + "x"), ": its header asks for 24 bytes of values, the file has 25");
  EXPECT_EQ(refusal(good.substr(0, good.size() - 4)), ": its header asks for 24 bytes of values, the file has 20");
  EXPECT_EQ(refusal(npy(header("<f4", "(4611686018427387904, 2)"), "1234")),
            ": its header asks for more than 9223372036854775807 bytes of values, the file has 4");
  EXPECT_EQ(refusal(npy(header("<f4", "(9223372036854775808,)"), "1234")), " has an extent beyond 64 bits");
  EXPECT_EQ(refusal(npy(header("<f4", "(0, 4611686018427387904, 4611686018427387904)"), "")),
            ": its header asks for more than 9223372036854775807 bytes of values, the file has 0");
  EXPECT_EQ(refusal(npy(header("<f4", "(0, 3)"), "1234")), ": its header asks for 0 bytes of values, the file has 4");
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(refusal(good.substr(0, length)), "") << length;
}

TEST_F(NpyTest, RefusesBrokenHeaders) {
  EXPECT_EQ(refusal(""), " is no .npy file");
  EXPECT_EQ(refusal("PK\3\4 a zip file, as .npz is"), " is no .npy file");
  EXPECT_EQ(refusal(npy(header("<f4", "(1,)"), "1234", 4)), " is a .npy file of version 4.0, expected 1.0, 2.0 or 3.0");
  EXPECT_EQ(refusal(std::string("\x93NUMPY\2\0\xff\xff\xff\x7f{}", 14)), " has a header of 2147483647 bytes, expected at most 2");
  EXPECT_EQ(refusal(npy("{'descr': '<f4', 'fortran_order': False}", "1234")), " lacks one of descr, fortran_order and shape");
  EXPECT_EQ(refusal(npy(header("<f4", "(1,), 'shape': (1,)"), "1234")), " has another key than descr, fortran_order and shape, or one of them twice");
  EXPECT_EQ(refusal(npy(header("<f4", "(1,), 'more': (1,)"), "1234")), " has another key than descr, fortran_order and shape, or one of them twice");
  EXPECT_EQ(refusal(npy(header("<f4", "(1)"), "1234")), " has a shape that is no tuple of whole numbers");
  EXPECT_EQ(refusal(npy(header("<f4", "(-1,)"), "1234")), " has a shape that is no tuple of whole numbers");
  EXPECT_EQ(refusal(npy(header("<f4", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"), "1234")), " has more than 16 axes");
  EXPECT_EQ(refusal(npy(header("<f4", "(1,)", "0"), "1234")), " has no True or False for fortran_order");
  EXPECT_EQ(refusal(npy(header("<f4", "(1,)") + "{}", "1234")), " is no NumPy header");
}

TEST_F(NpyTest, RefusesWhatIsNoFileWithoutWaiting) {
  NpyReader reader, other, missing;
  std::string fifo = folder / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_FALSE(reader.open(fifo.c_str(), HEDDLE_F32, failure));
  EXPECT_EQ(std::string(failure.text), "cannot read '" + fifo + "': it is a device or pipe, expected a file");
  EXPECT_FALSE(other.open(folder.path.c_str(), HEDDLE_F32, failure));
  EXPECT_EQ(std::string(failure.text), "cannot read '" + folder.path + "': it is a folder, expected a file");
  EXPECT_FALSE(missing.open("/nowhere/a\n.npy", HEDDLE_F32, failure));
  EXPECT_STREQ(failure.text, "cannot open: '/nowhere/a\\x0a.npy': No such file or directory");
}

TEST_F(NpyTest, WritesWhatItReads) {
  const float values[] = {1, 2, 3, 4, 5, 6};
  const int64_t extents[] = {2, 3};
  std::string path = folder / "out.npy";
  {
    NpyWriter writer;
    ASSERT_TRUE(writer.write(path.c_str(), HEDDLE_F32, 2, extents, values, failure)) << failure.text;
    EXPECT_FALSE(std::filesystem::exists(path)) << "not before commit";
    ASSERT_TRUE(writer.commit(failure)) << failure.text;
  }
  std::string contents = folder.get("out.npy");
  EXPECT_EQ(contents.size(), 128U + 24U);
  EXPECT_EQ(contents.substr(10, 56), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)") << "as NumPy writes it";
  EXPECT_EQ(read<float>(contents, HEDDLE_F32), (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(folder.count(), 2U) << "the array and what read() put there";
}

TEST_F(NpyTest, LeavesTheOldFileAndNothingElseAfterAFailure) {
  std::string path = folder.put("out.npy", "old");
  const float value = 1;
  {
    NpyWriter writer; // written but never committed
    ASSERT_TRUE(writer.write(path.c_str(), HEDDLE_F32, 0, nullptr, &value, failure));
    EXPECT_EQ(folder.get("out.npy"), "old");
  }
  EXPECT_EQ(folder.get("out.npy"), "old");
  EXPECT_EQ(folder.count(), 1U);
  NpyWriter device, missing;
  EXPECT_FALSE(device.write("/dev/null", HEDDLE_F32, 0, nullptr, &value, failure));
  EXPECT_STREQ(failure.text, "cannot write '/dev/null': it is a device or pipe, expected a file");
  EXPECT_FALSE(missing.write("/nowhere/x.npy", HEDDLE_F32, 0, nullptr, &value, failure));
  EXPECT_STREQ(failure.text, "cannot write: '/nowhere/x.npy': No such file or directory");
}

TEST_F(NpyTest, FollowsALinkToItsFile) {
  folder.put("real.npy", "old");
  std::filesystem::create_symlink("real.npy", folder / "link.npy");
  const float value = 1;
  NpyWriter writer;
  ASSERT_TRUE(writer.write((folder / "link.npy").c_str(), HEDDLE_F32, 0, nullptr, &value, failure) && writer.commit(failure)) << failure.text;
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.npy"));
  EXPECT_EQ(read<float>(folder.get("real.npy"), HEDDLE_F32), (Floats{1}));
}

} // namespace
